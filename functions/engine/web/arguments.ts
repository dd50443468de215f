import type { Call, Expression } from "../ir/ir.ts";

/** The argument at a position or under a name, or under a key of a map that comes first. */
export function argumentOf(call: Call, key: string | number): Expression | undefined {
  if (typeof key === "number") return call.args.filter(({ name }) => name === null)[key]?.value;
  if (key === "receiver") return call.callee.kind === "field" ? call.callee.of : undefined;
  if (key === "chain") return chainStart(call);
  const byName = call.args.find(({ name }) => name === key)?.value;
  return byName ?? call.args.map(({ value }) => entryOf(value, key)).find((value) => value !== undefined);
}

function entryOf(map: Expression, key: string): Expression | undefined {
  if (map.kind !== "collection" || map.shape !== "map") return undefined;
  return map.entries.find((entry) => entry.key?.kind === "literal" && entry.key.value === key)?.value;
}

/** The first argument of the call that a chain of calls begins with: `router.route("/a").get(f).post(g)`. */
function chainStart(call: Call): Expression | undefined {
  let first: Call | undefined;
  for (let here: Expression = call; here.kind === "call" && here.callee.kind === "field"; here = here.callee.of)
    first = here;
  return first?.args[0]?.value;
}

/** The text of a path; placeholders of templates become `:`. Null where it is computed. */
export function pathText(expression: Expression | undefined): string | null {
  if (!expression) return null;
  if (expression.kind === "literal") return typeof expression.value === "string" ? expression.value : null;
  if (expression.kind === "template") return expression.parts.map((part) => pathText(part) ?? ":").join("");
  if (expression.kind === "operation" && expression.operator === "+")
    return expression.operands.map((part) => pathText(part) ?? ":").join("");
  if (expression.kind === "collection") return pathText(expression.entries[0]?.value);
  return null;
}

/** The words in a list of methods: texts, or members of an enumeration. */
export function methodsIn(expression: Expression): string[] {
  if (expression.kind === "collection") return expression.entries.flatMap(({ value }) => methodsIn(value));
  if (expression.kind === "literal")
    return typeof expression.value === "string" ? [expression.value.toUpperCase()] : [];
  return expression.kind === "field" || expression.kind === "variable"
    ? [expression.name.toUpperCase().replace(/^METHOD/, "")]
    : [];
}

/** The first path under any of the keys; null where there is none, or it is computed. */
export function pathUnder(call: Call, keys: readonly (string | number)[]): string | null {
  return keys.map((key) => pathText(argumentOf(call, key))).find((path) => path !== null) ?? null;
}
