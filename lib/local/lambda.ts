import { randomUUID } from "node:crypto";
import type { FunctionLog } from "./lambda/function-log.ts";
import { Instance, type InstanceProps } from "./lambda/instance.ts";
import type { InvokeResult, Json } from "./service.ts";

export interface FunctionProps extends InstanceProps {
  /** How many instances may exist at a time; further invocations wait. 0 switches the function off, as on AWS. */
  readonly concurrency: number;
}

export interface LambdaProps {
  readonly log: FunctionLog;
  /** Instances of all functions together, busy or warm. @default 48 */
  readonly instancesMax?: number;
  /**
   * Instances that may wait for work at a time; beyond, the longest idle one goes. A scan and the client that follows it go round some
   * twenty functions: with room for fewer, each would be gone just before its turn comes again. One holds about 26 MB of its own.
   * @default 24
   */
  readonly warmMax?: number;
  /** How long an instance may wait for work before it is retired. @default 60 */
  readonly idleSeconds?: number;
  /** Milliseconds, monotonic. @default performance.now */
  readonly now?: () => number;
}

interface Func {
  readonly props: FunctionProps;
  /** All of its instances, busy and warm. */
  readonly instances: Set<Instance>;
}

interface Warm {
  readonly func: Func;
  readonly since: number;
}

interface Waiting {
  readonly func: Func;
  readonly requestId: string;
  readonly payload: string;
  readonly settle: (result: InvokeResult) => void;
}

/** Lambda's limit for the event of a synchronous invocation. */
const payloadBytesMax = 6 * 1024 * 1024;
/** Waiting events are held in memory; a queue this long means that nobody will still want the answers. */
const queueMax = 1_000;
/** The sweeper's period; an idle instance lives up to this much longer than its time. */
const sweepMs = 5_000;
/** A loop that fills buffers at memory speed gets about a hundred megabytes further than allowed. */
const memoryCheckMs = 50;

/**
 * Lambda on this machine: runs functions in instances of their own, a bounded number at a time, and keeps some warm.
 * Where AWS would start ever more instances or throttle, invocations wait here: the machine has only so many cores.
 */
export class Lambda {
  readonly #functions = new Map<string, Func>();
  readonly #log: FunctionLog;
  readonly #instancesMax: number;
  readonly #warmMax: number;
  readonly #idleMs: number;
  readonly #now: () => number;
  /** In the order in which they became idle, which makes the first one the least recently used. */
  readonly #warm = new Map<Instance, Warm>();
  readonly #busy = new Set<Instance>();
  readonly #ending = new Set<Promise<void>>();
  readonly #sweeper: NodeJS.Timeout;
  #memoryGuard: NodeJS.Timeout | undefined;
  #queue: Waiting[] = [];
  #closed = false;

  constructor(props: LambdaProps) {
    this.#log = props.log;
    this.#instancesMax = props.instancesMax ?? 48;
    this.#warmMax = props.warmMax ?? 24;
    this.#idleMs = (props.idleSeconds ?? 60) * 1000;
    this.#now = props.now ?? (() => performance.now());
    this.#sweeper = setInterval(() => this.retireIdle(), sweepMs).unref();
  }

  addFunction(props: FunctionProps): void {
    this.#functions.set(props.arn, { props, instances: new Set() });
  }

  /** Instances alive, for figures and tests. */
  get instances(): { readonly busy: number; readonly warm: number } {
    return { busy: this.#busy.size, warm: this.#warm.size };
  }

  /** Ids of a function's processes, for tests that kill them. */
  processesOf(arn: string): number[] {
    return [...(this.#functions.get(arn)?.instances ?? [])].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Runs a function and waits for its answer; never rejects. Errors of the service itself are named "Lambda.…", all others
   * are the function's own with the JSON that Lambda answers as their message.
   */
  invoke(arn: string, payload: Json): Promise<InvokeResult> {
    const func = this.#functions.get(arn);
    if (!func) return refused("Lambda.ResourceNotFoundException", `Function not found: ${arn}`);
    const text = JSON.stringify(payload ?? {});
    if (Buffer.byteLength(text) > payloadBytesMax) {
      return refused("Lambda.RequestTooLargeException", `The event is larger than ${payloadBytesMax} bytes.`);
    }
    if (this.#closed) return refused("Lambda.ServiceException", "The embedded cloud is stopping.");
    if (func.props.concurrency === 0 || this.#queue.length >= queueMax) {
      return refused("Lambda.TooManyRequestsException", "Rate Exceeded.");
    }
    return new Promise((settle) => {
      this.#queue.push({ func, requestId: randomUUID(), payload: text, settle });
      this.#dispatch();
    });
  }

  /** Ends the instances that have waited too long. */
  retireIdle(): void {
    for (const [instance, { since }] of this.#warm) {
      if (this.#now() - since < this.#idleMs) break;
      this.#retire(instance);
    }
  }

  /** Ends every instance; invocations under way and waiting ones fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    clearInterval(this.#memoryGuard);
    for (const { settle } of this.#queue.splice(0)) settle(await stopping());
    await Promise.all([...this.#warm.keys(), ...this.#busy].map((instance) => instance.end()));
    await Promise.all(this.#ending);
    await this.#log.flush();
  }

  /** Starts every waiting invocation that can start, oldest first; one that must wait holds up none of another function. */
  #dispatch(): void {
    const waiting = this.#queue;
    this.#queue = [];
    for (const invocation of waiting) {
      const instance = this.#instanceFor(invocation.func);
      if (instance) void this.#run(instance, invocation);
      else this.#queue.push(invocation);
    }
  }

  #instanceFor(func: Func): Instance | undefined {
    // The instance used last is the likeliest to have its code and connections ready.
    const warm = [...func.instances].findLast((instance) => this.#warm.has(instance));
    if (warm) {
      this.#warm.delete(warm);
      return warm;
    }
    if (func.instances.size >= func.props.concurrency) return undefined;
    if (this.#busy.size + this.#warm.size >= this.#instancesMax && !this.#retireOldest()) return undefined;
    return this.#start(func);
  }

  #start(func: Func): Instance {
    const instance = new Instance(func.props, this.#log, () => {
      func.instances.delete(instance);
      this.#warm.delete(instance);
      this.#busy.delete(instance);
      this.#dispatch();
    });
    func.instances.add(instance);
    return instance;
  }

  async #run(instance: Instance, { func, requestId, payload, settle }: Waiting): Promise<void> {
    this.#busy.add(instance);
    this.#memoryGuard ??= setInterval(() => this.#checkMemory(), memoryCheckMs);
    settle(await instance.invoke(requestId, payload));
    // An instance that died in this invocation has already left both sets.
    if (this.#busy.delete(instance)) this.#warm.set(instance, { func, since: this.#now() });
    if (this.#warm.size > this.#warmMax) this.#retireOldest();
    this.#dispatch();
  }

  #retireOldest(): boolean {
    const [oldest] = this.#warm.keys();
    if (oldest) this.#retire(oldest);
    return oldest !== undefined;
  }

  #retire(instance: Instance): void {
    this.#warm.get(instance)?.func.instances.delete(instance);
    this.#warm.delete(instance);
    const ending = instance.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #checkMemory(): void {
    if (this.#busy.size === 0) {
      clearInterval(this.#memoryGuard);
      this.#memoryGuard = undefined;
    }
    for (const instance of this.#busy) instance.enforceMemory();
  }
}

const refused = (error: string, message: string): Promise<InvokeResult> =>
  Promise.resolve({ ok: false, error, message });
const stopping = () => refused("Lambda.ServiceException", "The embedded cloud is stopping.");
