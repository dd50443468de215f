import {
  type AttributeValue,
  DynamoDBServiceException,
  PutItemCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedTable, startEmbeddedTable, tableName as TableName } from "../support/embedded-table.ts";

let table: EmbeddedTable;
beforeAll(async () => {
  table = await startEmbeddedTable();
});
afterAll(() => table.stop());

const Key = (name: string) => ({ pk: `T#${name}`, sk: "T" });
const get = async (name: string) =>
  (await table.documents.send(new GetCommand({ TableName, Key: Key(name), ConsistentRead: true }))).Item;
const put = (name: string, attributes: object) =>
  table.documents.send(new PutCommand({ TableName, Item: { ...Key(name), ...attributes } }));
const update = (name: string, input: Omit<UpdateCommandInput, "TableName" | "Key">) =>
  table.documents.send(new UpdateCommand({ TableName, Key: Key(name), ...input }));

/** The error of a call that has to fail. */
async function failure(call: Promise<unknown>): Promise<DynamoDBServiceException & { Item?: object }> {
  const error = await call.then(
    () => new Error("the call succeeded"),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(DynamoDBServiceException);
  return error;
}
const invalid = async (call: Promise<unknown>, message: string | RegExp) => {
  const { name, message: actual } = await failure(call);
  expect(name).toBe("ValidationException");
  if (typeof message === "string") expect(actual).toBe(message);
  else expect(actual).toMatch(message);
};

describe("single items", () => {
  it("keep every type of value", async () => {
    const value = {
      text: "漏洞 😀",
      empty: "",
      number: -12.5,
      flag: false,
      nothing: null,
      bytes: new Uint8Array([0, 255]),
      list: [1, "a", { deep: [true] }],
      map: { toString: "name", "with.dot": 1 },
      set: new Set(["b", "a"]),
    };
    await put("types", value);
    expect(await get("types")).toEqual({ ...Key("types"), ...value });
  });

  it("store numbers expanded and trimmed, with 38 digits", async () => {
    const stored = async (N: string) => {
      const Item = { pk: { S: "T#number" }, sk: { S: "T" }, n: { N } };
      await table.client.send(new PutItemCommand({ TableName, Item }));
      const answer = await table.client.send(
        new UpdateItemCommand({ TableName, Key: { pk: Item.pk, sk: Item.sk }, ReturnValues: "ALL_NEW" }),
      );
      return answer.Attributes?.n?.N;
    };
    expect(await stored("0042.1200")).toBe("42.12");
    expect(await stored("1E3")).toBe("1000");
    expect(await stored("12345678901234567890123456789012345678")).toBe("12345678901234567890123456789012345678");
    await invalid(stored("1E126"), /magnitude larger than supported/);
    await invalid(stored("123456789012345678901234567890123456789"), /more than 38 significant digits/);
  });

  it("answer the projected attributes only, nested as they were", async () => {
    await put("projection", { a: { b: [10, 20, 30], c: 1 }, size: 5, other: 1 });
    const { Item } = await table.documents.send(
      new GetCommand({
        TableName,
        Key: Key("projection"),
        ProjectionExpression: "a.b[2], a.b[0], #s, lacking",
        ExpressionAttributeNames: { "#s": "size" },
      }),
    );
    expect(Item).toEqual({ a: { b: [10, 30] }, size: 5 });
  });

  it("answer the item as it was, on request", async () => {
    await put("old", { a: 1 });
    const again = new PutCommand({ TableName, Item: { ...Key("old"), a: 2 }, ReturnValues: "ALL_OLD" });
    expect((await table.documents.send(again)).Attributes).toEqual({ ...Key("old"), a: 1 });
    const remove = new DeleteCommand({ TableName, Key: Key("old"), ReturnValues: "ALL_OLD" });
    expect((await table.documents.send(remove)).Attributes).toEqual({ ...Key("old"), a: 2 });
    expect((await table.documents.send(remove)).Attributes).toBeUndefined();
    expect(await get("old")).toBeUndefined();
  });
});

describe("conditions", () => {
  const item = {
    word: "hello",
    num: 10,
    members: [1, { x: "y" }],
    doc: { a: { b: 1 } },
    tags: new Set(["a", "b"]),
    bits: new Uint8Array([1, 2, 3]),
    good: true,
    nothing: null,
  };
  const values = {
    ":hello": "hello",
    ":ten": 10,
    ":nine": 9,
    ":hundred": 100,
    ":list": [1, { x: "y" }],
    ":map": { a: { b: 1 } },
    ":set": new Set(["b", "a"]),
    ":member": { x: "y" },
    ":a": "a",
    ":he": "he",
    ":start": new Uint8Array([1, 2]),
    ":S": "S",
    ":NULL": "NULL",
    ":true": true,
    ":five": 5,
  };
  beforeAll(() => put("condition", item));

  it.each([
    ["word = :hello", true],
    ["word <> :hello", false],
    ["lacking <> :hello", true],
    ["lacking = :hello", false],
    ["lacking = absent", false],
    ["num = :ten", true],
    ["num > :nine AND num < :hundred", true],
    ["num >= :hundred", false],
    ["word > :ten", false],
    ["num BETWEEN :nine AND :ten", true],
    ["word IN (:he, :hello)", true],
    ["word IN (:he, :a)", false],
    ["members = :list", true],
    ["doc = :map", true],
    ["doc.a.b = :ten", false],
    ["tags = :set", true],
    ["members IN (:map, :list)", true],
    ["contains(members, :member)", true],
    ["contains(tags, :a)", true],
    ["contains(word, :he)", true],
    ["contains(word, :ten)", false],
    ["begins_with(word, :he)", true],
    ["begins_with(bits, :start)", true],
    ["attribute_exists(doc.a.b)", true],
    ["attribute_exists(doc.a.c)", false],
    ["attribute_exists(members[1].x)", true],
    ["attribute_not_exists(toString)", true],
    ["attribute_type(word, :S)", true],
    ["attribute_type(nothing, :NULL)", true],
    ["size(word) = :five", true],
    ["size(members) < size(word)", true],
    ["good = :true OR lacking = :true", true],
    ["NOT (good = :true)", false],
    ["NOT contains(lacking, :a)", true],
  ])("%s is %s", async (ConditionExpression, holds) => {
    const used = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(ConditionExpression));
    const call = update("condition", {
      ConditionExpression,
      UpdateExpression: "REMOVE absent",
      ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
    });
    if (holds) await call;
    else expect((await failure(call)).name).toBe("ConditionalCheckFailedException");
  });

  it("show the item that stood in the way, on request", async () => {
    const attempt = (ReturnValuesOnConditionCheckFailure?: "ALL_OLD") =>
      failure(
        table.documents.send(
          new PutCommand({
            TableName,
            Item: Key("condition"),
            ConditionExpression: "attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure,
          }),
        ),
      );
    const shown = await attempt("ALL_OLD");
    expect(shown.message).toBe("The conditional request failed");
    expect(shown.Item).toMatchObject({ word: { S: "hello" } });
    expect((await attempt()).Item).toBeUndefined();
  });

  it("let one of many concurrent writers win", async () => {
    // Without HTTP in between, so that all of them have read before the first has written, were there no queue.
    const attempts = Array.from({ length: 20 }, (_, winner) =>
      table.db.call("PutItem", {
        TableName,
        Item: { pk: { S: "race" }, sk: { S: "T" }, winner: { N: String(winner) } },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    );
    const won = (await Promise.allSettled(attempts)).filter(({ status }) => status === "fulfilled");
    expect(won).toHaveLength(1);
  });
});

describe("update expressions", () => {
  it("set, count, append, remove, and change sets", async () => {
    await put("update", { members: ["a"], gone: 1, tags: new Set(["x", "y"]), doc: { keep: 1 } });
    const { Attributes } = await update("update", {
      UpdateExpression:
        "SET hits = if_not_exists(hits, :zero) + :one, members = list_append(:front, members), doc.added = :one " +
        "REMOVE gone ADD points :five, tags :z DELETE tags2 :z",
      ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":front": ["b"], ":five": 5, ":z": new Set(["z"]) },
      ReturnValues: "ALL_NEW",
    });
    expect(Attributes).toEqual({
      ...Key("update"),
      hits: 1,
      members: ["b", "a"],
      doc: { keep: 1, added: 1 },
      points: 5,
      tags: new Set(["x", "y", "z"]),
    });
  });

  it("create the item when there is none", async () => {
    await update("created", { UpdateExpression: "SET a = :one", ExpressionAttributeValues: { ":one": 1 } });
    expect(await get("created")).toEqual({ ...Key("created"), a: 1 });
    await update("only-key", {});
    expect(await get("only-key")).toEqual(Key("only-key"));
  });

  it("read every operand from the item as it was", async () => {
    await put("operands", { a: 1, b: 2, l: [0, 1, 2, 3], origin: { x: 1 } });
    await update("operands", {
      UpdateExpression: "SET a = b, b = a, dup = origin, l[9] = :nine REMOVE l[0], l[1] ADD c :one",
      ExpressionAttributeValues: { ":nine": 9, ":one": 1 },
    });
    expect(await get("operands")).toMatchObject({ a: 2, b: 1, dup: { x: 1 }, l: [2, 3, 9], c: 1 });
    await update("operands", {
      UpdateExpression: "SET earlier = c ADD c :one",
      ExpressionAttributeValues: { ":one": 1 },
    });
    expect(await get("operands")).toMatchObject({ earlier: 1, c: 2 });
  });

  it("calculate exactly", async () => {
    await put("exact", { n: 0.1 });
    const add = { UpdateExpression: "SET n = n + :x", ExpressionAttributeValues: { ":x": 0.2 } };
    expect((await update("exact", { ...add, ReturnValues: "UPDATED_NEW" })).Attributes).toEqual({ n: 0.3 });
  });

  it("remove a set with its last member", async () => {
    await put("set", { tags: new Set(["x"]) });
    await update("set", { UpdateExpression: "DELETE tags :x", ExpressionAttributeValues: { ":x": new Set(["x"]) } });
    expect(await get("set")).toEqual(Key("set"));
  });

  it("answer what they changed, before and after", async () => {
    await put("returned", { a: { x: 1, y: 2 }, b: 3 });
    const change = { UpdateExpression: "SET a.x = :five", ExpressionAttributeValues: { ":five": 5 } };
    expect((await update("returned", { ...change, ReturnValues: "UPDATED_OLD" })).Attributes).toEqual({ a: { x: 1 } });
    expect((await update("returned", { ...change, ReturnValues: "UPDATED_NEW" })).Attributes).toEqual({ a: { x: 5 } });
  });

  it.each([
    ["SET a.b.c = :x", "The document path provided in the update expression is invalid for update"],
    ["SET a = lacking", "The provided expression refers to an attribute that does not exist in the item"],
    ["SET a = word + :x", "An operand in the update expression has an incorrect data type"],
    ["ADD word :x", "An operand in the update expression has an incorrect data type"],
    ["SET a = list_append(word, word)", "An operand in the update expression has an incorrect data type"],
    ["SET pk = :x", /Cannot update attribute pk. This attribute is part of the key/],
    ["SET gsi1pk = :x", /Type mismatch for Index Key gsi1pk Expected: S Actual: N IndexName: gsi1/],
    ["SET a = :x, a = :x", /Two document paths overlap with each other/],
    ["SET value = :x", /Attribute name is a reserved keyword; reserved keyword: value/],
    ["SET a = :x extra", /Syntax error/],
    ["SET a = :y", /An expression attribute value used in expression is not defined; attribute value: :y/],
    ["REMOVE a", /Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}/],
  ])("refuse %s", async (UpdateExpression, message) => {
    await put("refused", { word: "w" });
    const values =
      UpdateExpression.includes(":x") || UpdateExpression === "REMOVE a" || UpdateExpression.includes(":y");
    await invalid(
      update("refused", { UpdateExpression, ...(values && { ExpressionAttributeValues: { ":x": 1 } }) }),
      message,
    );
    expect(await get("refused")).toEqual({ ...Key("refused"), word: "w" });
  });
});

