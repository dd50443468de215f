import type { Json } from "../service.ts";
import { type AttributeValue, attribute, type Item, itemBytes, project } from "./attribute-value.ts";
import { matches } from "./condition.ts";
import { checkKey } from "./keys.ts";
import { pathsOf } from "./requests.ts";
import type { Range, Storage } from "./storage.ts";
import {
  attributesOf,
  encodedPartition,
  encodedSort,
  endOf,
  type Index,
  indexOf,
  indexRow,
  indexRows,
  invalid,
  itemRow,
  itemRows,
  type KeyAttribute,
  type Table,
} from "./table.ts";
import type { Tables } from "./tables.ts";

/** DynamoDB reads at most this much for one page, before the filter. */
const pageBytesMax = 1024 * 1024;
/** The three leading hex digits of a partition's prefix are its place among this many. */
const hashPlaces = 16 ** 3;

/** What a Query or Scan reads: a table, or one of its indexes. */
interface Source {
  readonly table: Table;
  readonly index: Index | null;
  readonly rows: string;
}

/** Query. @throws AwsError ResourceNotFoundException, ValidationException */
export async function query(request: Json, tables: Tables, storage: Storage): Promise<object> {
  const source = sourceOf(request, tables);
  const { keys } = source.index ?? source.table;
  const { [keys.partition.name]: partition, ...others } = request.KeyConditions as Record<string, KeyCondition>;
  const sort = keys.sort && others[keys.sort.name];
  if (!partition) throw invalid(`Query condition missed key schema element: ${keys.partition.name}`);
  const strange = Object.keys(others).find((name) => name !== keys.sort?.name);
  if (strange !== undefined) {
    throw invalid(
      keys.sort ? `Query condition missed key schema element: ${keys.sort.name}` : "Query key condition not supported",
    );
  }
  if (partition.ComparisonOperator !== "EQ") throw invalid("Query key condition not supported");
  checkTypes(keys.partition, partition);
  const prefix = source.rows + encodedPartition(keys.partition, partition.AttributeValueList[0]!);
  if (sort) checkTypes(keys.sort!, sort);
  const range = sort ? rangeOf(prefix, keys.sort!, sort) : { gte: prefix, lt: endOf(prefix) };
  for (const { name } of attributesOf(keys)) {
    if (!request._filter?.pathHeads[name]) continue;
    throw invalid(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`);
  }
  return page(request, source, { ...range, reverse: request.ScanIndexForward === false }, storage);
}

/** Scan, whole or one segment of it. */
export async function scan(request: Json, tables: Tables, storage: Storage): Promise<object> {
  const source = sourceOf(request, tables);
  const { Segment = 0, TotalSegments = 1 } = request;
  const bound = (segment: number) =>
    source.rows +
    Math.ceil((hashPlaces * segment) / TotalSegments)
      .toString(16)
      .padStart(3, "0");
  const last = Segment + 1 === TotalSegments;
  return page(request, source, { gte: bound(Segment), lt: last ? endOf(source.rows) : bound(Segment + 1) }, storage);
}

interface KeyCondition {
  readonly ComparisonOperator: "EQ" | "LT" | "LE" | "GT" | "GE" | "BEGINS_WITH" | "BETWEEN";
  readonly AttributeValueList: readonly AttributeValue[];
}

function sourceOf(request: Json, tables: Tables): Source {
  const table = tables.get(request.TableName);
  if (!request.IndexName) return { table, index: null, rows: itemRows(table) };
  const index = indexOf(table, request.IndexName);
  if (request.ConsistentRead) throw invalid("Consistent reads are not supported on global secondary indexes");
  if (request.Select === "ALL_ATTRIBUTES" && index.projected) {
    throw invalid(
      "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary " +
        `index ${index.name} because its projection type is not ALL`,
    );
  }
  const absent = pathsOf(request)?.find(([head]) => index.projected && !index.projected.has(String(head)));
  if (absent) {
    throw invalid(
      `One or more parameter values were invalid: Global secondary index ${index.name} does not project [${absent[0]}]`,
    );
  }
  return { table, index, rows: indexRows(table, index) };
}

function checkTypes({ type }: KeyAttribute, { AttributeValueList }: KeyCondition): void {
  if (AttributeValueList.every((value) => value[type] !== undefined)) return;
  throw invalid("One or more parameter values were invalid: Condition parameter type does not match schema type");
}

/** Rows of one sort key begin with it and "/", which sorts below everything that a longer key goes on with. */
function rangeOf(prefix: string, sort: KeyAttribute, condition: KeyCondition): Range {
  const [low, high] = condition.AttributeValueList.map((value) => prefix + encodedSort(sort, value)) as [
    string,
    string,
  ];
  switch (condition.ComparisonOperator) {
    case "EQ":
      return { gte: low, lt: endOf(low) };
    case "LT":
      return { gte: prefix, lt: low };
    case "LE":
      return { gte: prefix, lt: endOf(low) };
    case "GT":
      return { gte: endOf(low), lt: endOf(prefix) };
    case "GE":
      return { gte: low, lt: endOf(prefix) };
    case "BETWEEN":
      return { gte: low, lt: endOf(high) };
    case "BEGINS_WITH":
      return { gte: low.slice(0, -1), lt: endOf(low.slice(0, -1)) };
  }
}

async function page(request: Json, source: Source, range: Range, storage: Storage): Promise<object> {
  const { Limit = Number.POSITIVE_INFINITY, Select, _filter } = request;
  const items: Item[] = [];
  let scanned = 0;
  let bytes = 0;
  let last: Item | undefined;
  let more = false;
  for await (const [, item] of storage.entries(continued(request, source, range))) {
    bytes += itemBytes(item);
    more = scanned === Limit || (bytes > pageBytesMax && scanned > 0);
    if (more) break;
    scanned += 1;
    last = item;
    if (!_filter || matches(_filter.expression, item)) items.push(item);
    // As on AWS, a page that is full says so without looking whether anything follows.
    more = scanned === Limit;
    if (more) break;
  }
  const paths = pathsOf(request);
  return {
    Count: items.length,
    ScannedCount: scanned,
    ...(Select !== "COUNT" && { Items: paths ? items.map((item) => project(item, paths)) : items }),
    ...(more && last && { LastEvaluatedKey: positionOf(source, last) }),
  };
}

/** The range that is left after ExclusiveStartKey. */
function continued({ ExclusiveStartKey: start }: Json, source: Source, range: Range): Range {
  if (!start) return range;
  const row = rowOfPosition(source, start);
  if (row < (range.gte ?? "") || row >= range.lt) {
    throw invalid("The provided starting key is outside query boundaries based on provided conditions");
  }
  const { gte: _, ...rest } = range;
  return range.reverse ? { ...range, lt: row } : { ...rest, gt: row };
}

const positionAttributes = ({ table, index }: Source): Map<string, KeyAttribute> =>
  new Map([...attributesOf(table.keys), ...(index ? attributesOf(index.keys) : [])].map((one) => [one.name, one]));

const positionOf = (source: Source, item: Item): Item =>
  Object.fromEntries(
    positionAttributes(source)
      .keys()
      .map((name) => [name, item[name]!]),
  );

function rowOfPosition(source: Source, start: Item): string {
  const attributes = positionAttributes(source);
  const fits = attributes.values().every(({ name, type }) => attribute(start, name)?.[type] !== undefined);
  if (!fits || Object.keys(start).length !== attributes.size) {
    throw invalid("The provided starting key is invalid: The provided key element does not match the schema");
  }
  checkKey(source.table, Object.fromEntries(attributesOf(source.table.keys).map(({ name }) => [name, start[name]!])));
  return source.index ? indexRow(source.table, source.index, start) : itemRow(source.table, start);
}
