import { isSluiceError } from "../platform/errors.ts";
import { stopExecution } from "./scan-execution.ts";
import { ended, type Task } from "./task.ts";
import { changeTask, tasksOfProject } from "./task-store.ts";

/**
 * Cancels a task. The state changes first: from there on no late write of the running functions counts, whether or not the stop gets
 * through.
 * @throws SluiceError task_superseded when it has ended
 */
export async function cancelScan(task: Task, at: Date): Promise<void> {
  const set = { status: "cancelled", completedAt: at.toISOString() } as const;
  await changeTask(task.id, { from: ["pending", "running"], attempt: task.attempt, set });
  await stopExecution(task);
}

/** Cancels whatever of a project runs; what ends by itself meanwhile has ended as well. Safe to repeat. */
export async function cancelScansOf(projectId: string, at: Date): Promise<void> {
  for await (const task of tasksOfProject(projectId)) {
    if (ended(task.status)) continue;
    await cancelScan(task, at).catch((error) => {
      if (!isSluiceError(error, "task_superseded")) throw error;
    });
  }
}
