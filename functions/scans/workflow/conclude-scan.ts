import { newIssue } from "../../issues/issue.ts";
import { writeIssues } from "../../issues/issue-store.ts";
import { environment } from "../../platform/environment.ts";
import { SluiceError } from "../../platform/errors.ts";
import { getJson } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { conclude } from "../conclusion.ts";
import type { LinkedFindings, Plan } from "../plan.ts";
import { scanKeys } from "../task.ts";
import { changeTask, findTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

export const concludeScan = workflowTask(
  {
    summary: "Writes the issues and ends the task with its totals",
    input: Attempt,
    grants: { reads: ["task"], writes: ["task", "issue", "statistics"], results: { reads: ["scans/*"] } },
    memoryMiB: 1769,
    timeoutSeconds: 600,
  },
  async ({ task_id, attempt }, now) => {
    const task = await findTask(task_id);
    if (task?.attempt !== attempt) throw new SluiceError("task_superseded");
    // A repeat after a lost answer: the work is done.
    if (task.status === "completed" || task.status === "failed") return;
    const bucket = environment().RESULTS_BUCKET;
    const keys = scanKeys(task_id, attempt);
    const plan = await getJson<Plan>({ bucket, key: keys.plan });
    const linked = await getJson<LinkedFindings>({ bucket, key: keys.findings });
    if (!plan || !linked) throw new Error(`the findings of task ${task_id} are missing`);
    const at = now().toISOString();
    const issues = linked.findings.map((finding) => newIssue(finding, task_id, task.ownerId, at));
    await writeIssues(task_id, attempt, issues);
    const end = conclude(plan, linked, issues);
    await changeTask(task_id, {
      from: ["running"],
      attempt,
      set: { ...end, completedAt: at },
    });
  },
);
