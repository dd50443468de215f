import { afterAll, beforeAll, expect, it } from "vitest";
import { readUserByEmail } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { invokeOperation } from "../support/invoke-operation.ts";

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  process.env.REGISTRATION = "off";
});
afterAll(() => data.stop());

it("registers nobody where registration is off, and says why", async () => {
  const json = { email: "new@example.test", password: "kX9$mQ2!vb", full_name: "N" };
  const { status, body } = await invokeOperation("register", { json });
  expect({ status, body }).toMatchObject({ status: 403, body: { code: "registration_off" } });
  expect(await readUserByEmail(json.email)).toBeNull();
});
