import * as z from "zod";
import { log } from "../../platform/log.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { executionStatus, startExecution } from "../scan-execution.ts";
import { scanFailure } from "../scan-failure.ts";
import { failTask, silentTasks } from "../task-store.ts";

/** A healthy scan gives a sign of life after every chunk, and its execution starts within a second. */
const silentSeconds = 120;

export const sweepScans = workflowTask(
  {
    summary: "Finds tasks that went silent: starts what was never started, ends what has died",
    input: z.unknown(),
    grants: { reads: ["task"], indexes: ["gsi3"], writes: ["task", "statistics"], scanMachine: ["start", "describe"] },
    timeoutSeconds: 60,
  },
  async (_, now) => {
    const tasks = await silentTasks(new Date(now().getTime() - silentSeconds * 1000));
    for (const task of tasks) {
      const status = await executionStatus(task);
      if (status === "RUNNING") continue;
      log("warn", "silent task", { task: task.id, code: status ?? "never_started" });
      if (status === null) await startExecution(task);
      else await failTask(task.id, task.attempt, scanFailure("workflow_error"), now());
    }
    return { silent: tasks.length };
  },
);
