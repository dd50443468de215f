import type { ItemKind } from "./run.ts";
import { RunError } from "./run-error.ts";
import { requireRun } from "./run-store.ts";
import { CorruptSegment, decodeRecord, footerBytes, openSegment, positionsOf, type SegmentRecord } from "./segment.ts";
import { getSegment, type SegmentEntry, segmentAt } from "./segment-store.ts";

/** Up to here a segment is read whole: its other records are likely to be wanted soon, and a call costs more than the bytes. */
const wholeBytesMax = 256 * 1024;
/** Of a larger one, records that begin in the same stretch of so many bytes are read together. */
const stretchBytes = 128 * 1024;

/** A segment or a part of it, with where records begin in it. */
interface Piece {
  readonly bytes: Buffer;
  readonly positions: readonly number[];
}

/**
 * Reads single records in any order. What was read stays in memory up to a number of bytes, the longest unused goes first; a log may be as
 * long as it likes. Of large segments only what lies around a record is read.
 */
export class RecordReader {
  readonly #bytesMax: number;
  #bytesHeld = 0;
  /** In order of use. Promises, so that many who want the same one read it once. */
  readonly #pieces = new Map<string, Promise<Piece>>();

  /** @param bytesMax held in memory, of all runs together */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytesHeld(): number {
    return this.#bytesHeld;
  }

  /**
   * The record at an offset.
   * @param known the segment that the index had for it, at whatever time
   * @returns null when retention has taken it away
   * @throws RunError data_loss
   */
  async read(runId: string, offset: number, known: SegmentEntry): Promise<SegmentRecord | null> {
    return await this.#wherever(runId, offset, known, (entry) => this.#record(runId, entry, offset - entry.first));
  }

  /**
   * The kinds of some records in a row, which lay in one segment when the index was read. Reads that segment whole and does not keep it.
   * @returns null when retention has taken them away
   * @throws RunError data_loss
   */
  async kinds(runId: string, first: number, count: number, known: SegmentEntry): Promise<ItemKind[] | null> {
    return await this.#wherever(runId, first, known, async (entry) => {
      const { bytes, positions } = await wholeSegment(runId, entry);
      const from = first - entry.first;
      return positions
        .slice(from, from + count)
        .map((position, index) => decodeRecord(bytes, position, from + index).kind);
    });
  }

  /** Looks once more where an offset is when it is not where it was: compaction puts segments together, and retention takes them away. */
  async #wherever<T>(
    runId: string,
    offset: number,
    known: SegmentEntry,
    read: (entry: SegmentEntry) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await read(known);
    } catch (error) {
      if (!(error instanceof CorruptSegment)) throw error;
    }
    const [run, entry] = await Promise.all([requireRun(runId), segmentAt(runId, offset)]);
    if (offset < run.first) return null;
    try {
      if (!entry || offset >= entry.first + entry.count) throw new CorruptSegment("index");
      return await read(entry);
    } catch (error) {
      if (!(error instanceof CorruptSegment)) throw error;
      if (offset < (await requireRun(runId)).first) return null;
      const fields = { offset, next: offset + 1 };
      throw new RunError("data_loss", `What is stored at offset ${offset} is damaged.`, fields, error);
    }
  }

  async #record(runId: string, entry: SegmentEntry, index: number): Promise<SegmentRecord> {
    const name = `${runId}/${entry.first}.${entry.epoch}.${entry.revision}`;
    if (entry.bytes <= wholeBytesMax) {
      const { bytes, positions } = await this.#kept(name, () => wholeSegment(runId, entry));
      return decodeRecord(bytes, positions[index] as number, index);
    }
    const footer = await this.#kept(`${name}/footer`, () => footerOf(runId, entry));
    const position = footer.positions[index] as number;
    const stretch = Math.floor(position / stretchBytes);
    const from = footer.positions.find((one) => one >= stretch * stretchBytes) as number;
    const { bytes } = await this.#kept(`${name}/${stretch}`, async () => {
      const end = footer.positions.find((one) => one >= (stretch + 1) * stretchBytes);
      const to = (end ?? entry.bytes - footerBytes(entry.count)) - 1;
      return { bytes: (await getSegment(runId, entry, { from, to })) ?? Buffer.alloc(0), positions: [] };
    });
    return decodeRecord(bytes, position - from, index);
  }

  async #kept(key: string, read: () => Promise<Piece>): Promise<Piece> {
    const known = this.#pieces.get(key);
    this.#pieces.delete(key);
    const piece = known ?? read();
    this.#pieces.set(key, piece);
    if (known) return await known;
    try {
      const read = await piece;
      this.#bytesHeld += sizeOf(read);
      await this.#shrink();
      return read;
    } catch (error) {
      if (this.#pieces.get(key) === piece) this.#pieces.delete(key);
      throw error;
    }
  }

  async #shrink(): Promise<void> {
    for (const [key, piece] of this.#pieces) {
      if (this.#bytesHeld <= this.#bytesMax) return;
      // One that is still being read has not been counted yet, and counts itself when it is there.
      const read = await Promise.race([piece, null]).catch(() => null);
      if (!read || this.#pieces.get(key) !== piece) continue;
      this.#pieces.delete(key);
      this.#bytesHeld -= sizeOf(read);
    }
  }
}

/** Positions are numbers in an array, eight bytes at most. */
const sizeOf = ({ bytes, positions }: Piece): number => bytes.length + 8 * positions.length;

/** @throws CorruptSegment also when the object is not there */
async function wholeSegment(runId: string, entry: SegmentEntry): Promise<Piece> {
  const bytes = (await getSegment(runId, entry)) ?? Buffer.alloc(0);
  const { header, positions } = openSegment(bytes);
  if (header.runId !== runId || header.first !== entry.first || positions.length !== entry.count)
    throw new CorruptSegment("header");
  return { bytes, positions };
}

async function footerOf(runId: string, entry: SegmentEntry): Promise<Piece> {
  const range = { from: entry.bytes - footerBytes(entry.count), to: entry.bytes - 1 };
  const footer = (await getSegment(runId, entry, range)) ?? Buffer.alloc(0);
  return { bytes: Buffer.alloc(0), positions: positionsOf(footer, { runId, first: entry.first }) };
}
