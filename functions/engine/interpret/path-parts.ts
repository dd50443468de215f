import type { Expression } from "../ir/ir.ts";

const common = new Set(["commonpath", "commonprefix"]);

/** `commonpath([base, path])`, to be compared with the base: what it is asked about. */
export function pathsInCommon(expression: Expression): readonly Expression[] {
  if (expression.kind !== "call" || expression.callee.kind !== "field" || !common.has(expression.callee.name))
    return [];
  const [list] = expression.args;
  return list?.value.kind === "collection" ? list.value.entries.map((entry) => entry.value) : [];
}

/** `base in path.parents`: the path that lies below the base. */
export const childOfParents = (list: Expression): Expression | null =>
  list.kind === "field" && list.name === "parents" ? list.of : null;
