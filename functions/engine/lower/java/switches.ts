import type { Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { patternTest } from "./patterns.ts";

/** A case, and what its label asks beside being equal: a pattern binds names, and a guard follows it. */
interface Arm {
  readonly case: Switch["cases"][number];
  readonly asked: Expression[];
}

/** Reads a switch of either form. Arrow arms do not fall through; groups do unless they jump. */
export function switchArms(l: Lowering, node: SyntaxNode): { of: Expression; subject: Expression; arms: Arm[] } {
  const condition = childIn(node, "condition");
  const of = condition ? l.expression(condition) : l.unknown(node);
  const subject = condition ? askedOf(l, condition, of) : of;
  const arms = (childIn(node, "body")?.children ?? []).map((group) => {
    const labels = group.children.filter((c) => c.type === "switch_label");
    const rest = group.children.filter((c) => c.type !== "switch_label");
    const body: Statement[] = l.statements(rest);
    const tests = labels.flatMap((label) => testsOf(l, label));
    const asked = labels.flatMap((label) => askedBy(l, label, subject));
    return { case: { tests, body, through: group.type !== "switch_rule" }, asked };
  });
  return { of, subject, arms };
}

/** Every arm asks about it, so that what has a switch in it would be run once for each, and again within that: it is not asked about. */
const askedOf = (l: Lowering, condition: SyntaxNode, of: Expression): Expression =>
  /\bswitch\b/.test(l.textOf(condition)) ? l.reads(condition, []) : of;

/** As a statement: what a pattern binds is assigned before the body of its case, which a guard may keep out. */
export function switchParts(l: Lowering, node: SyntaxNode): { of: Expression; cases: Switch["cases"] } {
  const { of, arms } = switchArms(l, node);
  const cases = arms.map(({ case: given, asked }) => {
    const [test, ...others] = asked;
    return test && others.length === 0 ? { ...given, body: asking(test, given.body) } : given;
  });
  return { of, cases };
}

/** A pattern without a guard keeps nothing out that gets to its case. */
function asking(test: Expression, body: Statement[]): Statement[] {
  const { start, end } = test;
  if (test.kind !== "operation" || test.operator !== "&&")
    return [{ start, end, kind: "expression", value: test }, ...body];
  return [{ start, end, kind: "branch", test, then: body, otherwise: [] }];
}

function testsOf(l: Lowering, label: SyntaxNode): Expression[] {
  if (childOf(label, "pattern")) return [l.reads(label, [])];
  return label.children.map((c) => l.expression(c));
}

function askedBy(l: Lowering, label: SyntaxNode, of: Expression): Expression[] {
  const pattern = childOf(label, "pattern")?.children[0];
  if (!pattern) return [];
  const test = patternTest(l, pattern, of);
  const guard = childOf(label, "guard")?.children[0];
  if (!guard) return [test];
  return [{ ...span(label), kind: "operation", operator: "&&", operands: [test, l.expression(guard)] }];
}
