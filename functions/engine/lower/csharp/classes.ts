import type { Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement } from "../curly/statements.ts";
import { type Lowering, positional, span } from "../lowering.ts";
import { withTypeParameters } from "../type-parameters.ts";
import { typeName } from "./types.ts";

/** The attributes of a declaration, each as the call it is. */
export const attributesOf = (l: Lowering, node: SyntaxNode): Expression[] =>
  node.children
    .filter((c) => c.type === "attribute_list")
    .flatMap((list) => list.children.filter((c) => c.type === "attribute"))
    .map((c) => {
      const name = childIn(c, "name");
      const args = childOf(c, "attribute_argument_list")?.children ?? [];
      return l.call(
        c,
        l.variable(c, typeName(l, name) ?? ""),
        args.map((arg) => {
          const label = childIn(arg, "name");
          const value = arg.children.filter((part) => part !== label).at(-1);
          return {
            name: label ? l.textOf(label) : null,
            spread: false,
            value: value ? l.expression(value) : l.reads(arg, []),
          };
        }),
      );
    });

const has = (l: Lowering, node: SyntaxNode, modifier: string): boolean =>
  node.children.some((c) => c.type === "modifier" && l.textOf(c) === modifier);

/** The bases whose public methods somebody else calls are told by their names, or by how these end. */
const familyOf = (name: string): string[] => [...new Set([name, name.match(/[A-Z][a-z]+$/)?.[0] ?? name])];

export const classOf = (l: Lowering, node: SyntaxNode): Statement =>
  withTypeParameters(l, node, () => declaredClass(l, node));

function declaredClass(l: Lowering, node: SyntaxNode): Statement {
  const name = childIn(node, "name");
  const body = childIn(node, "body") ?? childOf(node, "declaration_list");
  const bases = (childOf(node, "base_list")?.children ?? []).flatMap((base) => typeName(l, base) ?? []);
  const own = name ? l.textOf(name) : "";
  const kin = [...bases, own].flatMap(familyOf);
  const parameters = parametersOf(l, childOf(node, "parameter_list"));
  return {
    ...span(node),
    kind: "class",
    name: own,
    bases: bases.map((base) => l.variable(node, base)),
    decorators: attributesOf(l, node),
    body: [
      ...parameters.map((p) => asStatement(assigned(node, l.variable(node, p.name), l.reads(node, []), p.type, true))),
      ...madeConstructor(l, node, parameters, body?.children ?? []),
      ...(body?.children ?? []).flatMap((member) => memberOf(l, member, kin)),
    ],
  };
}

/** `record Span(string Unit)`, `class Point(int x) { public int X { get; } = x; }`: what a class is declared with it keeps. */
function madeConstructor(
  l: Lowering,
  node: SyntaxNode,
  params: readonly Parameter[],
  members: readonly SyntaxNode[],
): Statement[] {
  if (params.length === 0) return [];
  const at = span(childIn(node, "name") ?? node);
  const keep = (name: string, value: Expression, on: { start: number; end: number }): Statement => {
    const of: Expression = { ...on, kind: "variable", name: "this" };
    const to: Expression = { ...on, kind: "field", of, name };
    return {
      ...on,
      kind: "expression",
      value: { ...on, kind: "assign", to, from: value, type: null, declares: false },
    };
  };
  const set = members.flatMap((member): Statement[] => {
    const name = childIn(member, "name");
    const value = member.type === "property_declaration" ? childIn(member, "value") : undefined;
    return name && value && value.type !== "arrow_expression_clause"
      ? [keep(l.textOf(name), l.expression(value), span(member))]
      : [];
  });
  const fn: FunctionNode = {
    ...at,
    name: "constructor",
    params: [...params],
    decorators: [],
    body: [
      ...params.map((p) => keep(p.name, { start: p.start, end: p.end, kind: "variable", name: p.name }, span(p))),
      ...set,
    ],
    receiver: "this",
    exported: true,
    // One that does more has to be looked at.
    ...(set.length === 0 && { made: true }),
  };
  return [{ ...at, kind: "function", fn }];
}

function memberOf(l: Lowering, node: SyntaxNode, kin: readonly string[]): Statement[] {
  switch (node.type) {
    case "method_declaration": {
      const fn = functionOf(l, node);
      // `<public>.Base`: what a framework calls by the base class it asks for.
      const reached = has(l, node, "public") && !has(l, node, "static") ? kin : [];
      const marks = reached.map(
        (name): Expression => ({ ...span(node), kind: "field", of: l.variable(node, "<public>"), name }),
      );
      return [{ ...span(node), kind: "function", fn: { ...fn, decorators: [...fn.decorators, ...marks] } }];
    }
    case "constructor_declaration": {
      const fn = functionOf(l, node);
      const body = [...constructorCalled(l, childOf(node, "constructor_initializer")), ...fn.body];
      return [{ ...span(node), kind: "function", fn: { ...fn, name: "constructor", body } }];
    }
    case "property_declaration":
      return propertyOf(l, node);
    default:
      return l.statement(node);
  }
}

