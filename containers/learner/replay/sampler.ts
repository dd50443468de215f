import { errorFields, log } from "../../../functions/platform/log.ts";
import type { RecordReader } from "../../../functions/runs/record-reader.ts";
import { isRunError } from "../../../functions/runs/run-error.ts";
import type { SegmentRecord } from "../../../functions/runs/segment.ts";
import type { Drawn, FifoPlace, ReplayTable, Selector } from "./replay-table.ts";

export interface SampleWishes {
  readonly selector: Selector;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Infinity for no end. */
  readonly samplesMax: number;
  readonly signal: AbortSignal;
}

export interface SampledItem extends Drawn {
  readonly offset: number;
  readonly record: SegmentRecord;
}

/** Read at the same time: enough to hide the way to S3, few enough to be held in memory for each call. */
const readsAtOnce = 8;

/**
 * Samples, until there are as many as are wanted or, with FIFO, nothing more can come. Waits for the table's limiter. An item that is not
 * kept any more, or is damaged, is drawn again; FIFO passes it over.
 */
export async function* sample(
  table: ReplayTable,
  reader: RecordReader,
  { selector, random, samplesMax, signal }: SampleWishes,
): AsyncGenerator<SampledItem> {
  const fifo: FifoPlace = new Map();
  let triesInVain = 0;
  await table.refresh();
  for (let sent = 0; sent < samplesMax && !signal.aborted; await table.refreshIfDue()) {
    const drawn = table.draw(selector, Math.min(readsAtOnce, samplesMax - sent), random, fifo);
    if (drawn.length === 0) {
      if (selector === "fifo" && table.isDelivered(fifo)) return;
      await table.changed(triesInVain++, signal);
      continue;
    }
    triesInVain = 0;
    for (const item of await Promise.all(drawn.map((one) => read(table, reader, one)))) {
      if (!item) continue;
      yield item;
      sent += 1;
    }
  }
}

async function read(table: ReplayTable, reader: RecordReader, drawn: Drawn): Promise<SampledItem | null> {
  const { source, number } = drawn;
  try {
    const place = await source.locate(number);
    const record = place && (await reader.read(source.runId, place.offset, place.entry));
    if (record) return { ...drawn, offset: place.offset, record };
  } catch (error) {
    if (!isRunError(error, "data_loss")) throw error;
    // One damaged item must not end a training that can do without it; the alarm is on this line.
    log("error", "damaged item left out of samples", errorFields(error));
  }
  table.leaveOut(drawn);
  return null;
}
