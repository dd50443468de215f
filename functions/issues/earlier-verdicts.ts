import type { Task } from "../scans/task.ts";
import { completedBefore } from "../scans/task-store.ts";
import { bornFalse, type Issue } from "./issue.ts";
import { judgedFalse } from "./issue-store.ts";

/**
 * The issues of a scan with the verdicts of the project's latest completed scan before it: what a person has called a false positive there
 * is one here. What was resolved there is open here, as it has come back.
 */
export async function withEarlierVerdicts(task: Task, found: readonly Issue[]): Promise<Issue[]> {
  const earlier = await completedBefore(task);
  const judged = new Map((earlier ? await judgedFalse(earlier.id) : []).map((issue) => [issue.fingerprint, issue]));
  return found.map((issue) => {
    const before = judged.get(issue.fingerprint);
    return before && issue.status === "open" ? bornFalse(issue, before) : issue;
  });
}
