import type { ScanInstructions } from "../scans/instructions.ts";
import { findLook } from "../scans/look-store.ts";
import { secondLook } from "../scans/second-look.ts";
import type { Task } from "../scans/task.ts";
import { completedBefore } from "../scans/task-store.ts";
import { bornFalse, type Issue, isJudgedFalse } from "./issue.ts";
import { type IssueIdentity, identityOf } from "./issue-identity.ts";
import { issueIdentities, readIssues } from "./issue-store.ts";

/** Scans of a few files do not make a verdict forgotten; so many of them in a row do. */
const scansMax = 10;

/**
 * The issues of a scan with what people have said about them before: what was a false positive in the project's latest completed scan that
 * looked there is one here. What was resolved there is open here, as it has come back.
 * @param how this scan has found them
 */
export async function withEarlierVerdicts(
  task: Task,
  found: readonly Issue[],
  how: ScanInstructions,
): Promise<Issue[]> {
  const open = found.filter((issue) => issue.status === "open");
  const undecided = new Map(open.map((issue) => [issue.fingerprint, identityOf(issue)]));
  const falseBefore: IssueIdentity[] = [];
  let earlier = await completedBefore(task);
  for (let scans = 0; earlier && undecided.size > 0 && scans < scansMax; scans++) {
    for (const issue of await issueIdentities(earlier.id)) {
      if (undecided.delete(issue.fingerprint) && issue.status === "false_positive") falseBefore.push(issue);
    }
    const look = await findLook(earlier);
    const hadLooked = look ? secondLook(look, how) : () => true;
    for (const [fingerprint, issue] of undecided) if (hadLooked(issue)) undecided.delete(fingerprint);
    if (undecided.size > 0) earlier = await completedBefore(earlier);
  }
  return bindingOn(found, await readIssues(falseBefore));
}

function bindingOn(found: readonly Issue[], earlier: ReadonlyMap<string, Issue>): Issue[] {
  const judged = new Map([...earlier.values()].filter(isJudgedFalse).map((issue) => [issue.fingerprint, issue]));
  return found.map((issue) => {
    const before = judged.get(issue.fingerprint);
    return before && issue.status === "open" ? bornFalse(issue, before) : issue;
  });
}
