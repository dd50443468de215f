import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DynamoDb } from "../../lib/local/dynamodb.ts";
import type { Permission } from "../../lib/local/service.ts";
import {
  type EmbeddedTable,
  startEmbeddedTable,
  tableName as TableName,
  tableInput,
} from "../support/embedded-table.ts";

let table: EmbeddedTable;
let asked: Permission[];
let allowed: (permission: Permission) => boolean;
beforeEach(async () => {
  asked = [];
  allowed = () => true;
  table = await startEmbeddedTable((_, permission) => {
    asked.push(permission);
    return allowed(permission);
  });
});
afterEach(() => table.stop());

const put = (Item: Record<string, unknown>) => table.documents.send(new PutCommand({ TableName, Item }));
const get = async (pk: string) =>
  (await table.documents.send(new GetCommand({ TableName, Key: { pk, sk: "T" } }))).Item;
const queryIndex = async (IndexName: string, pk: string) =>
  (
    await table.documents.send(
      new QueryCommand({
        TableName,
        IndexName,
        KeyConditionExpression: "#pk = :pk",
        ExpressionAttributeNames: { "#pk": IndexName === "added" ? "kind" : "gsi1pk" },
        ExpressionAttributeValues: { ":pk": pk },
      }),
    )
  ).Items;

describe("ensureTable", () => {
  const added = {
    ...tableInput,
    AttributeDefinitions: [...tableInput.AttributeDefinitions!, { AttributeName: "kind", AttributeType: "S" as const }],
    GlobalSecondaryIndexes: [
      ...tableInput.GlobalSecondaryIndexes!,
      {
        IndexName: "added",
        KeySchema: [{ AttributeName: "kind", KeyType: "HASH" as const }],
        Projection: { ProjectionType: "INCLUDE" as const, NonKeyAttributes: ["n"] },
      },
    ],
  };

  it("may be repeated, and describes an active table on demand", async () => {
    await put({ pk: "a", sk: "T" });
    const before = await table.client.send(new DescribeTableCommand({ TableName }));
    await table.db.ensureTable(tableInput, "expiresAt");
    expect(await get("a")).toBeDefined();
    const { Table } = await table.client.send(new DescribeTableCommand({ TableName }));
    expect(Table).toEqual(before.Table);
    expect(Table).toMatchObject({
      TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
      TableStatus: "ACTIVE",
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    });
    expect((await table.client.send(new ListTablesCommand({}))).TableNames).toEqual([TableName]);
  });

  it("builds an index that is new from the items that are there, and drops one that is gone", async () => {
    for (let n = 0; n < 30; n++) await put({ pk: `a${n}`, sk: "T", kind: "x", n, other: 1, gsi1pk: "g" });
    await put({ pk: "odd", sk: "T", kind: 7 });
    await table.db.ensureTable(added, "expiresAt");
    const items = await queryIndex("added", "x");
    expect(items).toHaveLength(30);
    expect(Object.keys(items?.[0] ?? {}).sort()).toEqual(["kind", "n", "pk", "sk"]);
    await table.db.ensureTable(tableInput, "expiresAt");
    await expect(queryIndex("added", "x")).rejects.toThrow(/does not have the specified index/);
    await put({ pk: "a0", sk: "T", kind: "y" });
    await table.db.ensureTable(added, "expiresAt");
    expect(await queryIndex("added", "x")).toHaveLength(29);
    expect(await queryIndex("added", "y")).toHaveLength(1);
  });

  it("indexes what is written while an index is being built", async () => {
    const writes = Array.from({ length: 20 }, (_, n) => put({ pk: `b${n}`, sk: "T", kind: "x" }));
    await Promise.all([...writes, table.db.ensureTable(added, "expiresAt")]);
    await put({ pk: "later", sk: "T", kind: "x" });
    expect(await queryIndex("added", "x")).toHaveLength(21);
  });

  it("refuses another key instead of losing items", async () => {
    const other = { ...tableInput, KeySchema: tableInput.KeySchema!.slice(0, 1) };
    await expect(table.db.ensureTable(other)).rejects.toThrow(/exists with the key .* Rename the table or remove/);
  });

  it("refuses a table that exists, and local indexes", async () => {
    await expect(table.client.send(new CreateTableCommand(tableInput))).rejects.toMatchObject({
      name: "ResourceInUseException",
    });
    const local = [{ IndexName: "local", KeySchema: [], Projection: { ProjectionType: "ALL" as const } }];
    await expect(
      table.db.ensureTable({ ...tableInput, TableName: "other", LocalSecondaryIndexes: local }),
    ).rejects.toThrow();
    await expect(table.client.send(new DescribeTableCommand({ TableName: "nowhere" }))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
      message: "Requested resource not found: Table: nowhere not found",
    });
  });
});

