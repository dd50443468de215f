import { status } from "@grpc/grpc-js";
import type { Clock } from "../../functions/runs/clock.ts";
import { MemoryBudget } from "../../functions/runs/memory-budget.ts";
import { probeParameterWrites, pushParameters } from "../../functions/runs/parameter-store.ts";
import { readRun, type Stretch } from "../../functions/runs/read-run.ts";
import { type ReaderLag, readerLag } from "../../functions/runs/reader-lag.ts";
import { RecentStretches } from "../../functions/runs/recent-stretches.ts";
import { isRunError } from "../../functions/runs/run-error.ts";
import { openRunLog, type RunLog } from "../../functions/runs/run-log.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { ensureRun, findRun, probeIndexWrites } from "../../functions/runs/run-store.ts";
import { probeWrites } from "../../functions/runs/segment-store.ts";
import type { Metrics } from "./metrics.ts";
import { RpcError } from "./rpc-error.ts";
import { inStatuses, itemsInStatuses, statusOf } from "./run-statuses.ts";
import type { Appended, Feed, NewItem, RunName, Runs } from "./runs.ts";
import { WriteWatch } from "./write-watch.ts";

export interface StoredRunsOptions {
  /** Who writes, for leases: the same after a restart, so that nobody has to wait for a lease of a process that is gone. */
  readonly ownerId: string;
  /** Bytes that may wait to be written, of all runs together. */
  readonly bytesMax: number;
  readonly metrics: Metrics;
  /** @default the machine's */
  readonly clock?: Clock;
}

/** A log that nobody writes to gives its lease back, and its memory. */
const idleMilliseconds = 5 * 60_000;

/** Of what streams have read last, and about as much again as it was sent; a segment has up to 8 MiB. */
const recentBytesMax = 32 * 1024 * 1024;

interface OpenLog {
  readonly log: Promise<RunLog>;
  /** Once it is open. */
  opened: RunLog | undefined;
  usedAt: number;
}

/** The durable log and the parameters of functions/runs, with the statuses that gRPC has for their refusals. */
export class StoredRuns implements Runs {
  readonly #options: StoredRunsOptions;
  readonly #budget: MemoryBudget;
  readonly #recent = new RecentStretches<Stretch>(recentBytesMax);
  /** By tenant and name: an id is a digest, too dear to compute for every item. */
  readonly #logs = new Map<string, OpenLog>();
  readonly #sweeping: NodeJS.Timeout;
  /** Of parameters, and of opening logs; a log that is open watches its own. */
  readonly #writes: WriteWatch;
  #isClosed = false;

  constructor(options: StoredRunsOptions) {
    this.#options = options;
    this.#budget = new MemoryBudget(options.bytesMax);
    this.#writes = new WriteWatch(options.clock);
    this.#sweeping = setInterval(() => this.#closeIdle(Date.now()), idleMilliseconds / 5);
    this.#sweeping.unref();
    options.metrics.observeLogs(() => this.#openLogs().map(({ counters }) => counters));
  }

  async append(run: RunName, { sequence: seq, acknowledgement: ack, ...item }: NewItem): Promise<Appended> {
    try {
      const log = this.#openLogOf(run) ?? (await this.#logOf(run));
      const { offset, duplicate, durable } = await log.append({ ...item, seq, ack });
      return { offset: offset ?? undefined, duplicate, durable };
    } catch (error) {
      throw statusOf(error);
    }
  }

  head(run: RunName): Promise<number> {
    return inStatuses(async () => (await findRun(runIdOf(run.tenant, run.name)))?.head ?? 0);
  }

  lag({ tenant, name }: RunName, next: number): Promise<ReaderLag> {
    return inStatuses(() => readerLag(runIdOf(tenant, name), next));
  }

  read({ tenant, name }: RunName, from: "now" | "earliest" | number, signal: AbortSignal): Promise<Feed> {
    return inStatuses(async () => {
      const { id } = await ensureRun(tenant, name, new Date());
      const place = typeof from === "number" ? { offset: from } : from;
      const { first, stretches } = await readRun(id, place, { signal, recent: this.#recent });
      return { first, stretches: itemsInStatuses(stretches) };
    });
  }

  async storeParameters({ tenant, name }: RunName, payload: Buffer): Promise<number> {
    const id = runIdOf(tenant, name);
    try {
      await ensureRun(tenant, name, new Date());
      const { version } = await pushParameters(id, payload, new Date());
      this.#writes.succeeded();
      return version;
    } catch (error) {
      if (!isRunError(error)) this.#watchUntil(id, () => probeParameterWrites(id));
      throw statusOf(error);
    }
  }

  isHealthy(): boolean {
    return this.#writes.isHealthy && this.#openLogs().every((log) => log.isHealthy);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#openLogs().map((log) => log.flush()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#writes.stop();
    clearInterval(this.#sweeping);
    const closing = [...this.#logs.values()].map(async ({ log }) => (await log).close());
    this.#logs.clear();
    const failed = (await Promise.allSettled(closing)).find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** @param probe of the objects that could not be written, or perhaps the index */
  #watchUntil(runId: string, probe: () => Promise<void>): void {
    this.#writes.failed(async () => {
      await probe();
      await probeIndexWrites(runId);
    });
  }

  #openLogs(): RunLog[] {
    return [...this.#logs.values()].flatMap(({ opened }) => opened ?? []);
  }

  /** For all items but the first of a run: without a promise. */
  #openLogOf({ tenant, name }: RunName): RunLog | null {
    const known = this.#logs.get(`${tenant}/${name}`);
    if (!known?.opened || known.opened.isOver) return null;
    known.usedAt = Date.now();
    return known.opened;
  }

  /** The one log of a run in this process; opened at its first item, and again when it has come to an end. */
  async #logOf({ tenant, name }: RunName): Promise<RunLog> {
    if (this.#isClosed) throw new RpcError(status.UNAVAILABLE, "the server is going down; another one takes over");
    const key = `${tenant}/${name}`;
    const known = this.#logs.get(key);
    if (known && !known.opened?.isOver) {
      known.usedAt = Date.now();
      return await known.log;
    }
    const entry: OpenLog = { log: this.#open(tenant, name), opened: undefined, usedAt: Date.now() };
    this.#logs.set(key, entry);
    try {
      entry.opened = await entry.log;
      return entry.opened;
    } catch (error) {
      if (this.#logs.get(key) === entry) this.#logs.delete(key);
      const id = runIdOf(tenant, name);
      if (!isRunError(error)) this.#watchUntil(id, () => probeWrites(id));
      throw error;
    }
  }

  async #open(tenant: string, name: string): Promise<RunLog> {
    const { ownerId, metrics, clock } = this.#options;
    const { id } = await ensureRun(tenant, name, new Date());
    const onCommit = metrics.segmentCommitted.bind(metrics);
    return await openRunLog(id, { ownerId, budget: this.#budget, onCommit, clock });
  }

  #closeIdle(now: number): void {
    for (const [key, { opened, usedAt }] of this.#logs) {
      if (!opened || now - usedAt < idleMilliseconds) continue;
      this.#logs.delete(key);
      // What it could not store was told to those who waited; a lease that is not given back runs out.
      opened.close().catch(() => undefined);
    }
  }
}
