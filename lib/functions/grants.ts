import { Stack } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import type * as s3 from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import type { Grants } from "../../functions/platform/contract.ts";
import { type RecordKind, recordKinds } from "../../functions/platform/table.ts";
import type { DataLayer } from "../data/data-layer.ts";

const tableActions = {
  reads: ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"],
  writes: ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"],
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

/** What grants become: the statements of one function's inline policy, and nothing else. */
export function statementsOf(grants: Grants, data: DataLayer, scanMachineArn: string): iam.PolicyStatement[] {
  const statements = [
    ...recordStatements(grants, data),
    ...objectStatements(data.sources, grants.sources),
    ...objectStatements(data.results, grants.results),
  ];
  if (statements.length > 0) statements.push(encryptionStatement(data));
  if (grants.signTokens) {
    statements.push(allow(["kms:Sign", "kms:GetPublicKey"], [data.signingKey.keyArn]));
  }
  const executions = `${scanMachineArn.replace(":stateMachine:", ":execution:")}:*`;
  for (const right of grants.scanMachine ?? []) {
    statements.push(allow([machineActions[right]], [right === "start" ? scanMachineArn : executions]));
  }
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
    ...(indexes.length > 0 ? [allow(["dynamodb:Query"], indexes)] : []),
  ];
}

function objectStatements(bucket: s3.Bucket, grants: Grants["sources"] = {}): iam.PolicyStatement[] {
  return (["reads", "writes", "deletes"] as const).flatMap((kind) => {
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

function allow(actions: string[], resources: string[], conditions?: Record<string, unknown>): iam.PolicyStatement {
  return new iam.PolicyStatement({ actions, resources, conditions });
}
