import * as z from "zod";
import { workflowTask } from "../../platform/workflow-task.ts";
import { scanFailure } from "../scan-failure.ts";
import { failTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

/** "Step Functions Execution Status Change", as far as we read it. */
const StatusChange = z.object({
  detail: z.object({ status: z.enum(["FAILED", "TIMED_OUT", "ABORTED"]), input: z.string() }),
});

const codes = { FAILED: "workflow_error", TIMED_OUT: "timed_out", ABORTED: "workflow_stopped" } as const;

export const closeScan = workflowTask(
  {
    summary: "Ends a task whose execution ended badly without saying so itself",
    input: StatusChange,
    grants: { reads: ["task"], writes: ["task", "statistics"] },
    timeoutSeconds: 60,
  },
  async ({ detail }, now) => {
    const { task_id, attempt } = Attempt.parse(JSON.parse(detail.input));
    await failTask(task_id, attempt, scanFailure(codes[detail.status]), now());
  },
);
