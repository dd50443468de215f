import * as z from "zod";
import { Id, page } from "../platform/contract.ts";
import { listReply, operation } from "../platform/operation.ts";
import { authoriseTask } from "../projects/authorise.ts";
import { IssueView, issueView } from "./issue.ts";
import * as issues from "./issue-store.ts";

/** Front ends ask for all issues at once; this many with traces stay within a function's 6 MB answer. */
const issuesMax = 1000;

export const listIssues = operation(
  {
    method: "GET",
    path: "/tasks/{id}/issues",
    summary: "List what an audit task found, most severe first",
    auth: "user",
    params: z.object({ id: Id }),
    query: page(issuesMax),
    success: z.array(IssueView),
    failures: ["task_not_found"],
    grants: { reads: ["project", "member", "task", "issue"], indexes: ["gsi1"] },
    memoryMiB: 1024,
  },
  async ({ params, query, caller, language }) => {
    const { task } = await authoriseTask(caller, "read", params.id);
    const { items, total } = await issues.listIssues(task.id, query);
    return listReply(
      items.map((issue) => issueView(issue, language)),
      total,
    );
  },
);
