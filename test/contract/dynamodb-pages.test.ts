import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedTable, startEmbeddedTable, tableName as TableName } from "../support/embedded-table.ts";

let table: EmbeddedTable;
beforeAll(async () => {
  table = await startEmbeddedTable();
});
afterAll(() => table.stop());

type Terms = Partial<QueryCommandInput>;
const query = (pk: string, terms: Terms = {}, sort?: string, values: object = {}) =>
  table.documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: `pk = :pk${sort ? ` AND ${sort}` : ""}`,
      ...terms,
      ExpressionAttributeValues: { ":pk": pk, ...values, ...terms.ExpressionAttributeValues },
    }),
  );
const queryIndex = (gsi1pk: string, terms: Terms = {}) =>
  table.documents.send(
    new QueryCommand({
      TableName,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1pk = :pk",
      ExpressionAttributeValues: { ":pk": gsi1pk },
      ...terms,
    }),
  );
const scan = (terms: Partial<ScanCommandInput> = {}) => table.documents.send(new ScanCommand({ TableName, ...terms }));
const put = (Item: Record<string, unknown>) => table.documents.send(new PutCommand({ TableName, Item }));
const sks = (items: Record<string, unknown>[] | undefined) => items?.map(({ sk }) => sk);

/** All pages of a query or scan. */
async function every(read: (start?: Record<string, unknown>) => ReturnType<typeof query>) {
  const pages: Record<string, unknown>[][] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await read(start);
    pages.push(answer.Items ?? []);
    start = answer.LastEvaluatedKey;
  } while (start);
  return pages;
}

