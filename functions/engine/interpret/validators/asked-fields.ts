import { type ClassStatement, checkedText, type Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { through } from "../guards/guard-functions.ts";
import { bySchema, either, type Passage } from "../guards/passage.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Taint, Value } from "../value.ts";

/** A validator has looked at an object: which of its fields are harmless by that their type says, wherever it is declared. */
export function fieldsAsked(run: Run, frame: Frame, operand: Expression): void {
  const key = accessPath(operand);
  if (key === null) return;
  const value = evaluate(run, frame, operand);
  const type = typeOf(value);
  if (type === undefined) return;
  frame.scope.refine(key, through(value, { target: type, argument: bySchema, check: "result", trusted: false }));
}

/** What is read of an object that was asked: linking knows what its type says of the field. */
export const asAskedField = (taint: readonly Taint[], name: string): readonly Taint[] =>
  taint.some(({ via }) => via?.some(isWhole))
    ? taint.map((t) => ({ ...t, via: t.via?.map((p) => (isWhole(p) ? { ...p, part: name } : p)) }))
    : taint;

/** The fields of a class that validators look at. */
export const checkedFields = ({ body }: ClassStatement): string[] =>
  body.flatMap((member) => {
    const field = member.kind === "expression" && member.value.kind === "assign" ? member.value : null;
    return field?.type === checkedText && field.to.kind === "variable" ? [field.to.name] : [];
  });

/** What declarations are asked about a field of what was held against them, on the way of a value. */
export const askedOf = <P extends Asked>(via: readonly P[] | undefined, field: string): P[] =>
  (via ?? [])
    .filter(({ argument }) => argument === bySchema)
    .map((asked) => ({
      ...asked,
      part:
        asked.part === undefined
          ? field
          : asked.part
              .split(either)
              .map((part) => `${part}.${field}`)
              .join(either),
    }));

const typeOf = ({ paths }: Value): string | undefined =>
  paths.find((path) => /^(~|[^?~]*[/.])\p{L}\w*$/u.test(path) && !path.includes("()"));

type Asked = Pick<Passage, "argument" | "part">;

const isWhole = ({ argument, part }: Asked): boolean => argument === bySchema && part === undefined;
