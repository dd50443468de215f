import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { isSluiceError } from "../platform/errors.ts";
import { deletePrefix } from "../platform/object-store.ts";
import { failedConditions, keys, sendUntilNoConflict } from "../platform/table.ts";
import { cancelScan } from "../scans/scan-cancellation.ts";
import { ended, scanFolder, type Task } from "../scans/task.ts";
import { findTask, tasksOfProject } from "../scans/task-store.ts";
import { zipFolders } from "../sources/stored-zip.ts";
import { forgetSpending } from "../spending/forget-spending.ts";
import { countedTask, plus } from "./statistics.ts";
import { counting } from "./statistics-store.ts";
import { closeErasure, findTombstone, rememberLateTask } from "./tombstone.ts";

/** Longer than any function of ours runs: what has not written by then never will. */
export const lateSeconds = 15 * 60;

/**
 * Deletes everything of a buried project but its tombstone. Each step can be repeated, and the record that leads to other things goes
 * after them, so a run that stops anywhere leaves the next one all it needs.
 *
 * Functions that were running when the project was buried can still write objects and items. So it runs twice: at once, and again, as
 * the `last` time, when all of them have ended; only then the erasure is closed.
 * @returns false when `until` has come first and another run has to go on
 */
export async function erase(projectId: string, last: boolean, now: () => Date, until: Date): Promise<boolean> {
  const tombstone = await findTombstone(projectId);
  if (!tombstone || tombstone.erasedAt) return true;
  for await (const task of tasksOfProject(projectId)) {
    if (now() >= until) return false;
    await eraseTask(task, now());
  }
  for (const taskId of tombstone.lateTasks ?? []) await deletePrefix(environment().RESULTS_BUCKET, scanFolder(taskId));
  for (const folder of zipFolders(projectId)) await deletePrefix(environment().SOURCES_BUCKET, folder);
  await deletePartition(keys.project(projectId));
  await forgetSpending(keys.projectSpending(projectId));
  if (last) await closeErasure(projectId, now());
  return true;
}

async function eraseTask(task: Task, at: Date): Promise<void> {
  if (mayStillWrite(task, at)) await rememberLateTask(task.projectId, task.id);
  if (!ended(task.status))
    await cancelScan(task, at).catch((error) => {
      if (!isSluiceError(error, "task_superseded")) throw error;
    });
  await deletePrefix(environment().RESULTS_BUCKET, scanFolder(task.id));
  await deletePartition(keys.task(task.id));
  await forgetSpending(keys.scanSpending(task.id));
  await deleteTask(task.id, at);
}

const mayStillWrite = ({ completedAt }: Task, at: Date): boolean =>
  completedAt === null || at.getTime() - Date.parse(completedAt) < lateSeconds * 1000;

/** The task's record goes last and takes what its owner's counters have of it along, both or neither. */
async function deleteTask(id: string, at: Date): Promise<void> {
  const task = await findTask(id);
  if (!task) return;
  const remove = {
    Delete: {
      TableName: environment().TABLE_NAME,
      Key: keys.task(id),
      ConditionExpression: "attribute_exists(pk)",
    },
  };
  const uncount = counting(task.ownerId, plus({}, countedTask(task), -1), at);
  await sendUntilNoConflict(new TransactWriteCommand({ TransactItems: [remove, uncount] })).catch((error) => {
    if (!failedConditions(error)) throw error; // another run was faster
  });
}
