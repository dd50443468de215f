import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AwsError, type Json } from "../../lib/local/service.ts";
import {
  type EmbeddedTable,
  startEmbeddedTable,
  tableName as TableName,
  tableInput,
} from "../support/embedded-table.ts";

let table: EmbeddedTable;
beforeAll(async () => {
  table = await startEmbeddedTable();
});
afterAll(() => table.stop());

const Key = { pk: { S: "a" }, sk: { S: "b" } };
const ExpressionAttributeValues = {
  ":x": { S: "x" },
  ":n": { N: "1" },
  ":set": { SS: ["a"] },
  ":doc": { M: { l: { L: [] } } },
};
const ExpressionAttributeNames = { "#n": "name" };
const Update = {
  TableName,
  Key,
  UpdateExpression: "SET a.b[0] = if_not_exists(c, :n) + :n, d = list_append(d, :x) REMOVE #n ADD e :set",
  ConditionExpression: "attribute_exists(pk) AND size(q) > :n AND (#n BETWEEN :x AND :x OR NOT d IN (:doc))",
  ExpressionAttributeNames,
  ExpressionAttributeValues,
};

const requests: [string, Json][] = [
  ["CreateTable", tableInput],
  ["UpdateTimeToLive", { TableName, TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true } }],
  ["DescribeTable", { TableName }],
  ["ListTables", { Limit: 3, ExclusiveStartTableName: "abc" }],
  ["GetItem", { TableName, Key, ProjectionExpression: "a.b[1], #n", ExpressionAttributeNames, ConsistentRead: true }],
  ["PutItem", { TableName, Item: { ...Key, l: { L: [{ NULL: true }, { B: "AAAA" }] }, ...ExpressionAttributeValues } }],
  ["UpdateItem", { ...Update, ReturnValues: "UPDATED_NEW" }],
  ["DeleteItem", { TableName, Key, ReturnValues: "ALL_OLD" }],
  [
    "Query",
    {
      TableName,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1pk = :x AND begins_with(gsi1sk, :x)",
      FilterExpression: "contains(#n, :x)",
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ":x": { S: "x" } },
      ExclusiveStartKey: { ...Key, gsi1pk: { S: "x" }, gsi1sk: { S: "x" } },
      ScanIndexForward: false,
      Limit: 5,
    },
  ],
  ["Scan", { TableName, Segment: 1, TotalSegments: 3, ExclusiveStartKey: Key, Select: "COUNT" }],
  ["BatchGetItem", { RequestItems: { [TableName]: { Keys: [Key], ProjectionExpression: "pk" } } }],
  ["BatchWriteItem", { RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }, { DeleteRequest: { Key } }] } }],
  [
    "TransactWriteItems",
    {
      ClientRequestToken: "token",
      TransactItems: [
        { Update },
        { Put: { TableName, Item: Key } },
        { ConditionCheck: { TableName, Key, ConditionExpression: "a = b" } },
      ],
    },
  ],
  ["TransactGetItems", { TransactItems: [{ Get: { TableName, Key } }] }],
];

/** The request with another value at one of its places. */
function damaged(request: Json, place: number, value: Json): Json {
  const copy = structuredClone(request);
  const places: [Json, string][] = [];
  const visit = (node: Json) => {
    if (typeof node !== "object" || node === null) return;
    for (const name of Object.keys(node)) {
      places.push([node, name]);
      visit(node[name]);
    }
  };
  visit(copy);
  const [parent, name] = places[place % places.length]!;
  parent[name] = value;
  // As it arrives: without what JSON cannot say.
  return JSON.parse(JSON.stringify(copy));
}

const garbage = fc.oneof(
  fc.constantFrom<Json>(undefined, null, "", 0, -1, 1e300, true, [], {}, [null], { S: null }, { S: 1 }, { M: null }),
  fc.constantFrom<Json>({ S: "a", N: "1" }, { N: "x" }, { N: "" }, { L: [null] }, { M: { a: null } }, { SS: [null] }),
  fc.constantFrom<Json>("toString", "constructor", "__proto__", "a b", ":x", "((((", "a.b.c[0]", "漏".repeat(300)),
  fc.jsonValue({ maxDepth: 3 }),
);

it("answers every damaged request with an error of its own, and asks for a permission first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...requests), fc.nat(200), garbage, async ([operation, request], place, value) => {
      const input = damaged(request, place, value);
      try {
        expect(table.db.permissions(operation, input).length).toBeGreaterThan(0);
        await table.db.call(operation, input);
      } catch (error) {
        expect(error, JSON.stringify([operation, input])).toBeInstanceOf(AwsError);
        expect((error as AwsError).code).not.toBe("");
      }
    }),
    { numRuns: 5000 },
  );
});
