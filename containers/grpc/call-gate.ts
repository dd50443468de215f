import { status } from "@grpc/grpc-js";
import { defaultRunName } from "../../functions/runs/run-name.ts";
import type { Authenticate, GrpcScope } from "./authentication.ts";
import { type CallerWishes, readCallMetadata } from "./call-metadata.ts";
import type { CallLimits, CallListener, OpenCall } from "./open-call.ts";
import type { Quota } from "./quota.ts";
import { RpcError, retryAfter } from "./rpc-error.ts";

/** Which scope each method of ours needs. A method that is not listed, such as a health check, is open to anyone. */
export type Access = Readonly<Record<string, GrpcScope>>;

export interface GateOptions extends CallLimits {
  readonly access: Access;
  readonly authenticate: Authenticate;
  readonly quota: Quota;
  /** Milliseconds. */
  readonly now: () => number;
  /** How long before a stream asks again whether its caller may still have it. @default 5000 */
  readonly recheckMilliseconds?: number;
}

/**
 * Where every call comes in, before its body is read: who may call what, how much, and whether the server still takes calls.
 * It also knows the calls under way.
 */
export class CallGate implements CallListener {
  /** What every call is held to. */
  readonly limits: CallLimits;
  readonly #options: GateOptions;
  /** Calls of which something is still on its way. */
  readonly #open = new Set<OpenCall>();
  /** Those of ours that are not settled. */
  readonly #busy = new Set<OpenCall>();
  readonly #draining = new AbortController();
  #whenIdle: (() => void)[] = [];

  constructor(options: GateOptions) {
    this.#options = options;
    this.limits = options;
  }

  /** Takes a call that has come in: lets its body be read, or refuses it. */
  enter(call: OpenCall): void {
    this.#open.add(call);
    const scope = this.#options.access[call.method.path];
    if (scope) this.#busy.add(call);
    call.start();
    if (scope) this.#letIn(call, scope);
    else call.read();
  }

  /** Refuses new calls from now on, but for those open to anyone, and tells streams to come to an end. */
  drain(): void {
    this.#draining.abort(goingDown());
  }

  /** Aborts when the server begins to go down: streams deliver what there is and end. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  /** Resolves when no call of ours is under way, with true, or after the time given, with false. Watchers of health are not waited for. */
  async idle(milliseconds: number): Promise<boolean> {
    if (this.#busy.size === 0) return true;
    const idle = Promise.withResolvers<boolean>();
    this.#whenIdle.push(() => idle.resolve(true));
    const timer = setTimeout(() => idle.resolve(false), milliseconds);
    return await idle.promise.finally(() => clearTimeout(timer));
  }

  /** Asks the handlers of all calls to end them. */
  askAllToEnd(): void {
    for (const call of this.#open) call.askToEnd(goingDown());
  }

  /** Answers every call that is still open, so that nobody waits for an answer that will not come. */
  refuseAll(): void {
    for (const call of this.#open) call.refuse(goingDown());
  }

  /** Calls of ours under way. */
  get busyCalls(): number {
    return this.#busy.size;
  }

  onMessage(call: OpenCall, bytes: number): void {
    const { access, quota, now } = this.#options;
    if (access[call.method.path]) quota.charge(call.caller.id, bytes, now());
  }

  onSettled(call: OpenCall): void {
    if (!this.#busy.delete(call) || this.#busy.size > 0) return;
    for (const idle of this.#whenIdle.splice(0)) idle();
  }

  onClosed(call: OpenCall): void {
    this.#open.delete(call);
  }

  #letIn(call: OpenCall, scope: GrpcScope): void {
    this.#admit(call, scope).then(
      () => {
        if (call.method.isStream) this.#recheck(call, scope);
        call.read();
      },
      (error) => call.refuse(error),
    );
  }

  async #admit(call: OpenCall, scope: GrpcScope): Promise<void> {
    const { authenticate, quota, now } = this.#options;
    if (this.#draining.signal.aborted) throw goingDown();
    const caller = await authenticate(call.metadata, scope);
    const given = readCallMetadata(call.metadata, caller.run ?? defaultRunName);
    const wishes = withProducer(given, call.certifiedName);
    if (caller.run !== null) requireRun(caller.run, wishes, call.method.path);
    const wait = quota.admit(caller.id, now());
    if (wait > 0)
      throw new RpcError(status.RESOURCE_EXHAUSTED, "this caller has used up its share for now", retryAfter(wait));
    call.admit(caller, wishes);
  }

  /** A stream may be open for days; a token that was revoked ends it as it would end new calls. */
  #recheck(call: OpenCall, scope: GrpcScope): void {
    const { authenticate, recheckMilliseconds = 5000 } = this.#options;
    const timer = setInterval(async () => {
      try {
        await authenticate(call.metadata, scope);
      } catch (error) {
        // A table that cannot be read for the moment takes nothing away from who was let in.
        if (error instanceof RpcError && error.code !== status.UNAVAILABLE) call.askToEnd(error);
      }
    }, recheckMilliseconds);
    timer.unref();
    call.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  }
}

const goingDown = (): RpcError => new RpcError(status.UNAVAILABLE, "the server is going down; another one takes over");

/**
 * Holds a token to its run. What our own package offers goes over several runs at a time.
 * @throws RpcError PERMISSION_DENIED
 */
function requireRun(run: string, wishes: CallerWishes, path: string): void {
  if (wishes.run !== run) throw new RpcError(status.PERMISSION_DENIED, "this API token is for another run");
  if (!path.startsWith("/hil_serl."))
    throw new RpcError(status.PERMISSION_DENIED, "this API token is for one run; here one for all runs is needed");
}

/**
 * Who the items are from. A certificate settles it: nobody writes under another's name.
 * @throws RpcError PERMISSION_DENIED, INVALID_ARGUMENT
 */
function withProducer(wishes: CallerWishes, certified: string | undefined): CallerWishes {
  const { producer = certified, sequence } = wishes;
  if (certified && producer !== certified)
    throw new RpcError(status.PERMISSION_DENIED, "x-hil-producer is not who the client certificate names");
  if (sequence !== undefined && !producer)
    throw new RpcError(status.INVALID_ARGUMENT, "x-hil-seq needs x-hil-producer: sequences are counted by producer");
  return { ...wishes, producer };
}
