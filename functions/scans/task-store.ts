import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, paginateQuery, QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { listPage, mergedPage } from "../platform/list-page.ts";
import {
  failedConditions,
  type IndexName,
  indexKeys,
  keys,
  sendUntilNoConflict,
  shardOf,
  shards,
  table,
  tableDesign,
} from "../platform/table.ts";
import { whileProjectActive } from "../projects/project-store.ts";
import { countedTask, plus } from "../projects/statistics.ts";
import { counting } from "../projects/statistics-store.ts";
import { runningTasksMax, ScanMustWait } from "./scan-must-wait.ts";
import { ended, Task, type TaskStatus } from "./task.ts";

/** For authorise.ts and for the workflow, which acts for nobody. @returns the task, or null when it was deleted meanwhile */
export async function findTask(id: string): Promise<Task | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.task(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? Task.parse(Item) : null;
}

/**
 * Stores a pending task and counts it. Its entry in the index of active tasks is the promise that the sweeper starts it if nobody else
 * does. The project is checked in the same transaction: none that is in the recycle bin ever gets a task.
 * @throws SluiceError project_in_recycle_bin
 */
export const createTask = (task: Task): Promise<void> => putTask(task, activeItem(task), new Date(task.createdAt));

/**
 * The same for a task whose result is at hand and is written next. It is in no index of active tasks, as nobody is to run it.
 * @throws SluiceError project_in_recycle_bin
 */
export const createRestoredTask = (task: Task, at: Date): Promise<void> => putTask(task, listedItem(task), at);

async function putTask(task: Task, Item: Record<string, unknown>, at: Date): Promise<void> {
  const put = {
    Put: { TableName: environment().TABLE_NAME, Item, ConditionExpression: "attribute_not_exists(pk)" },
  };
  const counted = counting(task.ownerId, countedTask(task), at);
  const write = new TransactWriteCommand({ TransactItems: [whileProjectActive(task.projectId), put, counted] });
  await sendUntilNoConflict(write).catch((error) => {
    throw failedConditions(error)?.includes(0) ? new SluiceError("project_in_recycle_bin") : error;
  });
}

/** A task that somebody has to bring to its end. */
const activeItem = (task: Task) => ({
  ...listedItem(task),
  ...indexKeys.activeTasks(shardOf(task.id)),
  gsi3sk: task.heartbeatAt,
});

const listedItem = (task: Task) => ({
  ...keys.task(task.id),
  ...indexKeys.tasksOfProject(task.projectId),
  gsi1sk: `${task.createdAt}#${task.id}`,
  ...indexKeys.tasksOf(task.ownerId),
  gsi2sk: `${task.createdAt}#${task.id}`,
  v: 1,
  ...task,
});

/**
 * Begins another attempt of a task that has ended: pending, counted as such, and in the index of active tasks. As for a new task, the
 * project is checked in the same transaction.
 * @throws SluiceError project_in_recycle_bin; task_superseded when it is not any more as it was read
 */
export async function replaceTask(read: Task, next: Task, at: Date): Promise<void> {
  const put = {
    Put: {
      TableName: environment().TABLE_NAME,
      Item: activeItem(next),
      // A verdict on an issue changes the number of resolved ones at any time.
      ConditionExpression:
        "#status = :status AND attempt = :attempt AND (attribute_not_exists(issuesResolved) OR issuesResolved = :resolved)",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: {
        ":status": read.status,
        ":attempt": read.attempt,
        ":resolved": read.issuesResolved,
      },
    },
  };
  const counted = counting(read.ownerId, plus(countedTask(next), countedTask(read), -1), at);
  const write = new TransactWriteCommand({ TransactItems: [whileProjectActive(read.projectId), put, counted] });
  await sendUntilNoConflict(write).catch((error) => {
    const failed = failedConditions(error);
    if (failed?.includes(0)) throw new SluiceError("project_in_recycle_bin");
    throw failed ? new SluiceError("task_superseded") : error;
  });
}

/** A page of the tasks of one project, newest first. Who may see the project is the caller's to check. */
export const listTasksOfProject = (projectId: string, page: { skip: number; limit: number }) =>
  listPage(newestFirst("gsi1", indexKeys.tasksOfProject(projectId).gsi1pk), page, Task);

/** A page of all tasks of a user's own projects and of those named, newest first. */
export const listTasksOf = (ownerId: string, projectIds: readonly string[], page: { skip: number; limit: number }) =>
  mergedPage({
    queries: [
      newestFirst("gsi2", indexKeys.tasksOf(ownerId).gsi2pk),
      ...projectIds.map((id) => newestFirst("gsi1", indexKeys.tasksOfProject(id).gsi1pk)),
    ],
    page,
    schema: Task,
    order: (task) => `${task.createdAt}#${task.id}`,
  });

/** All tasks of a project, page by page, so that somebody can go through them however many there are. */
export async function* tasksOfProject(projectId: string): AsyncGenerator<Task> {
  const query = newestFirst("gsi1", indexKeys.tasksOfProject(projectId).gsi1pk);
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const item of Items) yield Task.parse(item);
}

