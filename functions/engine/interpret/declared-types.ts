import type { Assign, Expression } from "../ir/ir.ts";
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
  if (!at.declares) return type ?? frame.types?.get(name) ?? null;
  frame.types ??= new Map();
  if (type !== null && frame.types.size < typesMax) frame.types.set(name, type);
  else frame.types.delete(name);
  return type;
}
