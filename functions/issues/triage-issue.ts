import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { IssueDetailView, IssueStatus, issueDetailView, noteCharactersMax, triage } from "./issue.ts";
import { readIssue, replaceIssue } from "./issue-store.ts";

export const triageIssue = operation(
  {
    method: "PATCH",
    path: "/tasks/{id}/issues/{issue_id}",
    summary: "Record a reviewer's verdict on an issue, with a note if there is more to say",
    auth: "user",
    params: z.object({ id: Id, issue_id: Id }),
    body: z.object({ status: IssueStatus, note: z.string().trim().max(noteCharactersMax).nullish() }),
    success: IssueDetailView,
    failures: ["task_not_found", "permission_denied", "issue_not_found", "stale_version"],
    grants: { reads: ["project", "member", "task", "issue"], writes: ["issue", "statistics"] },
  },
  async ({ params, body, caller, language, now }) => {
    const { task } = await authoriseTask(caller, "triage", params.id);
    const issue = await readIssue(task.id, params.issue_id);
    const judged = triage(issue, body.status, caller.id, now(), body.note || null);
    return issueDetailView(judged === issue ? issue : await replaceIssue(issue, judged, now()), language);
  },
);
