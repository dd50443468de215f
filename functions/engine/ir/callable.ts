import type { Expression } from "./ir.ts";

/**
 * What PHP names instead of writing it: "save", "Orders::save", [$this, "save"], [Orders::class, "save"], and the "Orders@save" of routes.
 * Anything else is given back: what it calls is decided at run time.
 */
export function callable(of: Expression): Expression {
  if (of.kind === "literal" && typeof of.value === "string") {
    const [type, method] = of.value.split(/::|@/) as [string, string | undefined];
    const named = variable(of, type);
    return method === undefined ? named : { ...named, kind: "field", of: named, name: method };
  }
  if (of.kind !== "collection" || of.entries.length !== 2) return of;
  const [object, method] = of.entries.map((entry) => entry.value) as [Expression, Expression];
  if (method.kind !== "literal" || typeof method.value !== "string") return of;
  const on = object.kind === "literal" && typeof object.value === "string" ? variable(object, object.value) : object;
  return { start: of.start, end: of.end, kind: "field", of: on, name: method.value };
}

const variable = ({ start, end }: Expression, name: string): Expression => ({
  start,
  end,
  kind: "variable",
  name: name.replace(/^\\/, ""),
});
