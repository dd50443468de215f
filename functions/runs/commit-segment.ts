import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { failedConditions, keys, sendUntilNoConflict } from "../platform/table.ts";
import { transactDirectly } from "../platform/transact-directly.ts";
import { keyItem, type SequencedItem, sequenceItem } from "./identity-store.ts";
import { RunError } from "./run-error.ts";
import { requireRun } from "./run-store.ts";
import type { SegmentRecord } from "./segment.ts";
import type { SegmentEntry } from "./segment-store.ts";

/** DynamoDB takes no more in one transaction; segment and run are two of them. The sizes are far below its 4 MB. */
export const indexRowsMax = 100 - 2;

/** A record as the index needs it. */
export type IndexedRecord = Omit<SegmentRecord, "payload"> & { readonly payloadBytes: number };

/** A segment whose object is stored, ready to become part of the log. */
export interface StoredSegment {
  readonly runId: string;
  readonly first: number;
  /** Of the object's writer, which is not who commits when a crash lies between. */
  readonly epoch: number;
  readonly bytes: number;
  readonly records: readonly IndexedRecord[];
  /** The high-water before this segment of each producer in it. */
  readonly highWaters: ReadonlyMap<string, number | null>;
  /** The same at each try, so that DynamoDB recognises one whose answer was lost. */
  readonly token: string;
}

/** How many items of the index a record needs beside those that are there. */
export const indexRowOf = (record: Pick<SegmentRecord, "producer" | "seq" | "key">): string | null =>
  record.seq !== null ? `SEQ#${record.producer}` : record.key !== "" ? `KEY#${record.key}` : null;

/**
 * Makes a stored segment part of the log: its entry, the run's head and what is known of its items, all or nothing. Safe to repeat.
 * @param writer epoch of who commits
 * @throws RunError fenced, run_closed
 */
export async function commitSegment(segment: StoredSegment, writer: number, nowMs: number): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const { runId, first, records, epoch } = segment;
  const sequences = [...groupedByProducer(segment)];
  const entry: SegmentEntry = {
    first,
    count: records.length,
    bytes: segment.bytes,
    epoch,
    revision: "",
    transitions: records.filter(({ kind }) => kind === "transition").length,
    interactions: records.filter(({ kind }) => kind === "interaction").length,
    firstTime: records[0]!.time,
    lastTime: records.at(-1)!.time,
    sequences: sequences.map(([producer, items]) => ({ producer, last: items.at(-1)!.seq })),
  };
  const puts = [
    ...sequences.map(([producer, items]) =>
      sequenceItem(runId, producer, { first, after: segment.highWaters.get(producer) ?? null, items }),
    ),
    ...records.flatMap(({ key, seq, crc }, index) =>
      key === "" || seq !== null ? [] : [keyItem(runId, key, { offset: first + index, crc }, nowMs)],
    ),
  ];
  const write = {
    ClientRequestToken: segment.token,
    TransactItems: [
      {
        Put: {
          TableName,
          Item: { ...keys.runSegment(runId, first), v: 1, ...entry },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      { Update: advancing(segment, entry, writer) },
      ...puts.map((Item) => ({ Put: { TableName, Item } })),
    ],
  };
  if (await transactDirectly(write)) return;
  await sendUntilNoConflict(new TransactWriteCommand(write)).catch(async (error) => {
    if (!failedConditions(error) || !(await isCommitted(segment, writer))) throw error;
  });
}

function advancing({ runId, first, epoch, records, bytes }: StoredSegment, entry: SegmentEntry, writer: number) {
  const payloadBytes = (wanted: string) =>
    records.reduce((sum, { kind, payloadBytes }) => sum + (kind === wanted ? payloadBytes : 0), 0);
  return {
    TableName: environment().TABLE_NAME,
    Key: keys.run(runId),
    UpdateExpression:
      "SET head = :head, headEpoch = :headEpoch ADD transitions :transitions, transitionBytes :transitionBytes, " +
      "interactions :interactions, interactionBytes :interactionBytes, storedBytes :stored",
    ConditionExpression: "epoch = :writer AND head = :first AND #status = :open",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":head": first + records.length,
      ":headEpoch": epoch,
      ":transitions": entry.transitions,
      ":transitionBytes": payloadBytes("transition"),
      ":interactions": entry.interactions,
      ":interactionBytes": payloadBytes("interaction"),
      ":stored": bytes,
      ":writer": writer,
      ":first": first,
      ":open": "open",
    },
  };
}

function groupedByProducer({ first, records }: StoredSegment): Map<string, SequencedItem[]> {
  const groups = new Map<string, SequencedItem[]>();
  records.forEach(({ producer, seq, crc }, index) => {
    if (seq === null) return;
    const group = groups.get(producer) ?? [];
    groups.set(producer, group);
    group.push({ seq, crc, offset: first + index });
  });
  return groups;
}

/** Tells an earlier try of this very commit, which DynamoDB may have forgotten, from one that is refused. */
async function isCommitted({ runId, first, epoch, records }: StoredSegment, writer: number): Promise<boolean> {
  const run = await requireRun(runId);
  // Nobody else advances the head while the epoch is ours.
  if (run.epoch === writer && run.headEpoch === epoch && run.head === first + records.length) return true;
  if (run.epoch !== writer) throw new RunError("fenced", `Another writer has taken the run ${run.name} over.`);
  if (run.status === "closed") throw new RunError("run_closed", `The run ${run.name} is closed.`);
  return false;
}
