import { AwsError, type Json } from "../service.ts";
import { type Item, itemBytes, project } from "./attribute-value.ts";
import { matches } from "./condition.ts";
import { checkIndexKeys, checkItemKey, checkKey, refuseEmptyIndexKeys, refuseEmptyKey } from "./keys.ts";
import { checkDepth, itemBytesMax, type WriteKind, type WriteRequest } from "./requests.ts";
import type { Storage } from "./storage.ts";
import { attributesOf, invalid, itemRow, replacing, type Table } from "./table.ts";
import type { Tables } from "./tables.ts";
import { update } from "./update.ts";

/** One write to one item, on its own or inside a batch or a transaction. */
export interface Write {
  readonly kind: WriteKind;
  readonly table: Table;
  readonly request: WriteRequest;
}

/**
 * Finds the table of a write, as it is while no other write runs, and refuses what AWS refuses before it looks at keys, also inside a transaction.
 * @throws AwsError ResourceNotFoundException, ValidationException
 */
export function writeOf(kind: WriteKind, request: WriteRequest, tables: Tables): Write {
  const table = tables.get(request.TableName);
  refuseEmptyKey(table, request.Item ?? request.Key!);
  if (request.Item) refuseEmptyIndexKeys(table, request.Item);
  return { kind, table, request };
}

/** The row that a write is about. @throws AwsError ValidationException when the key does not fit the table */
export function rowOf({ table, request }: Write): string {
  if (request.Item) checkItemKey(table, request.Item);
  else checkKey(table, request.Key!);
  return itemRow(table, request.Item ?? request.Key!);
}

/**
 * The item that stands there after a write; undefined when there is none.
 * @throws AwsError ConditionalCheckFailedException, ValidationException
 */
export function outcome(write: Write, before: Item | undefined): Item | undefined {
  const { kind, table, request } = write;
  if (request._condition && !matches(request._condition.expression, before ?? {})) {
    const shown = request.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && before ? { Item: before } : {};
    throw new AwsError("ConditionalCheckFailedException", "The conditional request failed", 400, shown);
  }
  if (kind === "Delete") return undefined;
  if (kind === "ConditionCheck") return before;
  const after = kind === "Put" ? request.Item! : updated(write, before);
  checkIndexKeys(table, before, after);
  return after;
}

function updated({ table, request }: Write, before: Item | undefined): Item {
  const { sections = [] } = request._updates ?? {};
  for (const { name } of attributesOf(table.keys)) {
    if (!sections.some(({ path }) => path[0] === name)) continue;
    throw invalid(
      `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
    );
  }
  const after = update(before ?? request.Key!, sections);
  checkDepth(after);
  if (itemBytes(after) > itemBytesMax) throw invalid("Item size to update has exceeded the maximum allowed size");
  return after;
}

/** PutItem, UpdateItem, DeleteItem. */
export function writeItem(kind: WriteKind, request: WriteRequest, tables: Tables, storage: Storage): Promise<object> {
  return storage.exclusive(async () => {
    const write = writeOf(kind, request, tables);
    const row = rowOf(write);
    const before = await storage.get(row);
    const after = outcome(write, before);
    await storage.commit(replacing(write.table, before, after));
    return returned(request, before, after);
  });
}

function returned({ ReturnValues, _updates }: WriteRequest, before: Item | undefined, after: Item | undefined): object {
  const item = ReturnValues?.endsWith("_OLD") ? before : ReturnValues?.endsWith("_NEW") ? after : undefined;
  const shown = item && ReturnValues?.startsWith("UPDATED") ? project(item, _updates?.paths ?? []) : item;
  return shown && Object.keys(shown).length > 0 ? { Attributes: shown } : {};
}

/** BatchWriteItem. AWS promises no more than that each write is whole; here the batch is one step, which is cheaper. */
export function writeBatch({ RequestItems }: Json, tables: Tables, storage: Storage): Promise<object> {
  return storage.exclusive(async () => {
    const writes = Object.entries(RequestItems as Record<string, Json[]>).flatMap(([TableName, requests]) =>
      requests.map(({ PutRequest, DeleteRequest }) =>
        PutRequest
          ? writeOf("Put", { TableName, Item: PutRequest.Item }, tables)
          : writeOf("Delete", { TableName, Key: DeleteRequest.Key }, tables),
      ),
    );
    const rows = writes.map(rowOfBatched);
    if (new Set(rows).size < rows.length) throw invalid("Provided list of item keys contains duplicates");
    const before = await storage.getMany(rows);
    const changes = writes.map((write, index) => replacing(write.table, before[index], outcome(write, before[index])));
    await storage.commit(new Map(changes.flatMap((one) => [...one])));
    return { UnprocessedItems: {} };
  });
}

/** In a batch AWS has one sentence for every kind of unfit key. */
function rowOfBatched(write: Write): string {
  try {
    return rowOf(write);
  } catch (error) {
    if (!/Missing the key|Type mismatch for key/.test((error as Error).message)) throw error;
    throw invalid("The provided key element does not match the schema");
  }
}
