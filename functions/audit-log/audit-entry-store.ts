import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { indexKeys, keys, table } from "../platform/table.ts";
import { AuditEntry } from "./audit-entry.ts";

/**
 * Entries live in one partition a month. The API lets 50 requests a second in and a partition takes 1,000 writes, so more partitions
 * would only make reading newest first harder; of a year without a single write, 13 empty queries are the whole price.
 */
const monthOf = (sortKey: string): string => sortKey.slice(0, "2026-01".length);

/** How far a rare operation is looked for in one go; then the caller gets what was found so far and a cursor. */
const searchLimits = { pages: 20, rowsPerPage: 1000 };

export interface EntryFilter {
  readonly userId: string | null;
  readonly operation: string | null;
  /** Inclusive, ISO 8601 in UTC with milliseconds. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/** Adds an entry; a second one for the same request changes nothing. */
export async function appendEntry(entry: AuditEntry): Promise<void> {
  const key = keys.auditEntry(entry.createdAt, entry.id);
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: {
      ...key,
      ...(entry.userId && { ...indexKeys.auditEntriesOf(entry.userId), gsi3sk: key.sk }),
      v: 1,
      ...entry,
      expiresAt: Math.floor(Date.parse(entry.createdAt) / 1000) + environment().AUDIT_DAYS * 24 * 3600,
    },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await table.send(put).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

/**
 * Entries newest first, from `position` on when it is given.
 * @returns at most `limit` entries, fewer where a search gets long, and the position to go on from, or null at the end
 */
export async function pageOfEntries(
  filter: EntryFilter,
  position: string | null,
  limit: number,
  search = searchLimits,
): Promise<{ entries: AuditEntry[]; next: string | null }> {
  const entries: AuditEntry[] = [];
  // DynamoDB refuses bounds that are the wrong way round and a start outside of them; a cursor's place can be too old by now.
  const range = { ...filter, to: position ?? filter.to };
  if (range.to <= range.from) return { entries, next: null };
  let pages = 0;
  let start = position === null ? undefined : keyAt(position, filter);
  for (const partition of partitionsOf(range)) {
    do {
      const Limit = filter.operation ? search.rowsPerPage : limit + 1 - entries.length;
      const query = new QueryCommand({ ...queryOf(range, partition), Limit, ExclusiveStartKey: start });
      const { Items = [], LastEvaluatedKey } = await table.send(query);
      entries.push(...Items.map((item) => AuditEntry.parse(item)));
      if (entries.length > limit) {
        const last = entries[limit - 1] as AuditEntry;
        return { entries: entries.slice(0, limit), next: keys.auditEntry(last.createdAt, last.id).sk };
      }
      start = LastEvaluatedKey;
      if (start && ++pages === search.pages) return { entries, next: start.sk as string };
    } while (start);
  }
  return { entries, next: null };
}

function queryOf(filter: EntryFilter, partition: string): QueryCommandInput {
  const [pk, sk] = filter.userId ? ["gsi3pk", "gsi3sk"] : ["pk", "sk"];
  return {
    TableName: environment().TABLE_NAME,
    ...(filter.userId && { IndexName: "gsi3" }),
    // Every sort key goes on behind its time, so that BETWEEN, which has both ends in, leaves `to` itself out.
    KeyConditionExpression: `${pk} = :partition AND ${sk} BETWEEN :from AND :to`,
    ...(filter.operation && {
      FilterExpression: "#operation = :operation",
      ExpressionAttributeNames: { "#operation": "operation" },
    }),
    ExpressionAttributeValues: {
      ":partition": partition,
      ":from": filter.from,
      ":to": filter.to,
      ...(filter.operation && { ":operation": filter.operation }),
    },
    ScanIndexForward: false,
  };
}

/** The partitions to read, newest first: the user's own in the index, else one a month. */
function* partitionsOf({ userId, from, to }: EntryFilter): Generator<string> {
  if (userId) {
    yield indexKeys.auditEntriesOf(userId).gsi3pk;
    return;
  }
  const month = new Date(`${monthOf(to)}-01T00:00:00Z`);
  for (; month.toISOString().slice(0, 7) >= monthOf(from); month.setUTCMonth(month.getUTCMonth() - 1)) {
    yield keys.auditEntry(month.toISOString(), "").pk;
  }
}

/** The key that a query starts behind, made of a sort key and the filter it was found with. */
function keyAt(sortKey: string, { userId }: EntryFilter): Record<string, string> {
  const [at = "", requestId = ""] = sortKey.split("#");
  const key = keys.auditEntry(at, requestId);
  return userId ? { ...key, ...indexKeys.auditEntriesOf(userId), gsi3sk: sortKey } : key;
}
