import type { FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { target } from "./patterns.ts";

/** Lowers any function-like node: declaration, expression, arrow, method. */
export function functionOf(l: Lowering, node: SyntaxNode, exported = false): FunctionNode {
  const name = childIn(node, "name");
  const single = childIn(node, "parameter");
  const listed = childIn(node, "parameters")?.children ?? [];
  const params = single ? [parameterOf(l, single)] : listed.map((parameter) => parameterOf(l, parameter));
  const result = childIn(node, "return_type")?.children[0];
  const head = l.text.slice(node.start, node.start + 60);
  return {
    ...span(node),
    name: name ? l.textOf(name) : "",
    params,
    decorators: childrenIn(node, "decorator").flatMap((d) => d.children.map((c) => l.expression(c))),
    body: bodyOf(l, childIn(node, "body")),
    receiver: node.type === "arrow_function" ? null : "this",
    exported,
    ...(result && { result: l.textOf(result) }),
    ...(/^(?:(?:public|private|protected|static|override)\s+)*get\s+[\w#$["']/.test(head) &&
      node.type === "method_definition" && { getter: true }),
    ...(/^(?:(?:public|private|protected|static|override)\s+)*async\b/.test(head) && {
      suspends: true,
    }),
  };
}

function bodyOf(l: Lowering, body: SyntaxNode | undefined): Statement[] {
  if (!body) return [];
  if (body.type === "statement_block") return l.statements(body.children);
  return [{ ...span(body), kind: "return", value: l.expression(body) }];
}

function parameterOf(l: Lowering, node: SyntaxNode): Parameter {
  const typed = node.type === "required_parameter" || node.type === "optional_parameter";
  const pattern = (typed ? childIn(node, "pattern") : node) ?? node;
  const to = target(l, pattern);
  const type = typed ? childIn(node, "type") : undefined;
  const fallback = typed
    ? childIn(node, "value")
    : node.type === "assignment_pattern"
      ? childIn(node, "right")
      : undefined;
  return {
    ...span(node),
    name: to.kind === "variable" ? to.name : `<${node.start}>`,
    pattern: to.kind === "variable" ? null : to,
    type: type?.children[0] ? l.textOf(type.children[0]) : null,
    decorators: childrenIn(node, "decorator").flatMap((d) => d.children.map((c) => l.expression(c))),
    default: fallback ? l.expression(fallback) : null,
    rest: pattern.type === "rest_pattern",
  };
}