describe("limits and keys", () => {
  const limit = 400 * 1024;
  /** Two keys, their values, and one attribute "p" that fills the item up. */
  const sized = (bytes: number, letter: string) => {
    const rest = bytes - Buffer.byteLength(`pk${"T#sized"}sk${"T"}p`);
    const size = Buffer.byteLength(letter);
    return { p: letter.repeat(Math.floor(rest / size)) + "x".repeat(rest % size) };
  };

  it.each(["x", "漏"])("take an item of exactly 400 KB of %s, and no byte more", async (letter) => {
    await put("sized", sized(limit, letter));
    await invalid(put("sized", sized(limit + 1, letter)), "Item size has exceeded the maximum allowed size");
    await invalid(
      update("sized", { UpdateExpression: "SET q = :x", ExpressionAttributeValues: { ":x": 1 } }),
      "Item size to update has exceeded the maximum allowed size",
    );
  });

  it("take 32 levels of nesting, and no more", async () => {
    const nested = (levels: number) => {
      let value: unknown = "leaf";
      for (let level = 1; level < levels; level++) value = { n: value };
      return { data: value };
    };
    await put("nested", nested(32));
    await invalid(put("nested", nested(33)), /Nesting Levels have exceeded supported limits/);
  });

  it.each<[string, Record<string, AttributeValue>, string | RegExp]>([
    ["no sort key", { pk: { S: "a" } }, /Missing the key sk in the item/],
    ["another type", { pk: { N: "1" }, sk: { S: "s" } }, /Type mismatch for key pk expected: S actual: N/],
    ["an empty key", { pk: { S: "" }, sk: { S: "s" } }, /cannot contain an empty string value. Key: pk/],
    ["too long a key", { pk: { S: "k".repeat(2049) }, sk: { S: "s" } }, /maximum size limit of2048 bytes/],
    ["too long a sort key", { pk: { S: "a" }, sk: { S: "漏".repeat(342) } }, /size limit of 1024 bytes/],
    [
      "an empty index key",
      { pk: { S: "a" }, sk: { S: "s" }, gsi1pk: { S: "" } },
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. " +
        "The AttributeValue for a key attribute cannot contain an empty string value. IndexName: gsi1, IndexKey: gsi1pk",
    ],
    [
      "an index key of another type",
      { pk: { S: "a" }, sk: { S: "s" }, gsi1pk: { N: "1" } },
      "One or more parameter values were invalid: Type mismatch for Index Key gsi1pk Expected: S Actual: N IndexName: gsi1",
    ],
    ["an empty set", { pk: { S: "a" }, sk: { S: "s" }, set: { SS: [] } }, /An string set {2}may not be empty/],
    ["a set with repeats", { pk: { S: "a" }, sk: { S: "s" }, set: { SS: ["a", "a"] } }, /contains duplicates/],
  ])("refuse an item with %s", async (_, Item, message) => {
    await invalid(table.client.send(new PutItemCommand({ TableName, Item })), message);
  });

  it("refuse a key that is not the table's", async () => {
    const read = (key: object) => table.documents.send(new GetCommand({ TableName, Key: key as never }));
    const message = "The provided key element does not match the schema";
    await invalid(read({ pk: "a" }), message);
    await invalid(read({ pk: "a", sk: "s", more: 1 }), message);
    await invalid(read({ pk: "a", sk: 1 }), message);
  });

  it("name a table that does not exist", async () => {
    const error = await failure(table.documents.send(new GetCommand({ TableName: "nowhere", Key: Key("a") })));
    expect(error.name).toBe("ResourceNotFoundException");
    expect(error.message).toBe("Requested resource not found");
  });

  it("refuse an attribute name that objects inherit from", async () => {
    const Item = JSON.parse('{"pk":{"S":"a"},"sk":{"S":"s"},"m":{"M":{"__proto__":{"S":"x"}}}}');
    await invalid(table.client.send(new PutItemCommand({ TableName, Item })), /__proto__/);
  });

  it("refuse a legacy parameter instead of ignoring it", async () => {
    const legacy = new PutItemCommand({
      TableName,
      Item: { pk: { S: "a" }, sk: { S: "s" } },
      Expected: { pk: { Exists: false } },
    });
    await invalid(table.client.send(legacy), /takes expressions in place of Expected/);
    const batch = { [TableName]: { Keys: [Key("a")], AttributesToGet: ["pk"] } };
    await invalid(
      table.documents.send(new BatchGetCommand({ RequestItems: batch })),
      /takes expressions in place of AttributesToGet/,
    );
  });

  it("refuse an operation that is not embedded", async () => {
    await expect(table.db.call("ExecuteStatement", {})).rejects.toMatchObject({ code: "UnknownOperationException" });
  });
});

