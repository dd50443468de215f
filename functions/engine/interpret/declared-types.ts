import type { Assign, ClassStatement, Expression } from "../ir/ir.ts";
import type { Frame, Run } from "./run.ts";

/** Variables of one function of which the types are kept; one with more was generated. */
const typesMax = 200;

/** What a variable is declared with: `ZipEntry entry;` has the type for what is assigned to it later, too. */
export function declaredFor(
  run: Run,
  frame: Frame,
  name: string,
  at: Assign | Expression,
  type: string | null,
): string | null {
  if (run.language !== "java" || at.kind !== "assign") return type;
  if (!at.declares) return type ?? frame.types?.get(name) ?? fieldDeclared(frame, name);
  frame.types ??= new Map();
  if (type !== null && frame.types.size < typesMax) frame.types.set(name, type);
  else frame.types.delete(name);
  return type;
}

/** `client = Client.create();` in a method: the field says what it holds, whatever made that. */
const fieldDeclared = (frame: Frame, name: string): string | null =>
  frame.owner?.fields.has(name) && !frame.scope.binding(name) ? declaredIn(frame.owner.node, name) : null;

/** The type of a field of a class, as it is written. */
export function declaredIn(node: ClassStatement, name: string): string | null {
  const types = typesOfFields.get(node) ?? fieldTypes(node);
  typesOfFields.set(node, types);
  return types.get(name) ?? null;
}

const typesOfFields = new WeakMap<ClassStatement, ReadonlyMap<string, string>>();

const fieldTypes = ({ body }: ClassStatement): ReadonlyMap<string, string> =>
  new Map(
    body.flatMap((s) =>
      s.kind === "expression" && s.value.kind === "assign" && s.value.type !== null && s.value.to.kind === "variable"
        ? [[s.value.to.name, s.value.type] as const]
        : [],
    ),
  );
