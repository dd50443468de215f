import { paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { failedConditions, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import type { Phase, Task } from "./task.ts";
import { type Change, changeTask } from "./task-store.ts";

export interface ChunkResult {
  readonly chunk: number;
  readonly files: number;
  readonly lines: number;
  readonly findings: number;
}

/**
 * Books one finished chunk on its task, once however often it is reported.
 * @param scanned how many of its files no other pass will look at
 * @throws SluiceError task_superseded
 */
export const recordChunk = (id: string, attempt: number, result: ChunkResult, scanned: number, at: Date) =>
  bookOnce(
    { id, attempt, at },
    { ...keys.chunk(id, attempt, result.chunk), v: 1, ...result },
    { scannedFiles: scanned, totalLines: result.lines, issuesCount: result.findings },
  );

/**
 * Books one finished batch of the review on its task, once however often it is reported.
 * @throws SluiceError task_superseded
 */
export const recordReviewBatch = (id: string, attempt: number, batch: number, files: number, at: Date) =>
  bookOnce(
    { id, attempt, at },
    { ...keys.reviewBatch(id, attempt, batch), v: 1, batch, files },
    { scannedFiles: files, filesReviewed: files },
  );

type Counter = "scannedFiles" | "totalLines" | "issuesCount" | "filesReviewed";

/** Adds to counters of a running task together with an item that must not exist yet. */
async function bookOnce(
  { id, attempt, at }: { id: string; attempt: number; at: Date },
  Item: Record<string, unknown>,
  additions: Partial<Record<Counter, number>>,
): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const counters = Object.entries(additions);
  const write = new TransactWriteCommand({
    TransactItems: [
      { Put: { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" } },
      {
        Update: {
          TableName,
          Key: keys.task(id),
          UpdateExpression: `SET heartbeatAt = :at, gsi3sk = :at ADD ${counters.map(([name]) => `${name} :${name}`).join(", ")}`,
          ConditionExpression: "#status = :running AND attempt = :attempt",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: {
            ":at": at.toISOString(),
            ":running": "running",
            ":attempt": attempt,
            ...Object.fromEntries(counters.map(([name, value]) => [`:${name}`, value])),
          },
        },
      },
    ],
  });
  try {
    await sendUntilNoConflict(write);
  } catch (error) {
    const failed = failedConditions(error);
    if (failed?.includes(1)) throw new SluiceError("task_superseded");
    if (failed) return; // booked before: a retry after a lost answer
    throw error;
  }
}

/**
 * Notes what a running task is doing, with whatever else is known by then. Safe to repeat.
 * @throws SluiceError task_superseded
 */
export const enterPhase = (
  id: string,
  attempt: number,
  phase: Phase,
  at: Date,
  known: Change["set"] = {},
): Promise<Task> =>
  changeTask(id, { from: ["running"], attempt, set: { ...known, phase, heartbeatAt: at.toISOString() } });

/** The chunks of an attempt whose results are stored, in order. */
export async function finishedChunks(id: string, attempt: number): Promise<number[]> {
  const { pk, sk } = keys.chunk(id, attempt, 0);
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :chunks)",
    ExpressionAttributeValues: { ":pk": pk, ":chunks": sk.slice(0, -1) },
    ConsistentRead: true,
  };
  const chunks: number[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    chunks.push(...Items.map((item) => item.chunk as number));
  return chunks.toSorted((a, b) => a - b);
}
