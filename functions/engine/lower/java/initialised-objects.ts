import type { Expression, Statement } from "../../ir/ir.ts";
import { childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";

/**
 * `new HashMap<>() {{ put("a", x); }}`: an object of a class that is written for nothing but what is called on it when it is made.
 * What the statements of such a block call is called on the object. Null for any other body of a class.
 */
export function initialisedObject(l: Lowering, node: SyntaxNode, made: Expression): Expression | null {
  const blocks = childOf(node, "class_body")?.children ?? [];
  if (blocks.length === 0 || blocks.some(({ type }) => type !== "block")) return null;
  const at = span(node);
  const object = l.variable(node, `<object ${node.start}>`);
  const assign: Expression = { ...at, kind: "assign", to: object, from: made, type: null, declares: true };
  const body: Statement[] = [
    { ...at, kind: "expression", value: assign },
    ...blocks.flatMap(({ children }) => l.statements(children)).map((statement) => calledOn(object, statement)),
    { ...at, kind: "return", value: object },
  ];
  const fn = { ...at, name: "", params: [], decorators: [], receiver: null, exported: false, body };
  return { ...at, kind: "call", callee: { ...at, kind: "closure", fn }, args: [], isNew: false };
}

function calledOn(object: Expression, statement: Statement): Statement {
  const within = (body: Statement[]) => body.map((inner) => calledOn(object, inner));
  switch (statement.kind) {
    case "expression":
      return { ...statement, value: withObject(object, statement.value) };
    case "branch":
      return { ...statement, then: within(statement.then), otherwise: within(statement.otherwise) };
    case "block":
    case "loop":
    case "try":
      return { ...statement, body: within(statement.body) };
    default:
      return statement;
  }
}

/** `SELECT("*").FROM("orders")`: the first of the calls is on the object, the others are on what that gives. */
function withObject(object: Expression, e: Expression): Expression {
  if (e.kind !== "call" || e.isNew) return e;
  const { callee } = e;
  if (callee.kind === "variable") {
    const { start, end, name } = callee;
    return { ...e, callee: { start, end, kind: "field", of: object, name } };
  }
  return callee.kind === "field" ? { ...e, callee: { ...callee, of: withObject(object, callee.of) } } : e;
}
