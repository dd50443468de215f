import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../functions/database/migrations.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { oldestData, writeItems } from "../database/oldest-data.ts";
import type { Answer, Api } from "../support/api.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";

const numbers = migrations.map(({ number }) => number);
const old = oldestData(2);
let service: OwnService;
let api: Api;

beforeAll(async () => {
  service = await startOwnService();
  useAsEnvironment(service.cloud);
  api = service.api;
});

afterAll(() => service.stop());

const run = async (event: object = {}) => {
  const result = await service.cloud.invoke(service.cloud.outputs.RunMigrationsFunction as string, event);
  return result.ok ? result.payload : { error: result.error };
};
const listed = async (): Promise<Answer["body"][]> => api.ok("GET", "/api/v1/database/migrations");

/** A table that no migration has seen, with data of the oldest shape in it. */
async function makeOld(): Promise<void> {
  const TableName = environment().TABLE_NAME;
  for (const number of numbers) await table.send(new DeleteCommand({ TableName, Key: keys.migration(number) }));
  await writeItems(old.items);
}

describe("migrations in the running service", () => {
  it("have run when the service is ready", async () => {
    expect((await listed()).map(({ number, state }) => [number, state])).toEqual(numbers.map((n) => [n, "completed"]));
  });

  it("may do what they do, by the role of their function, and leave data that the API shows", async () => {
    await makeOld();
    expect(new Set((await listed()).map(({ state }) => state))).toEqual(new Set(["pending"]));
    expect(await run()).toEqual({ applied: numbers, left_to_another_run: null });
    expect(await run()).toEqual({ applied: [], left_to_another_run: null });
    const found = await api.ok("GET", "/api/v1/users", { query: { search: "用户" } });
    expect(found.total).toBe(old.users.length);
  });

  it("go on after their function died in the middle of one", async () => {
    await makeOld();
    let calls = 0;
    service.cloud.gateway.planFault = ({ role }) =>
      role.includes("FunctionsRunMigrationsRole") && ++calls > 40 ? { when: "before", error: "cut" } : undefined;
    expect(await run()).toHaveProperty("error");
    service.cloud.gateway.planFault = () => undefined;
    const [unfinished] = (await listed()).filter(({ state }) => state !== "completed");
    expect(unfinished).toMatchObject({ state: "running", finished_at: null });
    expect(await run()).toEqual({ applied: [], left_to_another_run: unfinished.number });
    const outcome = await run({ take_over: true });
    expect(outcome).toEqual({ applied: numbers.filter((n) => n >= unfinished.number), left_to_another_run: null });
  });

  it("are for administrators to look at", async () => {
    const member = { email: "m@example.test", password: "correct horse battery", full_name: "M" };
    await api.ok("POST", "/api/v1/users", { json: member });
    const { status, body } = await (await api.as(member)).call("GET", "/api/v1/database/migrations");
    expect({ status, body }).toMatchObject({ status: 403, body: { code: "permission_denied" } });
  });
});
