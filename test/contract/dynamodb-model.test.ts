import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DynamoDb } from "../../lib/local/dynamodb.ts";
import type { Json } from "../../lib/local/service.ts";
import { tableName as TableName, tableInput } from "../support/embedded-table.ts";

let folder: string;
let db: DynamoDb;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-model-"));
  db = new DynamoDb({ folder });
  await db.open();
  await db.ensureTable(tableInput);
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

type Item = Record<string, { S?: string; N?: string }>;
type Model = Map<string, Item>;

/** One write as the model understands it: what it does to an item, and when it may. */
interface Write {
  readonly pk: string;
  readonly sk: string;
  readonly kind: "Put" | "Update" | "Delete" | "ConditionCheck";
  readonly condition: "none" | "absent" | "present" | "positive";
  readonly n: number;
  /** The index keys to set; null for none, which takes the item out of the index. */
  readonly listed: { readonly in: string; readonly at: string } | null;
}

type Step =
  | { readonly kind: "single"; readonly write: Write }
  | { readonly kind: "transaction"; readonly writes: readonly Write[] }
  | { readonly kind: "batch"; readonly writes: readonly Write[] }
  | { readonly kind: "restart" };

const partitions = ["p", "p2", "漏"];
// Prefixes of each other, characters around the separator of rows, and characters that UTF-16 sorts unlike UTF-8.
const sorts = ["a", "a/", "a~", "aa", "0", "é", "\uffff", "😀"];
const lists = ["l", "l2"];

const write: fc.Arbitrary<Write> = fc.record({
  pk: fc.constantFrom(...partitions),
  sk: fc.constantFrom(...sorts),
  kind: fc.constantFrom("Put", "Update", "Delete", "ConditionCheck"),
  condition: fc.constantFrom("none", "none", "none", "absent", "present", "positive"),
  n: fc.integer({ min: -3, max: 3 }),
  listed: fc.option(fc.record({ in: fc.constantFrom(...lists), at: fc.constantFrom("1", "1", "2", "10") })),
});
const several = fc.uniqueArray(write, { minLength: 1, maxLength: 8, selector: ({ pk, sk }) => `${pk} ${sk}` });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: write.map((one) => ({ kind: "single" as const, write: one })) },
  { weight: 4, arbitrary: several.map((writes) => ({ kind: "transaction" as const, writes })) },
  { weight: 3, arbitrary: several.map((writes) => ({ kind: "batch" as const, writes })) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);

const keyOf = ({ pk, sk }: Write, run: string): Item => ({ pk: { S: run + pk }, sk: { S: sk } });
const nameOf = (item: Item) => `${item.pk!.S} ${item.sk!.S}`;
const listedIn = (listed: Write["listed"], run: string): Item =>
  listed ? { gsi1pk: { S: run + listed.in }, gsi1sk: { S: listed.at } } : {};

const holds = ({ condition }: Write, item: Item | undefined): boolean =>
  condition === "none" ||
  (condition === "absent" && !item) ||
  (condition === "present" && item !== undefined) ||
  (condition === "positive" && Number(item?.n?.N ?? 0) > 0);

function modelled(one: Write, item: Item | undefined, run: string): Item | undefined {
  if (one.kind === "Delete") return undefined;
  if (one.kind === "ConditionCheck") return item;
  const base = one.kind === "Put" ? keyOf(one, run) : { ...(item ?? keyOf(one, run)) };
  const { gsi1pk: _, gsi1sk: __, ...rest } = base;
  const n = (one.kind === "Put" ? 0 : Number(item?.n?.N ?? 0)) + one.n;
  return { ...rest, ...listedIn(one.listed, run), n: { N: String(n) } };
}

const conditions = {
  none: {},
  absent: { ConditionExpression: "attribute_not_exists(pk)" },
  present: { ConditionExpression: "attribute_exists(pk)" },
  positive: { ConditionExpression: "n > :zero" },
};

function request(one: Write, run: string): Json {
  const { kind, condition, listed } = one;
  const values = condition === "positive" ? { ":zero": { N: "0" } } : {};
  const used = (more: object) => {
    const all = { ...values, ...more };
    return Object.keys(all).length > 0 ? { ExpressionAttributeValues: all } : {};
  };
  if (kind === "Put") {
    return { TableName, Item: modelled(one, undefined, run), ...conditions[condition], ...used({}) };
  }
  const common = { TableName, Key: keyOf(one, run), ...conditions[condition] };
  if (kind !== "Update") return { ...common, ...used({}) };
  const index = listed ? "SET gsi1pk = :pk, gsi1sk = :sk" : "REMOVE gsi1pk, gsi1sk";
  const keys = listedIn(listed, run);
  return {
    ...common,
    UpdateExpression: `${index} ADD n :n`,
    ...used({ ":n": { N: String(one.n) }, ...(listed && { ":pk": keys.gsi1pk, ":sk": keys.gsi1sk }) }),
  };
}

