import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement, inside, none, type StatementHandler } from "../curly/statements.ts";
import { positional, span } from "../lowering.ts";
import { classOf, functionOf, patternOf, propertyOf } from "./declarations.ts";
import type { KotlinLowering } from "./kotlin-lowering.ts";
import { returning } from "./results.ts";

type Handler = StatementHandler<KotlinLowering>;

const type: Handler = (l, node) => [classOf(l, node)];
/** A value whose branches hold statements, and which nobody asks for. */
const branching: Handler = (l, node) => returning(l, node, asStatement);
const branch = (l: KotlinLowering, node: SyntaxNode | undefined): Statement[] => (node ? l.statement(node) : []);

/** How each kind of Kotlin statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  ERROR: inside,
  shebang: none,
  file_annotation: none,
  package_header: none,
  type_alias: none,
  label: none,
  import: (l, node) => {
    const path = childOf(node, "qualified_identifier") ?? childOf(node, "identifier");
    if (!path) return [];
    const module = l.textOf(path).replace(/[\s`]+/g, "");
    if (/\*$/.test(l.textOf(node).trim())) return [{ ...span(node), kind: "import", module, name: null, as: "*" }];
    const other = node.children.find((c) => c !== path && c.type === "identifier");
    const as = other ? l.textOf(other) : module.slice(module.lastIndexOf(".") + 1);
    return [{ ...span(node), kind: "import", module, name: null, as }];
  },
  class_declaration: type,
  object_declaration: type,
  companion_object: type,
  function_declaration: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node, null) }],
  property_declaration: propertyOf,
  block: (l, node) => [{ ...span(node), kind: "block", body: l.statements(node.children) }],
  if_expression: branching,
  when_expression: branching,
  try_expression: branching,
  binary_expression: branching,
  assignment: (l, node) => {
    const [to, operator, right] = ["left", "operator", "right"].map((field) => childIn(node, field));
    if (!to || !right) return inside(l, node);
    const symbol = operator ? l.textOf(operator).replace(/=$/, "") : "";
    const target = targetOf(l, to);
    if (symbol === "") return returning(l, right, (from) => asStatement(assigned(node, target, from)));
    const operands = [l.expression(to), l.expression(right)];
    return [asStatement(assigned(node, target, { ...span(node), kind: "operation", operator: symbol, operands }))];
  },
  for_statement: (l, node) => {
    const [bind, over, ...rest] = node.children.filter((c) => c.type !== "label" && c.type !== "annotation");
    if (!bind || !over) return inside(l, node);
    const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    const to = assigned(bind, patternOf(l, bind), element, null, true);
    return [loop(node, to, null, l.statements(rest), false)];
  },
  while_statement: (l, node) => whileLoop(l, node, false),
  do_while_statement: (l, node) => whileLoop(l, node, true),
  return_expression: (l, node) => {
    const value = node.children.find((c) => c.field !== "label");
    return value ? returning(l, value) : [{ ...span(node), kind: "return", value: null }];
  },
  throw_expression: (l, node) => {
    const [value] = node.children;
    return [{ ...span(node), kind: "throw", value: value ? l.expression(value) : null }];
  },
  identifier: (l, node) => {
    const to = l.textOf(node);
    return to === "break" || to === "continue"
      ? [{ ...span(node), kind: "jump", to }]
      : [asStatement(l.expression(node))];
  },
  labeled_expression: (l, node) => {
    const to = /^(break|continue)@/.exec(l.textOf(node))?.[1];
    if (to) return [{ ...span(node), kind: "jump", to: to === "break" ? "break" : "continue" }];
    return branch(l, node.children.at(-1));
  },
};

const loop = (
  node: SyntaxNode,
  bind: Expression | null,
  test: Expression | null,
  body: Statement[],
  always: boolean,
): Statement => ({ ...span(node), kind: "loop", bind, test, body, update: null, always });

function whileLoop(l: KotlinLowering, node: SyntaxNode, always: boolean): Statement[] {
  const test = childIn(node, "condition");
  const body = node.children.filter((c) => c !== test && c.type !== "label");
  return [loop(node, null, test ? l.expression(test) : null, l.statements(body), always)];
}

/** What is assigned to in `apply { }` is the receiver's, if the file has nothing of that name. */
function targetOf(l: KotlinLowering, node: SyntaxNode): Expression {
  const receiver = l.receivers.at(-1);
  if (node.type !== "identifier" || receiver === undefined || l.ownNames.has(l.textOf(node))) return l.expression(node);
  return { ...span(node), kind: "field", of: l.variable(node, receiver), name: l.textOf(node), accessor: true };
}

/** The parts of an `if`. */
export function branchesOf(node: SyntaxNode) {
  const test = childIn(node, "condition");
  const [then, otherwise] = node.children.filter((c) => c !== test);
  return { test, then, otherwise };
}

/** `when`: a switch if it asks about something, else one question after the other. */
export function switchOf(
  l: KotlinLowering,
  node: SyntaxNode,
  lowered: (body: SyntaxNode[]) => Statement[],
): Statement[] {
  const subject = childOf(node, "when_subject");
  const entries = node.children.filter((c) => c.type === "when_entry");
  const parts = entries.map((entry) => ({
    at: span(entry),
    tests: entry.children.filter((c) => c.field === "condition"),
    body: lowered(entry.children.filter((c) => c.field !== "condition")),
  }));
  const asked = subject?.children.at(-1);
  if (!asked)
    return parts.reduceRight<Statement[]>((otherwise, { at, tests, body }) => {
      const [test] = tests;
      return test ? [{ ...at, kind: "branch", test: l.expression(test), then: body, otherwise }] : body;
    }, []);
  const named = childOf(subject as SyntaxNode, "variable_declaration");
  const bound = named ? [asStatement(assigned(named, patternOf(l, named), l.expression(asked), null, true))] : [];
  const of = named ? patternOf(l, named) : l.expression(asked);
  const cases = parts.map(({ tests, body }) => ({
    tests: tests.map((test): Expression => {
      if (test.type !== "type_test" && test.type !== "range_test") return l.expression(test);
      return { ...span(test), kind: "unknown", reads: [] };
    }),
    body,
    through: false,
  }));
  return [...bound, { ...span(node), kind: "switch", of, cases }];
}

/** `a in b` asks what b contains. */
export const contains = (l: KotlinLowering, node: SyntaxNode, of: SyntaxNode, what: SyntaxNode): Expression =>
  l.call(node, { ...span(of), kind: "field", of: l.expression(of), name: "contains" }, [
    positional(l.expression(what)),
  ]);
