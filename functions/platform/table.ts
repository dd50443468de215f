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
  loginFailures: "THR#*",
  userDirectory: "USERS#*",
  signingKey: "JWKS",
  project: "P#*",
  member: "P#*",
  /** Apart from U#, so that counting an issue gives no right to write users. */
  statistics: "STATS#*",
  /** Apart from U#, which every function reads to know its caller: hardly any may read the secrets in here. */
  userConfig: "CFG#*",
  upload: "UP#*",
  task: "T#*",
  issue: "T#*",
  ruleSet: "RS#*",
  promptTemplate: "TPL#*",
  defaultTemplate: "TPLDEF#*",
  /** What a user switched on or off of the system's templates and rules. */
  override: "OVR#*",
  instantAnalysis: "IA#*",
  /** Money and tokens, reserved and spent. Apart from tasks and projects, so that paying for a call gives no right to change either. */
  spending: "SPEND#*",
  /** What imports have made of the projects in a file. */
  databaseImport: "IMP#*",
  sshKey: "SSH#*",
  /** Apart from SSH#: who connects adds hosts and has no right to write keys. */
  knownHosts: "KNOWN#*",
  migration: "MIGRATION#*",
  idempotency: "IDEM#*",
  apiToken: "TOK#*",
  apiTokenUse: "TOKUSE#*",
  auditEntry: "AUDIT#*",
  applicationKey: "APPKEY",
  /** A run of actors and learner, and all that indexes its log. */
  run: "RUN#*",
} as const satisfies Record<string, string>;

export type RecordKind = keyof typeof recordKinds;

/** Keys of every item, in one place; `#` joins parts, ids are UUIDs and hold none. */
export const keys = {
  user: (id: string) => ({ pk: `U#${id}`, sk: "U" }),
  email: (email: string) => ({ pk: `EMAIL#${email}`, sk: "E" }),
  /** What searches look at, newest last. Its partition is no index, because a total that lags is not exact. */
  userEntry: (id: string, createdAt: string) => ({ pk: `USERS#${userShardOf(id)}`, sk: `${createdAt}#${id}` }),
  /** Sorts behind the entries of its partition, which begin with a digit. */
  userShard: (shard: number) => ({ pk: `USERS#${shard}`, sk: "SHARD" }),
  loginFailures: (kind: string, hash: string) => ({ pk: `THR#${kind}#${hash}`, sk: "W" }),
  signingKey: (kid: string) => ({ pk: "JWKS", sk: kid }),
  project: (id: string) => ({ pk: `P#${id}`, sk: "P" }),
  member: (projectId: string, userId: string) => ({ pk: `P#${projectId}`, sk: `M#${userId}` }),
  statistics: (ownerId: string) => ({ pk: `STATS#${ownerId}`, sk: "S" }),
  storedZip: (projectId: string) => ({ pk: `P#${projectId}`, sk: "ZIP" }),
  repositorySnapshot: (projectId: string) => ({ pk: `P#${projectId}`, sk: "SNAPSHOT" }),
  userConfig: (userId: string) => ({ pk: `CFG#${userId}`, sk: "CFG" }),
  upload: (id: string) => ({ pk: `UP#${id}`, sk: "UP" }),
  task: (id: string) => ({ pk: `T#${id}`, sk: "T" }),
  chunk: (taskId: string, attempt: number, chunk: number) => ({ pk: `T#${taskId}`, sk: `C#${attempt}#${chunk}` }),
  reviewBatch: (taskId: string, attempt: number, batch: number) => ({ pk: `T#${taskId}`, sk: `B#${attempt}#${batch}` }),
  issue: (taskId: string, id: string) => ({ pk: `T#${taskId}`, sk: `I#${id}` }),
  ruleSet: (id: string) => ({ pk: `RS#${id}`, sk: "RS" }),
  /** Rules lie beside their set, in its order; `sort` is padded, as it is compared as text. */
  rule: (ruleSetId: string, sort: string, id: string) => ({ pk: `RS#${ruleSetId}`, sk: `R#${sort}#${id}` }),
  promptTemplate: (id: string) => ({ pk: `TPL#${id}`, sk: "TPL" }),
  /** Points at the one default of its type, so that there are never two. */
  defaultTemplate: (type: string) => ({ pk: `TPLDEF#${type}`, sk: "D" }),
  override: (userId: string, recordId: string) => ({ pk: `OVR#${userId}`, sk: recordId }),
  /** What is committed of a budget. The figures of each model lie behind it, and what is reserved beside those of the scan or the user. */
  scanSpending: (taskId: string) => ({ pk: `SPEND#T#${taskId}`, sk: "TOTAL" }),
  projectSpending: (projectId: string) => ({ pk: `SPEND#P#${projectId}`, sk: "TOTAL" }),
  monthSpending: (userId: string, month: string) => ({ pk: `SPEND#U#${userId}`, sk: month }),
  modelSpending: (total: { pk: string; sk: string }, provider: string, model: string) => ({
    pk: total.pk,
    sk: `${total.sk}#M#${provider}/${model}`,
  }),
  reservation: (total: { pk: string; sk: string }, id: string) => ({ pk: total.pk, sk: `CALL#${id}` }),
  /** Ids are made in the order of time, so a user's history is in that order. */
  instantAnalysis: (userId: string, id: string) => ({ pk: `IA#${userId}`, sk: id }),
  /** How many there were in an hour, "2026-11-21T09"; it is not forgotten with the history. */
  instantAnalysesOfHour: (userId: string, hour: string) => ({ pk: `IA#${userId}#RATE`, sk: hour }),
  /** One run over a file, by the file's hash; and beside it what became of each project, by the hash of the id it has in the file. */
  databaseImport: (userId: string, hash: string) => ({ pk: `IMP#${userId}`, sk: `F#${hash}` }),
  importedProject: (userId: string, hash: string) => ({ pk: `IMP#${userId}`, sk: `P#${hash}` }),
  sshKey: (userId: string) => ({ pk: `SSH#${userId}`, sk: "KEY" }),
  knownHosts: (userId: string) => ({ pk: `KNOWN#${userId}`, sk: "HOSTS" }),
  migration: (number: number) => ({ pk: `MIGRATION#${number}`, sk: "M" }),
  idempotency: (userId: string, operation: string, key: string) => ({
    pk: `IDEM#${userId}#${operation}#${key}`,
    sk: "I",
  }),
  apiToken: (id: string) => ({ pk: `TOK#${id}`, sk: "TOK" }),
  /** Apart from the token, because every function writes the use and none but three may write tokens. */
  apiTokenUse: (id: string) => ({ pk: `TOKUSE#${id}`, sk: "USE" }),
  auditEntry: (at: string, requestId: string) => ({ pk: `AUDIT#${at.slice(0, 7)}`, sk: `${at}#${requestId}` }),
  applicationKey: () => ({ pk: "APPKEY", sk: "K" }),
  run: (id: string) => ({ pk: `RUN#${id}`, sk: "RUN" }),
  /** Apart from the run, so that renewing a lease is in nobody's way. */
  runLease: (id: string) => ({ pk: `RUN#${id}`, sk: "LEASE" }),
  runSegment: (id: string, first: number) => ({ pk: `RUN#${id}`, sk: `SEG#${padded(first)}` }),
  /** What one segment holds of one producer, up to its sequence number `last`; the newest is the producer's high-water. */
  runSequence: (id: string, producer: string, last: number) => ({
    pk: `RUN#${id}`,
    sk: `SEQ#${encodeURIComponent(producer)}#${padded(last)}`,
  }),
  runKey: (id: string, hash: string) => ({ pk: `RUN#${id}`, sk: `KEY#${hash}` }),
  /** Nobody reads it. */
  runProbe: (id: string) => ({ pk: `RUN#${id}`, sk: "PROBE" }),
  /** Readers that share the items of the run. */
  runGroup: (id: string, name: string) => ({ pk: `RUN#${id}`, sk: `GROUP#${name}` }),
  runActor: (id: string, address: string) => ({ pk: `RUN#${id}`, sk: `ACTOR#${address}` }),
  runParameters: (id: string, version: number) => ({ pk: `RUN#${id}`, sk: `PARAM#${padded(version)}` }),
} as const;