/** The latest task of the same project that is completed and was created before this one; null when there is none. */
export async function completedBefore({ projectId, createdAt, id }: Task): Promise<Task | null> {
  const older = newestFirst("gsi1", indexKeys.tasksOfProject(projectId).gsi1pk);
  const query = {
    ...older,
    KeyConditionExpression: `${older.KeyConditionExpression} AND gsi1sk < :this`,
    ExpressionAttributeValues: { ...older.ExpressionAttributeValues, ":this": `${createdAt}#${id}` },
  };
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: 10 }, query)) {
    for (const item of Items) {
      if (item.status !== "completed") continue;
      // Another attempt may have begun since the index has heard of it.
      const task = await findTask(item.id as string);
      if (task?.status === "completed") return task;
    }
  }
  return null;
}

const newestFirst = (index: IndexName, partition: string) => ({
  TableName: environment().TABLE_NAME,
  IndexName: index,
  KeyConditionExpression: "#pk = :pk",
  ExpressionAttributeNames: { "#pk": tableDesign.indexes[index].partitionKey },
  ExpressionAttributeValues: { ":pk": partition },
  ScanIndexForward: false,
});

/** A change of a task: only from the states named, only for the attempt that the caller runs. */
export interface Change {
  readonly from: readonly TaskStatus[];
  readonly attempt: number;
  readonly set: Partial<Omit<Task, "id" | "projectId" | "ownerId" | "attempt">>;
  /** When its owner's counters change, with the task's state. @default when the task ends or gives the sign of life */
  readonly at?: Date;
}

/**
 * Changes a task, atomically with its place in the index of active tasks and with its owner's counters.
 * @throws SluiceError task_superseded when it is in another state or a newer attempt runs
 * @throws ScanMustWait when it is to run and as many as may run do
 */
export async function changeTask(id: string, change: Change): Promise<Task> {
  const update = changeUpdate(id, change);
  if (change.set.status) return changeStatus(id, change, update);
  try {
    const { Attributes } = await table.send(new UpdateCommand({ ...update, ReturnValues: "ALL_NEW" }));
    return Task.parse(Attributes);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw new SluiceError("task_superseded");
    throw error;
  }
}

/** A task's state is counted in the transaction that writes it. */
async function changeStatus(id: string, { from, attempt, set, at }: Change, Update: ReturnType<typeof changeUpdate>) {
  const task = await findTask(id);
  if (!task || !from.includes(task.status) || task.attempt !== attempt) throw new SluiceError("task_superseded");
  const next: Task = { ...task, ...set };
  const change = plus(countedTask(next), countedTask(task), -1);
  const counted = counting(
    task.ownerId,
    change,
    at ?? new Date(next.completedAt ?? next.heartbeatAt),
    next.status === "running" ? { runningTasks: runningTasksMax } : {},
  );
  const write = new TransactWriteCommand({ TransactItems: [{ Update }, counted] });
  await sendUntilNoConflict(write).catch((error) => {
    const failed = failedConditions(error);
    if (failed?.includes(0)) throw new SluiceError("task_superseded");
    throw failed ? new ScanMustWait() : error;
  });
  return next;
}

function changeUpdate(id: string, { from, attempt, set }: Change) {
  const names: Record<string, string> = { "#status": "status", "#attempt": "attempt" };
  const values: Record<string, unknown> = { ":attempt": attempt };
  const allowed = from.map((status, i) => {
    values[`:from${i}`] = status;
    return `:from${i}`;
  });
  const assignments = Object.entries(set).map(([name, value]) => {
    names[`#${name}`] = name;
    values[`:${name}`] = value;
    return `#${name} = :${name}`;
  });
  const ends = set.status !== undefined && ended(set.status);
  if (set.heartbeatAt && !ends) {
    assignments.push("gsi3sk = :heartbeatAt");
  }
  return {
    TableName: environment().TABLE_NAME,
    Key: keys.task(id),
    UpdateExpression: `SET ${assignments.join(", ")}${ends ? " REMOVE gsi3pk, gsi3sk" : ""}`,
    ConditionExpression: `#status IN (${allowed.join(", ")}) AND #attempt = :attempt`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}

/**
 * Does work for a task that ends with it when the work is refused, as the refusal tells its user what to do.
 * @throws SluiceError the refusal: the task has ended with it then
 */
export async function orFail<T>({ id, attempt }: Task, now: () => Date, work: Promise<T>): Promise<T> {
  return work.catch(async (error) => {
    if (isSluiceError(error)) {
      const failure = { code: error.code, message: error.message, fields: { ...error.fields } };
      await failTask(id, attempt, failure, now());
    }
    throw error;
  });
}

/** Ends a task as failed unless it has ended already or a newer attempt runs. */
export async function failTask(
  id: string,
  attempt: number,
  failure: NonNullable<Task["failure"]>,
  at: Date,
): Promise<void> {
  const set = { status: "failed", qualityScore: 0, failure, completedAt: at.toISOString() } as const;
  await changeTask(id, { from: ["pending", "running"], attempt, set }).catch((error) => {
    if (!isSluiceError(error, "task_superseded")) throw error;
  });
}

/** Tasks that have not ended and gave no sign of life since `before`. */
export async function silentTasks(before: Date): Promise<Task[]> {
  const queries = Array.from({ length: shards }, (_, shard) =>
    table.send(
      new QueryCommand({
        TableName: environment().TABLE_NAME,
        IndexName: "gsi3",
        KeyConditionExpression: "gsi3pk = :pk AND gsi3sk < :before",
        ExpressionAttributeValues: { ":pk": indexKeys.activeTasks(shard).gsi3pk, ":before": before.toISOString() },
        Limit: 100,
      }),
    ),
  );
  const answers = await Promise.all(queries);
  return answers.flatMap(({ Items = [] }) => Items.map((item) => Task.parse(item)));
}