/** Does a step to both; the answers have to agree on whether it was done. */
async function take(one: Step, model: Model, run: string): Promise<void> {
  if (one.kind === "single") await takeSingle(one.write, model, run);
  else if (one.kind === "transaction") await takeTransaction(one.writes, model, run);
  else if (one.kind === "batch") await takeBatch(one.writes, model, run);
  else {
    await db.close();
    db = new DynamoDb({ folder });
    await db.open();
  }
}

async function takeSingle(write: Write, model: Model, run: string): Promise<void> {
  if (write.kind === "ConditionCheck") return;
  const call = db.call(`${write.kind}Item`, request(write, run));
  if (holds(write, model.get(nameOf(keyOf(write, run))))) {
    await call;
    apply([write], model, run);
  } else await expect(call).rejects.toMatchObject({ code: "ConditionalCheckFailedException" });
}

async function takeTransaction(drawn: readonly Write[], model: Model, run: string): Promise<void> {
  // A check without a condition is not a request.
  const writes = drawn.filter(({ kind, condition }) => kind !== "ConditionCheck" || condition !== "none");
  if (writes.length === 0) return;
  const expected = writes.map((write) => holds(write, model.get(nameOf(keyOf(write, run)))));
  const call = db.call("TransactWriteItems", {
    TransactItems: writes.map((write) => ({ [write.kind]: request(write, run) })),
  });
  if (expected.every(Boolean)) {
    await call;
    return apply(writes, model, run);
  }
  const failed: Json = await call.catch((error) => error);
  expect(failed.fields?.CancellationReasons.map(({ Code }: Json) => Code)).toEqual(
    expected.map((met) => (met ? "None" : "ConditionalCheckFailed")),
  );
}

async function takeBatch(drawn: readonly Write[], model: Model, run: string): Promise<void> {
  const writes = drawn.filter(({ kind }) => kind === "Put" || kind === "Delete");
  if (writes.length === 0) return;
  const requests = writes.map((write) =>
    write.kind === "Put"
      ? { PutRequest: { Item: modelled(write, undefined, run) } }
      : { DeleteRequest: { Key: keyOf(write, run) } },
  );
  await db.call("BatchWriteItem", { RequestItems: { [TableName]: requests } });
  apply(writes, model, run);
}

function apply(writes: readonly Write[], model: Model, run: string): void {
  for (const one of writes) {
    const name = nameOf(keyOf(one, run));
    const after = modelled(one, model.get(name), run);
    if (after) model.set(name, after);
    else model.delete(name);
  }
}

async function pages(input: Json): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Json;
  do {
    const answer: Json = await db.call("Query", structuredClone({ ...input, ExclusiveStartKey }));
    items.push(...answer.Items);
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

const bytewise = (attribute: string) => (a: Item, b: Item) =>
  Buffer.compare(Buffer.from(a[attribute]!.S!), Buffer.from(b[attribute]!.S!));

async function compare(model: Model, run: string): Promise<void> {
  const items = [...model.values()];
  for (const partition of partitions) {
    const pk = { S: run + partition };
    const query = { TableName, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk }, Limit: 2 };
    const expected = items.filter((item) => item.pk!.S === pk.S).sort(bytewise("sk"));
    expect(await pages(query)).toEqual(expected);
    expect(await pages({ ...query, ScanIndexForward: false })).toEqual(expected.toReversed());
  }
  for (const list of lists) {
    const gsi1pk = { S: run + list };
    const query = {
      TableName,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1pk = :pk",
      ExpressionAttributeValues: { ":pk": gsi1pk },
      Limit: 3,
    };
    const expected = items.filter((item) => item.gsi1pk?.S === gsi1pk.S);
    const forward = await pages(query);
    expect(forward).toEqual(forward.toSorted(bytewise("gsi1sk")));
    expect(new Map(forward.map((item) => [nameOf(item), item]))).toEqual(
      new Map(expected.map((item) => [nameOf(item), item])),
    );
    expect(forward).toHaveLength(expected.length);
    expect(await pages({ ...query, ScanIndexForward: false })).toEqual(forward.toReversed());
  }
}

it("behaves as a map of items would, over random writes, transactions, batches and restarts", async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      runs += 1;
      const run = `${runs}:`;
      const model: Model = new Map();
      for (const one of steps) await take(one, model, run);
      await compare(model, run);
    }),
    { numRuns: 100 },
  );
});
