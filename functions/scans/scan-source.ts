import { openRepository } from "../sources/project-repository.ts";
import { fetchSnapshot } from "../sources/repository-snapshot-store.ts";
import { actorOf, type ScanSource, type Task } from "./task.ts";
import { changeTask, orFail } from "./task-store.ts";
import { untilAvailable } from "./until-available.ts";

/** All that a fetch may take; the rest of the function's time is for checking and cutting up what came. */
const fetchMs = 400_000;

/** A task whose bytes are in the bucket. */
export type SourcedTask = Task & { readonly source: ScanSource };

/**
 * Sees to it that there is an archive to scan. A repository is fetched with the token of who started the scan, once: what was fetched is
 * noted in the task before anything is made of it, so a plan that runs again goes on with the same commit, whatever was pushed meanwhile.
 * @throws SluiceError repository_*, outbound_*, zip_*, secret_unreadable: the task has ended with it then
 */
export async function withSource(task: Task, now: () => Date): Promise<SourcedTask> {
  if (hasSource(task)) return task;
  const fetched = await orFail(task, now, fetchSource(task, now()));
  const set = { ...fetched, heartbeatAt: now().toISOString() };
  await changeTask(task.id, { from: ["running"], attempt: task.attempt, set });
  return { ...task, ...fetched };
}

const hasSource = (task: Task): task is SourcedTask => task.source !== null;

async function fetchSource(task: Task, at: Date) {
  const { projectId, repository } = task;
  if (!repository) throw new Error("a task has neither an archive nor a repository");
  const snapshot = await untilAvailable(async (leftMs) => {
    const opened = await openRepository(repository, actorOf(task), leftMs);
    return fetchSnapshot(projectId, repository, opened, at);
  }, fetchMs);
  const { commit, leftOut, key, versionId, bytes, manifestKey } = snapshot;
  return { source: { key, versionId, bytes, manifestKey }, commit, leftOut };
}
