import type { Expression, Statement } from "../../ir/ir.ts";
import { childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { asStatement } from "../curly/statements.ts";
import { span } from "../lowering.ts";
import type { KotlinLowering } from "./kotlin-lowering.ts";
import { branchesOf, switchOf } from "./statements.ts";

type Use = (value: Expression) => Statement;

const asReturn: Use = (value) => ({ ...span(value), kind: "return", value });

/** What gives no value: the last statement of a block is one of these in functions that return nothing. */
const valueless = /_declaration$|^(assignment|for_statement|while_statement|do_while_statement|type_alias)$/;

/**
 * `if`, `when` and `try` are values in Kotlin, with statements inside. What is done with such a value is done
 * at the end of each of their branches: no other language needs statements inside of values.
 */
export const returning = (l: KotlinLowering, node: SyntaxNode, use: Use = asReturn): Statement[] =>
  l.nested(() => doneWith(l, node, use)) ?? [];

function doneWith(l: KotlinLowering, node: SyntaxNode, use: Use): Statement[] {
  switch (node.type) {
    case "if_expression": {
      const { test, then, otherwise } = branchesOf(node);
      if (!test) break;
      const [yes, no] = [then, otherwise].map((branch) => (branch ? returning(l, branch, use) : []));
      return [{ ...span(node), kind: "branch", test: l.expression(test), then: yes ?? [], otherwise: no ?? [] }];
    }
    case "when_expression":
      return switchOf(l, node, (body) => body.flatMap((c) => returning(l, c, use)));
    case "try_expression": {
      const body = childOf(node, "block");
      const last = childOf(childOf(node, "finally_block") ?? node, "block");
      return [
        {
          ...span(node),
          kind: "try",
          body: body ? returning(l, body, use) : [],
          catches: node.children
            .filter((c) => c.type === "catch_block")
            .map((clause) => {
              const name = childOf(clause, "identifier");
              const inside = childOf(clause, "block");
              return {
                ...span(clause),
                bind: name ? l.variable(name) : null,
                body: inside ? returning(l, inside, use) : [],
              };
            }),
          last: last && last !== body ? l.statements(last.children) : [],
        },
      ];
    }
    case "block":
      return lastOf(l, node.children, use);
    case "return_expression":
    case "throw_expression":
      return l.statement(node);
    case "binary_expression": {
      const left = node.children.find((c) => c.field === "left");
      const right = node.children.find((c) => c.field === "right");
      // `a ?: return b` goes on with what is there.
      if (left && right && /^(return|throw)_expression$/.test(right.type)) {
        const test: Expression = {
          ...span(node),
          kind: "operation",
          operator: "==",
          operands: [l.expression(left), l.literal(node, null)],
        };
        const leaves: Statement = { ...span(node), kind: "branch", test, then: l.statement(right), otherwise: [] };
        return [leaves, use(l.expression(left))];
      }
    }
  }
  return valueless.test(node.type) ? l.statement(node) : [use(l.expression(node))];
}

/** Statements of which the last gives the value. */
export function lastOf(l: KotlinLowering, nodes: readonly SyntaxNode[], use: Use = asReturn): Statement[] {
  const last = nodes.at(-1);
  return last ? [...l.statements(nodes.slice(0, -1)), ...returning(l, last, use)] : [];
}

/** The value of a block where only a value can stand: what is done on the way is kept as far as it is values. */
export function blockValue(l: KotlinLowering, node: SyntaxNode): Expression {
  if (node.type !== "block") return l.expression(node);
  const parts = lastOf(l, node.children, asStatement).flatMap((s) => (s.kind === "expression" ? [s.value] : []));
  return { ...span(node), kind: "sequence", parts };
}
