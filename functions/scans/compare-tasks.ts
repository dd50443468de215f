import * as z from "zod";
import { type Issue, IssueView, issueView } from "../issues/issue.ts";
import { issueIdentities, readIssues } from "../issues/issue-store.ts";
import { fitting } from "../platform/answer-size.ts";
import { Id, page } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import type { User } from "../users/user.ts";
import { ComparisonState, compareIssues, comparisonOrder, countStates } from "./comparison.ts";
import { findInstructions } from "./instructions-store.ts";
import { findLook } from "./look-store.ts";
import { secondLook } from "./second-look.ts";
import type { Task } from "./task.ts";
import { completedBefore } from "./task-store.ts";

/** DynamoDB reads one task's issues at 12 MB a second, about 3 kB each: so many take half of the time that there is. */
const issuesMax = 50_000;

export const compareTasks = operation(
  {
    method: "GET",
    path: "/tasks/{id}/comparison",
    summary: "Compare a scan with an earlier one of its project: what is new, persists, was reopened or resolved",
    auth: "user",
    params: z.object({ id: Id }),
    query: page(1000, 100).extend({
      /** By default the project's latest completed scan before this one. */
      base: Id.optional(),
      state: ComparisonState.optional(),
    }),
    success: z.object({
      /** Null when there is no earlier scan: all issues are new then. */
      base_task_id: z.string().nullable(),
      task_id: z.string(),
      /** Whether other rules have looked, so that what is new or resolved may be so without a change of the code; null when not on record. */
      engine_changed: z.boolean().nullable(),
      summary: z.record(ComparisonState, z.number()),
      /** Issues that the filter lets through; a page may hold fewer than asked for, as an answer ends at 6 MB. */
      total: z.number(),
      items: z.array(
        z.object({
          state: ComparisonState,
          /** Of the earlier scan where the later one has it no more. */
          issue: IssueView,
          base_issue_id: z.string().nullable(),
        }),
      ),
    }),
    failures: ["task_not_found", "tasks_of_different_projects", "task_not_completed", "comparison_too_large"],
    grants: {
      reads: ["project", "member", "task", "issue"],
      indexes: ["gsi1"],
      results: { reads: ["scans/*"] },
    },
    memoryMiB: 1769,
  },
  async ({ params, query, caller, language }) => {
    const { task } = await authoriseTask(caller, "read", params.id);
    const base = query.base ? await baseFor(task, query.base, caller) : await completedBefore(task);
    for (const one of [task, ...(base ? [base] : [])]) refuseUncomparable(one);
    const [before, present, lookedAgain] = await Promise.all([
      base ? issueIdentities(base.id) : [],
      issueIdentities(task.id),
      lookedAgainIn(task, base),
    ]);
    const compared = compareIssues(before, present, lookedAgain);
    const asked = compared.filter(({ state }) => !query.state || state === query.state).toSorted(comparisonOrder);
    const shown = asked.slice(query.skip, query.skip + query.limit);
    const issues = await readIssues(shown.map(({ issue }) => issue));
    const items = shown.flatMap(({ state, issue: { id }, baseIssueId }) => {
      const issue: Issue | undefined = issues.get(id);
      return issue ? [{ state, issue: issueView(issue, language), base_issue_id: baseIssueId }] : [];
    });
    return {
      base_task_id: base?.id ?? null,
      task_id: task.id,
      engine_changed: engineChanged(task, base),
      summary: countStates(compared),
      total: asked.length,
      items: fitting(items),
    };
  },
);

/** @throws SluiceError task_not_found, tasks_of_different_projects */
async function baseFor(task: Task, id: string, caller: User): Promise<Task> {
  const { task: base } = await authoriseTask(caller, "read", id);
  if (base.projectId !== task.projectId) throw new SluiceError("tasks_of_different_projects");
  return base;
}

/** What has not come to its end has no issues, or not all. */
function refuseUncomparable({ id, status, issuesCount }: Task): void {
  if (status !== "completed") throw new SluiceError("task_not_completed", { task: id, status });
  if (issuesCount > issuesMax)
    throw new SluiceError("comparison_too_large", { task: id, issues: issuesCount, limit: issuesMax });
}

function engineChanged(task: Task, base: Task | null): boolean | null {
  if (!base) return null;
  return task.engineVersion && base.engineVersion ? task.engineVersion !== base.engineVersion : null;
}

/** Where the later scan has looked; nowhere if that is not on record, as nobody knows then. */
async function lookedAgainIn(task: Task, base: Task | null): Promise<ReturnType<typeof secondLook>> {
  const [look, how] = await Promise.all([findLook(task), base && findInstructions(base.id, base.attempt)]);
  return look ? secondLook(look, how) : () => false;
}