describe("Query", () => {
  const order = ["", "a", "a/", "aa", "ab", "b", "~", "é", "漏", "\uffff", "😀"].slice(1);
  beforeAll(async () => {
    for (const sk of order.toReversed()) await put({ pk: "sorted", sk, n: order.indexOf(sk) });
    await put({ pk: "sorted2", sk: "a" });
  });

  it("answers one partition in the order of UTF-8 bytes, both ways", async () => {
    expect(sks((await query("sorted")).Items)).toEqual(order);
    expect(sks((await query("sorted", { ScanIndexForward: false })).Items)).toEqual(order.toReversed());
    expect((await query("nobody")).Items).toEqual([]);
  });

  it.each([
    ["sk = :a", ["a"]],
    ["sk < :aa", ["a", "a/"]],
    ["sk <= :aa", ["a", "a/", "aa"]],
    ["sk > :b", ["~", "é", "漏", "\uffff", "😀"]],
    ["sk >= :b", ["b", "~", "é", "漏", "\uffff", "😀"]],
    ["sk BETWEEN :aa AND :b", ["aa", "ab", "b"]],
    ["begins_with(sk, :a)", ["a", "a/", "aa", "ab"]],
  ])("answers %s", async (condition, expected) => {
    const values = { ":a": "a", ":aa": "aa", ":b": "b" };
    const used = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(condition));
    expect(sks((await query("sorted", {}, condition, Object.fromEntries(used))).Items)).toEqual(expected);
    const back = await query("sorted", { ScanIndexForward: false }, condition, Object.fromEntries(used));
    expect(sks(back.Items)).toEqual(expected.toReversed());
  });

  it("counts what it reads, and answers what passes the filter", async () => {
    const answer = await query("sorted", {
      FilterExpression: "n > :two",
      ExpressionAttributeValues: { ":two": 2 },
      Limit: 5,
    });
    expect(answer).toMatchObject({ Count: 2, ScannedCount: 5 });
    expect(sks(answer.Items)).toEqual(order.slice(3, 5));
    expect(answer.LastEvaluatedKey).toEqual({ pk: "sorted", sk: order[4] });
    const count = await query("sorted", { Select: "COUNT" });
    expect(count.Count).toBe(order.length);
    expect(count.Items).toBeUndefined();
  });

  it.each([true, false])("goes on where a page ended (forward: %s)", async (ScanIndexForward) => {
    const pages = await every((start) => query("sorted", { Limit: 3, ScanIndexForward, ExclusiveStartKey: start }));
    expect(sks(pages.flat())).toEqual(ScanIndexForward ? order : order.toReversed());
    expect(pages.map((page) => page.length)).toEqual([3, 3, 3, 1]);
  });

  it("says that a full page may not be the last one, also when it is", async () => {
    const exact = await query("sorted", { Limit: order.length });
    expect(exact.LastEvaluatedKey).toBeDefined();
    const rest = await query("sorted", { Limit: order.length, ExclusiveStartKey: exact.LastEvaluatedKey });
    expect(rest).toMatchObject({ Count: 0, Items: [] });
    expect(rest.LastEvaluatedKey).toBeUndefined();
  });

  it("reads 1 MB for a page, before the filter", async () => {
    const p = "x".repeat(100 * 1024);
    for (let n = 0; n < 25; n++) await put({ pk: "large", sk: String(n).padStart(2, "0"), p });
    const pages = await every((start) => query("large", { ExclusiveStartKey: start }));
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    const filtered = await query("large", {
      FilterExpression: "sk2 = :x",
      ExpressionAttributeValues: { ":x": 1 },
      ProjectionExpression: "pk",
    });
    expect(filtered).toMatchObject({ Count: 0, ScannedCount: 10 });
    expect(filtered.LastEvaluatedKey).toEqual({ pk: "large", sk: "09" });
  });

  it.each<[string, Terms, RegExp]>([
    ["no partition key", { KeyConditionExpression: "sk = :pk" }, /Query condition missed key schema element: pk/],
    [
      "an attribute that is no key",
      { KeyConditionExpression: "pk = :pk AND n = :pk" },
      /missed key schema element: sk/,
    ],
    ["a range of partitions", { KeyConditionExpression: "pk > :pk" }, /Query key condition not supported/],
    ["OR", { KeyConditionExpression: "pk = :pk OR sk = :pk" }, /Invalid operator used in KeyConditionExpression: OR/],
    [
      "another type",
      { KeyConditionExpression: "pk = :pk AND sk = :n", ExpressionAttributeValues: { ":n": 1 } },
      /Condition parameter type does not match schema type/,
    ],
    [
      "a filter on the key",
      { FilterExpression: "sk = :pk" },
      /Filter Expression can only contain non-primary key attributes: Primary key attribute: sk/,
    ],
    ["an unknown index", { IndexName: "gsi9" }, /The table does not have the specified index: gsi9/],
    ["a start in another partition", { ExclusiveStartKey: { pk: "x", sk: "a" } }, /outside query boundaries/],
    ["half a start", { ExclusiveStartKey: { pk: "sorted" } }, /The provided starting key is invalid/],
  ])("refuses %s", async (_, terms, message) => {
    await expect(query("sorted", terms)).rejects.toMatchObject({
      name: "ValidationException",
      message: expect.stringMatching(message),
    });
  });
});

