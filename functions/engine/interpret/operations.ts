import { castOperator, type Expression, type Operation } from "../ir/ir.ts";
import { withType } from "./assign.ts";
import { asTexts } from "./calls/magic-methods.ts";
import { checkComparison } from "./comparisons.ts";
import { decided } from "./decided.ts";
import { evaluate } from "./evaluate.ts";
import { holesAfterHost } from "./guards/address-parts.ts";
import { refine } from "./guards/guards.ts";
import { keepGivenBack } from "./memory/held.ts";
import { divide } from "./memory/input-numbers.ts";
import { numericOf } from "./memory/memory.ts";
import { noteBounds } from "./memory/memory-faults.ts";
import { placeBefore } from "./memory/pointers.ts";
import { joined } from "./names.ts";
import { concatenate, formatPrefix, operate, shortCircuit, truth } from "./operators.ts";
import type { Frame, Run } from "./run.ts";
import type { Variables } from "./scope.ts";
import { madeText } from "./texts/made-text.ts";
import { placedInFormat } from "./texts/placed-arguments.ts";
import { allTaint, cleaned, constant, join, joinAll, nothing, unset, type Value } from "./value.ts";

/** The same object, which goes by the names of the class as well. */
function castTo(run: Run, frame: Frame, { operands: [of, type] }: Operation): Value {
  const value = of ? evaluate(run, frame, of) : nothing;
  return type ? withType(run, frame, value, run.text.slice(type.start, type.end)) : value;
}

/** What an operator makes of its operands. */
export function operation(run: Run, frame: Frame, e: Operation): Value {
  if (shortCircuit.has(e.operator)) {
    const value = choice(run, frame, e);
    return run.language === "php" && isAnswer.has(e.operator) ? answerOf(value) : value;
  }
  if (e.operator === castOperator) return castTo(run, frame, e);
  const operands = e.operands.map((operand) => evaluate(run, frame, operand));
  const values = e.operator === "+" ? asTexts(run, frame, operands, e.operands) : operands;
  if (e.operator === "in" && values.length === 2 && values[1]?.slots) {
    return contains(values[0] as Value, values[1]);
  }
  if (
    e.operator === "+" &&
    values.length > 1 &&
    values.some((value) => value.prefix !== null || value.taint.length > 0) &&
    values.every((value) => !value.slots)
  )
    return madeText(run, frame, values, e.operands);
  if (e.operator === "%" && run.language === "python") {
    const [format, given] = values as [Value, Value];
    const cleans = format.paths
      .flatMap((path) => run.knowledge.calls.find(`${path}.%`).sanitizers)
      .reduce((families, sanitizer) => families | sanitizer.cleans, 0);
    const text = format.constants?.[0];
    const all = given.slots?.shape === "list" ? [...given.slots.entries.values()] : [given];
    const placed = typeof text === "string" ? placedInFormat(run, frame, text, all, e) : all;
    const args = typeof text === "string" ? holesAfterHost(run, text, withoutNumbers(text, placed)) : all;
    if (typeof text === "string")
      return cleaned({ ...concatenate([...args, format]), constants: null, prefix: formatPrefix(text, args) }, cleans);
    return cleaned(concatenate(values), cleans);
  }
  noteBounds(run, frame, e.operator, e.operands, values);
  divide(run, frame, e, values);
  checkComparison(run, frame, e, values);
  const result = placeBefore(run, e, values) ?? numericOf(run, e.operator, values) ?? operate(e.operator, values);
  // Models name operators of a type like its methods: a path divided by a name is a path.
  const gives = values[0]?.paths.flatMap((path) => run.knowledge.calls.find(joined(path, e.operator)).returns) ?? [];
  return gives.length === 0 ? result : { ...result, paths: gives };
}

