import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { listPage } from "../platform/list-page.ts";
import { failedConditions, indexKeys, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import { counting } from "../projects/statistics-store.ts";
import { Issue, severities } from "./issue.ts";

/** A page of a task's issues: most severe first, then by place. */
export function listIssues(taskId: string, page: { skip: number; limit: number }) {
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :pk",
    ExpressionAttributeValues: { ":pk": indexKeys.issuesOf(taskId).gsi1pk },
  };
  return listPage(query, page, Issue);
}

/** @throws SluiceError issue_not_found */
export async function readIssue(taskId: string, id: string): Promise<Issue> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.issue(taskId, id),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  if (!Item) throw new SluiceError("issue_not_found");
  return Issue.parse(Item);
}

/**
 * Stores a changed issue; its task and its owner's counters follow.
 * @returns the issue as stored. @throws SluiceError stale_version when somebody else changed it since it was read
 */
export async function replaceIssue(read: Issue, changed: Issue, at: Date): Promise<Issue> {
  const TableName = environment().TABLE_NAME;
  const next = { ...changed, version: read.version + 1 };
  const put = {
    Put: {
      TableName,
      Item: item(next),
      ConditionExpression: "version = :read",
      ExpressionAttributeValues: { ":read": read.version },
    },
  };
  const resolved = Number(next.status === "resolved") - Number(read.status === "resolved");
  const countOnTask = {
    Update: {
      TableName,
      Key: keys.task(read.taskId),
      UpdateExpression: "ADD issuesResolved :resolved",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":resolved": resolved },
    },
  };
  const counted = resolved === 0 ? [] : [countOnTask, counting(read.ownerId, { resolvedIssues: resolved }, at)];
  await sendUntilNoConflict(new TransactWriteCommand({ TransactItems: [put, ...counted] })).catch((error) => {
    throw failedConditions(error) ? new SluiceError("stale_version") : error;
  });
  return next;
}

/** A transaction takes 100 writes; one of them is the check of the task. */
const issuesPerTransaction = 99;

/**
 * Writes a scan's issues while the task is still in the hands of this attempt. Writing them again changes nothing.
 * @throws SluiceError task_superseded
 */
export async function writeIssues(taskId: string, attempt: number, issues: readonly Issue[]): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const check = {
    ConditionCheck: {
      TableName,
      Key: keys.task(taskId),
      ConditionExpression: "#status = :running AND attempt = :attempt",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":running": "running", ":attempt": attempt },
    },
  };
  for (let from = 0; from < issues.length; from += issuesPerTransaction) {
    const puts = issues
      .slice(from, from + issuesPerTransaction)
      .map((issue) => ({ Put: { TableName, Item: item(issue) } }));
    await sendUntilNoConflict(new TransactWriteCommand({ TransactItems: [check, ...puts] })).catch((error) => {
      throw failedConditions(error) ? new SluiceError("task_superseded") : error;
    });
  }
}

const item = (issue: Issue) => ({
  ...keys.issue(issue.taskId, issue.id),
  ...indexKeys.issuesOf(issue.taskId),
  gsi1sk: [severities.indexOf(issue.severity), issue.path, String(issue.startLine).padStart(8, "0"), issue.id].join(
    "#",
  ),
  v: 1,
  ...issue,
});
