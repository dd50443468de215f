import * as z from "zod";
import { log } from "../../platform/log.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { scanFailure } from "../scan-failure.ts";
import { failTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

export const failScan = workflowTask(
  {
    summary: "Ends a task whose workflow caught an error",
    input: Attempt.extend({ error: z.string() }),
    grants: { reads: ["task"], writes: ["task", "statistics"] },
    timeoutSeconds: 60,
  },
  // The cause may quote source or a stack, so it is not kept: the log has the error's name, that of the failing function the rest.
  async ({ task_id, attempt, error }, now) => {
    const code = error === "States.Timeout" ? "timed_out" : "workflow_error";
    log("error", "scan failed", { task: task_id, code: error.slice(0, 100) });
    await failTask(task_id, attempt, scanFailure(code), now());
  },
);
