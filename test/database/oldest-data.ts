import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { environment } from "../../functions/platform/environment.ts";
import { indexKeys, keys, table } from "../../functions/platform/table.ts";
import { scanConfig } from "../../functions/scans/scan-request.ts";
import { newTask } from "../../functions/scans/task.ts";
import { newUser, type User } from "../../functions/users/user.ts";

export interface OldProject {
  readonly id: string;
  readonly ownerId: string;
  readonly repositoryUrl: string | null;
  readonly isActive: boolean;
}

export interface OldestData {
  readonly users: readonly User[];
  readonly projects: readonly OldProject[];
  /** One of each user. */
  readonly taskIds: readonly string[];
  readonly items: readonly Record<string, unknown>[];
}

const at = new Date("2026-01-02T03:04:05.000Z");

/**
 * Records as the first version of the service wrote them: users that are found by an index and stand in no directory, projects without a
 * source type, active ones and deleted ones, with a repository and without, tasks whose issues nobody counted, and settings with plain secrets.
 */
export function oldestData(userCount: number): OldestData {
  const users = Array.from({ length: userCount }, (_, number) =>
    newUser(
      {
        id: uuid(),
        email: `user${number}@example.test`,
        fullName: `用户 ${number}`,
        role: "member",
        passwordHash: "-",
      },
      new Date(at.getTime() + number * 1000),
    ),
  );
  const projects = users.flatMap(({ id: ownerId }) =>
    ["https://git.example.test/shop.git", null].flatMap((repositoryUrl) =>
      [true, false].map((isActive) => ({ id: uuid(), ownerId, repositoryUrl, isActive })),
    ),
  );
  const tasks = users.map((user) =>
    oldTask(user.id, projects.find(({ ownerId }) => ownerId === user.id)?.id as string),
  );
  const items = [...users.flatMap(oldUser), ...projects.map(oldProject), ...tasks.flat()];
  return { users, projects, taskIds: tasks.map(([task]) => task?.id as string), items };
}

export async function writeItems(items: OldestData["items"]): Promise<void> {
  const { TABLE_NAME: TableName } = environment();
  await Promise.all(items.map((Item) => table.send(new PutCommand({ TableName, Item }))));
}

/** What is secret in the settings of an old user; stored as it stands, as there was no encryption. */
export const oldSecrets = { llmApiKey: "sk-OLD-0123456789abcdef", githubToken: "ghp_OLD_0123456789" };

const oldUser = (user: User) => [
  {
    ...keys.userConfig(user.id),
    v: 1,
    userId: user.id,
    llmConfig: { llmProvider: "openai", llmApiKey: oldSecrets.llmApiKey },
    otherConfig: { githubToken: oldSecrets.githubToken },
    createdAt: at.toISOString(),
    updatedAt: null,
    version: 1,
  },
  { ...keys.email(user.email), v: 1, userId: user.id },
  {
    ...keys.user(user.id),
    // The former index had four shards.
    gsi1pk: `USERS#${Number.parseInt(user.id.slice(-1), 16) % 4}`,
    gsi1sk: `${user.createdAt}#${user.id}`,
    v: 1,
    ...user,
  },
];

const oldProject = (project: OldProject) => ({
  ...keys.project(project.id),
  ...indexKeys.projectsOf(project.ownerId, project.isActive),
  gsi1sk: `${at.toISOString()}#${project.id}`,
  v: 1,
  ...project,
  name: "shop",
  description: null,
  repositoryType: "other",
  defaultBranch: "main",
  programmingLanguages: [],
  createdAt: at.toISOString(),
  updatedAt: null,
  version: 1,
});

/** A completed task with three issues, one of them resolved: what the migrations look at, and what makes the task readable. */
function oldTask(ownerId: string, projectId: string): Record<string, unknown>[] {
  const source = { key: "zips/x.zip", bytes: 22, manifestKey: "zips/x.manifest.json" };
  const config = scanConfig({ full_scan: true });
  const draft = { id: uuid(), projectId, ownerId, taskType: "zip_upload", config, source } as const;
  const { issuesResolved: _, ...task } = newTask(draft, at);
  const listed = { gsi1sk: `${task.createdAt}#${task.id}`, gsi2sk: `${task.createdAt}#${task.id}` };
  const index = { ...indexKeys.tasksOfProject(projectId), ...indexKeys.tasksOf(ownerId), ...listed };
  const end = { status: "completed", completedAt: task.createdAt, issuesCount: 3, qualityScore: 87.5 };
  const issues = ["open", "resolved", "false_positive"].map((status, number) => {
    const id = uuid();
    return {
      ...keys.issue(task.id, id),
      ...indexKeys.issuesOf(task.id),
      gsi1sk: `${number}`,
      v: 1,
      id,
      ownerId,
      status,
    };
  });
  return [{ ...keys.task(task.id), ...index, v: 1, ...task, ...end }, ...issues];
}
