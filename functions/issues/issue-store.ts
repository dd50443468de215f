import { isDeepStrictEqual } from "node:util";
import { GetCommand, paginateQuery, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { listPage } from "../platform/list-page.ts";
import { readItems } from "../platform/read-items.ts";
import { failedConditions, indexKeys, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import { counting } from "../projects/statistics-store.ts";
import type { Task } from "../scans/task.ts";
import { whileTaskRuns } from "../scans/while-task-runs.ts";
import { foundAgain, Issue, type IssueStatus, type Severity, severities } from "./issue.ts";
import { type IssueIdentity, identityAttributes, identityOf } from "./issue-identity.ts";

/** Which issues of a task are listed; what is not named does not matter. */
export interface IssueFilter {
  readonly severity?: Severity | undefined;
  readonly status?: IssueStatus | undefined;
  readonly issueType?: Issue["issueType"] | undefined;
  /** How the path of the file begins. */
  readonly pathPrefix?: string | undefined;
}

/** A page of a task's issues: most severe first, then by place. */
export function listIssues(taskId: string, page: { skip: number; limit: number }, filter: IssueFilter = {}) {
  const { severity, status, issueType, pathPrefix } = filter;
  const filtered = Object.entries({ status, issueType, path: pathPrefix }).filter(([, value]) => value);
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    // The sort key begins with the rank of the severity: what has another one is not even read.
    KeyConditionExpression: `gsi1pk = :pk${severity ? " AND begins_with(gsi1sk, :severity)" : ""}`,
    ExpressionAttributeValues: {
      ":pk": indexKeys.issuesOf(taskId).gsi1pk,
      ...(severity && { ":severity": `${severities.indexOf(severity)}#` }),
      ...Object.fromEntries(filtered.map(([name, value]) => [`:${name}`, value])),
    },
    ...(filtered.length > 0 && {
      FilterExpression: filtered
        .map(([name]) => (name === "path" ? "begins_with(#path, :path)" : `#${name} = :${name}`))
        .join(" AND "),
      ExpressionAttributeNames: Object.fromEntries(filtered.map(([name]) => [`#${name}`, name])),
    }),
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

/** A transaction takes 100 writes; one of them holds the task, and one the owner's counters. */
const issuesPerTransaction = 98;
/** And 4 MB, which issues with long histories of verdicts reach sooner. */
const transactionBytesMax = 3_500_000;
/** Somebody may judge an issue while it is written; so often in a row is no coincidence. */
const roundsMax = 10;

/**
 * Makes a scan's issues those of this attempt, while the task is in its hands. An issue that an earlier attempt found as well keeps its
 * verdict; one that does not come again goes, as the result of a scan is that of its last attempt. Writing them again changes nothing.
 * @returns the issues with the verdicts that count. @throws SluiceError task_superseded
 */
export async function writeIssues(
  task: Pick<Task, "id" | "attempt" | "ownerId">,
  found: readonly Issue[],
  at: Date,
): Promise<Issue[]> {
  for (let round = 1; ; round++) {
    const known = new Map((await issuesOf(task.id)).map((issue) => [issue.id, issue]));
    const wanted = found.map((issue) => {
      const before = known.get(issue.id);
      return before ? foundAgain(issue, before) : issue;
    });
    const ids = new Set(wanted.map((issue) => issue.id));
    const gone = [...known.values()].filter((issue) => !ids.has(issue.id));
    const changed = wanted.filter((issue) => !isDeepStrictEqual(issue, known.get(issue.id)));
    try {
      await inTransactions(task, gone.map(removal), at);
      await inTransactions(
        task,
        changed.map((issue) => replacement(issue, known.get(issue.id))),
        at,
      );
      return wanted;
    } catch (error) {
      if (!(error instanceof JudgedMeanwhile) || round === roundsMax) throw error;
    }
  }
}

/** An issue is not as it was read: a verdict came in between. */
class JudgedMeanwhile extends Error {}

/** One write of a transaction, and by how much it changes the number of resolved issues. */
interface IssueWrite {
  readonly write: NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
  readonly resolved: number;
}

function replacement(issue: Issue, before: Issue | undefined): IssueWrite {
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: item({ ...issue, version: issue.version + (before ? 1 : 0) }),
    ...(before ? asRead(before) : { ConditionExpression: "attribute_not_exists(pk)" }),
  };
  // A scan finds issues open and leaves verdicts alone; those of a file come with theirs.
  return { write: { Put }, resolved: Number(issue.status === "resolved") - Number(before?.status === "resolved") };
}

function removal(issue: Issue): IssueWrite {
  const Delete = { TableName: environment().TABLE_NAME, Key: keys.issue(issue.taskId, issue.id), ...asRead(issue) };
  return { write: { Delete }, resolved: issue.status === "resolved" ? -1 : 0 };
}

const asRead = ({ version }: Issue) => ({
  ConditionExpression: "version = :read",
  ExpressionAttributeValues: { ":read": version },
});

async function inTransactions(
  task: Pick<Task, "id" | "attempt" | "ownerId">,
  writes: readonly IssueWrite[],
  at: Date,
): Promise<void> {
  for (const some of transactionsOf(writes)) {
    const resolvedIssues = some.reduce((sum, { resolved }) => sum + resolved, 0);
    const TransactItems = [
      whileTaskRuns(task.id, task.attempt, resolvedIssues),
      ...(resolvedIssues === 0 ? [] : [counting(task.ownerId, { resolvedIssues }, at)]),
      ...some.map(({ write }) => write),
    ];
    await sendUntilNoConflict(new TransactWriteCommand({ TransactItems })).catch((error) => {
      const failed = failedConditions(error);
      if (failed?.includes(0)) throw new SluiceError("task_superseded");
      throw failed ? new JudgedMeanwhile() : error;
    });
  }
}

function transactionsOf(writes: readonly IssueWrite[]): IssueWrite[][] {
  const transactions: IssueWrite[][] = [];
  let bytes = 0;
  for (const one of writes) {
    const size = Buffer.byteLength(JSON.stringify(one.write));
    const current = transactions.at(-1);
    if (current && current.length < issuesPerTransaction && bytes + size <= transactionBytesMax) current.push(one);
    else transactions.push([one]);
    bytes = transactions.at(-1)?.length === 1 ? size : bytes + size;
  }
  return transactions;
}

/** The issues of a task as they are now. */
export async function issuesOf(taskId: string): Promise<Issue[]> {
  const found: Issue[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, allIssues(taskId)))
    found.push(...Items.map((stored) => Issue.parse(stored)));
  return found;
}

/** What identifies the issues of a task as they are now. Their texts are left behind page by page, so that many fit into memory. */
export async function issueIdentities(taskId: string): Promise<IssueIdentity[]> {
  const query = {
    ...allIssues(taskId),
    ProjectionExpression: identityAttributes.map((name) => `#${name}`).join(", "),
    ExpressionAttributeNames: Object.fromEntries(identityAttributes.map((name) => [`#${name}`, name])),
  };
  const found: IssueIdentity[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) found.push(...Items.map(identityOf));
  return found;
}

/** Read consistently, past the index: what it has not heard of yet would look as if it had never been found. */
function allIssues(taskId: string) {
  const { pk, sk } = keys.issue(taskId, "");
  return {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :issues)",
    ExpressionAttributeValues: { ":pk": pk, ":issues": sk },
    ConsistentRead: true,
  };
}

/** Issues of any tasks as they are now, by id, without those that are gone. */
export async function readIssues(
  wanted: readonly { readonly taskId: string; readonly id: string }[],
): Promise<Map<string, Issue>> {
  const items = await readItems(wanted.map(({ taskId, id }) => keys.issue(taskId, id)));
  return new Map(items.map((stored) => Issue.parse(stored)).map((issue) => [issue.id, issue]));
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
