import { Stack } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import type * as s3 from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import type { Grants } from "../../functions/platform/contract.ts";
import { type RecordKind, recordKinds } from "../../functions/platform/table.ts";
import type { DataLayer } from "../data/data-layer.ts";

const tableActions = {
  reads: ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"],
  writes: [
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
  ],
  appends: ["dynamodb:PutItem"],
};

const objectActions = {
  // The version is pinned where an archive must not change under a running scan.
  reads: ["s3:GetObject", "s3:GetObjectVersion"],
  writes: ["s3:PutObject"],
  deletes: ["s3:DeleteObject", "s3:DeleteObjectVersion"],
};

const machineActions = {
  start: "states:StartExecution",
  stop: "states:StopExecution",
  describe: "states:DescribeExecution",
} as const;

/** ARNs of the state machines, known before the machines are made. */
export interface Machines {
  readonly scan: string;
  readonly erasure: string;
}

/** What grants become: the statements of one function's inline policy, and nothing else. */
export function statementsOf(
  grants: Grants,
  data: DataLayer,
  machines: Machines,
  { bedrock }: { bedrock: boolean } = { bedrock: false },
): iam.PolicyStatement[] {
  const statements = [
    ...recordStatements(grants, data),
    ...objectStatements(data.sources, grants.sources),
    ...objectStatements(data.results, grants.results),
  ];
  if (statements.length > 0) statements.push(encryptionStatement(data));
  if (grants.signTokens) {
    const keyArns = data.signingKeys.map((key) => key.keyArn);
    statements.push(allow(["kms:Sign", "kms:GetPublicKey"], keyArns));
  }
  if (grants.secrets?.length) statements.push(secretsStatement(grants.secrets, data));
  if (grants.bedrock && bedrock) statements.push(bedrockStatement(data));
  const executions = `${machines.scan.replace(":stateMachine:", ":execution:")}:*`;
  for (const right of grants.scanMachine ?? []) {
    statements.push(allow([machineActions[right]], [right === "start" ? machines.scan : executions]));
  }
  if (grants.erasureMachine?.length) statements.push(allow([machineActions.start], [machines.erasure]));
  return statements;
}

/** The log streams of one log group. */
export const logStatement = (logGroupArn: string): iam.PolicyStatement =>
  allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroupArn]);

/** Items only of the kinds named; the partition key tells the kind. */
function recordStatements(grants: Grants, data: DataLayer): iam.PolicyStatement[] {
  const onItems = (actions: string[], kinds: readonly RecordKind[] = []) =>
    kinds.length === 0
      ? []
      : [
          allow(actions, [data.table.tableArn], {
            "ForAllValues:StringLike": {
              "dynamodb:LeadingKeys": [...new Set(kinds.map((kind) => recordKinds[kind]))].toSorted(),
            },
          }),
        ];
  const indexes = (grants.indexes ?? []).map((index) => `${data.table.tableArn}/index/${index}`);
  return [
    ...onItems(tableActions.reads, grants.reads),
    ...onItems(tableActions.writes, grants.writes),
    ...onItems(["dynamodb:ConditionCheckItem"], grants.checks),
    ...onItems(tableActions.appends, grants.appends),
    ...(indexes.length > 0 ? [allow(["dynamodb:Query"], indexes)] : []),
  ];
}

function objectStatements(bucket: s3.Bucket, grants: Grants["sources"] = {}): iam.PolicyStatement[] {
  const listed = grants.lists?.length
    ? [allow(["s3:ListBucketVersions"], [bucket.bucketArn], { StringLike: { "s3:prefix": grants.lists } })]
    : [];
  const reached = (["reads", "writes", "deletes"] as const).flatMap((kind) => {
    const prefixes = grants[kind] ?? [];
    return prefixes.length === 0
      ? []
      : [
          allow(
            objectActions[kind],
            prefixes.map((prefix) => bucket.arnForObjects(prefix)),
          ),
        ];
  });
  return [...listed, ...reached];
}

/**
 * What DynamoDB and S3 do with a customer key on the caller's behalf, spelled out instead of `kms:GenerateDataKey*` and `kms:ReEncrypt*`:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
const encryptionActions = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

/** The data key, only on behalf of DynamoDB and S3: a function cannot decrypt anything with it by itself. */
function encryptionStatement(data: DataLayer): iam.PolicyStatement {
  const { region } = Stack.of(data as Construct);
  return allow(encryptionActions, [data.key.keyArn], {
    StringEquals: { "kms:ViaService": [`dynamodb.${region}.amazonaws.com`, `s3.${region}.amazonaws.com`] },
  });
}

/** Only for texts that were bound to this product and to a user's field, which is how functions/platform/secrets.ts makes them. */
function secretsStatement(uses: NonNullable<Grants["secrets"]>, data: DataLayer): iam.PolicyStatement {
  const actions = { encrypt: "kms:Encrypt", decrypt: "kms:Decrypt" } as const;
  return allow(
    uses.map((use) => actions[use]),
    [data.secretsKey.keyArn],
    { StringEquals: { "kms:EncryptionContext:app": "sluice" } },
  );
}

/**
 * Whole answers only, no streams. A profile of this region passes a request on to the model in other regions, and AWS asks for the right to
 * the model in each of them: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
function bedrockStatement(data: DataLayer): iam.PolicyStatement {
  const { partition, region, account } = Stack.of(data as Construct);
  return allow(
    ["bedrock:InvokeModel"],
    [
      `arn:${partition}:bedrock:*::foundation-model/*`,
      `arn:${partition}:bedrock:${region}:${account}:inference-profile/*`,
    ],
  );
}

function allow(actions: string[], resources: string[], conditions?: Record<string, unknown>): iam.PolicyStatement {
  return new iam.PolicyStatement({ actions, resources, conditions });
}
