import * as z from "zod";
import { fitting } from "../platform/answer-size.ts";
import { Id, page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { Issue, IssueStatus, IssueView, issueView, Severity } from "./issue.ts";
import * as issues from "./issue-store.ts";

/** Front ends ask for all issues at once; this many with ordinary traces stay within a function's 6 MB answer. */
const issuesMax = 1000;

export const listIssues = operation(
  {
    method: "GET",
    path: "/tasks/{id}/issues",
    summary: "List what an audit task found, most severe first",
    auth: "user",
    params: z.object({ id: Id }),
    query: page(issuesMax).extend({
      severity: Severity.optional(),
      status: IssueStatus.optional(),
      issue_type: Issue.shape.issueType.optional(),
      /** How the path of the file begins, for example "src/". */
      path_prefix: z.string().max(1024).optional(),
    }),
    success: z.array(IssueView),
    failures: ["task_not_found"],
    grants: { reads: ["project", "member", "task", "issue"], indexes: ["gsi1"] },
    memoryMiB: 1024,
  },
  async ({ params, query, caller, language }) => {
    const { task } = await authoriseTask(caller, "read", params.id);
    const { severity, status, issue_type: issueType, path_prefix: pathPrefix } = query;
    const { items, total } = await issues.listIssues(task.id, query, { severity, status, issueType, pathPrefix });
    return listReply(fitting(items.map((issue) => issueView(issue, language))), total);
  },
);
