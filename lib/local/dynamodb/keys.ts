import { type AttributeValue, attribute, bytesOf, type Item, typeOf } from "./attribute-value.ts";
import { attributesOf, invalid, type KeyAttribute, type Keys, type Table } from "./table.ts";

/** @throws AwsError ValidationException when the members of a key are not exactly the table's */
export function checkKey(table: Table, key: Item): void {
  const attributes = attributesOf(table.keys);
  const fits = attributes.every(({ name, type }) => attribute(key, name)?.[type] !== undefined);
  if (!fits || Object.keys(key).length !== attributes.length) {
    throw invalid("The provided key element does not match the schema");
  }
  checkSizes(table.keys, key);
}

/** @throws AwsError ValidationException when an item lacks the table's key or has it in another type */
export function checkItemKey(table: Table, item: Item): void {
  for (const { name, type } of attributesOf(table.keys)) {
    const value = attribute(item, name);
    if (!value) throw invalid(`One or more parameter values were invalid: Missing the key ${name} in the item`);
    if (value[type] === undefined) {
      throw invalid(
        `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${type} actual: ${typeOf(value)}`,
      );
    }
  }
  checkSizes(table.keys, item);
}

/** @throws AwsError ValidationException when a member of the key is an empty string or binary */
export function refuseEmptyKey(table: Table, item: Item): void {
  for (const { name } of attributesOf(table.keys)) {
    const empty = emptiness(attribute(item, name));
    if (empty) throw invalid(`One or more parameter values are not valid. ${emptyKey(empty)} Key: ${name}`);
  }
}

/** @throws AwsError ValidationException when a put gives an index an empty key */
export function refuseEmptyIndexKeys(table: Table, item: Item): void {
  for (const { index, name } of indexAttributes(table)) {
    const empty = emptiness(attribute(item, name));
    if (!empty) continue;
    throw invalid(
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. " +
        `${emptyKey(empty)} IndexName: ${index}, IndexKey: ${name}`,
    );
  }
}

/**
 * Checks the index keys that a write changes; a value that was there before an index came is left alone, and out of it.
 * @throws AwsError ValidationException
 */
export function checkIndexKeys(table: Table, before: Item | undefined, after: Item): void {
  for (const { index, name, type } of indexAttributes(table)) {
    const value = attribute(after, name);
    if (!value || (before && value[type] !== undefined && attribute(before, name)?.[type] === value[type])) continue;
    if (value[type] === undefined) {
      throw invalid(
        `One or more parameter values were invalid: Type mismatch for Index Key ${name} ` +
          `Expected: ${type} Actual: ${typeOf(value)} IndexName: ${index}`,
      );
    }
    const empty = emptiness(value);
    if (empty) {
      throw invalid(
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key " +
          `to a value that is not supported. ${emptyKey(empty)}`,
      );
    }
  }
  for (const index of table.indexes) checkSizes(index.keys, after);
}

const indexAttributes = (table: Table) =>
  table.indexes.flatMap((index) => attributesOf(index.keys).map((one) => ({ index: index.name, ...one })));

const emptiness = (value: AttributeValue | undefined) =>
  value?.S === "" ? "string" : value?.B === "" ? "binary" : null;

const emptyKey = (empty: string) => `The AttributeValue for a key attribute cannot contain an empty ${empty} value.`;

function checkSizes({ partition, sort }: Keys, item: Item): void {
  if (keyBytes(partition, item) > 2048) {
    throw invalid(
      "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
    );
  }
  if (sort && keyBytes(sort, item) > 1024) {
    throw invalid(
      "One or more parameter values were invalid: " +
        "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    );
  }
}

function keyBytes({ name }: KeyAttribute, item: Item): number {
  const value = attribute(item, name);
  return value?.S !== undefined ? Buffer.byteLength(value.S) : value?.B !== undefined ? bytesOf(value.B).length : 0;
}
