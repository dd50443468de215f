import type { Call, Expression, FunctionNode, Operation } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, joinTaint, nothing, type Taint, type Value } from "../value.ts";
import { isNative, number } from "./memory-faults.ts";

/** What a function writes where a parameter points: into the whole, or into a field of it. */
export interface Output {
  readonly index: number;
  /** Names of fields; empty for the whole. */
  readonly fields: readonly string[];
  readonly taint: readonly Taint[];
}

/** Functions of C give most of what they give by writing it where their caller has asked for it. */
export function outputsOf(run: Run, { scope }: Frame, fn: FunctionNode): Output[] {
  if (run.language !== "c") return [];
  const body = run.stretch(fn.start, fn.end);
  return fn.params.flatMap((param, index) => {
    const written = run.text.slice(param.start, param.end);
    if (!/[*&[]/.test(written)) return [];
    // What is assigned to the pointer itself stays in the function; what is assigned to a reference does not.
    const isMoved = !written.includes("&") && new RegExp(`(?<![\\w*.>]\\s*)\\b${param.name}\\s*=(?!=)`).test(body);
    return [...(scope.known ?? [])].flatMap(([key, value]) => {
      if (key !== param.name && !key.startsWith(`${param.name}.`)) return [];
      if (key === param.name && isMoved) return [];
      const taint = allTaint(value).filter(
        ({ source }) => source.parameter?.fn !== fn || source.parameter.index !== index,
      );
      return taint.length === 0 ? [] : [{ index, fields: key.split(".").slice(1), taint }];
    });
  });
}

/** Writes what a call puts where its arguments point. */
export function writeBack(
  run: Run,
  frame: Frame,
  { args }: Call,
  outputs: readonly Output[],
  given: (output: Output) => readonly Taint[],
): void {
  for (const output of outputs) {
    const argument = args[output.index]?.value;
    const whole = argument && accessPath(argument);
    if (!argument || !whole) continue;
    const to = output.fields.reduce<Expression>(
      (of, name) => ({ start: argument.start, end: argument.end, kind: "field", of, name }),
      argument,
    );
    const known = evaluate(run, frame, to);
    const value: Value = { ...known, constants: null, prefix: null, taint: joinTaint(known.taint, given(output)) };
    const key = [whole, ...output.fields].join(".");
    const owner = frame.scope.binding(key);
    if (owner && owner !== frame.scope) run.storeAround(owner, key, value);
    else frame.scope.refine(key, value);
  }
}

const beforeMark = "<before>";

/** Whether a value is a place in front of a block. */
export const isBeforeBlock = ({ paths }: Value): boolean => paths.includes(beforeMark);

/** `data = buffer - 8`: where a declared array begins, nothing lies before it. Null for any other operation. */
export function placeBefore(run: Run, { operator, operands }: Operation, values: readonly Value[]): Value | null {
  const [left] = operands;
  const region = values[0]?.region;
  if (operator !== "-" || operands.length !== 2 || left?.kind !== "variable" || !region || !isNative(run)) return null;
  const from = Number(region.id);
  const isArray = region.kind === "stack" && run.text.startsWith(left.name, from);
  return isArray && (number(values[1]) ?? 0) > 0 ? { ...nothing, paths: [beforeMark] } : null;
}
