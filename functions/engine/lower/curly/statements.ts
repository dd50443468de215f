import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";

export type StatementHandler<L extends Lowering = Lowering> = (l: L, node: SyntaxNode) => Statement[];

export const inside: StatementHandler = (l, node) => l.statements(node.children);
export const none: StatementHandler = () => [];
/** What stands in a field, or nothing. */
export const under = (l: Lowering, node: SyntaxNode, field: string): Statement[] => {
  const found = childIn(node, field);
  return found ? l.statement(found) : [];
};
const value = (l: Lowering, node: SyntaxNode): Expression | null =>
  node.children[0] ? l.expression(node.children[0]) : null;

export const asStatement = (value: Expression): Statement => ({ ...span(value), kind: "expression", value });

/** A loop whose parts stand in the fields condition, update and body. */
export function loop(l: Lowering, node: SyntaxNode, bind: Expression | null = null, always = false): Statement {
  const test = childIn(node, "condition");
  const updates = node.children.filter((child) => child.field === "update").map((child) => l.expression(child));
  return {
    ...span(node),
    kind: "loop",
    bind,
    test: test ? l.expression(test) : null,
    body: under(l, node, "body"),
    update: updates.length > 0 ? { ...span(node), kind: "sequence", parts: updates } : null,
    always,
  };
}

/** Statements that the grammars of C, C++ and C# name alike. */
export const statements: Record<string, StatementHandler> = {
  ERROR: inside,
  empty_statement: none,
  else_clause: inside,
  expression_statement: (l, node) => node.children.map((child) => asStatement(l.expression(child))),
  if_statement: (l, node) => {
    const test = childIn(node, "condition");
    if (!test) return inside(l, node);
    const then = under(l, node, "consequence");
    const otherwise = under(l, node, "alternative");
    return [{ ...span(node), kind: "branch", test: l.expression(test), then, otherwise }];
  },
  while_statement: (l, node) => [loop(l, node)],
  do_statement: (l, node) => [loop(l, node, null, true)],
  for_statement: (l, node) => [...under(l, node, "initializer"), loop(l, node)],
  return_statement: (l, node) => [{ ...span(node), kind: "return", value: value(l, node) }],
  throw_statement: (l, node) => [{ ...span(node), kind: "throw", value: value(l, node) }],
  break_statement: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  continue_statement: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
};
