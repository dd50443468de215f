import { AwsError, type Json } from "../service.ts";

/** Whether an event matches. */
export type EventTest = (event: Json) => boolean;

/** Tests the leaves found at a place of the event: none when the place does not exist, several in an array. */
type LeafTest = (leaves: readonly unknown[]) => boolean;

/**
 * Reads an EventBridge event pattern: exact values, prefix, suffix, equals-ignore-case, anything-but, exists, numeric,
 * and $or.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns-content-based-filtering.html
 * @throws AwsError InvalidEventPatternException for anything else
 */
export function readEventPattern(pattern: object): EventTest {
  const tests = Object.entries(pattern).map(([key, wanted]): EventTest => {
    if (key === "$or" && Array.isArray(wanted)) {
      const alternatives = wanted.map((alternative) => readEventPattern(alternative));
      return (event) => alternatives.some((test) => test(event));
    }
    if (Array.isArray(wanted)) {
      if (wanted.length === 0) throw invalid(`${key} lists nothing to match`);
      const alternatives = wanted.map(leafTest);
      return (event) => {
        const leaves = leavesOf(valueAt(event, key));
        return alternatives.some((test) => test(leaves));
      };
    }
    if (wanted === null || typeof wanted !== "object") throw invalid(`${key} must be an object or an array`);
    const within = readEventPattern(wanted);
    return (event) => {
      const value = valueAt(event, key);
      return Array.isArray(value) ? value.some(within) : within(value);
    };
  });
  if (tests.length === 0) throw invalid("it is empty");
  return (event) => tests.every((test) => test(event));
}

const invalid = (why: string) => new AwsError("InvalidEventPatternException", `Event pattern is not valid: ${why}.`);

const valueAt = (event: Json, key: string): unknown =>
  event !== null && typeof event === "object" && Object.hasOwn(event, key) ? event[key] : undefined;

/** Objects are no leaves: `exists` and values look at what is inside them by name. */
function leavesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return value === undefined || (value !== null && typeof value === "object") ? [] : [value];
}

function leafTest(wanted: Json): LeafTest {
  if (wanted === null || typeof wanted !== "object") return (leaves) => leaves.includes(wanted);
  const [[kind, operand] = [], ...more] = Object.entries<Json>(wanted);
  if (kind === undefined || more.length > 0) throw invalid("a comparison has exactly one name");
  if (kind === "exists" && typeof operand === "boolean") return (leaves) => leaves.length > 0 === operand;
  if (kind === "anything-but") return anythingBut(operand);
  const test = valueTest(kind, operand);
  return (leaves) => leaves.some(test);
}

function valueTest(kind: string, operand: Json): (leaf: unknown) => boolean {
  if (kind === "numeric" && Array.isArray(operand)) return numeric(operand);
  const folded = typeof operand === "object" && operand !== null ? operand["equals-ignore-case"] : undefined;
  const text = folded ?? operand;
  const compare = texts[kind];
  if (typeof text !== "string" || !compare) throw invalid(`${kind} is not a comparison that is supported here`);
  const fold =
    folded !== undefined || kind === "equals-ignore-case" ? (s: string) => s.toLowerCase() : (s: string) => s;
  return (leaf) => typeof leaf === "string" && compare(fold(leaf), fold(text));
}

const texts: Record<string, (leaf: string, text: string) => boolean> = {
  prefix: (leaf, text) => leaf.startsWith(text),
  suffix: (leaf, text) => leaf.endsWith(text),
  "equals-ignore-case": (leaf, text) => leaf === text,
};

/** True for a field that is there with another value; a field that is missing is not anything. */
function anythingBut(operand: Json): LeafTest {
  const values: unknown[] = Array.isArray(operand) ? operand : [operand];
  const tests = values.map((value: Json) => {
    if (value === null || typeof value !== "object") return (leaf: unknown) => leaf === value;
    const [[kind, text] = [], ...more] = Object.entries<Json>(value);
    if (kind === undefined || more.length > 0) throw invalid("a comparison has exactly one name");
    const alternatives = (Array.isArray(text) ? text : [text]).map((each) => valueTest(kind, each));
    return (leaf: unknown) => alternatives.some((test) => test(leaf));
  });
  if (tests.length === 0) throw invalid("anything-but lists nothing");
  return (leaves) => leaves.some((leaf) => !tests.some((test) => test(leaf)));
}

const comparisons: Record<string, (leaf: number, bound: number) => boolean> = {
  "=": (leaf, bound) => leaf === bound,
  "<": (leaf, bound) => leaf < bound,
  "<=": (leaf, bound) => leaf <= bound,
  ">": (leaf, bound) => leaf > bound,
  ">=": (leaf, bound) => leaf >= bound,
};

/** `[">", 0, "<=", 5]`: one comparison, or a lower and an upper bound. */
function numeric(operand: readonly Json[]): (leaf: unknown) => boolean {
  if (operand.length !== 2 && operand.length !== 4) throw invalid("numeric takes one comparison or two");
  const bounds = Array.from({ length: operand.length / 2 }, (_, index) => {
    const compare = comparisons[operand[2 * index]];
    const bound = operand[2 * index + 1];
    if (!compare || typeof bound !== "number") throw invalid("numeric takes =, <, <=, > or >= and a number");
    return (leaf: number) => compare(leaf, bound);
  });
  return (leaf) => typeof leaf === "number" && bounds.every((test) => test(leaf));
}
