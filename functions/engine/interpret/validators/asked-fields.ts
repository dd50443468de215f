import { type ClassStatement, checkedText, type Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { through } from "../guards/guard-functions.ts";
import { accessPath } from "../names.ts";
import { fieldOf } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import type { Taint, Value } from "../value.ts";

/** Stands before the type of an object that was asked whether it is as its type says, and before that of a field that was read of one. */
export const asFieldsSay = "fields:";

/** A validator has looked at an object: which of its fields are harmless by that their type says, wherever it is declared. */
export function fieldsAsked(run: Run, frame: Frame, operand: Expression): void {
  const key = accessPath(operand);
  if (key === null) return;
  const value = evaluate(run, frame, operand);
  const type = typeOf(value);
  if (type === undefined) return;
  frame.scope.refine(key, through(value, passage(type)));
}

/** What is read of an object that was asked: linking knows what its type says of the field. */
export const asAskedField = (taint: readonly Taint[], name: string): readonly Taint[] =>
  taint.some(({ via }) => via?.some(isWhole))
    ? taint.map((t) => ({ ...t, via: t.via?.map((p) => (isWhole(p) ? passage(`${typeIn(p)}${fieldOf}${name}`) : p)) }))
    : taint;

/** The fields of a class that validators look at. */
export const checkedFields = ({ body }: ClassStatement): string[] =>
  body.flatMap((member) => {
    const field = member.kind === "expression" && member.value.kind === "assign" ? member.value : null;
    return field?.type === checkedText && field.to.kind === "variable" ? [field.to.name] : [];
  });

/** The types of objects that were asked as a whole, on the way of a value. */
export const typesAsked = (via: readonly { target: string }[] | undefined): string[] =>
  (via ?? []).filter(isWhole).map(typeIn);

const typeOf = ({ paths }: Value): string | undefined =>
  paths.find((path) => /^(~|[^?~]*[/.])\p{L}\w*$/u.test(path) && !path.includes("()"));

const passage = (type: string) => ({
  target: `${asFieldsSay}${type}`,
  argument: 0,
  check: "result" as const,
  trusted: false,
});

const typeIn = ({ target }: { target: string }): string => target.slice(asFieldsSay.length);

const isWhole = ({ target }: { target: string }): boolean =>
  target.startsWith(asFieldsSay) && !target.includes(fieldOf);
