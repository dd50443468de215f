import { createRequire } from "node:module";
import { AwsError, type Json } from "../service.ts";
import type { Path } from "./attribute-value.ts";
import type { Condition } from "./condition.ts";
import type { UpdateAction } from "./update.ts";

/**
 * What we take from dynalite, and the only file that knows it: the grammar of expressions, the request checks with AWS's
 * wording, and the order-preserving encoding of keys. Its storage and its evaluation of expressions are not used: they
 * write an item and its index entries one after the other, tell index entries apart by 24 bits of a hash, compare
 * documents by identity, and let `SET a = b ADD b :n` change `a` too.
 */
const require = createRequire(import.meta.url);
const validations = require("dynalite/validations/index.js") as {
  checkTypes(input: Json, types: Shape): Json;
  checkValidations(request: Json, types: Shape, custom: Check | undefined, store: object): void;
  validateAttributeValue(value: object): string | undefined;
};
const encodings = require("dynalite/db/index.js") as {
  hashPrefix(value: string, type: string): string;
  toRangeStr(value: string, type: string): string;
};

/** Members of a request in dynalite's notation: type, required, lengths, enums, nested members. */
export type Shape = Record<string, Json>;
/** The sentence that says what is wrong with a request, if anything; leaves parsed expressions in it. */
export type Check = (request: Json, store: object) => string | undefined;

/** What dynalite leaves in a request whose expressions it has parsed. */
export interface ParsedExpressions {
  readonly _condition?: { readonly expression: Condition };
  readonly _filter?: { readonly expression: Condition; readonly pathHeads: Readonly<Record<string, true>> };
  readonly _projection?: { readonly paths: readonly Path[] };
  readonly _updates?: { readonly sections: readonly UpdateAction[]; readonly paths: readonly Path[] };
}

/** dynalite's own shape and check of an operation, for example "putItem". */
export function rulesOf(operation: string): { types: Shape; custom?: Check } {
  return require(`dynalite/validations/${operation}.js`);
}

/** Sizes are checked by us, in bytes: dynalite counts UTF-16 units, a third of what Chinese text weighs. */
const unlimited = { options: { maxItemSize: Number.POSITIVE_INFINITY } };

/**
 * Checks a request and parses its expressions.
 * @returns a copy with the members of the shape only, numbers in plain notation
 * @throws AwsError ValidationException, SerializationException
 */
export function checkRequest(input: Json, types: Shape, custom?: Check): Json {
  checkNodes(input);
  try {
    const request = validations.checkTypes(input, types);
    validations.checkValidations(request, types, custom, unlimited);
    return request;
  } catch (error) {
    throw toAwsError(error);
  }
}

/** Runs only the check of an operation, for requests inside requests. */
export function checkPart(request: Json, custom: Check | undefined): void {
  const message = custom?.(request, unlimited);
  if (message) throw new AwsError("ValidationException", message);
}

/** dynalite copies with plain assignments, which would turn this one name into a prototype and lose the attribute. */
export function checkName(name: string | number): void {
  if (name === "__proto__") throw new AwsError("ValidationException", "An attribute cannot be called __proto__ here.");
}

/** What dynalite would trip over. The depth also bounds the recursion of everything that reads the request later. */
function checkNodes(input: Json, depth = 0): void {
  if (input === null && depth > 1) throw new AwsError("SerializationException", "The request has a null inside.");
  if (typeof input !== "object" || input === null) return;
  if (depth > 200) throw new AwsError("SerializationException", "The request is nested too deep.");
  for (const [name, member] of Object.entries(input)) {
    checkName(name);
    checkNodes(member, depth + 1);
  }
}

/** A number as DynamoDB stores it: plain notation, at most 38 digits. @throws AwsError when it is out of range */
export function storedNumber(digits: string): string {
  const value = { N: digits };
  const message = validations.validateAttributeValue(value);
  if (message) throw new AwsError("ValidationException", message);
  return value.N;
}

/** Six hex digits that scatter partitions, as DynamoDB's own hash does; Scan walks in their order. */
export const partitionPrefix = encodings.hashPrefix;

/** Digits and letters that sort as DynamoDB sorts the key: strings by UTF-8 bytes, numbers by value. */
export const sortable = encodings.toRangeStr;

function toAwsError(error: unknown): unknown {
  const { statusCode, body } = error as { statusCode?: number; body?: Json };
  if (!statusCode) return error;
  return new AwsError(String(body.__type).split("#")[1] ?? "", body.message ?? body.Message, statusCode);
}
