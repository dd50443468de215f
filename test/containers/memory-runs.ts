import { status } from "@grpc/grpc-js";
import { RpcError } from "../../containers/grpc/rpc-error.ts";
import type { Appended, Feed, NewItem, RunItem, RunName, Runs } from "../../containers/grpc/runs.ts";
import { piecesOf } from "../../functions/runs/payload.ts";
import type { ReaderLag } from "../../functions/runs/reader-lag.ts";

interface Run {
  readonly items: (RunItem & NewItem)[];
  readonly parameters: Buffer[];
  closed: boolean;
}

/**
 * Runs that are forgotten with the process: what is looked at here is the wire. It has the shape of the durable log and none of its
 * promises.
 */
export class MemoryRuns implements Runs {
  healthy = true;
  closed = false;
  /** What appends wait for before they are acknowledged. */
  acknowledgement: Promise<unknown> = Promise.resolve();
  /** Thrown by the next append instead of keeping the item. */
  failure: Error | undefined;
  readonly #runs = new Map<string, Run>();
  #woken = Promise.withResolvers<void>();

  run({ tenant, name }: RunName): Run {
    const key = `${tenant}/${name}`;
    const run = this.#runs.get(key) ?? { items: [], parameters: [], closed: false };
    this.#runs.set(key, run);
    return run;
  }

  /** The payloads of one anonymous run, as text. */
  texts(name = "default"): string[] {
    return this.run({ tenant: "anonymous", name }).items.map(({ payload }) => payload.toString());
  }

  async append(name: RunName, item: NewItem): Promise<Appended> {
    if (this.failure) throw this.failure;
    const { items } = this.run(name);
    const same = (old: NewItem) => item.sequence !== undefined && old.sequence === item.sequence;
    const found = items.find((old) => same(old) && old.producer === item.producer);
    // A view of the request would keep all of it alive, and tests count memory.
    if (!found) items.push({ ...item, offset: items.length, payload: Buffer.concat(piecesOf(item.payload)) });
    const offset = found?.offset ?? items.length - 1;
    this.#wake();
    await this.acknowledgement;
    return { offset, duplicate: found !== undefined, durable: item.acknowledgement === "durable" };
  }

  async head(name: RunName): Promise<number> {
    return this.run(name).items.length;
  }

  async lag(name: RunName, next: number): Promise<ReaderLag> {
    const items = this.run(name).items.slice(next);
    return { items: items.length, bytes: items.reduce((sum, { payload }) => sum + payload.length, 0) };
  }

  async read(name: RunName, from: "now" | "earliest" | number, signal: AbortSignal): Promise<Feed> {
    const head = await this.head(name);
    const first = from === "now" ? head : from === "earliest" ? 0 : from;
    if (first > head) throw new RpcError(status.OUT_OF_RANGE, `the next offset is ${head}`);
    return { first, stretches: this.#stretches(this.run(name), first, signal) };
  }

  async *#stretches(run: Run, first: number, signal: AbortSignal): AsyncGenerator<RunItem[]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    for (let next = first; !signal.aborted; ) {
      const item = run.items[next];
      if (item) {
        yield [item];
        next++;
      } else if (run.closed) return;
      else await this.#woken.promise;
    }
  }

  async storeParameters(name: RunName, payload: Buffer): Promise<number> {
    return this.run(name).parameters.push(Buffer.from(payload));
  }

  close(): Promise<void>;
  close(name: RunName): Promise<void>;
  async close(name?: RunName): Promise<void> {
    if (name) this.run(name).closed = true;
    else this.closed = true;
    this.#wake();
  }

  isHealthy(): boolean {
    return this.healthy;
  }

  async flush(): Promise<void> {}

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }
}