describe("batches", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, n) => Key(`batch-${n}`));
  const writes = (count: number) => keys(count).map((Item) => ({ PutRequest: { Item } }));
  const write = (requests: object[]) =>
    table.documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  const read = (Keys: object[]) =>
    table.documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: Keys as never } } }));

  it("write 25 items and read 100, in one call each", async () => {
    expect((await write(writes(25))).UnprocessedItems).toEqual({});
    const answer = await read(keys(100));
    expect(answer.Responses?.[TableName]).toHaveLength(25);
    expect(answer.UnprocessedKeys).toEqual({});
    await write(keys(25).map((one) => ({ DeleteRequest: { Key: one } })));
    expect((await read(keys(25))).Responses?.[TableName]).toEqual([]);
  });

  it("refuse more, and repeats", async () => {
    await invalid(write(writes(26)), /Member must have length less than or equal to 25/);
    await invalid(read(keys(101)), /Member must have length less than or equal to 100/);
    await invalid(write([...writes(1), ...writes(1)]), "Provided list of item keys contains duplicates");
    await invalid(read([...keys(1), ...keys(1)]), "Provided list of item keys contains duplicates");
  });

  it("hand back the keys that no longer fit into 16 MB", async () => {
    const p = "x".repeat(390 * 1024);
    for (const Item of keys(50)) await table.documents.send(new PutCommand({ TableName, Item: { ...Item, p } }));
    const answer = await read(keys(50));
    const read1 = answer.Responses?.[TableName]?.length ?? 0;
    const left = answer.UnprocessedKeys?.[TableName]?.Keys ?? [];
    expect(read1).toBe(42);
    expect(left).toHaveLength(8);
    expect((await read(left)).Responses?.[TableName]).toHaveLength(8);
  });
});
