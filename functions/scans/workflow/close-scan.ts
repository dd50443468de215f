import * as z from "zod";
import { workflowTask } from "../../platform/workflow-task.ts";
import { failTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

/** "Step Functions Execution Status Change", as far as we read it. */
const StatusChange = z.object({
  detail: z.object({ status: z.enum(["FAILED", "TIMED_OUT", "ABORTED"]), input: z.string() }),
});

const messages = {
  FAILED: "The scan's workflow failed",
  TIMED_OUT: "The scan took too long and was stopped",
  ABORTED: "The scan's workflow was stopped from outside",
} as const;

export const closeScan = workflowTask(
  {
    summary: "Ends a task whose execution ended badly without saying so itself",
    input: StatusChange,
    grants: { reads: ["task"], writes: ["task", "statistics"] },
    timeoutSeconds: 60,
  },
  async ({ detail }, now) => {
    const { task_id, attempt } = Attempt.parse(JSON.parse(detail.input));
    const code = detail.status === "TIMED_OUT" ? "timed_out" : "workflow_error";
    await failTask(task_id, attempt, { code, message: messages[detail.status] }, now());
  },
);
