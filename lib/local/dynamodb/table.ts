import { AwsError, type Json, localAccount } from "../service.ts";
import { type AttributeValue, attribute, type Item, typeOf } from "./attribute-value.ts";
import { partitionPrefix, sortable } from "./dynalite.ts";

export interface KeyAttribute {
  readonly name: string;
  readonly type: "S" | "N" | "B";
}

export interface Keys {
  readonly partition: KeyAttribute;
  readonly sort?: KeyAttribute;
}

export interface Index {
  readonly name: string;
  readonly keys: Keys;
  /** The attributes in the index, keys included; null for all. */
  readonly projected: ReadonlySet<string> | null;
}

export interface Table {
  readonly name: string;
  readonly keys: Keys;
  readonly indexes: readonly Index[];
  /** The attribute that holds the second since 1970 at which an item expires. */
  readonly timeToLive: string | null;
  /** As DescribeTable answers. */
  readonly description: Json;
}

export const tableArn = (name: string): string =>
  `arn:aws:dynamodb:${localAccount.region}:${localAccount.account}:table/${name}`;

export function tableOf(description: Json, timeToLive: string | null): Table {
  const typed = (name: string): KeyAttribute => ({
    name,
    type: description.AttributeDefinitions.find((one: Json) => one.AttributeName === name).AttributeType,
  });
  const keysOf = ([partition, sort]: Json): Keys => ({
    partition: typed(partition.AttributeName),
    ...(sort && { sort: typed(sort.AttributeName) }),
  });
  const keys = keysOf(description.KeySchema);
  const indexes = (description.GlobalSecondaryIndexes ?? []).map((index: Json): Index => {
    const own = keysOf(index.KeySchema);
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
    const named = [...attributesOf(keys), ...attributesOf(own)].map(({ name }) => name);
    return {
      name: index.IndexName,
      keys: own,
      projected: ProjectionType === "ALL" ? null : new Set([...named, ...NonKeyAttributes]),
    };
  });
  return { name: description.TableName, keys, indexes, timeToLive, description };
}

export const attributesOf = (keys: Keys): KeyAttribute[] =>
  keys.sort ? [keys.partition, keys.sort] : [keys.partition];

/** @throws AwsError ValidationException */
export function indexOf(table: Table, name: string): Index {
  const index = table.indexes.find((one) => one.name === name);
  if (!index) throw invalid(`The table does not have the specified index: ${name}`);
  return index;
}

export const invalid = (message: string): AwsError => new AwsError("ValidationException", message);

/** Above every row that begins with a prefix: rows hold only names, hex digits and "/". */
export const endOf = (prefix: string): string => `${prefix}~`;

export const itemRows = (table: Table): string => `item/${table.name}/`;
export const indexRows = (table: Table, index: Index): string => `index/${table.name}/${index.name}/`;
export const expiryRows = (table: Table): string => `expiry/${table.name}/`;

export const itemRow = (table: Table, item: Item): string => itemRows(table) + encodedKey(table.keys, item);

/** An index may hold many items under one key, so its rows end in the item's own key. */
export const indexRow = (table: Table, index: Index, item: Item): string =>
  indexRows(table, index) + encodedKey(index.keys, item) + encodedKey(table.keys, item);

/** The row of an item and of its expiry are found from each other. */
const expiryRow = (table: Table, seconds: number, item: Item): string =>
  `${expiryRows(table)}${paddedSeconds(seconds)}/${encodedKey(table.keys, item)}`;

export const paddedSeconds = (seconds: number): string => String(seconds).padStart(secondsDigits, "0");

const secondsDigits = 11;

export const itemRowOfExpiry = (table: Table, row: string): string =>
  itemRows(table) + row.slice(expiryRows(table).length + secondsDigits + 1);

/** Sorts as DynamoDB does within a partition; partitions lie scattered. */
function encodedKey(keys: Keys, item: Item): string {
  const partition = encodedPartition(keys.partition, item[keys.partition.name]!);
  return keys.sort ? partition + encodedSort(keys.sort, item[keys.sort.name]!) : partition;
}

export function encodedPartition({ type }: KeyAttribute, value: AttributeValue): string {
  const text = value[type] as string;
  return `${partitionPrefix(text, type)}/${sortable(text, type)}/`;
}

export const encodedSort = ({ type }: KeyAttribute, value: AttributeValue): string =>
  `${sortable(value[type] as string, type)}/`;

/** Every row that an item is stored in: its own, one in each index it has the keys of, and one for its expiry. */
export function rowsOf(table: Table, item: Item | undefined): Map<string, Json> {
  const rows = new Map<string, Json>();
  if (!item) return rows;
  rows.set(itemRow(table, item), item);
  for (const index of table.indexes) {
    if (belongs(index, item)) rows.set(indexRow(table, index, item), projected(index, item));
  }
  const seconds = expiryOf(table, item);
  if (seconds !== null) rows.set(expiryRow(table, seconds, item), {});
  return rows;
}

/** What has to be written so that `after` stands where `before` stood. */
export function replacing(table: Table, before: Item | undefined, after: Item | undefined): Map<string, Json> {
  const changes = new Map<string, Json>(
    rowsOf(table, before)
      .keys()
      .map((row) => [row, undefined]),
  );
  for (const [row, value] of rowsOf(table, after)) changes.set(row, value);
  return changes;
}

/** The second at which an item expires; null when the attribute is missing or is no plausible number of seconds. */
export function expiryOf(table: Table, item: Item): number | null {
  const seconds = table.timeToLive === null ? Number.NaN : Number(attribute(item, table.timeToLive)?.N);
  return seconds >= 0 && seconds < 10 ** secondsDigits ? Math.floor(seconds) : null;
}

const belongs = (index: Index, item: Item): boolean =>
  attributesOf(index.keys).every(({ name, type }) => {
    const value = attribute(item, name);
    return value !== undefined && typeOf(value) === type;
  });

const projected = (index: Index, item: Item): Item =>
  index.projected === null
    ? item
    : Object.fromEntries(Object.entries(item).filter(([name]) => index.projected!.has(name)));
