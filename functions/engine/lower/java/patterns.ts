import type { Assign, Expression } from "../../ir/ir.ts";
import { childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";

/** Records within records that anybody takes apart in one pattern; a deeper one would only cost our stack. */
const depthMax = 20;

/** `Circle c`, `Line(Point from, var to)`: whether a value is of that type, where it is taken apart as well. */
export function patternTest(l: Lowering, pattern: SyntaxNode, of: Expression): Expression {
  const [type] = pattern.children;
  const test: Expression = {
    ...span(pattern),
    kind: "operation",
    operator: "instanceof",
    operands: [of, type ? l.expression(type) : l.reads(pattern, [])],
  };
  const bound = boundBy(l, pattern);
  return bound ? { ...span(pattern), kind: "sequence", parts: [{ ...bound, from: of }, test] } : test;
}

/** The assignment that a pattern is. The parts of a record come in the order in which it declares them. */
function boundBy(l: Lowering, pattern: SyntaxNode, depth = 0): Assign | null {
  const type = pattern.children.at(-2);
  const last = pattern.children.at(-1);
  if (!type || !last || depth > depthMax) return null;
  const parts = childOf(pattern, "record_pattern_body")?.children;
  const to: Expression = parts
    ? { ...span(last), kind: "collection", shape: "list", entries: parts.map((part) => entryOf(l, part, depth)) }
    : l.variable(last);
  const written = l.textOf(type);
  const from: Expression = { ...span(pattern), kind: "unknown", reads: [] };
  return { ...span(pattern), kind: "assign", to, from, type: written === "var" ? null : written, declares: true };
}

const entryOf = (l: Lowering, part: SyntaxNode, depth: number) => ({
  ...span(part),
  key: null,
  value: boundBy(l, part, depth + 1) ?? l.reads(part, []),
  spread: false,
});
