import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { Issue } from "../issues/issue.ts";
import { environment } from "../platform/environment.ts";
import { indexKeys, keys, table } from "../platform/table.ts";
import { Project } from "../projects/project.ts";
import { Task } from "../scans/task.ts";
import { walkPartition } from "./walk.ts";

/** All projects that a user created, those in the recycle bin as well. What they are a member of is not theirs. */
export async function projectsOf(userId: string): Promise<Project[]> {
  const found: Project[] = [];
  for (const active of [true, false])
    for await (const item of walkPartition(indexKeys.projectsOf(userId, active).gsi1pk, "gsi1"))
      found.push(Project.parse(item));
  return found;
}

/** All tasks of a user's projects, also of projects that are just being deleted for good. */
export async function tasksOf(userId: string): Promise<Task[]> {
  const found: Task[] = [];
  for await (const item of walkPartition(indexKeys.tasksOf(userId).gsi2pk, "gsi2")) found.push(Task.parse(item));
  return found;
}

/** How many issues a task has now, whatever its state. */
export async function countIssuesOf(taskId: string): Promise<number> {
  const { pk, sk } = keys.issue(taskId, "");
  return count(pk, sk);
}

/** State and severity of each issue of a task. */
export async function issueStatesOf(taskId: string): Promise<Pick<Issue, "severity" | "status">[]> {
  const { pk, sk } = keys.issue(taskId, "");
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
    ExpressionAttributeValues: { ":pk": pk, ":sk": sk },
    ProjectionExpression: "severity, #status",
    ExpressionAttributeNames: { "#status": "status" },
    ConsistentRead: true,
  };
  const found: Pick<Issue, "severity" | "status">[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    found.push(...Items.map((item) => States.parse(item)));
  return found;
}

const States = Issue.pick({ severity: true, status: true });

/** How many instant analyses a user's history holds. */
export const countAnalysesOf = (userId: string): Promise<number> => count(keys.instantAnalysis(userId, "").pk);

async function count(pk: string, beginning?: string): Promise<number> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: `pk = :pk${beginning ? " AND begins_with(sk, :sk)" : ""}`,
    ExpressionAttributeValues: { ":pk": pk, ...(beginning && { ":sk": beginning }) },
    ConsistentRead: true,
    Select: "COUNT" as const,
  };
  let sum = 0;
  for await (const { Count = 0 } of paginateQuery({ client: table }, query)) sum += Count;
  return sum;
}

/** DynamoDB reads partitions side by side; more at once would fill a function's memory and connections. */
const atOnceMax = 8;

/** Does the same with each item, some at a time. @returns the results in the order of the items */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: atOnceMax }, lane));
  return results;
}
