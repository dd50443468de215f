import { randomUUID } from "node:crypto";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { deleteVersions } from "../platform/object-store.ts";
import { failedConditions, keys, sendUntilNoConflict } from "../platform/table.ts";
import type { Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { rearranging } from "./run-layout.ts";
import { requireRun } from "./run-store.ts";
import { CorruptSegment, decodeSegment, SegmentEncoder, type SegmentRecord } from "./segment.ts";
import {
  getSegment,
  putSegment,
  type SegmentEntry,
  type StoredVersion,
  segmentsFrom,
  storedVersions,
} from "./segment-store.ts";

/** What is younger is left alone: readers are most likely there, and rates are counted from it. */
const ageMin = 2 * 3600_000;
/**
 * An object that no index names is garbage only when nobody can be about to name it. Who puts segments together is a function that lives for
 * fifteen minutes.
 */
const garbageAge = 3600_000;
/** Of a segment made of several; a reader holds one in memory. Those of half the size stay as they are. */
const bytesMax = 8 * 1024 * 1024;
const itemsMax = 10_000;
/** Each takes up to 150 bytes of an index entry, which DynamoDB bounds at 400 KB. */
const producersMax = 500;
/** Each is one write of a transaction, which has a hundred. */
const segmentsMax = 90;
/** Retention takes whole segments; this part of what it keeps is how exact it stays. */
const retentionParts = 20;
const entriesAtOnce = 500;
const readsAtOnce = 16;

/**
 * Puts old small segments of a run together, each group into one object, and first removes the objects that an earlier call has put together or
 * somebody left behind: who still reads those has had a day. Offsets, items and what is known of producers stay as they are, a writer is not
 * disturbed, and readers notice nothing. Safe to repeat; a call that died leaves the log whole and is made up for by the next.
 * @param signal ends it between two groups
 * @returns how many segments have become how many
 * @throws RunError run_not_found, aborted when another call has rearranged the run meanwhile
 */
export async function compactRun(
  runId: string,
  now: Date,
  signal?: AbortSignal,
): Promise<{ before: number; after: number }> {
  let run = await requireRun(runId);
  await deleteGarbage(run, now);
  const done = { before: 0, after: 0 };
  for (let from = run.first; !signal?.aborted; ) {
    const { group, next } = await nextGroup(run, from, now.getTime() - ageMin);
    if (next === null) return done;
    if (group.length > 1 && (await putTogether(run, group))) {
      done.before += group.length;
      done.after += 1;
      run = { ...run, layout: run.layout + 1 };
    }
    from = next;
  }
  return done;
}

/** The next segments from an offset on that may become one, in order, and where to look on: null when there are no more that are old. */
async function nextGroup(run: Run, from: number, youngest: number) {
  const limit = limitsOf(run);
  const group: SegmentEntry[] = [];
  const producers = new Set<string>();
  let bytes = 0;
  let items = 0;
  for (const entry of await segmentsFrom(run.id, from, entriesAtOnce, run.head)) {
    const end = entry.first + entry.count;
    if (entry.lastTime > youngest) return { group, next: group.length > 0 ? entry.first : null };
    bytes += entry.bytes;
    items += entry.count;
    for (const { producer } of entry.sequences) producers.add(producer);
    const begin = group[0] ?? entry;
    const isFull =
      bytes > limit.bytes ||
      items > itemsMax ||
      producers.size > producersMax ||
      group.length === segmentsMax ||
      entry.lastTime - begin.firstTime > limit.milliseconds;
    const isLarge = entry.bytes > limit.bytes / 2;
    if (isFull || isLarge) {
      // A large one stands in nobody's way but its own group's; one that only came too late begins the next.
      if (group.length > 0) return { group, next: isLarge ? end : entry.first };
      return { group, next: end };
    }
    group.push(entry);
  }
  const last = group.at(-1);
  return { group, next: last ? last.first + last.count : null };
}

function limitsOf({ retention }: Run): { bytes: number; milliseconds: number } {
  return {
    bytes: Math.min(bytesMax, (retention.bytes ?? Number.POSITIVE_INFINITY) / retentionParts),
    milliseconds: ((retention.ageSeconds ?? Number.POSITIVE_INFINITY) * 1000) / retentionParts,
  };
}

/** @returns false when one of them is damaged or missing: whatever can still be read of it stays where it is */
async function putTogether(run: Run, group: readonly SegmentEntry[]): Promise<boolean> {
  const first = group[0] as SegmentEntry;
  const last = group.at(-1) as SegmentEntry;
  const encoder = new SegmentEncoder({ runId: run.id, first: first.first });
  for (let at = 0; at < group.length; at += readsAtOnce) {
    const some = group.slice(at, at + readsAtOnce);
    const read = await Promise.all(some.map((entry) => recordsOf(run.id, entry)));
    for (const records of read) {
      if (!records) return false;
      for (const record of records) encoder.add(record);
    }
  }
  const body = encoder.encode();
  const sum = (count: (entry: SegmentEntry) => number) => group.reduce((total, entry) => total + count(entry), 0);
  const newest = new Map(group.flatMap(({ sequences }) => sequences.map(({ producer, last }) => [producer, last])));
  const entry: SegmentEntry = {
    first: first.first,
    count: sum(({ count }) => count),
    bytes: body.length,
    epoch: last.epoch,
    revision: randomUUID(),
    transitions: sum(({ transitions }) => transitions),
    interactions: sum(({ interactions }) => interactions),
    firstTime: first.firstTime,
    lastTime: last.lastTime,
    sequences: [...newest].map(([producer, last]) => ({ producer, last })),
  };
  await putSegment(run.id, { ...entry, body });
  await replace(run, group, entry);
  return true;
}

async function recordsOf(runId: string, entry: SegmentEntry): Promise<SegmentRecord[] | null> {
  const body = await getSegment(runId, entry);
  if (!body) return null;
  try {
    const { header, records } = decodeSegment(body);
    return header.runId === runId && header.first === entry.first && records.length === entry.count ? records : null;
  } catch (error) {
    if (error instanceof CorruptSegment) return null;
    throw error;
  }
}

/** The index changes all at once, and only if nobody has changed it since the run was read. */
async function replace(run: Run, group: readonly SegmentEntry[], entry: SegmentEntry): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const layout = rearranging(run.layout);
  const [, ...others] = group;
  const freed = group.reduce((total, { bytes }) => total + bytes, -entry.bytes);
  const write = new TransactWriteCommand({
    ClientRequestToken: randomUUID(),
    TransactItems: [
      {
        Update: {
          TableName,
          Key: keys.run(run.id),
          UpdateExpression: `SET ${layout.update} ADD storedBytes :freed`,
          ConditionExpression: layout.condition,
          ExpressionAttributeValues: { ...layout.values, ":freed": -freed },
        },
      },
      { Put: { TableName, Item: { ...keys.runSegment(run.id, entry.first), v: 1, ...entry } } },
      ...others.map(({ first }) => ({ Delete: { TableName, Key: keys.runSegment(run.id, first) } })),
    ],
  });
  await sendUntilNoConflict(write).catch((error) => {
    throw failedConditions(error) ? new RunError("aborted", `Somebody else rearranges the run ${run.name}.`) : error;
  });
}

