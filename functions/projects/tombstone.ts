import { GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { environment } from "../platform/environment.ts";
import { indexKeys, keys, table } from "../platform/table.ts";

/** What is left of a project from the moment it is deleted for good. */
export const Tombstone = z.object({
  id: z.uuid(),
  ownerId: z.uuid(),
  erasingAt: z.iso.datetime(),
  /** Set when nothing else is left. */
  erasedAt: z.iso.datetime().optional(),
  /** Tasks whose functions may still have been writing when their records went; their files are looked for once more at the end. */
  lateTasks: z.instanceof(Set<string>).optional(),
});
export type Tombstone = z.infer<typeof Tombstone>;

/** For whoever wonders where a project went; ids are never used again. */
const keepDays = 90;

/** @returns the tombstone, or null: the project was never deleted for good, or so long ago that nobody remembers */
export async function findTombstone(projectId: string): Promise<Tombstone | null> {
  const Key = keys.project(projectId);
  const { Item } = await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true }));
  return Item?.erasingAt ? Tombstone.parse(Item) : null;
}

/** Notes a task before its record goes. */
export async function rememberLateTask(projectId: string, taskId: string): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.project(projectId),
    UpdateExpression: "ADD lateTasks :task",
    ConditionExpression: "attribute_exists(erasingAt)",
    ExpressionAttributeValues: { ":task": new Set([taskId]) },
  });
  await table.send(update);
}

/** Takes the tombstone out of the index of unfinished erasures. */
export async function closeErasure(projectId: string, at: Date): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.project(projectId),
    UpdateExpression: "SET erasedAt = :at, expiresAt = :until REMOVE gsi3pk, gsi3sk, lateTasks",
    ConditionExpression: "attribute_exists(erasingAt)",
    ExpressionAttributeValues: {
      ":at": at.toISOString(),
      ":until": Math.floor(at.getTime() / 1000) + keepDays * 24 * 3600,
    },
  });
  await table.send(update);
}

/** Erasures that are not finished, oldest first. */
export async function openErasures(): Promise<Tombstone[]> {
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi3",
    KeyConditionExpression: "gsi3pk = :pk",
    ExpressionAttributeValues: { ":pk": indexKeys.erasures.gsi3pk },
  };
  const open: Tombstone[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    open.push(...Items.map((item) => Tombstone.parse(item)));
  return open;
}
