import type { Json } from "../service.ts";
import { type Item, itemBytes, project } from "./attribute-value.ts";
import { checkKey, refuseEmptyKey } from "./keys.ts";
import { pathsOf, type ReadRequest } from "./requests.ts";
import type { Storage } from "./storage.ts";
import { invalid, itemRow } from "./table.ts";
import type { Tables } from "./tables.ts";

/** What one BatchGetItem answers at most; the rest comes back as unprocessed. */
const batchBytesMax = 16 * 1024 * 1024;

/** Where the item of a read stands. @throws AwsError ResourceNotFoundException, ValidationException */
export function rowOfRead({ TableName, Key }: ReadRequest, tables: Tables): string {
  const table = tables.get(TableName);
  refuseEmptyKey(table, Key);
  checkKey(table, Key);
  return itemRow(table, Key);
}

/** The part of an item that a read asks for, as it stands in an answer. */
export function answerOf(request: ReadRequest, item: Item | undefined): { Item?: Item } {
  const paths = pathsOf(request);
  return item ? { Item: paths ? project(item, paths) : item } : {};
}

/** GetItem. */
export async function getItem(request: ReadRequest, tables: Tables, storage: Storage): Promise<object> {
  return answerOf(request, await storage.get(rowOfRead(request, tables)));
}

/** BatchGetItem. */
export async function getBatch({ RequestItems }: Json, tables: Tables, storage: Storage): Promise<object> {
  const reads = Object.entries(RequestItems as Record<string, Json>).flatMap(([TableName, { Keys, ...rest }]) =>
    Keys.map((Key: Item): ReadRequest => ({ TableName, Key, _projection: rest._projection })),
  ) as ReadRequest[];
  const rows = reads.map((read) => rowOfRead(read, tables));
  if (new Set(rows).size < rows.length) throw invalid("Provided list of item keys contains duplicates");
  const items: (Item | undefined)[] = await storage.getMany(rows);
  const responses: Record<string, Item[]> = Object.fromEntries(Object.keys(RequestItems).map((name) => [name, []]));
  const unprocessed: Record<string, Json> = {};
  let bytes = 0;
  for (const [index, read] of reads.entries()) {
    const item = items[index];
    bytes += item ? itemBytes(item) : 0;
    if (bytes > batchBytesMax) {
      const { _projection: _, ...request } = RequestItems[read.TableName];
      unprocessed[read.TableName] ??= { ...request, Keys: [] };
      unprocessed[read.TableName].Keys.push(read.Key);
    } else if (item) responses[read.TableName]!.push(answerOf(read, item).Item!);
  }
  return { Responses: responses, UnprocessedKeys: unprocessed };
}
