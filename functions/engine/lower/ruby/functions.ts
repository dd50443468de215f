import type { Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { RubyLowering } from "./ruby-lowering.ts";

/** Lowers a method. Who has no name is a block or a lambda, which sees the variables around it. */
export function functionOf(l: RubyLowering, node: SyntaxNode): FunctionNode {
  const name = childIn(node, "name");
  const outer = l.variables;
  l.variables = new Set(name ? [] : outer);
  try {
    const params = (childIn(node, "parameters")?.children ?? []).map((p) => parameterOf(l, p));
    const body = childIn(node, "body");
    const lowered = body ? l.statement(body) : [];
    const given = lowered[0]?.kind === "block" && lowered.length === 1 ? lowered[0].body : lowered;
    return {
      ...span(node),
      name: name ? l.textOf(name) : "",
      params,
      decorators: [],
      body: returning(given),
      receiver: name ? "this" : null,
      exported: name !== undefined,
    };
  } finally {
    l.variables = outer;
  }
}

/** What comes last is what a method gives. */
function returning(body: Statement[]): Statement[] {
  const last = body.at(-1);
  return last ? [...body.slice(0, -1), lastOf(last)] : [];
}

function lastOf(s: Statement): Statement {
  switch (s.kind) {
    case "expression":
      return { start: s.start, end: s.end, kind: "return", value: s.value };
    case "branch":
      return { ...s, then: returning(s.then), otherwise: returning(s.otherwise) };
    case "block":
      return { ...s, body: returning(s.body) };
    case "switch":
      return { ...s, cases: s.cases.map((c) => ({ ...c, body: returning(c.body) })) };
    case "try":
      return { ...s, body: returning(s.body), catches: s.catches.map((c) => ({ ...c, body: returning(c.body) })) };
    default:
      return s;
  }
}

function parameterOf(l: RubyLowering, node: SyntaxNode): Parameter {
  const name = childIn(node, "name") ?? node;
  const fallback = childIn(node, "value");
  const isPattern = node.type === "destructured_parameter";
  for (const each of isPattern ? node.children : [name]) l.variables.add(l.textOf(each));
  const pattern: Expression | null = isPattern
    ? {
        ...span(node),
        kind: "collection",
        shape: "list",
        entries: node.children.map((c) => ({ ...span(c), key: null, value: l.variable(c), spread: false })),
      }
    : null;
  return {
    ...span(node),
    name: l.textOf(name),
    pattern,
    type: null,
    decorators: [],
    default: fallback ? l.expression(fallback) : null,
    rest: /^(hash_)?splat_parameter$|^forward_parameter$/.test(node.type),
    ...(node.type === "hash_splat_parameter" && { byName: true }),
  };
}
