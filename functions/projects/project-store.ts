import { GetCommand, paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { mergedPage } from "../platform/list-page.ts";
import { readItems } from "../platform/read-items.ts";
import { failedConditions, indexKeys, keys, sendUntilNoConflict, table } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { Project } from "./project.ts";
import { type Counters, countedProject, plus } from "./statistics.ts";
import { counting } from "./statistics-store.ts";

/** For authorise.ts, which checks the caller. @returns the project, or null: never made, or deleted for good */
export async function findProject(id: string): Promise<Project | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.project(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item && !isTombstone(Item) ? Project.parse(Item) : null;
}

/** Permanent deletion begins by leaving this of the project. */
const isTombstone = (item: Record<string, unknown>): boolean => item.erasingAt !== undefined;

/** Projects by id, for rows that name them; the caller has checked that the rows are theirs. Missing ones are left out. */
export async function readProjects(ids: readonly string[]): Promise<Map<string, Project>> {
  const items = await readItems([...new Set(ids)].map(keys.project));
  return new Map(items.filter((item) => !isTombstone(item)).map((item) => [item.id as string, Project.parse(item)]));
}

/** @throws SluiceError not_authenticated when the owner is gone: a project must not be without one */
export async function createProject(project: Project, at = new Date(project.createdAt)): Promise<void> {
  const put = {
    Put: {
      TableName: environment().TABLE_NAME,
      Item: item(project),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
  const counted = counting(project.ownerId, countedProject(project), at);
  await writeForUser(project.ownerId, [{ write: put }, { write: counted }]);
}

/**
 * Stores a changed project; its owner's counters follow.
 * @returns the project as stored. @throws SluiceError stale_version when somebody else changed it since it was read
 */
export async function replaceProject(read: Project, changed: Project, at: Date): Promise<Project> {
  const next = { ...changed, updatedAt: at.toISOString(), version: read.version + 1 };
  const change = plus(countedProject(next), countedProject(read), -1);
  await replaceItem(read, item(next), change, at);
  return next;
}

/**
 * Leaves nothing of a project but a tombstone, which is in no list and which nobody can reach. Whoever erases the rest finds it in the
 * index until erasure is finished.
 * @throws SluiceError stale_version
 */
export async function buryProject(project: Project, at: Date): Promise<void> {
  const tombstone = {
    ...keys.project(project.id),
    ...indexKeys.erasures,
    gsi3sk: `${at.toISOString()}#${project.id}`,
    v: 1,
    id: project.id,
    ownerId: project.ownerId,
    erasingAt: at.toISOString(),
  };
  await replaceItem(project, tombstone, plus({}, countedProject(project), -1), at);
}

async function replaceItem(read: Project, Item: Record<string, unknown>, change: Counters, at: Date): Promise<void> {
  const put = {
    Put: {
      TableName: environment().TABLE_NAME,
      Item,
      ConditionExpression: "version = :read",
      ExpressionAttributeValues: { ":read": read.version },
    },
  };
  const write = new TransactWriteCommand({ TransactItems: [put, counting(read.ownerId, change, at)] });
  await sendUntilNoConflict(write).catch((error) => {
    throw failedConditions(error) ? new SluiceError("stale_version") : error;
  });
}

/** For transactions that must not happen once the project is in the recycle bin or gone. */
export const whileProjectActive = (id: string) => ({
  ConditionCheck: {
    TableName: environment().TABLE_NAME,
    Key: keys.project(id),
    ConditionExpression: "isActive = :true",
    ExpressionAttributeValues: { ":true": true },
  },
});

/** A page of the projects that a user created or is a member of, newest first, with the exact total. */
export async function listProjects(
  userId: string,
  memberOf: readonly string[],
  options: { includeDeleted: boolean; skip: number; limit: number },
) {
  const states = options.includeDeleted ? [true, false] : [true];
  const shared = [...(await readProjects(memberOf)).values()].filter(
    ({ isActive }) => isActive || options.includeDeleted,
  );
  return mergedPage({
    queries: states.map((active) => newestFirst(userId, active)),
    more: shared,
    page: options,
    schema: Project,
    order: (project) => `${project.createdAt}#${project.id}`,
  });
}

/** The recycle bin of a user: what they created or are a member of, last deleted first. A bin is small and read whole. */
export async function listDeletedProjects(userId: string, memberOf: readonly string[]): Promise<Project[]> {
  const projects = [...(await readProjects(memberOf)).values()].filter(({ isActive }) => !isActive);
  for await (const { Items = [] } of paginateQuery({ client: table }, newestFirst(userId, false)))
    projects.push(...Items.map((found) => Project.parse(found)));
  const order = (project: Project) => `${project.updatedAt}#${project.id}`;
  return projects.toSorted((a, b) => (order(a) < order(b) ? 1 : -1));
}

const newestFirst = (ownerId: string, active: boolean) => ({
  TableName: environment().TABLE_NAME,
  IndexName: "gsi1",
  KeyConditionExpression: "gsi1pk = :pk",
  ExpressionAttributeValues: { ":pk": indexKeys.projectsOf(ownerId, active).gsi1pk },
  ScanIndexForward: false,
});

const item = (project: Project) => ({
  ...keys.project(project.id),
  ...indexKeys.projectsOf(project.ownerId, project.isActive),
  gsi1sk: `${project.createdAt}#${project.id}`,
  v: 1,
  ...project,
});
