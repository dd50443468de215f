import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { environment } from "../platform/environment.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { headObject } from "../platform/object-store.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { startExecution } from "./scan-execution.ts";
import { startGrants } from "./start-scan.ts";
import { ended, leftSomething, nextAttempt, type Task } from "./task.ts";
import { findTask, replaceTask } from "./task-store.ts";

export const retryTask = operation(
  {
    method: "POST",
    path: "/tasks/{id}/retry",
    summary:
      "Run a task again that failed, was cancelled or did not get through all files, with the caller's model; what was reviewed is not paid for again",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    success: z.object({ task_id: z.string(), status: z.literal("queued") }),
    failures: [
      "task_not_found",
      "permission_denied",
      "project_in_recycle_bin",
      "task_not_ended",
      "task_left_nothing",
      "task_source_gone",
    ],
    grants: {
      reads: ["project", "member", "task"],
      writes: startGrants.writes,
      checks: startGrants.checks,
      sources: { reads: ["zips/*"] },
      scanMachine: startGrants.scanMachine,
    },
    idempotent: true,
  },
  async ({ params, caller, now }) => {
    await authoriseTask(caller, "scan", params.id);
    const task = await beginNextAttempt(params.id, caller.id, now());
    await startExecution(task);
    return { task_id: task.id, status: "queued" as const };
  },
);

/** A verdict on an issue changes the task as well; several in a row are no coincidence any more. */
const triesMax = 5;

async function beginNextAttempt(id: string, callerId: string, at: Date): Promise<Task> {
  for (let tries = 1; ; tries++) {
    const task = await findTask(id);
    if (!task) throw new SluiceError("task_not_found");
    if (!ended(task.status)) throw new SluiceError("task_not_ended", { status: task.status });
    if (!leftSomething(task)) throw new SluiceError("task_left_nothing");
    await requireSource(task);
    const next = nextAttempt(task, callerId, at);
    try {
      await replaceTask(task, next, at);
      return next;
    } catch (error) {
      if (!isSluiceError(error, "task_superseded") || tries === triesMax) throw error;
    }
  }
}

/** An attempt looks at the very bytes of the first. A replaced archive is kept for a while only, and a task that would fail keeps its result. */
async function requireSource({ source }: Task): Promise<void> {
  if (!source) return;
  const { key, versionId } = source;
  const found = await headObject({ bucket: environment().SOURCES_BUCKET, key, ...(versionId && { versionId }) });
  if (!found) throw new SluiceError("task_source_gone");
}
