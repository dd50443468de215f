import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, type TransactWriteCommand } from "@aws-sdk/lib-dynamodb";

/** Names of the one table's attributes and indexes, used by CDK and by every store. */
export const tableDesign = {
  partitionKey: "pk",
  sortKey: "sk",
  /** Seconds since 1970; DynamoDB deletes the item some time after. Readers must still check. */
  timeToLive: "expiresAt",
  indexes: {
    gsi1: { partitionKey: "gsi1pk", sortKey: "gsi1sk" },
    gsi2: { partitionKey: "gsi2pk", sortKey: "gsi2sk" },
    gsi3: { partitionKey: "gsi3pk", sortKey: "gsi3sk" },
  },
} as const;

export type IndexName = keyof typeof tableDesign.indexes;

/**
 * The partitions of each record kind, so that a function's role reaches only the kinds its contract names (condition dynamodb:LeadingKeys).
 * Kinds that share a partition, such as a task and its issues, are told apart for the reader's sake.
 */
export const recordKinds = {
  user: "U#*",
  email: "EMAIL#*",
  signingKey: "JWKS",
  project: "P#*",
  upload: "UP#*",
  task: "T#*",
  issue: "T#*",
  ruleSet: "RS#*",
  promptTemplate: "TPL#*",
  idempotency: "IDEM#*",
} as const satisfies Record<string, string>;

export type RecordKind = keyof typeof recordKinds;

/** Keys of every item, in one place; `#` joins parts, ids are UUIDs and hold none. */
export const keys = {
  user: (id: string) => ({ pk: `U#${id}`, sk: "U" }),
  email: (email: string) => ({ pk: `EMAIL#${email}`, sk: "E" }),
  signingKey: (kid: string) => ({ pk: "JWKS", sk: kid }),
  project: (id: string) => ({ pk: `P#${id}`, sk: "P" }),
  storedZip: (projectId: string) => ({ pk: `P#${projectId}`, sk: "ZIP" }),
  upload: (id: string) => ({ pk: `UP#${id}`, sk: "UP" }),
  task: (id: string) => ({ pk: `T#${id}`, sk: "T" }),
  chunk: (taskId: string, attempt: number, chunk: number) => ({ pk: `T#${taskId}`, sk: `C#${attempt}#${chunk}` }),
  issue: (taskId: string, id: string) => ({ pk: `T#${taskId}`, sk: `I#${id}` }),
  ruleSet: (id: string) => ({ pk: `RS#${id}`, sk: "RS" }),
  promptTemplate: (id: string) => ({ pk: `TPL#${id}`, sk: "TPL" }),
  idempotency: (userId: string, operation: string, key: string) => ({
    pk: `IDEM#${userId}#${operation}#${key}`,
    sk: "I",
  }),
} as const;

/** Index entries of listed items. Lists of users and active tasks are sharded so that no partition takes all writes. */
export const indexKeys = {
  users: (id: string, createdAt: string) => ({ gsi1pk: `USERS#${shardOf(id)}`, gsi1sk: `${createdAt}#${id}` }),
  projectsOf: (ownerId: string, active: boolean) => ({ gsi1pk: `U#${ownerId}#P#${active ? "active" : "deleted"}` }),
  tasksOfProject: (projectId: string) => ({ gsi1pk: `P#${projectId}#T` }),
  tasksOf: (ownerId: string) => ({ gsi2pk: `U#${ownerId}#T` }),
  activeTasks: (shard: number) => ({ gsi3pk: `ACTIVE#${shard}` }),
  issuesOf: (taskId: string) => ({ gsi1pk: `T#${taskId}#I` }),
} as const;

export const shards = 4;

/** A stable shard of a UUID; its last character is random in every version that we make. */
export const shardOf = (id: string): number => Number.parseInt(id.slice(-1), 16) % shards;

/** One client for the life of the function. Undefined attributes are left out instead of refused. */
export const table = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});

/** For `.catch()` of a single write: turns a failed condition into a typed error and lets everything else pass. */
export const whenConditionFails =
  (make: () => Error) =>
  (error: unknown): never => {
    throw error instanceof ConditionalCheckFailedException ? make() : error;
  };

/**
 * Which items of a failed transaction did not meet their conditions, as indexes in request order; null when it failed for another reason.
 */
export function failedConditions(error: unknown): number[] | null {
  if (!(error instanceof TransactionCanceledException)) return null;
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.flatMap((reason, index) => (reason.Code === "ConditionalCheckFailed" ? [index] : []));
  return failed.length > 0 ? failed : null;
}

/** True when a transaction lost against another one on the same item, and trying again is right. */
const isTransactionConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException &&
  (error.CancellationReasons ?? []).some((reason) => reason.Code === "TransactionConflict");

/** Parallel chunks of one scan all touch its task. Who loses the race waits a random while, longer each time, and tries again. */
const conflictTriesMax = 20;

/** Sends a transaction, again while it only lost against another one. */
export async function sendUntilNoConflict(write: TransactWriteCommand): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await table.send(write);
      return;
    } catch (error) {
      if (!isTransactionConflict(error) || attempt === conflictTriesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}
