import type { LifecycleRule } from "../s3.ts";
import type { Json } from "../service.ts";
import { arnOf, type Create, refuse } from "./declaration.ts";
import { bucketName, keyId, physicalName } from "./physical-name.ts";

export const table: Create = async ({ logicalId, properties }, { parts, stackName }) => {
  const name = properties.TableName ?? physicalName(stackName, logicalId);
  const arn = arnOf("dynamodb", `table/${name}`);
  const input = {
    TableName: name,
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema,
    BillingMode: "PAY_PER_REQUEST",
    GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }: Json) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
    LocalSecondaryIndexes: properties.LocalSecondaryIndexes,
  };
  const { Enabled, AttributeName } = properties.TimeToLiveSpecification ?? {};
  await parts.dynamodb.ensureTable(input, Enabled ? AttributeName : undefined);
  const key = properties.Replicas?.[0]?.SSESpecification?.KMSMasterKeyId;
  if (key) parts.iam.encryptTable(name, arn, key);
  return { ref: name, attributes: { Arn: arn, TableId: keyId(stackName, logicalId) } };
};

export const bucket: Create = async (declaration, { parts, stackName }) => {
  refuse(
    declaration,
    "NotificationConfiguration",
    "ReplicationConfiguration",
    "WebsiteConfiguration",
    "ObjectLockEnabled",
  );
  const { logicalId, properties } = declaration;
  const name = properties.BucketName ?? bucketName(stackName, logicalId);
  const encryption = properties.BucketEncryption?.ServerSideEncryptionConfiguration?.[0];
  await parts.s3.ensureBucket({
    name,
    versioned: properties.VersioningConfiguration?.Status === "Enabled",
    cors: properties.CorsConfiguration?.CorsRules.map((rule: Json) => ({
      allowedOrigins: rule.AllowedOrigins,
      allowedMethods: rule.AllowedMethods,
      allowedHeaders: rule.AllowedHeaders,
      exposedHeaders: rule.ExposedHeaders,
      maxAgeSeconds: rule.MaxAge,
    })),
    lifecycle: lifecycleOf(properties.LifecycleConfiguration?.Rules ?? []),
    kmsKeyArn: encryption?.ServerSideEncryptionByDefault?.KMSMasterKeyID,
    bucketKeyEnabled: encryption?.BucketKeyEnabled,
  });
  const domain = `${name}.s3.amazonaws.com`;
  return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}`, DomainName: domain, RegionalDomainName: domain } };
};

/** Storage classes have no twin on this machine, so transitions are left out; everything that removes data is honoured. */
const lifecycleOf = (rules: readonly Json[]): LifecycleRule[] =>
  rules
    .filter(({ Status }) => Status === "Enabled")
    .map((rule) => {
      if (rule.TagFilters) throw new Error("Lifecycle rules with tag filters are not supported by the embedded cloud.");
      return {
        prefix: rule.Prefix,
        expirationDays: rule.ExpirationInDays,
        noncurrentDays: rule.NoncurrentVersionExpiration?.NoncurrentDays,
        abortMultipartDays: rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation,
        expiredObjectDeleteMarker: rule.ExpiredObjectDeleteMarker,
      };
    });

export const bucketPolicy: Create = ({ logicalId, properties }, { parts }) => {
  parts.iam.attachResourcePolicy(`arn:aws:s3:::${properties.Bucket}`, properties.PolicyDocument);
  return { ref: logicalId };
};

export const key: Create = async ({ logicalId, properties }, { parts, stackName }) => {
  const id = keyId(stackName, logicalId);
  const arn = arnOf("kms", `key/${id}`);
  await parts.kms.ensureKey({
    keyId: id,
    spec: properties.KeySpec ?? "SYMMETRIC_DEFAULT",
    usage: properties.KeyUsage ?? "ENCRYPT_DECRYPT",
    rotation: properties.EnableKeyRotation ?? false,
  });
  parts.iam.attachResourcePolicy(arn, properties.KeyPolicy ?? delegatingKeyPolicy);
  return { ref: id, attributes: { Arn: arn, KeyId: id } };
};

/** What KMS gives a key that is made without a policy: the account's IAM decides. */
const delegatingKeyPolicy = {
  Statement: [{ Effect: "Allow", Action: "kms:*", Resource: "*", Principal: { AWS: "000000000000" } }],
};

export const alias: Create = async ({ properties }, { parts }) => {
  await parts.kms.ensureAlias(properties.AliasName, properties.TargetKeyId.replace(/^.*:key\//, ""));
  return { ref: properties.AliasName };
};
