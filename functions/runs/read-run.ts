import { type Clock, systemClock } from "./clock.ts";
import { waitForHead } from "./head-watch.ts";
import { RecentStretches } from "./recent-stretches.ts";
import type { ItemKind, Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { requireRun } from "./run-store.ts";
import { CorruptSegment, decodeRecord, footerBytes, openSegment, positionsOf } from "./segment.ts";
import { getSegment, type SegmentEntry, segmentAt, segmentsFrom } from "./segment-store.ts";

export interface RunItem {
  readonly offset: number;
  readonly kind: ItemKind;
  /** A view of the segment that was read, which stays in memory as long as it does. */
  readonly payload: Buffer;
  /** Milliseconds since 1970, when the item arrived. */
  readonly time: number;
  /** Empty when the caller named none. */
  readonly producer: string;
}

/** Where to begin: at the oldest item that is kept, behind the newest, or at an offset. */
export type ReadFrom = "earliest" | "now" | { readonly offset: number };

export interface ReadOptions {
  /** Ends the reading, quietly. */
  readonly signal?: AbortSignal;
  /** False ends at what is there now, also while the run is open. @default true */
  readonly isLive?: boolean;
  /** @default the machine's */
  readonly clock?: Clock;
  /** What readers of one process share: they are mostly at the end of a run, all of them. @default each reads for itself */
  readonly recent?: RecentStretches<Stretch>;
}

export interface RunReading {
  /** The offset of the first item that comes; every further item has the next one. */
  readonly first: number;
  /** To be gone through once. */
  readonly items: AsyncGenerator<RunItem, void, undefined>;
  /** The same items, instead, as many at a time as lie together. Readers that share what is recent get the same arrays. */
  readonly stretches: AsyncGenerator<readonly RunItem[], void, undefined>;
}

/** While nothing comes the run is asked less and less often; whoever writes in this process wakes its readers. */
const pollMs = { min: 20, max: 250 };
/** Segments that one question to the index brings; each is read only when its turn comes. */
const entriesAtOnce = 50;

/**
 * Reads a run in the order of its offsets, without a gap, and goes on as it grows until it is closed. One segment is in memory at a time,
 * 8 MiB or one item, besides those that all readers share. Beyond the next segment of those nothing is read ahead of whoever takes the items, so a slow reader slows nobody.
 * @throws RunError run_not_found, out_of_range; from `items` also data_loss, after which a new reading can go on with `next`
 */
export async function readRun(runId: string, from: ReadFrom, options: ReadOptions = {}): Promise<RunReading> {
  const run = await requireRun(runId);
  const first = from === "earliest" ? run.first : from === "now" ? run.head : from.offset;
  if (!Number.isSafeInteger(first) || first < run.first || first > run.head) throw outOfRange(first, run);
  const stretches = stretchesFrom(runId, first, options);
  return { first, stretches, items: oneByOne(stretches, options.signal) };
}

async function* oneByOne(stretches: AsyncGenerator<readonly RunItem[]>, signal?: AbortSignal): AsyncGenerator<RunItem> {
  for await (const stretch of stretches)
    for (const item of stretch) {
      if (signal?.aborted) return;
      yield item;
    }
}

const outOfRange = (offset: number, { first, head }: { first: number; head: number }) =>
  new RunError("out_of_range", `Offset ${offset} is not kept: there are ${first} to ${head - 1}.`, {
    offset,
    first,
    next: head,
  });

async function* stretchesFrom(
  runId: string,
  first: number,
  options: ReadOptions,
): AsyncGenerator<readonly RunItem[], void, undefined> {
  const { signal, isLive = true, clock = systemClock, recent = new RecentStretches(0) } = options;
  let next = first;
  let waitMs = pollMs.min;
  while (!signal?.aborted) {
    const run = await requireRun(runId);
    if (next < run.first) throw outOfRange(next, run);
    if (next < run.head) {
      for await (const stretch of committedStretches(run, next, recent)) {
        if (signal?.aborted) return;
        yield stretch;
        next = behind(stretch);
      }
      waitMs = pollMs.min;
    } else if (run.status === "closed" || !isLive) return;
    else {
      await waitForHead(runId, waitMs, clock, signal);
      waitMs = Math.min(2 * waitMs, pollMs.max);
    }
  }
}

/**
 * Items from an offset up to the head of a run as it was seen. Ends early when retention has taken them away or compaction has put them
 * elsewhere meanwhile; who asks again is told or finds them there.
 */
async function* committedStretches(
  run: Run,
  from: number,
  recent: RecentStretches<Stretch>,
): AsyncGenerator<readonly RunItem[]> {
  let next = from;
  try {
    const holding = await segmentAt(run.id, next);
    if (holding) {
      for await (const stretch of stretchesOf(run.id, holding, next, recent)) {
        yield stretch;
        next = behind(stretch);
      }
    }
    while (next < run.head) {
      const entries = await segmentsFrom(run.id, next, entriesAtOnce, run.head);
      if (entries.length === 0) throw new Loss(next, next + 1);
      for (const [index, entry] of entries.entries()) {
        if (entry.first !== next) throw new Loss(next, next + 1);
        readAhead(run.id, entries[index + 1], recent);
        yield* stretchesOf(run.id, entry, next, recent);
        next = entry.first + entry.count;
      }
    }
  } catch (error) {
    if (!(error instanceof Loss)) throw error;
    // Any rearrangement makes places and objects that were looked up before it worthless, and no loss of them.
    if ((await requireRun(run.id)).layout !== run.layout) return;
    const { offset, next } = error;
    throw new RunError("data_loss", `What is stored at offset ${offset} is damaged.`, { offset, next }, error.cause);
  }
}

/** What should be at an offset is not, up to another one. */
class Loss extends Error {
  readonly offset: number;
  readonly next: number;

  constructor(offset: number, next: number, cause?: CorruptSegment) {
    super("damaged or missing", { cause });
    this.offset = offset;
    this.next = next;
  }
}

/** The offset behind the last of some items. */
const behind = (stretch: readonly RunItem[]): number => (stretch.at(-1) as RunItem).offset + 1;

/** @throws Loss behind the items before the damage */
async function* stretchesOf(
  runId: string,
  entry: SegmentEntry,
  from: number,
  recent: RecentStretches<Stretch>,
): AsyncGenerator<readonly RunItem[]> {
  const skipped = from - entry.first;
  if (skipped >= entry.count) return;
  const { items, loss } = await (skipped === 0 ? whole(runId, entry, recent) : readStretch(runId, entry, skipped));
  if (items.length > 0) yield items;
  if (loss) throw loss;
}

const whole = (runId: string, entry: SegmentEntry, recent: RecentStretches<Stretch>): Promise<Stretch> =>
  recent.get(`${runId}/${entry.first}.${entry.epoch}.${entry.revision}`, () => readStretch(runId, entry, 0));

/** What is shared is bounded, so the next segment may come while this one is taken. Whoever takes it hears how it failed. */
function readAhead(runId: string, next: SegmentEntry | undefined, recent: RecentStretches<Stretch>): void {
  if (next && next.bytes <= recent.bytesMax / 2) whole(runId, next, recent).catch(() => undefined);
}

/** A segment or its end, read. */
export interface Stretch {
  readonly items: readonly RunItem[];
  /** Thrown behind them: what comes there is damaged. */
  readonly loss: Error | null;
  /** Held in memory by the items. */
  readonly bytes: number;
}

async function readStretch(runId: string, entry: SegmentEntry, skipped: number): Promise<Stretch> {
  const { piece, positions } = await recordsFrom(runId, entry, skipped);
  const items: RunItem[] = [];
  const bytes = piece.length;
  for (const [index, position] of positions.entries()) {
    const offset = entry.first + skipped + index;
    try {
      const { kind, payload, time, producer } = decodeRecord(piece, position, skipped + index);
      items.push({ offset, kind, payload, time, producer });
    } catch (error) {
      if (error instanceof CorruptSegment) return { items, loss: new Loss(offset, offset + 1, error), bytes };
      throw error;
    }
  }
  return { items, loss: null, bytes };
}

/** The records of a segment from one on, and where each is in the bytes. Those before are not even read. */
async function recordsFrom(runId: string, entry: SegmentEntry, skipped: number) {
  const header = { runId, first: entry.first };
  const end = entry.first + entry.count;
  if (skipped === 0) {
    const piece = await getSegment(runId, entry);
    return intact(entry.first, end, () => {
      const { positions } = openSegment(piece ?? Buffer.alloc(0));
      if (positions.length !== entry.count) throw new CorruptSegment("footer");
      return { piece: piece as Buffer, positions };
    });
  }
  const footerAt = entry.bytes - footerBytes(entry.count);
  const footer = await getSegment(runId, entry, { from: footerAt, to: entry.bytes - 1 });
  const all = intact(entry.first + skipped, end, () => positionsOf(footer ?? Buffer.alloc(0), header));
  const start = all[skipped] as number;
  const piece = await getSegment(runId, entry, { from: start, to: footerAt - 1 });
  return { piece: piece ?? Buffer.alloc(0), positions: all.slice(skipped).map((position) => position - start) };
}

/** Says what is lost when bytes are not what was written. @throws Loss */
function intact<T>(offset: number, next: number, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof CorruptSegment ? new Loss(offset, next, error) : error;
  }
}
