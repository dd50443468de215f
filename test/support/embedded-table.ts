import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CreateTableCommandInput, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { DynamoDb } from "../../lib/local/dynamodb.ts";
import type { Authoriser } from "../../lib/local/gateway.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

export const tableName = "sluice-test";

/** The design that the crash and model tests share: one index with everything, one with keys only. */
export const tableInput: CreateTableCommandInput = {
  TableName: tableName,
  BillingMode: "PAY_PER_REQUEST",
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  AttributeDefinitions: ["pk", "sk", "gsi1pk", "gsi1sk"].map((AttributeName) => ({
    AttributeName,
    AttributeType: "S",
  })),
  GlobalSecondaryIndexes: [
    {
      IndexName: "gsi1",
      KeySchema: [
        { AttributeName: "gsi1pk", KeyType: "HASH" },
        { AttributeName: "gsi1sk", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "ALL" },
    },
    {
      IndexName: "keysOnly",
      KeySchema: [{ AttributeName: "gsi1pk", KeyType: "HASH" }],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
  ],
};

export interface EmbeddedTable {
  readonly db: DynamoDb;
  readonly folder: string;
  readonly gateway: TestGateway;
  /** Speaks plain attribute values; `documents` speaks JavaScript values. */
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  /** The time that the embedded DynamoDB sees; 2026-01-01 unless a test moves it. */
  readonly clock: { now: Date };
  stop(): Promise<void>;
}

/** An embedded DynamoDB with the test table in a folder of its own, behind the gateway. */
export async function startEmbeddedTable(allows?: Authoriser): Promise<EmbeddedTable> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-dynamodb-"));
  const clock = { now: new Date("2026-01-01T00:00:00Z") };
  const db = new DynamoDb({ folder, now: () => clock.now });
  await db.open();
  await db.ensureTable(tableInput, "expiresAt");
  const gateway = await startGateway({ json: { dynamodb: db }, allows });
  const client = new DynamoDBClient(gateway.operator);
  return {
    clock,
    db,
    folder,
    gateway,
    client,
    documents: DynamoDBDocumentClient.from(client),
    async stop() {
      client.destroy();
      await gateway.stop();
      await db.close();
      await rm(folder, { recursive: true });
    },
  };
}