describe("the data folder", () => {
  it("keeps everything over a restart, and belongs to one process", async () => {
    await put({ pk: "kept", sk: "T", gsi1pk: "g", gsi1sk: "s" });
    const other = new DynamoDb({ folder: table.folder });
    await expect(other.open()).rejects.toThrow(`${table.folder} is in use by another process.`);
    await table.db.close();
    const again = new DynamoDb({ folder: table.folder });
    await again.open();
    const Key = { pk: { S: "kept" }, sk: { S: "T" } };
    expect(await again.call("GetItem", { TableName, Key })).toMatchObject({ Item: Key });
    expect(await again.call("DescribeTimeToLive", { TableName })).toMatchObject({
      TimeToLiveDescription: { AttributeName: "expiresAt" },
    });
    await again.close();
    await table.db.open();
  });
});

describe("time to live", () => {
  const second = 1000;
  const at = (offset: number) => Math.floor(table.clock.now.getTime() / 1000) + offset;

  it("deletes what has expired, from the indexes too, and nothing else", async () => {
    await put({ pk: "expired", sk: "T", expiresAt: at(-1), gsi1pk: "g", gsi1sk: "s" });
    await put({ pk: "now", sk: "T", expiresAt: at(0) });
    await put({ pk: "future", sk: "T", expiresAt: at(60) });
    await put({ pk: "text", sk: "T", expiresAt: String(at(-60)) });
    await put({ pk: "milliseconds", sk: "T", expiresAt: table.clock.now.getTime() });
    await put({ pk: "forgotten", sk: "T", expiresAt: at(-6 * 365 * 24 * 3600) });
    await put({ pk: "never", sk: "T" });
    expect(await table.db.sweep()).toBe(1);
    expect(await get("expired")).toBeUndefined();
    expect(await queryIndex("gsi1", "g")).toEqual([]);
    for (const pk of ["now", "future", "text", "milliseconds", "forgotten", "never"])
      expect(await get(pk)).toBeDefined();
    table.clock.now = new Date(table.clock.now.getTime() + 61 * second);
    expect(await table.db.sweep()).toBe(2);
  });

  it("goes by the time that an item has now", async () => {
    await put({ pk: "renewed", sk: "T", expiresAt: at(-1) });
    await table.documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk: "renewed", sk: "T" },
        UpdateExpression: "SET expiresAt = :later",
        ExpressionAttributeValues: { ":later": at(60) },
      }),
    );
    expect(await table.db.sweep()).toBe(0);
    expect(await get("renewed")).toBeDefined();
  });

  it("is switched off and on by name, and then covers older items", async () => {
    const change = (AttributeName: string, Enabled: boolean) =>
      table.client.send(
        new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled } }),
      );
    const status = async () =>
      (await table.client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
    expect(await status()).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: "expiresAt" });
    await expect(change("expiresAt", true)).rejects.toThrow("TimeToLive is already enabled");
    await expect(change("other", false)).rejects.toThrow(
      "TimeToLive is active on a different AttributeName: current AttributeName is expiresAt",
    );
    await put({ pk: "old", sk: "T", other: at(-1), expiresAt: at(-1) });
    await change("expiresAt", false);
    expect(await status()).toEqual({ TimeToLiveStatus: "DISABLED" });
    await expect(change("expiresAt", false)).rejects.toThrow("TimeToLive is already disabled");
    expect(await table.db.sweep()).toBe(0);
    await change("other", true);
    expect(await table.db.sweep()).toBe(1);
  });
});

