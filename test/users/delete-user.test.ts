import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTemplatesAndRuleSets } from "../../functions/database/migrations/004-create-templates-and-rule-sets.ts";
import { environment } from "../../functions/platform/environment.ts";
import { recordKinds, table } from "../../functions/platform/table.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let administrator: Person;

beforeAll(async () => {
  data = await startEmbeddedData();
  await createTemplatesAndRuleSets.run({ now: () => new Date(), keepClaim: async () => {} });
  administrator = await person("admin");
});
afterAll(() => data.stop());

const kinds = [recordKinds.promptTemplate, recordKinds.ruleSet, recordKinds.override].map((kind) => kind.slice(0, -1));

/** Keys of templates, rule sets, rules and switches, of everybody. */
async function written(): Promise<string[]> {
  const { Items = [] } = await table.send(new ScanCommand({ TableName: environment().TABLE_NAME }));
  return Items.map(({ pk, sk }) => `${pk} ${sk}`)
    .filter((key) => kinds.some((kind) => key.startsWith(kind)))
    .toSorted();
}

async function write(who: Person): Promise<void> {
  await who.ok("createPromptTemplate", { json: { name: "mine" } });
  const rules = Array.from({ length: 30 }, (_, i) => ({ rule_code: `C${i}`, name: "n", category: "bug" }));
  await who.ok("createRuleSet", { json: { name: "mine", rules } });
  const { items } = await who.ok("listRuleSets");
  await who.ok("toggleRule", { params: { id: items[0].id, rule_id: items[0].rules[0].id } });
}

it("forgets the templates, rule sets and switches of a deleted user and of nobody else", async () => {
  const [leaving, staying] = [await person(), await person()];
  await write(staying);
  const before = await written();
  await write(leaving);
  expect((await written()).length).toBe(before.length + 33);
  await administrator.ok("deleteUser", { params: { id: leaving.user.id } });
  expect(await written()).toEqual(before);
});

it("goes on where an earlier try was interrupted", async () => {
  const before = await written();
  const leaving = await person();
  await write(leaving);
  const params = { id: leaving.user.id };
  data.gateway.planFault = (call) =>
    call.operation === "BatchWriteItem"
      ? { when: "before", error: new AwsError("ValidationException", "trouble", 400) }
      : undefined;
  expect((await administrator.call("deleteUser", { params })).status).toBe(500);
  data.gateway.planFault = () => undefined;
  expect((await written()).length).toBeGreaterThan(before.length);
  expect((await administrator.call("deleteUser", { params })).status).toBe(404);
  expect(await written()).toEqual(before);
});
