import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { EnvironmentVariables } from "../../functions/platform/environment.ts";
import { table, tableDesign } from "../../functions/platform/table.ts";
import { sdkEnvironment } from "../../lib/local/credentials.ts";
import { DynamoDb } from "../../lib/local/dynamodb.ts";
import type { Gateway } from "../../lib/local/gateway.ts";
import { Kms } from "../../lib/local/kms.ts";
import { S3 } from "../../lib/local/s3.ts";
import { localAccount } from "../../lib/local/service.ts";
import { startGateway } from "./gateway.ts";

export interface EmbeddedData {
  readonly gateway: Gateway;
  readonly kms: Kms;
  readonly folder: string;
  /** Removes every item of the table. */
  clearTable(): Promise<void>;
  stop(): Promise<void>;
}

const variables: EnvironmentVariables = {
  STAGE: "test",
  TABLE_NAME: "sluice-test",
  SOURCES_BUCKET: "sluice-test-sources",
  RESULTS_BUCKET: "sluice-test-results",
  SIGNING_KEY_ALIAS: "alias/sluice-test-tokens",
  SECRETS_KEY_ALIAS: "alias/sluice-test-secrets",
  OUTBOUND_ALLOWED_HOSTS: "",
  CORS_ORIGINS: "",
  SCAN_MACHINE_ARN: `arn:aws:states:${localAccount.region}:${localAccount.account}:stateMachine:none`,
  ERASURE_MACHINE_ARN: `arn:aws:states:${localAccount.region}:${localAccount.account}:stateMachine:none`,
  AUDIT_DAYS: "400",
  REGISTRATION: "off",
  TOKEN_MINUTES: "480",
};

/**
 * The table, the buckets and the key of secrets without the rest of the stack, for handlers that run inside the test process. Handlers
 * read their environment once, so one test file uses one of these.
 */
export async function startEmbeddedData(): Promise<EmbeddedData> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-data-"));
  // Tests have times of their own. By the real one what they have just stored may have expired, and would be gone in a minute.
  const dynamodb = new DynamoDb({ folder: join(folder, "dynamodb"), now: () => new Date(0) });
  const s3 = new S3({ folder: join(folder, "s3") });
  const kms = new Kms({ folder: join(folder, "kms") });
  const parts = [dynamodb, s3, kms];
  for (const part of parts) await part.open();
  await dynamodb.ensureTable(tableInput(), tableDesign.timeToLive);
  for (const keyId of ["secrets", "data"])
    await kms.ensureKey({ keyId, spec: "SYMMETRIC_DEFAULT", usage: "ENCRYPT_DECRYPT" });
  const kmsKeyArn = `arn:aws:kms:${localAccount.region}:${localAccount.account}:key/data`;
  for (const name of [variables.SOURCES_BUCKET, variables.RESULTS_BUCKET])
    await s3.ensureBucket({ name, versioned: true, kmsKeyArn, bucketKeyEnabled: true });
  await kms.ensureAlias(variables.SECRETS_KEY_ALIAS, "secrets");
  const started = await startGateway({ json: { dynamodb, kms }, rest: { s3 } });
  Object.assign(process.env, variables, sdkEnvironment(started.operator.credentials, started.endpoint), {
    AWS_REGION: localAccount.region,
  });
  return {
    gateway: started.gateway,
    kms,
    folder,
    async clearTable() {
      const TableName = variables.TABLE_NAME;
      // As many as a batch may have.
      for await (const { Items = [] } of paginateScan({ client: table }, { TableName, Limit: 25 })) {
        const deletions = Items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
        if (deletions.length > 0) await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: deletions } }));
      }
    },
    async stop() {
      await started.stop();
      for (const part of parts) await part.close();
      await rm(folder, { recursive: true });
    },
  };
}

function tableInput() {
  const schema = ({ partitionKey, sortKey }: { partitionKey: string; sortKey: string }) => [
    { AttributeName: partitionKey, KeyType: "HASH" as const },
    { AttributeName: sortKey, KeyType: "RANGE" as const },
  ];
  const indexes = Object.entries(tableDesign.indexes);
  const names = [tableDesign, ...Object.values(tableDesign.indexes)].flatMap((one) => [one.partitionKey, one.sortKey]);
  return {
    TableName: variables.TABLE_NAME,
    BillingMode: "PAY_PER_REQUEST" as const,
    KeySchema: schema(tableDesign),
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" as const })),
    GlobalSecondaryIndexes: indexes.map(([IndexName, keys]) => ({
      IndexName,
      KeySchema: schema(keys),
      Projection: { ProjectionType: "ALL" as const },
    })),
  };
}