describe("permissions", () => {
  const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
  const Key = { pk: { S: "T#1" }, sk: { S: "T" } };
  const Item = { ...Key, a: { N: "1" } };
  const leading = (...keys: string[]) => ({ context: { "dynamodb:LeadingKeys": keys } });
  const values = { ":pk": { S: "U#1" } };

  it.each<[string, object, Permission[]]>([
    ["GetItem", { TableName, Key }, [{ action: "dynamodb:GetItem", resource: arn, ...leading("T#1") }]],
    ["PutItem", { TableName, Item }, [{ action: "dynamodb:PutItem", resource: arn, ...leading("T#1") }]],
    ["UpdateItem", { TableName, Key }, [{ action: "dynamodb:UpdateItem", resource: arn, ...leading("T#1") }]],
    ["DeleteItem", { TableName, Key }, [{ action: "dynamodb:DeleteItem", resource: arn, ...leading("T#1") }]],
    [
      "Query",
      { TableName, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: values },
      [{ action: "dynamodb:Query", resource: arn, ...leading("U#1") }],
    ],
    [
      "Query",
      {
        TableName,
        IndexName: "gsi1",
        KeyConditionExpression: "#k = :pk",
        ExpressionAttributeNames: { "#k": "gsi1pk" },
        ExpressionAttributeValues: values,
      },
      [{ action: "dynamodb:Query", resource: `${arn}/index/gsi1`, ...leading("U#1") }],
    ],
    ["Scan", { TableName }, [{ action: "dynamodb:Scan", resource: arn }]],
    ["Scan", { TableName, IndexName: "gsi1" }, [{ action: "dynamodb:Scan", resource: `${arn}/index/gsi1` }]],
    [
      "BatchGetItem",
      { RequestItems: { [TableName]: { Keys: [Key, { ...Key, pk: { S: "T#2" } }] } } },
      [{ action: "dynamodb:BatchGetItem", resource: arn, ...leading("T#1", "T#2") }],
    ],
    [
      "BatchWriteItem",
      {
        RequestItems: {
          [TableName]: [{ PutRequest: { Item } }, { DeleteRequest: { Key: { ...Key, pk: { S: "X" } } } }],
        },
      },
      [{ action: "dynamodb:BatchWriteItem", resource: arn, ...leading("T#1", "X") }],
    ],
    [
      "TransactWriteItems",
      {
        TransactItems: [
          { Put: { TableName, Item } },
          { Update: { TableName, Key, UpdateExpression: "REMOVE a" } },
          { Delete: { TableName, Key } },
          { ConditionCheck: { TableName, Key, ConditionExpression: "attribute_exists(pk)" } },
        ],
      },
      ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"].map((action) => ({
        action: `dynamodb:${action}`,
        resource: arn,
        ...leading("T#1"),
      })),
    ],
    [
      "TransactGetItems",
      { TransactItems: [{ Get: { TableName, Key } }] },
      [{ action: "dynamodb:GetItem", resource: arn, ...leading("T#1") }],
    ],
    ["DescribeTable", { TableName }, [{ action: "dynamodb:DescribeTable", resource: arn }]],
    ["ListTables", {}, [{ action: "dynamodb:ListTables", resource: "*" }]],
  ])("of %s %# name what is touched", (operation, input, permissions) => {
    expect(table.db.permissions(operation, input)).toEqual(permissions);
  });

  it("are asked for before anything happens", async () => {
    const role = DynamoDBDocumentClient.from(
      new (await import("@aws-sdk/client-dynamodb")).DynamoDBClient(table.gateway.as("reader")),
    );
    allowed = ({ action }) => action !== "dynamodb:PutItem";
    const denied = role.send(new PutCommand({ TableName, Item: { pk: "denied", sk: "T" } }));
    await expect(denied).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringContaining(`is not authorized to perform: dynamodb:PutItem on resource: ${arn}`),
    });
    expect(await get("denied")).toBeUndefined();
    await role.send(new GetCommand({ TableName, Key: { pk: "denied", sk: "T" } }));
    expect(asked.at(-1)).toEqual({ action: "dynamodb:GetItem", resource: arn, ...leading("denied") });
  });
});
