import { hash } from "node:crypto";
import { GetCommand, paginateQuery, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";

/** What is stored of an item that was sent before. */
export interface Known {
  readonly offset: number;
  /** CRC-32C of its payload. */
  readonly crc: number;
}

/** One item of a producer within a segment. */
export interface SequencedItem extends Known {
  readonly seq: number;
}

/**
 * A retry that comes later than a day starts anew: nobody's client tries that long, and REST keeps its answers as long. It has to outlive
 * the ten minutes for which DynamoDB knows a transaction again. Sequence numbers have no such limit.
 */
export const keySeconds = 24 * 3600;

const itemBytes = 16;

/**
 * The entry of one producer in one segment: every number with its place and checksum, so that a repeat is recognised without reading
 * the log. `after` is the producer's high-water before it, null for the first: a number between is one that was passed over.
 */
export function sequenceItem(
  runId: string,
  producer: string,
  sequence: { readonly first: number; readonly after: number | null; readonly items: readonly SequencedItem[] },
) {
  const { first, after, items } = sequence;
  const packed = Buffer.alloc(itemBytes * items.length);
  items.forEach(({ seq, offset, crc }, index) => {
    packed.writeBigUInt64BE(BigInt(seq), itemBytes * index);
    packed.writeUInt32BE(offset - first, itemBytes * index + 8);
    packed.writeUInt32BE(crc, itemBytes * index + 12);
  });
  const last = items.at(-1)!.seq;
  return { ...keys.runSequence(runId, producer, last), v: 1, first, after, last, items: packed };
}

/**
 * Where an item of a producer is stored. "passed" means that it never was, though later ones are; "forgotten" that what is known of it
 * went with the segment that held it.
 */
export async function findSequenced(
  runId: string,
  producer: string,
  seq: number,
): Promise<Known | "passed" | "forgotten"> {
  const [entry] = await sequences(runId, producer, { from: seq, newestFirst: false });
  if (!entry) return "passed";
  const { first, after } = entry as { first: number; after: number | null };
  if (after !== null && seq <= after) return "forgotten";
  const packed = Buffer.from(entry.items as Uint8Array);
  for (let at = 0; at < packed.length; at += itemBytes) {
    if (Number(packed.readBigUInt64BE(at)) !== seq) continue;
    return { offset: first + packed.readUInt32BE(at + 8), crc: packed.readUInt32BE(at + 12) };
  }
  return "passed";
}

/** The highest number stored of a producer. @returns null when there is none */
export async function highWaterOf(runId: string, producer: string): Promise<number | null> {
  const [entry] = await sequences(runId, producer, { from: 0, newestFirst: true });
  return (entry?.last as number | undefined) ?? null;
}

/**
 * Keys of the entries of a producer whose items all lie before an offset, some at a time. The newest entry is not among them: it is the
 * producer's high-water, and stays for as long as the run does.
 */
export async function* passedSequences(
  runId: string,
  producer: string,
  before: number,
): AsyncGenerator<{ pk: string; sk: string }[]> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeNames: { "#first": "first" },
    ExpressionAttributeValues: {
      ":pk": keys.run(runId).pk,
      ":from": keys.runSequence(runId, producer, 0).sk,
      ":to": keys.runSequence(runId, producer, Number.MAX_SAFE_INTEGER).sk,
    },
    ProjectionExpression: "pk, sk, #first",
    ConsistentRead: true,
  };
  let newest: { pk: string; sk: string } | undefined;
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: 500 }, query)) {
    const passed: { pk: string; sk: string }[] = [];
    for (const { pk, sk, first } of Items) {
      if (newest) passed.push(newest);
      newest = first < before ? { pk, sk } : undefined;
      if (!newest) break;
    }
    yield passed;
    if (!newest) return;
  }
}

async function sequences(
  runId: string,
  producer: string,
  { from, newestFirst }: { from: number; newestFirst: boolean },
) {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: environment().TABLE_NAME,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: {
        ":pk": keys.run(runId).pk,
        ":from": keys.runSequence(runId, producer, from).sk,
        ":to": keys.runSequence(runId, producer, Number.MAX_SAFE_INTEGER).sk,
      },
      ScanIndexForward: !newestFirst,
      Limit: 1,
      ConsistentRead: true,
    }),
  );
  return Items;
}

/** Keys are other people's text of any length; their hash is neither. */
const keyOf = (runId: string, key: string) => keys.runKey(runId, hash("sha256", key));

export const keyItem = (runId: string, key: string, { offset, crc }: Known, nowMs: number) => ({
  ...keyOf(runId, key),
  v: 1,
  offset,
  crc,
  expiresAt: Math.floor(nowMs / 1000) + keySeconds,
});

/** What was stored under an idempotency key. DynamoDB deletes late, so the time is checked here. @returns null when nothing was */
export async function findKeyed(runId: string, key: string, nowMs: number): Promise<Known | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keyOf(runId, key), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item && Item.expiresAt * 1000 > nowMs ? { offset: Item.offset, crc: Item.crc } : null;
}
