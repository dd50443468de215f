import { mergeReview } from "../../engine/review/merge.ts";
import type { ReviewOutcome } from "../../engine/review/review.ts";
import { withEarlierVerdicts } from "../../issues/earlier-verdicts.ts";
import { newIssue } from "../../issues/issue.ts";
import { writeIssues } from "../../issues/issue-store.ts";
import { environment } from "../../platform/environment.ts";
import { SluiceError } from "../../platform/errors.ts";
import { getJson, putJson } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { conclude } from "../conclusion.ts";
import { coverageOf, type ReviewRecord } from "../coverage.ts";
import { readInstructions } from "../instructions-store.ts";
import type { LinkedFindings, Plan } from "../plan.ts";
import type { BatchResult, ReviewPlan } from "../review-result.ts";
import { scanKeys } from "../task.ts";
import { enterPhase } from "../task-progress-store.ts";
import { changeTask, findTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

export const concludeScan = workflowTask(
  {
    summary: "Writes the issues and ends the task with its totals",
    input: Attempt,
    grants: {
      reads: ["task"],
      writes: ["task", "issue", "statistics"],
      indexes: ["gsi1"],
      results: { reads: ["scans/*"], writes: ["scans/*"] },
    },
    memoryMiB: 1769,
    timeoutSeconds: 600,
  },
  async ({ task_id, attempt }, now) => {
    const task = await findTask(task_id);
    if (task?.attempt !== attempt) throw new SluiceError("task_superseded");
    // A repeat after a lost answer: the work is done.
    if (task.status === "completed" || task.status === "failed") return;
    await enterPhase(task_id, attempt, "concluding", now());
    const bucket = environment().RESULTS_BUCKET;
    const keys = scanKeys(task_id, attempt);
    const plan = await getJson<Plan>({ bucket, key: keys.plan });
    const linked = await getJson<LinkedFindings>({ bucket, key: keys.findings });
    if (!plan || !linked) throw new Error(`the findings of task ${task_id} are missing`);
    const instructions = await readInstructions(task_id, attempt);
    const review = instructions.model && (await readReview(task_id, attempt));
    const coverage = coverageOf(plan, linked, review);
    await putJson(bucket, keys.coverage, coverage);
    const { categoriesOff, modelTrouble } = instructions;
    const findings = review ? mergeReview(linked.findings, outcomesOf(review), { categoriesOff }) : linked.findings;
    const at = now().toISOString();
    const found = findings.map((finding) => newIssue(finding, task_id, task.ownerId, at));
    const issues = await writeIssues(task, await withEarlierVerdicts(task, found, instructions), now());
    const concluded = review ? { model: true as const, coverage } : { model: false as const, trouble: modelTrouble };
    const end = conclude(plan, linked, issues, concluded);
    await changeTask(task_id, {
      from: ["running"],
      attempt,
      set: { ...end, engineVersion: linked.engine ?? null, completedAt: at },
    });
  },
);

/** Results read at the same time. */
const readsAtOnce = 20;

/** What the batches have left; null when there was nothing to scan, and so nothing to plan a review for. */
async function readReview(taskId: string, attempt: number): Promise<ReviewRecord | null> {
  const bucket = environment().RESULTS_BUCKET;
  const keys = scanKeys(taskId, attempt);
  const plan = await getJson<ReviewPlan>({ bucket, key: keys.reviewPlan });
  if (!plan) return null;
  const results: (BatchResult | null)[] = [];
  for (let from = 0; from < plan.batches.length; from += readsAtOnce) {
    const batches = plan.batches.slice(from, from + readsAtOnce);
    const read = batches.map(({ batch }) => getJson<BatchResult>({ bucket, key: keys.reviewResult(batch) }));
    results.push(...(await Promise.all(read)));
  }
  return { plan, results };
}

const outcomesOf = ({ results }: ReviewRecord): ReviewOutcome[] =>
  results.flatMap((units) =>
    Object.values(units ?? {}).flatMap((unit) => (unit.status === "failed" ? [] : [unit.outcome])),
  );