/** `%d` takes numbers only. */
function withoutNumbers(format: string, args: readonly Value[]): readonly Value[] {
  const kinds = [...format.matchAll(/%[-#0 +]{0,9}\d{0,9}(?:\.\d{1,9})?([a-zA-Z%])/g)].flatMap(([, kind]) =>
    kind === "%" ? [] : [kind],
  );
  if (kinds.length !== args.length) return args;
  return args.map((arg, i) => (/[diouxXeEfFgG]/.test(kinds[i] ?? "") ? cleaned(arg, -1) : arg));
}

function contains(item: Value, list: Value): Value {
  if (item.constants?.length !== 1 || !list.slots || list.slots.rest) return nothing;
  const wanted = String(item.constants[0]);
  if (list.slots.shape === "map") return constant(list.slots.entries.has(wanted));
  const entries = [...list.slots.entries.values()];
  return entries.every((entry) => entry.constants?.length === 1)
    ? constant(entries.some((entry) => String(entry.constants?.[0]) === wanted))
    : nothing;
}

/** In PHP these answer whether, and give none of their operands; `a ?: b` goes by the name of `or`. */
const isAnswer: ReadonlySet<string> = new Set(["&&", "||"]);

function answerOf(value: Value): Value {
  const known = truth(value);
  return known === null ? nothing : constant(known);
}

/**
 * `found && (part = found.next)`, `(part = found.next) !== null`: what a later operand gives a variable, as far as one sees at once, stays
 * possible beside what that had before.
 */
function keepAssigned(before: Variables, after: Variables, operand: Expression): void {
  for (const part of operand.kind === "operation" ? operand.operands : [operand]) {
    if (part.kind !== "assign" || part.to.kind !== "variable") continue;
    const { name } = part.to;
    const [known, given] = [before.get(name), after.get(name)];
    if (known && given && known !== given) before.set(name, join(known, given));
  }
}

/** `a || b` gives one of its operands; later ones are evaluated under what the earlier ones tell. */
function choice(run: Run, frame: Frame, e: Operation): Value {
  const conjunction = e.operator === "&&" || e.operator === "and";
  let before: ReturnType<typeof frame.scope.copy> = null;
  const values: Value[] = [];
  const truths: (boolean | null)[] = [];
  for (const [i, operand] of e.operands.entries()) {
    if (i > 0 && e.operator !== "??") refine(run, frame, e.operands[i - 1] as Expression, conjunction);
    const value = evaluate(run, frame, operand);
    // The first is reached in any case, and so is what it assigns.
    if (i === 0) before = frame.scope.copy();
    const known = e.operator === "??" ? null : decided(run, frame, operand, value);
    const isLast = i === e.operands.length - 1;
    // `name && all[name]` gives the name only where it is empty.
    values.push(conjunction && !isLast && value.taint.length > 0 ? nothing : value);
    truths.push(known);
    // The rest is never reached.
    if (known !== null && known !== conjunction) break;
  }
  // Assignments inside the operands stay possible, refinements do not outlive the expression.
  const after = frame.scope.variables;
  frame.scope.variables = before;
  if (before && after && run.language === "c") keepGivenBack(before, after);
  if (before && after)
    for (const [key, value] of after)
      if ((!before.has(key) || before.get(key) === unset) && !key.includes(".")) before.set(key, value);
  if (before && after) for (const operand of e.operands.slice(1)) keepAssigned(before, after, operand);
  const last = truths.at(-1) ?? null;
  if (last !== null && truths.every((known) => known !== null)) return values.at(-1) as Value;
  const decidedEarly = last !== null && last !== conjunction;
  const result = joinAll(values.filter((_, i) => truths[i] !== conjunction || i === values.length - 1));
  if (
    decidedEarly &&
    truths.slice(0, -1).every((known) => known === null) &&
    values.length > 1 &&
    result.constants === null
  ) {
    // `unknown && false` is never true; a test on it can be decided.
    return values.every((value) => allTaint(value).length === 0 && value.paths.length === 0 && value.constants)
      ? (values.at(-1) as Value)
      : result;
  }
  return result;
}
