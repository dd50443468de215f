import { BatchGetCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { listPage } from "../platform/list-page.ts";
import { indexKeys, keys, table } from "../platform/table.ts";
import { Project } from "./project.ts";

/**
 * The caller's own project. A project of somebody else and one that does not exist end the same way.
 * @throws SluiceError project_not_found
 */
export async function readProject(callerId: string, id: string): Promise<Project> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.project(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  const project = Item && Project.parse(Item);
  if (project?.ownerId !== callerId) throw new SluiceError("project_not_found");
  return project;
}

/** Projects by id, for rows that name them; the caller has checked that the rows are theirs. Missing ones are left out. */
export async function readProjects(ids: readonly string[]): Promise<Map<string, Project>> {
  const found = new Map<string, Project>();
  let Keys: Record<string, string>[] = [...new Set(ids)].map((id) => keys.project(id));
  while (Keys.length > 0) {
    const batch = new BatchGetCommand({
      RequestItems: { [environment().TABLE_NAME]: { Keys: Keys.slice(0, batchMax) } },
    });
    const { Responses, UnprocessedKeys } = await table.send(batch);
    for (const item of Responses?.[environment().TABLE_NAME] ?? []) found.set(item.id as string, Project.parse(item));
    Keys = [
      ...((UnprocessedKeys?.[environment().TABLE_NAME]?.Keys ?? []) as Record<string, string>[]),
      ...Keys.slice(batchMax),
    ];
  }
  return found;
}

/** BatchGetItem takes no more keys. */
const batchMax = 100;

export async function createProject(project: Project): Promise<void> {
  const index = {
    ...indexKeys.projectsOf(project.ownerId, project.isActive),
    gsi1sk: `${project.createdAt}#${project.id}`,
  };
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.project(project.id), ...index, v: 1, ...project },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await table.send(put);
}

/** A page of the caller's projects, newest first, with the exact total. */
export function listProjects(ownerId: string, options: { active: boolean; skip: number; limit: number }) {
  const partition = indexKeys.projectsOf(ownerId, options.active).gsi1pk;
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :pk",
    ExpressionAttributeValues: { ":pk": partition },
    ScanIndexForward: false,
  };
  return listPage(query, options, Project);
}