/**
 * Removes the objects below the head that the index does not name; those from the head on are for who takes the run over to judge. They stay in
 * the bucket as old versions for as long as its lifecycle keeps these, because a table that is restored names them again.
 */
async function deleteGarbage(run: Run, now: Date): Promise<void> {
  for await (const versions of storedVersions(run.id)) {
    const old = versions.filter((one) => one.isCurrent && one.name.first < run.head && isOld(one.storedAt, now));
    // Looked up after the listing: what has come to be named meanwhile is not taken for garbage.
    const named = old.length > 0 ? await namesBetween(run.id, old) : new Set<string>();
    const garbage = old.filter((version) => !named.has(nameText(version.name)));
    await deleteVersions(
      environment().RESULTS_BUCKET,
      garbage.map(({ object: { bucket, key } }) => ({ bucket, key })),
    );
    if (versions.some(({ name }) => name.first >= run.head)) return;
  }
}

const isOld = (at: Date, now: Date): boolean => now.getTime() - at.getTime() > garbageAge;

const nameText = ({ first, epoch, revision }: StoredVersion["name"]): string => `${first}.${epoch}.${revision}`;

async function namesBetween(runId: string, versions: readonly StoredVersion[]): Promise<Set<string>> {
  const firsts = versions.map(({ name }) => name.first);
  const end = Math.max(...firsts) + 1;
  const names = new Set<string>();
  for (let from = Math.min(...firsts); from < end; ) {
    const entries = await segmentsFrom(runId, from, entriesAtOnce, end);
    for (const entry of entries) names.add(nameText(entry));
    from = entries.length > 0 ? (entries.at(-1) as SegmentEntry).first + 1 : end;
  }
  return names;
}
