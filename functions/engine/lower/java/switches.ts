import type { Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** Reads a switch of either form. Arrow arms do not fall through; groups do unless they jump. */
export function switchParts(l: Lowering, node: SyntaxNode): { of: Expression; cases: Switch["cases"] } {
  const condition = childIn(node, "condition");
  const cases = (childIn(node, "body")?.children ?? []).map((group) => {
    const labels = group.children.filter((c) => c.type === "switch_label");
    const rest = group.children.filter((c) => c.type !== "switch_label");
    const body: Statement[] = l.statements(rest);
    return { tests: labels.flatMap((label) => testsOf(l, label)), body, through: group.type !== "switch_rule" };
  });
  return { of: condition ? l.expression(condition) : l.unknown(node), cases };
}

function testsOf(l: Lowering, label: SyntaxNode): Expression[] {
  if (childOf(label, "pattern")) return [l.reads(label, [])];
  return label.children.map((c) => l.expression(c));
}
