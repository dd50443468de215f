import { TransactionCanceledException, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import {
  GetCommand,
  PutCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedTable, startEmbeddedTable, tableName as TableName } from "../support/embedded-table.ts";

let table: EmbeddedTable;
beforeAll(async () => {
  table = await startEmbeddedTable();
});
afterAll(() => table.stop());

type Items = NonNullable<TransactWriteCommandInput["TransactItems"]>;
const Key = (name: string) => ({ pk: name, sk: "T" });
const write = (TransactItems: Items, ClientRequestToken?: string) =>
  table.documents.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
const put = (name: string, attributes: object = {}) => ({ Put: { TableName, Item: { ...Key(name), ...attributes } } });
const count = (name: string, by = 1) => ({
  Update: {
    TableName,
    Key: Key(name),
    UpdateExpression: "ADD n :by",
    ExpressionAttributeValues: { ":by": by },
  },
});
const get = async (name: string) => (await table.documents.send(new GetCommand({ TableName, Key: Key(name) }))).Item;
const absent = { ConditionExpression: "attribute_not_exists(pk)" };

/** The reasons of a transaction that has to be cancelled. */
async function reasons(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error("the transaction was not cancelled"),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(TransactionCanceledException);
  const { message, CancellationReasons = [] } = error as TransactionCanceledException;
  expect(message).toBe(
    "Transaction cancelled, please refer cancellation reasons for specific reasons " +
      `[${CancellationReasons.map(({ Code }) => Code).join(", ")}]`,
  );
  return CancellationReasons;
}

beforeEach(async () => {
  await table.documents.send(new PutCommand({ TableName, Item: { ...Key("there"), n: 1, word: "w" } }));
});

describe("TransactWriteItems", () => {
  it("puts, updates, deletes and checks in one step", async () => {
    await write([put("old")]);
    await write([
      put("new", { a: 1 }),
      count("there", 5),
      { Delete: { TableName, Key: Key("old") } },
      { ConditionCheck: { TableName, Key: Key("nobody"), ...absent } },
    ]);
    expect(await get("new")).toEqual({ ...Key("new"), a: 1 });
    expect(await get("there")).toMatchObject({ n: 6 });
    expect(await get("old")).toBeUndefined();
    expect(await get("nobody")).toBeUndefined();
  });

  it("does nothing when one condition fails, and says which, with the item on request", async () => {
    await write([put("also-there")]);
    const cancelled = await reasons(
      write([
        put("never"),
        { Put: { ...put("there").Put, ...absent, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } },
        { ConditionCheck: { TableName, Key: Key("also-there"), ...absent } },
        count("never2"),
      ]),
    );
    expect(cancelled.map(({ Code }) => Code)).toEqual([
      "None",
      "ConditionalCheckFailed",
      "ConditionalCheckFailed",
      "None",
    ]);
    expect(cancelled[1]?.Message).toBe("The conditional request failed");
    expect(cancelled[1]?.Item).toMatchObject({ word: { S: "w" } });
    expect(cancelled[2]?.Item).toBeUndefined();
    expect(await get("never")).toBeUndefined();
    expect(await get("never2")).toBeUndefined();
  });

  it.each<[string, Items[number], string | RegExp]>([
    [
      "an operand of the wrong type",
      { Update: { ...count("there").Update, UpdateExpression: "ADD word :by" } },
      "An operand in the update expression has an incorrect data type",
    ],
    [
      "a path that is not there",
      { Update: { ...count("there").Update, UpdateExpression: "SET a.b.c = :by" } },
      "The document path provided in the update expression is invalid for update",
    ],
    [
      "an attribute that is not there",
      { Update: { TableName, Key: Key("there"), UpdateExpression: "SET a = b" } },
      "The provided expression refers to an attribute that does not exist in the item",
    ],
    [
      "an item that grows too large",
      {
        Update: {
          ...count("there").Update,
          UpdateExpression: "SET p = :by",
          ExpressionAttributeValues: { ":by": "x".repeat(400 * 1024) },
        },
      },
      "Item size to update has exceeded the maximum allowed size",
    ],
    ["an index key of another type", put("typed", { gsi1pk: 1 }), /Type mismatch for Index Key gsi1pk Expected: S/],
    ["a key of another type", { Put: { TableName, Item: { pk: 1, sk: "T" } } }, /Type mismatch for key pk expected: S/],
    ["a key that does not fit", { Delete: { TableName, Key: { pk: "a" } } }, /does not match the schema/],
  ])("is cancelled by %s", async (_, item, message) => {
    const [first, second] = await reasons(write([put("never"), item]));
    expect(first?.Code).toBe("None");
    expect(second?.Code).toBe("ValidationError");
    expect(second?.Message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
    expect(await get("never")).toBeUndefined();
  });

  it.each<[string, Items, string | RegExp]>([
    [
      "two operations on one item",
      [put("twice"), count("twice")],
      "Transaction request cannot include multiple operations on one item",
    ],
    ["nothing", [], /'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1/],
    [
      "101 items",
      Array.from({ length: 101 }, (_, n) => put(`x${n}`)),
      /Member must have length less than or equal to 100/,
    ],
    [
      "two actions in one",
      [{ ...put("a"), ...count("b") }],
      /TransactItems can only contain one of Check, Put, Update or/,
    ],
    ["an empty key", [put("")], /The AttributeValue for a key attribute cannot contain an empty string value. Key: pk/],
    ["an item of over 400 KB", [put("big", { p: "x".repeat(400 * 1024) })], /Item size has exceeded the maximum/],
    [
      "over 4 MB",
      Array.from({ length: 11 }, (_, n) => put(`x${n}`, { p: "x".repeat(390 * 1024) })),
      /cannot exceed 4 MB/,
    ],
    [
      "a broken expression",
      [{ ConditionCheck: { TableName, Key: Key("a"), ConditionExpression: "a =" } }],
      /Syntax error/,
    ],
  ])("is refused as a whole for %s", async (_, items, message) => {
    await expect(write(items)).rejects.toMatchObject({
      name: "ValidationException",
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });

  it("names a table that does not exist", async () => {
    const elsewhere = { Put: { TableName: "nowhere", Item: Key("a") } };
    await expect(write([put("never"), elsewhere])).rejects.toMatchObject({
      name: "ResourceNotFoundException",
      message: "Requested resource not found",
    });
    expect(await get("never")).toBeUndefined();
  });

  it("takes 100 items of nearly 4 MB in all", async () => {
    await write(Array.from({ length: 100 }, (_, n) => put(`hundred${n}`, { p: "x".repeat(41_000) })));
    expect(await get("hundred99")).toBeDefined();
  });

  it("runs concurrent transactions on one item one after the other", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, n) => write([count("busy"), put(`busy${n}`)])));
    expect(await get("busy")).toMatchObject({ n: 30 });
  });

  it("passes on a conflict that a test plans, as the SDK would see it", async () => {
    const error = new AwsError("TransactionCanceledException", "… [TransactionConflict]", 400, {
      CancellationReasons: [{ Code: "TransactionConflict", Message: "Transaction is ongoing for the item" }],
    });
    table.gateway.gateway.planFault = () => ({ when: "before", error });
    const call = write([put("never")]);
    const failed = await call.catch((reason: TransactionCanceledException) => reason);
    table.gateway.gateway.planFault = () => undefined;
    expect((failed as TransactionCanceledException).CancellationReasons?.[0]?.Code).toBe("TransactionConflict");
    expect(await get("never")).toBeUndefined();
  });
});

describe("ClientRequestToken", () => {
  it("makes a repeat have no effect for ten minutes", async () => {
    await write([count("token")], "token-1");
    await write([count("token")], "token-1");
    expect(await get("token")).toMatchObject({ n: 1 });
    table.clock.now = new Date(table.clock.now.getTime() + 10 * 60_000 - 1);
    await write([count("token")], "token-1");
    expect(await get("token")).toMatchObject({ n: 1 });
    table.clock.now = new Date(table.clock.now.getTime() + 1);
    await write([count("token")], "token-1");
    expect(await get("token")).toMatchObject({ n: 2 });
  });

  it("is the same for the same request, in whatever order its members come", async () => {
    const item = (Key: object) => ({
      TransactItems: [{ Update: { TableName, Key, UpdateExpression: "SET a = n" } }] as never,
      ClientRequestToken: "token-2",
    });
    const there = { pk: { S: "there" }, sk: { S: "T" } };
    await table.client.send(new TransactWriteItemsCommand(item(there)));
    await table.client.send(new TransactWriteItemsCommand(item({ sk: there.sk, pk: there.pk })));
  });

  it("refuses another request under the same token", async () => {
    await write([count("token")], "token-3");
    await expect(write([count("token", 2)], "token-3")).rejects.toMatchObject({
      name: "IdempotentParameterMismatchException",
    });
  });

  it("is not used up by a transaction that was cancelled", async () => {
    const guarded = { Put: { ...put("later").Put, ConditionExpression: "attribute_not_exists(n)" } };
    await write([put("later", { n: 1 })]);
    await reasons(write([guarded], "token-4"));
    await write([put("later")]);
    await write([guarded], "token-4");
  });

  it("saves a retry whose first answer was lost", async () => {
    let lost = false;
    table.gateway.gateway.planFault = ({ operation }) => {
      if (lost || operation !== "TransactWriteItems") return undefined;
      lost = true;
      return { when: "after", error: "cut" };
    };
    await expect(write([count("retry")], "token-5")).rejects.toThrow();
    await write([count("retry")], "token-5");
    table.gateway.gateway.planFault = () => undefined;
    expect(lost).toBe(true);
    expect(await get("retry")).toMatchObject({ n: 1 });
  });

  it("is forgotten when its time is over", async () => {
    await write([count("token")], "token-6");
    table.clock.now = new Date(table.clock.now.getTime() + 10 * 60_000);
    await table.db.sweep();
    await write([count("token", 2)], "token-6");
  });
});

describe("TransactGetItems", () => {
  const read = (keys: object[], more: object = {}) =>
    table.documents.send(
      new TransactGetCommand({
        TransactItems: keys.map((key) => ({ Get: { TableName, Key: key as never, ...more } })),
      }),
    );

  it("answers in the order of the request, with gaps", async () => {
    const { Responses } = await read([Key("nobody"), Key("there")], { ProjectionExpression: "word" });
    expect(Responses).toEqual([{}, { Item: { word: "w" } }]);
  });

  it("refuses repeats and more than 100", async () => {
    await expect(read([Key("a"), Key("a")])).rejects.toThrow(/multiple operations on one item/);
    await expect(read(Array.from({ length: 101 }, (_, n) => Key(`x${n}`)))).rejects.toThrow(
      /less than or equal to 100/,
    );
  });

  it("sees other transactions as a whole", async () => {
    const names = ["left", "right"];
    const both = (round: number) => write(names.map((name) => put(name, { round })));
    await both(0);
    const writes = Promise.all(Array.from({ length: 50 }, (_, n) => both(n + 1)));
    for (let n = 0; n < 50; n++) {
      const { Responses } = await read(names.map(Key));
      expect(new Set(Responses?.map(({ Item }) => Item?.round)).size).toBe(1);
    }
    await writes;
  });
});
