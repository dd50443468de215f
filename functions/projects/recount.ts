import { PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { indexKeys, keys, table, tableDesign, whenConditionFails } from "../platform/table.ts";
import { Task } from "../scans/task.ts";
import { Project } from "./project.ts";
import { type Counters, countedProject, countedTask, counterNames, plus, zero } from "./statistics.ts";
import { readStatistics } from "./statistics-store.ts";

/** Indexes lag behind the table by less than this. Counters that changed since are looked at the next night. */
const quietMs = 5 * 60_000;

/**
 * Counts what an owner has and sets the counters right when they differ, unless something happens meanwhile.
 * @returns by how much they were wrong, or null
 */
export async function recount(ownerId: string, at: Date): Promise<Partial<Counters> | null> {
  const found = await findDrift(ownerId, at);
  if (!found) return null;
  const { stored, counted, drift } = found;
  const unchanged = stored
    ? { ConditionExpression: "version = :read", ExpressionAttributeValues: { ":read": stored.version } }
    : { ConditionExpression: "attribute_not_exists(pk)" };
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: {
      ...keys.statistics(ownerId),
      v: 1,
      ownerId,
      ...counted,
      version: (stored?.version ?? 0) + 1,
      changedAt: at.toISOString(),
    },
    ...unchanged,
  });
  try {
    await table.send(put).catch(whenConditionFails(() => new Busy()));
    return drift;
  } catch (error) {
    if (error instanceof Busy) return null;
    throw error;
  }
}

/** Counts what an owner has. @returns both counts and how they differ; null when they do not, or changed too lately to tell */
export async function findDrift(ownerId: string, at: Date) {
  const stored = await readStatistics(ownerId);
  if (stored && at.getTime() - Date.parse(stored.changedAt) < quietMs) return null;
  const counted = await countAnew(ownerId);
  const drift = differing(plus(counted, stored ?? zero, -1));
  return drift && { stored, counted, drift };
}

/** Somebody changed something while we counted: what we counted is worth nothing. */
class Busy extends Error {}

const differing = (difference: Counters): Partial<Counters> | null => {
  const wrong = counterNames.filter((name) => difference[name] !== 0);
  return wrong.length === 0 ? null : Object.fromEntries(wrong.map((name) => [name, difference[name]]));
};

async function countAnew(ownerId: string): Promise<Counters> {
  let sum = zero;
  for (const active of [true, false])
    for await (const item of itemsOf("gsi1", indexKeys.projectsOf(ownerId, active).gsi1pk))
      sum = plus(sum, countedProject(Project.parse(item)));
  for await (const item of itemsOf("gsi2", indexKeys.tasksOf(ownerId).gsi2pk))
    sum = plus(sum, countedTask(Task.parse(item)));
  return sum;
}

async function* itemsOf(index: "gsi1" | "gsi2", partition: string): AsyncGenerator<unknown> {
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: index,
    KeyConditionExpression: "#pk = :pk",
    ExpressionAttributeNames: { "#pk": tableDesign.indexes[index].partitionKey },
    ExpressionAttributeValues: { ":pk": partition },
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items;
}
