import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { truth } from "../operators.ts";
import type { Frame } from "../run.ts";
import { constant, hasEntries, nothing, type Value } from "../value.ts";

/** What tells in an answer of several parts whether it is a good one: a part of what is returned, and what that is known to say. */
export interface Verdict {
  readonly said: boolean | null;
  /** What to ask where that is not known, and the answer that is a good one. */
  readonly asked: Expression | null;
  readonly good: boolean;
}

const saysGood = /^(?:is_?)?(?:ok|okay|valid|success(?:ful)?|passed|allowed|accepted)$/i;
const saysBad =
  /^(?:is_?|has_?)?(?:err|errors?|error_?message|invalid|failed|failure|problems?|issues|violations?|reason)$/i;

/** Makers of such answers, of other files as a rule: `return fail("too long")`, `return Result.ok(name)`. */
const makesGood = /^(?:ok|okay|success|succeed|valid|accept|accepted)$/i;
const makesBad = /^(?:fail|failed|failure|err|error|invalid|reject|rejected|refuse|refused|deny|denied)$/i;

/**
 * `return { ok: false, reason: "too long" }`, `return False, "too long"`: the verdict of a function that looks at its parameters. Undefined
 * for what is no such answer, null for what may be one that nobody knows.
 */
export function verdictOf(returned: Expression, value: Value): Verdict | null | undefined {
  const { slots, instance } = value;
  if (instance && returned.kind === "variable") return verdictOfObject(returned, [...instance.fields.keys()]);
  if (slots && !slots.rest) {
    const parts = [...slots.entries];
    const good = parts.find(([key, part]) => (slots.shape === "map" ? saysGood.test(key) : isFlag(part)));
    if (good) return { said: truth(good[1]), asked: partOf(returned, good[0]), good: true };
    const bad = slots.shape === "map" ? parts.find(([key]) => saysBad.test(key)) : parts.at(-1);
    if (bad) return { said: isNothing(bad[1]), asked: partOf(returned, bad[0]), good: false };
    // `{ value }` beside `{ error }`: nothing is wrong.
    return slots.shape === "map" ? { said: true, asked: null, good: true } : undefined;
  }
  if (returned.kind !== "call") return value.constants ? undefined : null;
  const said = saidByCall(returned);
  return said === null ? null : { said, asked: null, good: true };
}

/** `result.valid = False`: an object of the file, which says it in a field. */
function verdictOfObject(returned: Expression, fields: readonly string[]): Verdict | null {
  const good = fields.find((name) => saysGood.test(name));
  const told = good ?? fields.find((name) => saysBad.test(name));
  return told === undefined ? null : { said: null, asked: partOf(returned, told), good: good !== undefined };
}

/** What is made with a flag, `new Verdict(false, "too long")`, or by a function that is called for what it makes. */
function saidByCall({ args, callee, isNew }: Call): boolean | null {
  const [flag] = args;
  if (isNew) return flag?.value.kind === "literal" && typeof flag.value.value === "boolean" ? flag.value.value : null;
  const name = lastName(callee);
  return makesGood.test(name) ? true : makesBad.test(name) ? false : null;
}

/** An answer as far as it is written out. */
export function writtenOut(e: Expression): Value {
  if (e.kind === "literal") return constant(e.value);
  if (e.kind !== "collection" || e.entries.some(({ spread }) => spread)) return nothing;
  const entries = e.entries.map(({ key, value }, i) => {
    const name = e.shape === "list" ? i : key?.kind === "literal" ? key.value : null;
    return [String(name), writtenOut(value)] as const;
  });
  return { ...nothing, slots: { shape: e.shape, entries: new Map(entries), rest: null } };
}

const isFlag = ({ constants }: Value): boolean => constants?.every((one) => typeof one === "boolean") === true;

function isNothing(value: Value): boolean | null {
  const filled = value.slots ? hasEntries(value.slots) : truth(value);
  return filled === null ? null : !filled;
}

function partOf(returned: Expression, key: string): Expression | null {
  const { start, end } = returned;
  if (returned.kind === "variable") return { start, end, kind: "field", of: returned, name: key };
  if (returned.kind !== "collection") return null;
  const entry = returned.entries.find((one, i) =>
    one.key ? one.key.kind === "literal" && one.key.value === key : String(i) === key,
  );
  return entry && !entry.spread ? entry.value : null;
}

/** The call whose answer a test looks at, and whether it was a good one: `if (!result.ok)`, `if (error)`, `result.isValid()`. */
export function answerAsked(frame: Frame, test: Expression, outcome: boolean): { call: Call; good: boolean } | null {
  const asked = test.kind === "variable" ? frame.scope.binding(test.name)?.origins.get(test.name) : test;
  const [of, part] = asked ? memberOf(asked) : [];
  if (!of || part === undefined) return null;
  // Results that have only places go by what they are called here.
  const name = test.kind === "variable" && /^\d$/.test(part) ? test.name.replace(/^\$/, "") : part;
  const isGood = saysGood.test(name);
  if (!isGood && !saysBad.test(name)) return null;
  const call = of.kind === "variable" ? frame.scope.binding(of.name)?.origins.get(of.name) : of;
  return call?.kind === "call" && !call.isNew ? { call, good: isGood === outcome } : null;
}

function memberOf(asked: Expression): [of: Expression, name: string] | [] {
  if (asked.kind === "field") return [asked.of, asked.name];
  if (asked.kind === "index" && asked.key?.kind === "literal") return [asked.of, String(asked.key.value)];
  const { callee, args } = asked.kind === "call" ? asked : { callee: null, args: [] };
  return callee?.kind === "field" && args.length === 0 ? [callee.of, callee.name] : [];
}
