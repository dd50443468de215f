import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import * as z from "zod";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { keys, table } from "../platform/table.ts";
import { findProject } from "../projects/project-store.ts";
import { findTombstone } from "../projects/tombstone.ts";
import { writeForUser } from "../users/user-store.ts";
import { walkPartition } from "./walk.ts";

/** One going through a file, from the first request until everything in it is there, however many requests that takes. */
const Run = z.object({ runId: z.uuid(), done: z.boolean() });

/** What became of a project of a file. The new id is on record before anything is written under it, so whoever goes on uses the same. */
const Mapping = z.object({ projectId: z.uuid(), runId: z.uuid(), done: z.boolean() });
type Mapping = z.infer<typeof Mapping>;

/**
 * Begins to import a file, or goes on where a request before has ended or died. Requests at the same time go through it together.
 * @param hash of the file's bytes, in hex
 * @returns the run's id
 */
export async function enterRun(userId: string, hash: string): Promise<string> {
  const Key = keys.databaseImport(userId, hash);
  const before = await read(Key, Run);
  if (before && !before.done) return before.runId;
  const next = { runId: uuid(), done: false };
  const changed = await replace(userId, Key, before?.runId, next);
  return changed ? next.runId : enterRun(userId, hash);
}

/** Ends a run: the next time the file comes it is looked at anew. */
export async function leaveRun(userId: string, hash: string, runId: string): Promise<void> {
  await replace(userId, keys.databaseImport(userId, hash), runId, { runId, done: true });
}

/** Where a project of a file is to go. */
export type Place =
  /** It is there: it was never gone, or an earlier run has brought it. */
  | { readonly kind: "there" }
  /** This run has brought it whole. */
  | { readonly kind: "brought" }
  | { readonly kind: "here"; readonly projectId: string };

/**
 * Finds the place of a project in a file. What the user deleted for good since it was imported gets a new one.
 * @param originalId the id that it has in the file; it is looked for among the user's own projects only
 * @throws SluiceError import_unfinished when another file is half way through bringing this project
 */
export async function placeOf(userId: string, runId: string, originalId: string): Promise<Place> {
  if (await isLive(userId, originalId)) return { kind: "there" };
  const Key = mappingKey(userId, originalId);
  const known = await read(Key, Mapping);
  const live = known !== null && (await isLive(userId, known.projectId));
  if (live && known.done) return { kind: known.runId === runId ? "brought" : "there" };
  if (live && known.runId !== runId) throw new SluiceError("import_unfinished", { project: known.projectId });
  // A request that died may have noted the id and got no further. One that its user has deleted meanwhile is never used again.
  const begun = known !== null && !known.done && !(await findTombstone(known.projectId));
  if (begun && known.runId === runId) return { kind: "here", projectId: known.projectId };
  const next: Mapping = { projectId: begun ? known.projectId : uuid(), runId, done: false };
  const changed = await replace(userId, Key, known?.runId, next, known?.projectId);
  return changed ? { kind: "here", projectId: next.projectId } : placeOf(userId, runId, originalId);
}

/** Notes that a project is there with all that belongs to it. */
export async function noteBrought(userId: string, runId: string, originalId: string, projectId: string): Promise<void> {
  await replace(userId, mappingKey(userId, originalId), runId, { projectId, runId, done: true }, projectId);
}

/** Projects that an import has begun to bring and has not finished. */
export async function halfBrought(userId: string): Promise<string[]> {
  const found: string[] = [];
  const { pk, sk } = keys.importedProject(userId, "");
  for await (const item of walkPartition(pk)) {
    if (!(item.sk as string).startsWith(sk)) continue;
    const { done, projectId } = Mapping.parse(item);
    if (!done) found.push(projectId);
  }
  return found;
}

/** Forgets what was imported, as what it would tell of is gone. */
export const forgetImports = (userId: string): Promise<void> =>
  deletePartition({ pk: keys.databaseImport(userId, "").pk, sk: "" });

const mappingKey = (userId: string, originalId: string) =>
  keys.importedProject(userId, createHash("sha256").update(originalId).digest("hex"));

async function isLive(userId: string, projectId: string): Promise<boolean> {
  return (await findProject(projectId))?.ownerId === userId;
}

async function read<S extends z.ZodType>(Key: Record<string, string>, schema: S): Promise<z.output<S> | null> {
  const { Item } = await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true }));
  return Item ? schema.parse(Item) : null;
}

/** @returns false when the record is not any more as it was read: somebody else was faster */
async function replace(
  userId: string,
  key: Record<string, string>,
  runId: string | undefined,
  next: object,
  projectId?: string,
): Promise<boolean> {
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: { ...key, v: 1, ...next },
    ...(runId === undefined
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : {
          ConditionExpression: `runId = :run${projectId ? " AND projectId = :project" : ""}`,
          ExpressionAttributeValues: { ":run": runId, ...(projectId && { ":project": projectId }) },
        }),
  };
  try {
    await writeForUser(userId, [{ write: { Put }, refusal: "stale_version" }]);
    return true;
  } catch (error) {
    if (error instanceof SluiceError && error.code === "stale_version") return false;
    throw error;
  }
}