/** Numbers in sort keys are compared as text; twenty digits hold every offset. */
export const padded = (number: number): string => String(number).padStart(20, "0");

/** Index entries of listed items. The list of active tasks is sharded, as the directory of users is, so that no partition takes all writes. */
export const indexKeys = {
  projectsOf: (ownerId: string, active: boolean) => ({ gsi1pk: `U#${ownerId}#P#${active ? "active" : "deleted"}` }),
  membershipsOf: (userId: string) => ({ gsi1pk: `U#${userId}#M` }),
  /** Permanent deletions that are not finished. */
  erasures: { gsi3pk: "ERASING" },
  tasksOfProject: (projectId: string) => ({ gsi1pk: `P#${projectId}#T` }),
  tasksOf: (ownerId: string) => ({ gsi2pk: `U#${ownerId}#T` }),
  activeTasks: (shard: number) => ({ gsi3pk: `ACTIVE#${shard}` }),
  apiTokensOf: (userId: string) => ({ gsi1pk: `U#${userId}#TOK` }),
  /** In the index of sweepers: hardly any function may read it, and who lists its own things there should not read about others. */
  auditEntriesOf: (userId: string) => ({ gsi3pk: `AUDIT#U#${userId}` }),
  issuesOf: (taskId: string) => ({ gsi1pk: `T#${taskId}#I` }),
  /** Actors that parameters are brought to, of all runs: who brings them has to find them after a restart. */
  registeredActors: { gsi3pk: "ACTORS" },
  runsOf: (tenant: string) => ({ gsi1pk: `RUNS#${tenant}` }),
  systemTemplates: { gsi1pk: "TPL#SYS" },
  templatesOf: (ownerId: string) => ({ gsi1pk: `U#${ownerId}#TPL` }),
  systemRuleSets: { gsi1pk: "RS#SYS" },
  ruleSetsOf: (ownerId: string) => ({ gsi1pk: `U#${ownerId}#RS` }),
} as const;

export const shards = 4;

/** A stable shard of a UUID; its last character is random in every version that we make. */
export const shardOf = (id: string): number => Number.parseInt(id.slice(-1), 16) % shards;

/** The directory of users has more shards, because a write makes searches read its whole shard again. */
export const userShards = 16;

export const userShardOf = (id: string): number => Number.parseInt(id.slice(-1), 16) % userShards;

/** One client for the life of the function. Undefined attributes are left out instead of refused. */
export const table = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});
// For a log that nobody reads it copies all that goes in and comes out, a quarter of the time of a call that reads hundreds of items.
table.middlewareStack.remove("loggerMiddleware");

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

/** Sends a transaction, again while it only lost against another one, `triesMax` times at most. */
export async function sendUntilNoConflict(write: TransactWriteCommand, triesMax = conflictTriesMax): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await table.send(write);
      return;
    } catch (error) {
      if (!isTransactionConflict(error) || attempt === triesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}
