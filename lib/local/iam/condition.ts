import { arnMatches, globMatches } from "./glob.ts";

/** Condition keys in lower case (IAM does not tell their case apart) with the values of one request. */
export type Context = ReadonlyMap<string, readonly string[]>;

/** One line of a policy's Condition block, ready to be asked. */
export type Condition = (context: Context) => boolean;

type Test = (given: string, wanted: string) => boolean;

const same: Test = (given, wanted) => given === wanted;
const sameIgnoringCase: Test = (given, wanted) => given.toLowerCase() === wanted.toLowerCase();
const like: Test = (given, wanted) => globMatches(wanted, given);
const arnLike: Test = (given, wanted) => arnMatches(wanted, given);
const numeric =
  (holds: (given: number, wanted: number) => boolean): Test =>
  (given, wanted) =>
    given.trim() !== "" && holds(Number(given), Number(wanted));

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html */
const operators: Readonly<Record<string, { readonly test: Test; readonly negated?: true }>> = {
  StringEquals: { test: same },
  StringNotEquals: { test: same, negated: true },
  StringEqualsIgnoreCase: { test: sameIgnoringCase },
  StringNotEqualsIgnoreCase: { test: sameIgnoringCase, negated: true },
  StringLike: { test: like },
  StringNotLike: { test: like, negated: true },
  ArnEquals: { test: arnLike },
  ArnLike: { test: arnLike },
  ArnNotEquals: { test: arnLike, negated: true },
  ArnNotLike: { test: arnLike, negated: true },
  Bool: { test: sameIgnoringCase },
  NumericEquals: { test: numeric((a, b) => a === b) },
  NumericNotEquals: { test: numeric((a, b) => a === b), negated: true },
  NumericLessThan: { test: numeric((a, b) => a < b) },
  NumericLessThanEquals: { test: numeric((a, b) => a <= b) },
  NumericGreaterThan: { test: numeric((a, b) => a > b) },
  NumericGreaterThanEquals: { test: numeric((a, b) => a >= b) },
};

/**
 * Reads a Condition block; all of the returned conditions must hold.
 * @throws Error for an operator that this evaluator does not know: ignoring it would grant too much
 */
export function parseConditions(block: unknown): Condition[] {
  return Object.entries((block ?? {}) as Record<string, Record<string, unknown>>).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => conditionOf(operator, key.toLowerCase(), textsOf(wanted))),
  );
}

function conditionOf(name: string, key: string, wanted: readonly string[]): Condition {
  if (name === "Null") return (context) => context.has(key) === (wanted[0] === "false");
  const [, set, base, ifExists] = /^(ForAllValues:|ForAnyValue:)?(\w+?)(IfExists)?$/.exec(name) ?? [];
  const operator = operators[base ?? ""];
  if (!operator) throw new Error(`The condition operator ${name} is not supported by the embedded cloud.`);
  const holds = (given: string) => wanted.some((value) => operator.test(given, value)) !== (operator.negated ?? false);
  return (context) => {
    const given = context.get(key) ?? [];
    if (given.length === 0) {
      if (ifExists || set === "ForAllValues:") return true;
      // A negated operator matches when the key is missing, as on AWS: there is nothing that equals the value.
      return !set && operator.negated === true;
    }
    return set === "ForAnyValue:" ? given.some(holds) : given.every(holds);
  };
}

/** A value of a policy is a text, a number, a truth value, or a list of them. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)]);
