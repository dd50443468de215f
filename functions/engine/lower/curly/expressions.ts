import type { Argument, Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, positional, span } from "../lowering.ts";

export type ExpressionHandler<L extends Lowering = Lowering> = (l: L, node: SyntaxNode) => Expression;

export const inner: ExpressionHandler = (l, node) => {
  const only = childIn(node, "value") ?? node.children.at(-1);
  return only ? l.expression(only) : l.reads(node, []);
};
export const name: ExpressionHandler = (l, node) => l.variable(node);
export const silent: ExpressionHandler = (l, node) => l.reads(node, []);
export const list: ExpressionHandler = (l, node) => ({
  ...span(node),
  kind: "collection",
  shape: "list",
  entries: node.children.map((c) => ({ ...span(c), key: null, value: l.expression(c), spread: false })),
});

export const argumentsIn = (l: Lowering, node: SyntaxNode | undefined): Argument[] =>
  (node?.children ?? []).map((child) => positional(l.expression(child)));

/** `of.name`, wherever the two stand. */
export const fieldOf = (l: Lowering, node: SyntaxNode, of: SyntaxNode | undefined, name: SyntaxNode | undefined) =>
  of && name
    ? ({ ...span(node), kind: "field", of: l.expression(of), name: l.textOf(name) } as const)
    : l.unknown(node);

export const assigned = (
  node: SyntaxNode,
  to: Expression,
  from: Expression,
  type: string | null = null,
  declares = false,
): Expression => ({ ...span(node), kind: "assign", to, from, type, declares });

/** Values that the grammars of C, C++ and C# name alike. */
export const expressions: Record<string, ExpressionHandler> = {
  identifier: name,
  this: name,
  parenthesized_expression: inner,
  binary_expression: (l, node) =>
    l.chain(node, (n) => {
      const [left, operator, right] = ["left", "operator", "right"].map((field) => childIn(n, field));
      if (n.type !== "binary_expression" || !left || !operator || !right) return null;
      return { left, operator: l.textOf(operator), right };
    }),
  conditional_expression: (l, node) => {
    const [test, then, otherwise] = ["condition", "consequence", "alternative"].map((field) => childIn(node, field));
    if (!test || !otherwise) return l.unknown(node);
    // `a ?: b` gives what was tested.
    const given = { test: l.expression(test), then: l.expression(then ?? test), otherwise: l.expression(otherwise) };
    return { ...span(node), kind: "conditional", ...given };
  },
  assignment_expression: (l, node) => {
    const [to, operator, right] = ["left", "operator", "right"].map((field) => childIn(node, field));
    if (!to || !right) return l.unknown(node);
    const symbol = operator ? l.textOf(operator).replace(/=$/, "") : "";
    const given = l.expression(right);
    const operands = [l.expression(to), given];
    return assigned(
      node,
      l.expression(to),
      symbol === "" ? given : { ...span(node), kind: "operation", operator: symbol, operands },
    );
  },
};