describe("an index", () => {
  it("holds the items that have its keys, and follows each change at once", async () => {
    await put({ pk: "P#1", sk: "P", gsi1pk: "U#1", gsi1sk: "2026-01-01", a: 1 });
    await put({ pk: "P#2", sk: "P", gsi1pk: "U#1" });
    await put({ pk: "P#3", sk: "P", gsi1pk: "U#1", gsi1sk: "2025-01-01" });
    expect((await queryIndex("U#1")).Items?.map(({ pk }) => pk)).toEqual(["P#3", "P#1"]);
    await table.documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk: "P#2", sk: "P" },
        UpdateExpression: "SET gsi1sk = :x",
        ExpressionAttributeValues: { ":x": "2027-01-01" },
      }),
    );
    await table.documents.send(
      new UpdateCommand({ TableName, Key: { pk: "P#3", sk: "P" }, UpdateExpression: "REMOVE gsi1pk" }),
    );
    await put({ pk: "P#1", sk: "P", gsi1pk: "U#2", gsi1sk: "2026-01-01", a: 2 });
    expect((await queryIndex("U#1")).Items?.map(({ pk }) => pk)).toEqual(["P#2"]);
    expect((await queryIndex("U#2")).Items).toEqual([
      { pk: "P#1", sk: "P", gsi1pk: "U#2", gsi1sk: "2026-01-01", a: 2 },
    ]);
    await table.documents.send(new DeleteCommand({ TableName, Key: { pk: "P#2", sk: "P" } }));
    expect((await queryIndex("U#1")).Items).toEqual([]);
  });

  it.each([true, false])("holds thousands of items under one key, page by page (forward: %s)", async (forward) => {
    const count = 5000;
    const writes = Array.from({ length: count }, (_, n) => ({
      PutRequest: { Item: { pk: `many#${n}`, sk: "T", gsi1pk: "many", gsi1sk: "same" } },
    }));
    for (let n = 0; n < count; n += 25) {
      await table.documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: writes.slice(n, n + 25) } }));
    }
    const pages = await every((ExclusiveStartKey) =>
      queryIndex("many", { Limit: 700, ScanIndexForward: forward, ExclusiveStartKey }),
    );
    expect(new Set(pages.flat().map(({ pk }) => pk)).size).toBe(count);
    expect(pages.flat()).toHaveLength(count);
  });

  it("has the projected attributes, and refuses to be asked for others", async () => {
    await put({ pk: "K#1", sk: "K", gsi1pk: "keys", gsi1sk: "s", secret: 1 });
    const keysOnly = (terms: Terms) => queryIndex("keys", { IndexName: "keysOnly", ...terms });
    expect((await keysOnly({})).Items).toEqual([{ pk: "K#1", sk: "K", gsi1pk: "keys" }]);
    await expect(keysOnly({ ProjectionExpression: "secret" })).rejects.toThrow(/does not project \[secret\]/);
    await expect(keysOnly({ Select: "ALL_ATTRIBUTES" })).rejects.toThrow(/projection type is not ALL/);
    await expect(keysOnly({ ConsistentRead: true })).rejects.toThrow(/Consistent reads are not supported/);
  });
});

describe("Scan", () => {
  it("walks all items in pages, and in segments that do not overlap", async () => {
    for (let n = 0; n < 60; n++) await put({ pk: `scan#${n}`, sk: "S", gsi1pk: `scan#${n}`, gsi1sk: "s" });
    const mine = (items: Record<string, unknown>[]) =>
      items.map(({ pk }) => String(pk)).filter((pk) => pk.startsWith("scan#"));
    const whole = mine((await every((ExclusiveStartKey) => scan({ ExclusiveStartKey, Limit: 97 }))).flat());
    expect(new Set(whole).size).toBe(60);
    expect(whole).toHaveLength(60);
    const segments = await Promise.all(
      [0, 1, 2, 3].map((Segment) =>
        every((ExclusiveStartKey) => scan({ Segment, TotalSegments: 4, ExclusiveStartKey })),
      ),
    );
    expect(mine(segments.flat(2)).sort()).toEqual(whole.toSorted());
    expect(segments.every((pages) => mine(pages.flat()).length > 0)).toBe(true);
    const index = await every((ExclusiveStartKey) => scan({ IndexName: "keysOnly", ExclusiveStartKey, Limit: 1000 }));
    expect(mine(index.flat()).sort()).toEqual(whole.toSorted());
  });
});

describe("reads beside writes", () => {
  it("see a transaction as a whole or not at all", async () => {
    const { TransactWriteCommand } = await import("@aws-sdk/lib-dynamodb");
    const rows = ["a", "b", "c"];
    const write = (round: number) =>
      table.documents.send(
        new TransactWriteCommand({
          TransactItems: rows.map((sk) => ({
            Put: { TableName, Item: { pk: "half", sk, round, gsi1pk: "half", gsi1sk: sk } },
          })),
        }),
      );
    await write(0);
    let writing = true;
    const writes = (async () => {
      for (let round = 1; round <= 100; round++) await write(round);
      writing = false;
    })();
    let reads = 0;
    while (writing) {
      for (const answer of await Promise.all([query("half"), queryIndex("half")])) {
        expect(new Set(answer.Items?.map(({ round }) => round)).size).toBe(1);
        reads += 1;
      }
    }
    await writes;
    expect(reads).toBeGreaterThan(10);
  });
});
