import * as z from "zod";
import { workflowTask } from "../../platform/workflow-task.ts";
import { failTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

export const failScan = workflowTask(
  {
    summary: "Ends a task whose workflow caught an error",
    input: Attempt.extend({ error: z.string() }),
    grants: { reads: ["task"], writes: ["task", "statistics"] },
    timeoutSeconds: 60,
  },
  // The cause may quote source or a stack, so only the error's name is kept; the log of the failing function has the rest.
  async ({ task_id, attempt, error }, now) => {
    const code = error === "States.Timeout" ? "timed_out" : "workflow_error";
    await failTask(task_id, attempt, { code, message: `The scan stopped: ${error.slice(0, 100)}` }, now());
  },
);
