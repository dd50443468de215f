import type { Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { boundType, withTypeParameters } from "../type-parameters.ts";

/** Lowers a method or constructor. */
export const methodOf = (l: Lowering, node: SyntaxNode): FunctionNode =>
  withTypeParameters(l, node, () => declaredMethod(l, node));

function declaredMethod(l: Lowering, node: SyntaxNode): FunctionNode {
  const name = childIn(node, "name");
  const body = childIn(node, "body");
  const modifiers = childOf(node, "modifiers");
  const result = childIn(node, "type");
  return {
    ...span(node),
    name: node.type === "method_declaration" ? l.textOf(name ?? node) : "constructor",
    params: parametersOf(l, childIn(node, "parameters")),
    decorators: annotationsOf(l, node),
    body: body ? l.statements(body.children) : [],
    result: result ? boundType(l, l.textOf(result)) : null,
    receiver: modifiers && /\bstatic\b/.test(l.textOf(modifiers)) ? null : "this",
    exported: !modifiers || !/\bprivate\b/.test(l.textOf(modifiers)),
  };
}

export function lambdaOf(l: Lowering, node: SyntaxNode): FunctionNode {
  const given = childIn(node, "parameters");
  const body = childIn(node, "body");
  const statements: Statement[] = !body
    ? []
    : body.type === "block"
      ? l.statements(body.children)
      : [{ ...span(body), kind: "return", value: l.expression(body) }];
  return {
    ...span(node),
    name: "",
    params: given?.type === "identifier" ? [untyped(l, given)] : parametersOf(l, given),
    decorators: [],
    body: statements,
    receiver: null,
    exported: false,
  };
}

/** The annotations among a declaration's modifiers. */
export function annotationsOf(l: Lowering, node: SyntaxNode): Expression[] {
  return (childOf(node, "modifiers")?.children ?? [])
    .filter((c) => c.type.endsWith("annotation"))
    .map((c) => l.expression(c));
}

export function parametersOf(l: Lowering, node: SyntaxNode | undefined): Parameter[] {
  return (node?.children ?? []).flatMap((p): Parameter[] => {
    if (p.type === "identifier") return [untyped(l, p)];
    if (p.type === "spread_parameter") {
      const declarator = childOf(p, "variable_declarator");
      const type = p.children.find((c) => c !== declarator && c.type !== "modifiers");
      return [
        {
          ...untyped(l, declarator ?? p),
          type: type ? l.textOf(type) : null,
          decorators: annotationsOf(l, p),
          rest: true,
        },
      ];
    }
    const name = childIn(p, "name");
    const type = childIn(p, "type");
    if (!name) return [];
    return [
      {
        ...untyped(l, name),
        ...span(p),
        type: type ? boundType(l, l.textOf(type)) : null,
        decorators: annotationsOf(l, p),
      },
    ];
  });
}

const untyped = (l: Lowering, node: SyntaxNode): Parameter => ({
  ...span(node),
  name: l.textOf(node),
  pattern: null,
  type: null,
  decorators: [],
  default: null,
  rest: false,
});
