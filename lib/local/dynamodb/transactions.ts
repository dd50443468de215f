import { createHash } from "node:crypto";
import { AwsError, type Json } from "../service.ts";
import { type Item, itemBytes } from "./attribute-value.ts";
import { answerOf, rowOfRead } from "./reads.ts";
import { writeKinds } from "./requests.ts";
import type { Storage } from "./storage.ts";
import { endOf, invalid, replacing } from "./table.ts";
import type { Tables } from "./tables.ts";
import { outcome, rowOf, type Write, writeOf } from "./writes.ts";

const transactionBytesMax = 4 * 1024 * 1024;
/** A repeated ClientRequestToken is answered without effect for this long. */
const tokenMs = 10 * 60 * 1000;
const tokenRows = "token/";

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

/**
 * TransactWriteItems: all conditions are checked against one state, then everything is written in one step together with
 * the token. Transactions run one after the other, so none ever meets a TransactionConflict.
 * @throws AwsError TransactionCanceledException, IdempotentParameterMismatchException, ValidationException,
 * ResourceNotFoundException
 */
export function transactWrite(request: Json, tables: Tables, storage: Storage, now: Date): Promise<object> {
  const { ClientRequestToken: token, TransactItems } = request;
  return storage.exclusive(async () => {
    const writes: Write[] = TransactItems.map((item: Json) => {
      const kind = writeKinds.find((one) => item[one])!;
      return writeOf(kind, item[kind], tables);
    });
    const rows = each(writes, rowOf);
    refuseRepeats(rows);
    // No token is empty.
    const tokenRow = tokenRows + (token ?? "");
    const [known, ...before] = await storage.getMany([tokenRow, ...rows]);
    const fingerprint = fingerprintOf(TransactItems);
    if (known && now.getTime() < known.at + tokenMs) {
      if (known.fingerprint === fingerprint) return {};
      throw new AwsError(
        "IdempotentParameterMismatchException",
        "The request uses the same client token as a previous, but non-identical request.",
      );
    }
    const after = each(writes, (write, index) => outcome(write, before[index]));
    refuseSize(after.map((item, index) => item ?? before[index]));
    const changes = new Map(
      writes.flatMap(({ kind, table }, index) =>
        kind === "ConditionCheck" ? [] : [...replacing(table, before[index], after[index])],
      ),
    );
    if (token) changes.set(tokenRow, { at: now.getTime(), fingerprint });
    await storage.commit(changes);
    return {};
  });
}

/** TransactGetItems: everything as of one moment. */
export async function transactGet({ TransactItems }: Json, tables: Tables, storage: Storage): Promise<object> {
  const rows = each(TransactItems, ({ Get }: Json) => rowOfRead(Get, tables));
  refuseRepeats(rows);
  const items: (Item | undefined)[] = await storage.getMany(rows);
  refuseSize(items);
  return { Responses: TransactItems.map(({ Get }: Json, index: number) => answerOf(Get, items[index])) };
}

/** Forgets tokens that have had their time. */
export async function forgetTokens(storage: Storage, now: Date): Promise<void> {
  for await (const [row, { at }] of storage.entries({ gte: tokenRows, lt: endOf(tokenRows) })) {
    if (now.getTime() >= at + tokenMs) await storage.exclusive(() => forget(row, at, storage));
  }
}

/** The token may have been taken again since it was read. */
async function forget(row: string, at: number, storage: Storage): Promise<void> {
  if ((await storage.get(row))?.at === at) await storage.commit(new Map([[row, undefined]]));
}

/** Runs a step for every member, and cancels the transaction with one reason for each when any of them fails. */
function each<T, R>(members: readonly T[], step: (member: T, index: number) => R): R[] {
  const results: R[] = [];
  const reasons = members.map((member, index): Reason => {
    try {
      results.push(step(member, index));
      return { Code: "None" };
    } catch (error) {
      return reasonOf(error);
    }
  });
  if (reasons.every(({ Code }) => Code === "None")) return results;
  throw new AwsError(
    "TransactionCanceledException",
    "Transaction cancelled, please refer cancellation reasons for specific reasons " +
      `[${reasons.map(({ Code }) => Code).join(", ")}]`,
    400,
    { CancellationReasons: reasons },
  );
}

function reasonOf(error: unknown): Reason {
  if (!(error instanceof AwsError)) throw error;
  if (error.code === "ValidationException") return { Code: "ValidationError", Message: error.message };
  if (error.code !== "ConditionalCheckFailedException") throw error;
  return { Code: "ConditionalCheckFailed", Message: error.message, ...error.fields };
}

function refuseRepeats(rows: readonly string[]): void {
  if (new Set(rows).size === rows.length) return;
  throw invalid("Transaction request cannot include multiple operations on one item");
}

function refuseSize(items: readonly (Item | undefined)[]): void {
  const bytes = items.reduce((sum, item) => sum + (item ? itemBytes(item) : 0), 0);
  if (bytes > transactionBytesMax) {
    throw invalid("The aggregate size of the items in the transaction cannot exceed 4 MB");
  }
}

/** Objects are compared by what they hold, not by the order in which a client wrote their members. */
const fingerprintOf = (request: Json): string =>
  createHash("sha256")
    .update(
      JSON.stringify(request, (_, value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value,
      ),
    )
    .digest("base64");
