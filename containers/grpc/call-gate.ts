import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from "@grpc/grpc-js";
import { type Authenticate, certifiedName, type GrpcScope } from "./authentication.ts";
import { type CallerWishes, readCallMetadata } from "./call-metadata.ts";
import { type AdmittedCall, type CallLimits, type LibraryCall, OpenCall, type Transport } from "./open-call.ts";
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
export class CallGate {
  readonly #options: GateOptions;
  /** Calls of which something is still on its way. */
  readonly #open = new Set<OpenCall>();
  /** Those of ours that are not settled. */
  readonly #busy = new Set<OpenCall>();
  readonly #admitted = new WeakMap<Metadata, AdmittedCall>();
  readonly #draining = new AbortController();
  #whenIdle: (() => void)[] = [];

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** For grpc-js; it has to be the first, so that it gets the library's own call. */
  readonly interceptor: ServerInterceptor = (method, next) => {
    const library = next as LibraryCall;
    const open: OpenCall = new OpenCall(library, method, this.#options, {
      onSettled: () => this.#settled(open),
      onClosed: () => this.#open.delete(open),
    });
    this.#open.add(open);
    if (this.#options.access[method.path]) this.#busy.add(open);
    return new ServerInterceptingCall(next, {
      start: (begin) =>
        begin({
          onReceiveMetadata: (metadata, proceed) => {
            this.#admit(open, method.path, metadata, library.getAuthContext()).then(
              () => {
                if (method.responseStream) this.#recheck(open, method.path, metadata);
                proceed(metadata);
              },
              (error) => open.refuse(error),
            );
          },
          onReceiveMessage: (message, proceed) => {
            const { quota, now } = this.#options;
            if (open.admitted) quota.charge(open.admitted.caller.id, open.receivedBytes, now());
            proceed(message);
          },
        }),
    });
  };

  /** What was found out about a call of ours when it came in. */
  callOf(metadata: Metadata): AdmittedCall {
    const admitted = this.#admitted.get(metadata);
    if (!admitted) throw new Error("this method is not listed in the gate's access");
    return admitted;
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
    for (const open of this.#open) open.askToEnd(goingDown());
  }

  /** Answers every call that is still open, so that nobody waits for an answer that will not come. */
  refuseAll(): void {
    for (const open of this.#open) open.refuse(goingDown());
  }

  /** Calls of ours under way. */
  get busyCalls(): number {
    return this.#busy.size;
  }

  #settled(open: OpenCall): void {
    this.#busy.delete(open);
    if (this.#busy.size > 0) return;
    for (const idle of this.#whenIdle.splice(0)) idle();
  }

  async #admit(open: OpenCall, path: string, metadata: Metadata, transport: Transport): Promise<void> {
    const { access, authenticate, quota, now } = this.#options;
    const scope = access[path];
    if (!scope) return;
    if (this.#draining.signal.aborted) throw goingDown();
    const caller = await authenticate(metadata, scope);
    const wishes = withProducer(readCallMetadata(metadata), certifiedName(transport));
    const wait = quota.admit(caller.id, now());
    if (wait > 0)
      throw new RpcError(status.RESOURCE_EXHAUSTED, "this caller has used up its share for now", retryAfter(wait));
    this.#admitted.set(metadata, open.admit(caller, wishes));
  }

  /** A stream may be open for days; a token that was revoked ends it as it would end new calls. */
  #recheck(open: OpenCall, path: string, metadata: Metadata): void {
    const { access, authenticate, recheckMilliseconds = 5000 } = this.#options;
    const scope = access[path];
    if (!scope || !open.admitted) return;
    const timer = setInterval(async () => {
      try {
        await authenticate(metadata, scope);
      } catch (error) {
        // A table that cannot be read for the moment takes nothing away from who was let in.
        if (error instanceof RpcError && error.code !== status.UNAVAILABLE) open.askToEnd(error);
      }
    }, recheckMilliseconds);
    timer.unref();
    open.admitted.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  }
}

const goingDown = (): RpcError => new RpcError(status.UNAVAILABLE, "the server is going down; another one takes over");

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
