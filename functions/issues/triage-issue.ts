import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { readTask } from "../scans/task-store.ts";
import { IssueStatus, IssueView, issueView, triage } from "./issue.ts";
import { readIssue, replaceIssue } from "./issue-store.ts";

export const triageIssue = operation(
  {
    method: "PATCH",
    path: "/tasks/{id}/issues/{issue_id}",
    summary: "Record a reviewer's verdict on an issue",
    auth: "user",
    params: z.object({ id: Id, issue_id: Id }),
    body: z.object({ status: IssueStatus }),
    success: IssueView,
    failures: ["task_not_found", "issue_not_found", "stale_version"],
    grants: { reads: ["task", "issue"], writes: ["issue"] },
  },
  async ({ params, body, caller, language, now }) => {
    const task = await readTask(caller.id, params.id);
    const issue = await readIssue(task.id, params.issue_id);
    return issueView(await replaceIssue(triage(issue, body.status, caller.id, now())), language);
  },
);
