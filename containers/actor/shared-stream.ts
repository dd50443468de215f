import { randomUUID } from "node:crypto";
import { systemClock } from "../../functions/runs/clock.ts";
import { claimRange, extendRange, finishRange, isDelivered, type Range } from "../../functions/runs/group.ts";
import { changeGroup } from "../../functions/runs/group-store.ts";
import { waitForHead } from "../../functions/runs/head-watch.ts";
import type { RecordReader } from "../../functions/runs/record-reader.ts";
import type { Run } from "../../functions/runs/run.ts";
import { isRunError, RunError } from "../../functions/runs/run-error.ts";
import { ensureRun, requireRun } from "../../functions/runs/run-store.ts";
import { type SegmentEntry, segmentAt } from "../../functions/runs/segment-store.ts";
import { encodeActorInformation } from "../grpc/codec.ts";
import type { Outlet } from "../grpc/handlers.ts";
import type { AdmittedCall } from "../grpc/open-call.ts";
import type { ReplyValues } from "../grpc/rpc-error.ts";

/** How long a member may take for a range, if it takes no item: then others get it. */
const claimMilliseconds = 30_000;
const waitMilliseconds = { min: 20, max: 250 };

/**
 * Sends one member of a group its part of a run, until the run is closed and all of it is delivered, the caller goes, or the server does.
 * Each item goes to one member. It counts as delivered when the other side's transport has answered a ping behind it; what a member has
 * been given and not got goes to the others, at once when its stream ends and after 30 s when nothing is heard of its server.
 * @throws RpcError, RunError
 */
export async function shareItems(
  call: AdmittedCall,
  group: string,
  outlet: Outlet,
  { draining, reader }: { readonly draining: AbortSignal; readonly reader: RecordReader },
): Promise<ReplyValues> {
  const { caller, wishes, signal } = call;
  const run = await ensureRun(caller.tenant, wishes.run, new Date());
  const member = new Member(run.id, group, () => beginningOf(run, wishes.from), reader);
  const ended = AbortSignal.any([signal, draining]);
  outlet.begin({});
  try {
    for (let inVain = 0; ; ) {
      const { status, first, head } = await requireRun(run.id);
      // What was delivered is told before the end, too: it must not come again.
      const { range, isOver } = await member.next(first, ended.aborted ? first : head);
      ended.throwIfAborted();
      if (range) {
        inVain = 0;
        await member.deliver(range, outlet, () => call.received());
      } else if (status === "closed" && isOver) return {};
      else
        await waitForHead(
          run.id,
          Math.min(waitMilliseconds.min * 2 ** inVain++, waitMilliseconds.max),
          systemClock,
          ended,
        );
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await member.leave();
  }
}

function beginningOf(run: Run, from: "now" | "earliest" | number): number {
  const offset = from === "now" ? run.head : from === "earliest" ? run.first : from;
  if (offset >= run.first && offset <= run.head) return offset;
  const { first, head: next } = run;
  throw new RunError("out_of_range", `Offset ${offset} is not kept: there are ${first} to ${next - 1}.`, {
    offset,
    first,
    next,
  });
}

/** One stream of a group. */
class Member {
  readonly #claimant = randomUUID();
  readonly #runId: string;
  readonly #group: string;
  readonly #begin: () => number;
  readonly #reader: RecordReader;
  #until = 0;

  constructor(runId: string, group: string, begin: () => number, reader: RecordReader) {
    this.#runId = runId;
    this.#group = group;
    this.#begin = begin;
    this.#reader = reader;
  }

  /** Notes that the range before is delivered, and takes the next one, in one write. */
  async next(first: number, head: number): Promise<{ range: Range | null; isOver: boolean }> {
    const now = Date.now();
    this.#until = now + claimMilliseconds;
    const claim = { claimant: this.#claimant, first, head, now, until: this.#until };
    const { group, range } = await this.#change((group) => claimRange(finishRange(group, this.#claimant), claim));
    return { range, isOver: isDelivered(group, head) };
  }

  /** Sends a range. Resolves when the other side has it, or another member. @throws RunError data_loss behind what it has */
  async deliver({ from, to }: Range, outlet: Outlet, received: () => Promise<void>): Promise<void> {
    const arrived = async () => {
      await outlet.flushed();
      await received();
    };
    let entry: SegmentEntry | null = null;
    for (let offset = from; offset < to; offset++) {
      if (!(await this.#isStillOurs(from))) return;
      try {
        if (!entry || offset >= entry.first + entry.count) entry = await segmentAt(this.#runId, offset);
        const record = entry && (await this.#reader.read(this.#runId, offset, entry));
        if (record) await outlet.send(encodeActorInformation(record.kind, record.payload));
      } catch (error) {
        // It is told once, and whoever comes next goes on behind it.
        if (isRunError(error, "data_loss")) {
          await arrived();
          await this.#extend(offset + 1);
        }
        throw error;
      }
    }
    await arrived();
  }

  /** Asks for more time when half of it is over: whoever takes items, however slowly, keeps its range. */
  async #isStillOurs(from: number): Promise<boolean> {
    if (Date.now() < this.#until - claimMilliseconds / 2) return true;
    return await this.#extend(from);
  }

  async #extend(from: number): Promise<boolean> {
    this.#until = Date.now() + claimMilliseconds;
    const { group } = await this.#change((group) => ({ group: extendRange(group, this.#claimant, from, this.#until) }));
    return group.ranges.some(({ claimant }) => claimant === this.#claimant);
  }

  /** Lets others have what is not delivered, at once. */
  async leave(): Promise<void> {
    await this.#change((group) => ({
      group: {
        ...group,
        ranges: group.ranges.map((one) => (one.claimant === this.#claimant ? { ...one, until: 0 } : one)),
      },
    })).catch(() => undefined); // it runs out anyway
  }

  #change<T extends Parameters<typeof changeGroup>[3]>(change: T): Promise<ReturnType<T>> {
    return changeGroup(this.#runId, this.#group, this.#begin, change) as Promise<ReturnType<T>>;
  }
}