/** `: base(name)`, `: this("open", name)`: the constructor that runs before. */
function constructorCalled(l: Lowering, node: SyntaxNode | undefined): Statement[] {
  if (!node) return [];
  const callee = l.variable(node, /^:\s*base\b/.test(l.textOf(node)) ? "super" : "this");
  return [asStatement(l.call(node, callee, argumentsOf(l, childOf(node, "argument_list"))))];
}

/** A property is a field, and what its accessors do is looked at as functions; one that can only be read is what its getter gives. */
function propertyOf(l: Lowering, node: SyntaxNode): Statement[] {
  const name = childIn(node, "name");
  if (!name) return [];
  const type = typeName(l, childIn(node, "type"));
  const value = childIn(node, "value");
  const accessors = childIn(node, "accessors")?.children ?? [];
  const computed =
    value?.type === "arrow_expression_clause"
      ? value
      : accessors.length === 1 && childIn(accessors[0] as SyntaxNode, "body");
  const attributes = attributesOf(l, node);
  const from: Expression =
    value && !computed ? l.expression(value) : { ...span(node), kind: "unknown", reads: attributes };
  const receiver = has(l, node, "static") ? null : "this";
  const field = asStatement(assigned(node, l.variable(name), from, type, true));
  if (computed) {
    const fn: FunctionNode = {
      ...span(node),
      name: l.textOf(name),
      params: [],
      decorators: [],
      body: bodyOf(l, computed),
      result: type,
      receiver,
      exported: has(l, node, "public"),
      getter: true,
    };
    return [field, { ...span(node), kind: "function", fn }];
  }
  return [
    field,
    ...accessors
      .filter((c) => childIn(c, "body"))
      .map((c): Statement => {
        const fn = { ...functionOf(l, c), name: `${l.textOf(childIn(c, "name") ?? c)}_${l.textOf(name)}` };
        return { ...span(c), kind: "function", fn };
      }),
  ];
}

/** Lowers a method, local function, accessor, lambda or anonymous method. */
export const functionOf = (l: Lowering, node: SyntaxNode): FunctionNode =>
  withTypeParameters(l, node, () => declaredFunction(l, node));

function declaredFunction(l: Lowering, node: SyntaxNode): FunctionNode {
  const name = childIn(node, "name");
  const anonymous = name === undefined || node.type === "accessor_declaration";
  const isClosure = /lambda|anonymous|local/.test(node.type);
  return {
    ...span(node),
    name: name && !anonymous ? l.textOf(name) : "",
    params: parametersOf(l, childIn(node, "parameters")),
    decorators: attributesOf(l, node),
    body: bodyOf(l, childIn(node, "body") ?? childOf(node, "block")),
    result: typeName(l, childIn(node, "returns") ?? childIn(node, "type")),
    receiver: isClosure || has(l, node, "static") ? null : "this",
    exported: has(l, node, "public"),
  };
}

function bodyOf(l: Lowering, body: SyntaxNode | undefined): Statement[] {
  if (!body) return [];
  if (body.type === "block") return l.statements(body.children);
  const value = body.type === "arrow_expression_clause" ? body.children[0] : body;
  return value ? [{ ...span(body), kind: "return", value: l.expression(value) }] : [];
}

export function parametersOf(l: Lowering, list: SyntaxNode | undefined): Parameter[] {
  if (list?.type === "implicit_parameter") return [parameter(l, list, l.textOf(list), null)];
  const children = list?.children ?? [];
  return children.flatMap((p, i) => {
    if (p.type === "implicit_parameter") return [parameter(l, p, l.textOf(p), null)];
    // `params string[] rest` stands without a node of its own.
    if (p.type === "identifier" && p.field === "name") return [{ ...parameter(l, p, l.textOf(p), null), rest: true }];
    const name = p.type === "parameter" ? childIn(p, "name") : undefined;
    if (!name) return [];
    const type = childIn(p, "type");
    const fallback = p.children.slice(p.children.indexOf(name) + 1)[0];
    return [
      {
        ...parameter(l, p, l.textOf(name), typeName(l, type)),
        decorators: attributesOf(l, p),
        default: fallback ? l.expression(fallback) : null,
        rest: i === children.length - 1 && has(l, p, "params"),
      },
    ];
  });
}

const parameter = (_: Lowering, at: SyntaxNode, name: string, type: string | null): Parameter => ({
  ...span(at),
  name: name.replace(/^@/, ""),
  pattern: null,
  type,
  decorators: [],
  default: null,
  rest: false,
});

export const argumentsOf = (l: Lowering, list: SyntaxNode | undefined) =>
  (list?.children ?? []).map((c) => {
    const label = childIn(c, "name");
    const value = c.children.filter((part) => part !== label).at(-1);
    const given = positional(value ? l.expression(value) : l.reads(c, []));
    return label ? { ...given, name: l.textOf(label) } : given;
  });
