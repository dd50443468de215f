import { Duration, RemovalPolicy } from "aws-cdk-lib";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import * as kms from "aws-cdk-lib/aws-kms";
import * as s3 from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { tableDesign } from "../../functions/platform/table.ts";

export interface DataLayerProps {
  /** Origins whose pages may send and fetch archives directly. The form or link carries the right, so any origin is no leak. @default any */
  readonly uploadOrigins?: string[];
  /**
   * Raised by one, it makes a new key for access tokens and points the alias at it; asymmetric KMS keys do not rotate by themselves.
   * @default 1
   */
  readonly signingKeyGeneration?: number;
}

/**
 * Everything that must outlive a deployment: the table, the buckets and their key. All of it is retained when the stack goes away;
 * the logical ids below are frozen by a test, because renaming one would replace what it names.
 */
export class DataLayer extends Construct {
  readonly key: kms.Key;
  /** The keys that may sign access tokens, the current one first; the one before is there for functions that have not noticed yet. */
  readonly signingKeys: readonly kms.Key[];
  readonly signingKeyAlias: string;
  readonly secretsKey: kms.Key;
  readonly secretsKeyAlias: string;
  readonly table: dynamodb.TableV2;
  readonly sources: s3.Bucket;
  readonly results: s3.Bucket;

  constructor(scope: Construct, id: string, props: DataLayerProps & { readonly stage: string }) {
    super(scope, id);
    const kept = { removalPolicy: RemovalPolicy.RETAIN, pendingWindow: Duration.days(30) };
    this.key = new kms.Key(this, "Key", { description: "Sluice: table and buckets", enableKeyRotation: true, ...kept });
    const [current, before] = signingKeyIds(props.signingKeyGeneration ?? 1).map(
      (keyId) =>
        new kms.Key(this, keyId, {
          description: "Sluice: signs access tokens",
          keySpec: kms.KeySpec.ECC_NIST_P256,
          keyUsage: kms.KeyUsage.SIGN_VERIFY,
          ...kept,
        }),
    ) as [kms.Key, kms.Key?];
    this.signingKeys = before ? [current, before] : [current];
    this.signingKeyAlias = `alias/sluice-${props.stage}-tokens`;
    new kms.Alias(this, "SigningKeyAlias", { aliasName: this.signingKeyAlias, targetKey: current });
    this.secretsKey = new kms.Key(this, "SecretsKey", {
      description: "Sluice: users' secrets",
      enableKeyRotation: true,
      ...kept,
    });
    this.secretsKeyAlias = `alias/sluice-${props.stage}-secrets`;
    new kms.Alias(this, "SecretsKeyAlias", { aliasName: this.secretsKeyAlias, targetKey: this.secretsKey });
    this.table = this.#table();
    this.sources = this.#bucket("Sources", {
      lifecycleRules: [{ id: "unfinished-uploads", prefix: "quarantine/", expiration: Duration.days(1) }],
      cors: [
        {
          allowedMethods: [s3.HttpMethods.POST, s3.HttpMethods.GET],
          allowedOrigins: props.uploadOrigins ?? ["*"],
          allowedHeaders: ["*"],
          maxAge: 3600,
        },
      ],
    });
    this.results = this.#bucket("Results", {
      // Chunks and artefacts of a scan; its issues live in the table. A scan can be looked into or redriven for this long.
      lifecycleRules: [
        { id: "scan-work", prefix: "scans/", expiration: Duration.days(30) },
        // Whoever exports a run fetches it; the run itself stays.
        { id: "exports", prefix: "exports/", expiration: Duration.days(30) },
        // Reviews that a user has paid for save money as long as code is scanned again; they quote source, so they do not stay for ever.
        { id: "reviews", prefix: "reviews/", expiration: Duration.days(90) },
        // Links to them live for minutes, and who wants another makes it anew.
        { id: "database-exports", prefix: "exports/database/", expiration: Duration.days(1) },
      ],
      cors: [
        {
          allowedMethods: [s3.HttpMethods.GET],
          allowedOrigins: props.uploadOrigins ?? ["*"],
          allowedHeaders: ["*"],
          maxAge: 3600,
        },
      ],
    });
  }

  #table(): dynamodb.TableV2 {
    const string = (name: string) => ({ name, type: dynamodb.AttributeType.STRING });
    return new dynamodb.TableV2(this, "Table", {
      partitionKey: string(tableDesign.partitionKey),
      sortKey: string(tableDesign.sortKey),
      globalSecondaryIndexes: Object.entries(tableDesign.indexes).map(([indexName, { partitionKey, sortKey }]) => ({
        indexName,
        partitionKey: string(partitionKey),
        sortKey: string(sortKey),
      })),
      timeToLiveAttribute: tableDesign.timeToLive,
      billing: dynamodb.Billing.onDemand(),
      encryption: dynamodb.TableEncryptionV2.customerManagedKey(this.key),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #bucket(id: string, props: Pick<s3.BucketProps, "lifecycleRules" | "cors">): s3.Bucket {
    return new s3.Bucket(this, id, {
      encryption: s3.BucketEncryption.KMS,
      encryptionKey: this.key,
      // One data key per bucket and hour instead of a KMS call per object.
      bucketKeyEnabled: true,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      versioned: true,
      removalPolicy: RemovalPolicy.RETAIN,
      cors: props.cors,
      lifecycleRules: [
        ...(props.lifecycleRules ?? []),
        {
          id: "old-versions",
          noncurrentVersionExpiration: Duration.days(30),
          expiredObjectDeleteMarker: true,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
    });
  }
}

/** Construct ids of the current signing key and the one before. An older one leaves the template and, being retained, stays in the account until an operator deletes it. */
function signingKeyIds(generation: number): string[] {
  if (!Number.isInteger(generation) || generation < 1) {
    throw new Error(`signingKeyGeneration ${generation}: use a whole number from 1 on, raised by one at each rotation`);
  }
  return [generation, generation - 1].filter((n) => n >= 1).map((n) => (n === 1 ? "SigningKey" : `SigningKey${n}`));
}
