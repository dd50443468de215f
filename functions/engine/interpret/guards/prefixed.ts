import { type Families, normalised } from "../../catalogue/catalogue.ts";
import type { Expression, FunctionNode } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { constant, type Taint, type Value } from "../value.ts";

/**
 * The fact that a parameter begins with a folder, in whatever form it came. It is local, see memory-sizes.ts, and has a dot as what is known
 * about fields has: it does not outlive the expression that asks.
 */
export const prefixedFact = "@prefixed.";

/** Whether nothing has been made of a parameter since it came in. */
export const isUntouched = (fn: FunctionNode | null, { source: { parameter }, step }: Taint): boolean => {
  const param = parameter?.fn === fn ? fn?.params[parameter.index] : undefined;
  return param !== undefined && step.start === param.start && step.end === param.end;
};

/** A prefix test on what a helper was given means something where its caller has brought that into its shortest form. */
export function notePrefixed(frame: Frame, operand: Expression, { taint }: Value): void {
  const own = operand.kind === "variable" && frame.fn?.params.some(({ name }) => name === operand.name);
  if (own && frame.guard && taint.length > 0 && taint.every((one) => isUntouched(frame.fn, one)))
    frame.scope.set(`${prefixedFact}${operand.name}`, constant(true));
}

/**
 * What a guard says of a parameter. That it is clean for path_traversal is meant of any path where `normalised` stands beside it, and only of
 * those in their shortest form where it does not: so what two ways have in common is what both are sure of.
 */
export function guarded(run: Run, frame: Frame, name: string, clean: Families): Families {
  const path = run.catalogue.bitsOf(["path_traversal"]);
  if ((clean & path) !== 0) return clean | normalised;
  return frame.scope.get(`${prefixedFact}${name}`) ? clean | path : clean;
}

/** The two parts of that: what a parameter is clean for in any case, and in its shortest form. */
export function guardedParts(path: Families, families: Families): { always: Families; inShortForm: Families } {
  if ((families & path) === 0 || (families & normalised) !== 0)
    return { always: families === -1 ? families : families & ~normalised, inShortForm: 0 };
  return { always: families & ~path, inShortForm: path };
}
