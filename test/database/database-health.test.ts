import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import { encryptSecret } from "../../functions/platform/secrets.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { buryProject, findProject } from "../../functions/projects/project-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aFinding } from "../support/finding.ts";
import { type Person, person } from "../support/person.ts";
import { projectOf, scannedTask, taskOf } from "../support/scanned.ts";

let data: EmbeddedData;
let owner: Person;
let projectId: string;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  owner = await person();
  projectId = await projectOf(owner);
  await scannedTask(owner, projectId, [aFinding("a")]);
});
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

const health = (now = new Date()) => owner.ok("readDatabaseHealth", { now });
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
const set = (Key: Record<string, string>, name: string, value: unknown) =>
  table.send(
    new UpdateCommand({
      TableName: environment().TABLE_NAME,
      Key,
      UpdateExpression: "SET #name = :value",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": value },
    }),
  );

it("is healthy when all is as it should be, and counts what there is", async () => {
  const records = { total_records: 3, last_backup_date: null, issues: [], warnings: [] };
  expect(await health()).toEqual({ status: "healthy", database_connected: true, ...records });
  expect(await health(inHours(1))).toMatchObject({ status: "healthy" });
});

it("tells of counters that drifted and of tasks that went silent, in the caller's language", async () => {
  await set(keys.statistics(owner.user.id), "issues", 7);
  await taskOf(owner, projectId);
  const { status, warnings } = await owner.ok("readDatabaseHealth", {
    now: inHours(1),
    headers: { "Accept-Language": "zh-CN" },
  });
  expect([status, warnings]).toEqual([
    "warning",
    ["统计数字与实际数据不一致，将在夜间自动修正", "有 1 个任务超过 15 分钟没有进展"],
  ]);
});

it("tells of a deletion that goes on, of one that fails, and of tasks without a project", async () => {
  const project = await findProject(projectId);
  if (!project) throw new Error("the project is there");
  await buryProject(project, new Date());
  expect(await health()).toMatchObject({ status: "warning", warnings: ["1 projects are being erased for good"] });
  expect(await health(inHours(7))).toMatchObject({
    status: "error",
    issues: [expect.stringContaining("not erased yet")],
  });
  const other = await projectOf(owner);
  const task = await taskOf(owner, other);
  await set(keys.task(task.id), "projectId", uuid());
  expect(await health()).toMatchObject({ issues: ["1 tasks belong to no project"] });
});

it("names a secret that does not open, and says when the key or the table is out of reach", async () => {
  await owner.ok("updateMyConfig", { json: { llmConfig: { llmApiKey: "sk-0123456789" } } });
  const foreign = await encryptSecret("sk-0123456789", { userId: uuid(), field: "llmApiKey" });
  await set(keys.userConfig(owner.user.id), "llmConfig", { llmApiKey: foreign });
  expect((await health()).warnings).toEqual(["The setting llmApiKey cannot be decrypted; enter it again"]);
  const error = { code: "AccessDeniedException", message: "no", status: 400 };
  const refusing = (action: RegExp) => {
    data.gateway.planFault = ({ permissions }) =>
      permissions.some((permission) => action.test(permission.action))
        ? ({ when: "before", error } as never)
        : undefined;
  };
  // A text that no function has opened yet.
  const fresh = await encryptSecret("sk-0123456789", { userId: owner.user.id, field: "llmApiKey" });
  await set(keys.userConfig(owner.user.id), "llmConfig", { llmApiKey: fresh });
  refusing(/^kms:/);
  expect((await health()).issues).toEqual(["The key that encrypts secrets cannot be used now"]);
  refusing(/^dynamodb:Query/);
  expect(await health()).toMatchObject({ status: "error", database_connected: false, total_records: 0 });
});
