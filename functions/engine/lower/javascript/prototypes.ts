import type { Assign, Entry, Expression } from "../../ir/ir.ts";

/**
 * `Page.prototype = { find: function (name) {…}, …}`: what was written as one object is written as `Page.prototype.find = …` by others, and
 * means the same. What is no method stays in the object.
 */
export function prototypeMethods(assign: Assign): Expression {
  const { to, from } = assign;
  if (to.kind !== "field" || to.name !== "prototype" || from.kind !== "collection" || from.shape !== "map")
    return assign;
  const methods = from.entries.filter(isMethod);
  if (methods.length === 0) return assign;
  const entries = from.entries.filter((entry) => !isMethod(entry));
  return {
    start: assign.start,
    end: assign.end,
    kind: "sequence",
    parts: [{ ...assign, from: { ...from, entries } }, ...methods.map((entry) => methodOf(assign, to, entry))],
  };
}

const isMethod = ({ key, value }: Entry): boolean =>
  value.kind === "closure" && key?.kind === "literal" && typeof key.value === "string";

function methodOf(assign: Assign, of: Expression, { start, end, key, value }: Entry): Assign {
  const name = key?.kind === "literal" ? String(key.value) : "";
  return { ...assign, start, end, to: { start, end, kind: "field", of, name }, from: value };
}
