import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { environment } from "../../functions/platform/environment.ts";
import { indexKeys, keys, shardOf, table } from "../../functions/platform/table.ts";
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
  readonly items: readonly Record<string, unknown>[];
}

const at = new Date("2026-01-02T03:04:05.000Z");

/**
 * Records as the first version of the service wrote them: users that are found by an index and stand in no directory, projects without a
 * source type, active ones and deleted ones, with a repository and without.
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
  return { users, projects, items: [...users.flatMap(oldUser), ...projects.map(oldProject)] };
}

export async function writeItems(items: OldestData["items"]): Promise<void> {
  for (const Item of items) await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item }));
}

const oldUser = (user: User) => [
  { ...keys.email(user.email), v: 1, userId: user.id },
  {
    ...keys.user(user.id),
    gsi1pk: `USERS#${shardOf(user.id)}`,
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
