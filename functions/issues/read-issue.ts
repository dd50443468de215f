import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { IssueDetailView, issueDetailView } from "./issue.ts";
import * as issues from "./issue-store.ts";

export const readIssue = operation(
  {
    method: "GET",
    path: "/tasks/{id}/issues/{issue_id}",
    summary: "Show one issue with its trace and what was said about it",
    auth: "user",
    params: z.object({ id: Id, issue_id: Id }),
    success: IssueDetailView,
    failures: ["task_not_found", "issue_not_found"],
    grants: { reads: ["project", "member", "task", "issue"] },
  },
  async ({ params, caller, language }) => {
    const { task } = await authoriseTask(caller, "read", params.id);
    return issueDetailView(await issues.readIssue(task.id, params.issue_id), language);
  },
);
