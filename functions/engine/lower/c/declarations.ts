import type { ClassStatement, Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { argumentsIn, assigned } from "../curly/expressions.ts";
import { asStatement } from "../curly/statements.ts";
import { positional, span } from "../lowering.ts";
import type { CLowering } from "./c-lowering.ts";
import { arrayOf, type Declarator, declaratorOf, typeName } from "./types.ts";

const isKept = (l: CLowering, node: SyntaxNode) =>
  node.children.some((c) => c.type === "storage_class_specifier" && /static|extern/.test(l.textOf(c)));

/** Lowers a declaration of variables or fields; types it brings along come first. */
export function declarationOf(l: CLowering, node: SyntaxNode): Statement[] {
  const type = childIn(node, "type");
  const unnamed = type && childIn(type, "body") && !childIn(type, "name") && /^(struct|union)_/.test(type.type);
  // What has no name is told apart by its place.
  const written = unnamed ? `unnamed_${type.start}` : typeName(l, type);
  const types = unnamed ? [classOf(l, type, written)] : type && childIn(type, "body") ? l.statement(type) : [];
  const given = childIn(node, "value") ?? childIn(node, "default_value");
  const kept = isKept(l, node);
  return [
    ...types,
    ...childrenIn(node, "declarator").flatMap((d) => {
      const of = declaratorOf(d.type === "init_declarator" ? childIn(d, "declarator") : d);
      if (!of) return [];
      if (of.parameters) return l.declaredIn ? [asStatement(constructed(l, d, of, written))] : [];
      const value = childIn(d, "value") ?? given;
      const declared = isOpenEnded(l, node, of) ? { ...of, sizes: [null] } : of;
      return [asStatement(variableOf(l, d, declared, written, value, kept))];
    }),
  ];
}

/** `T items[1];` in a structure is where those begin that are allocated with it. */
const isOpenEnded = (l: CLowering, node: SyntaxNode, { sizes: [size, ...others] }: Declarator): boolean =>
  node.type === "field_declaration" && others.length === 0 && !!size && /^[01]$/.test(l.textOf(size));

/** `T x(y);` inside a function looks like a declaration of one and makes a T. */
function constructed(l: CLowering, node: SyntaxNode, of: Declarator, type: string | null): Expression {
  const args = (of.parameters?.children ?? []).map((c) => positional(l.variable(c)));
  return assigned(node, l.variable(of.name), l.call(node, l.variable(node, type ?? ""), args), type, true);
}

function variableOf(
  l: CLowering,
  node: SyntaxNode,
  of: Declarator,
  type: string | null,
  value: SyntaxNode | undefined,
  kept: boolean,
): Expression {
  const isArray = of.sizes.length > 0;
  l.declared.set(l.textOf(of.name), isArray ? "array" : of.pointer ? "pointer" : "value");
  const from: Expression = value ? initial(l, node, value, type) : { ...span(node), kind: "unknown", reads: [] };
  const array = isArray ? withRoom(l, node, of, type, kept, from) : from;
  return assigned(node, l.variable(of.name), array, type, true);
}

/** `T x(a, b)` and `T x{a}` make a T. */
function initial(l: CLowering, node: SyntaxNode, value: SyntaxNode, type: string | null): Expression {
  // A text object holds a copy of what it is made of.
  if (type !== null && /^w?string$/.test(type) && !value.type.endsWith("list"))
    return l.call(node, l.variable(node, type), [positional(l.expression(value))]);
  if (value.type !== "argument_list" || type === null) return l.expression(value);
  return l.call(node, l.variable(node, type), argumentsIn(l, value));
}

function withRoom(
  l: CLowering,
  node: SyntaxNode,
  { sizes, pointer }: Declarator,
  type: string | null,
  kept: boolean,
  from: Expression,
): Expression {
  const [first, ...others] = sizes;
  const count = first ? l.expression(first) : countOf(l, node, from);
  // Rows of a table are not followed one by one.
  const element = others.length > 0 ? null : pointer ? "char *" : type;
  const room = arrayOf(l, node, count, element, kept || l.declaredIn === null);
  return room.kind === "call" ? { ...room, args: [...room.args, positional(from)] } : room;
}

/** `char x[] = "abc"` has as many elements as it is given. */
function countOf(l: CLowering, node: SyntaxNode, from: Expression): Expression {
  if (from.kind === "literal" && typeof from.value === "string") return l.literal(node, from.value.length + 1);
  // How many a pack or a macro stands for is not known here.
  if (/\.\.\.|\b[A-Z][A-Z\d_]+\s*\(|^[ \t]*#/m.test(l.textOf(from))) return l.literal(node, null);
  if (from.kind === "collection" && from.entries.every((e) => e.key === null))
    return l.literal(node, from.entries.length);
  return l.literal(node, null);
}

/** Lowers a function, a method or a lambda. */
export function functionOf(l: CLowering, node: SyntaxNode): FunctionNode {
  const declarator = childIn(node, "declarator");
  const of = declaratorOf(declarator);
  const name = of ? l.textOf(of.name).replace(/^.*::/s, "") : "";
  const outer = { declared: l.declared, declaredIn: l.declaredIn };
  l.declared = new Map(outer.declared);
  l.declaredIn = node;
  try {
    const list = of?.parameters ?? (declarator && childIn(declarator, "parameters"));
    const body = childIn(node, "body") ?? childOf(node, "try_statement");
    return {
      ...span(node),
      name,
      params: (list?.children ?? []).flatMap((p) => parameterOf(l, p)),
      decorators: [],
      result: `${typeName(l, childIn(node, "type")) ?? ""}${of?.pointer ? " *" : ""}`,
      body: [...membersSet(l, node), ...(body ? l.statement(body) : [])],
      receiver: node.type === "lambda_expression" ? null : "this",
      exported: !isKept(l, node),
    };
  } finally {
    l.declared = outer.declared;
    l.declaredIn = outer.declaredIn;
  }
}

/** `C(int a) : x(a) {}` */
const membersSet = (l: CLowering, node: SyntaxNode): Statement[] =>
  (childOf(node, "field_initializer_list")?.children ?? []).flatMap((c) => {
    const [field, args] = c.children;
    const [only] = args?.children ?? [];
    return field && only ? [asStatement(assigned(c, l.variable(field), l.expression(only)))] : [];
  });

function parameterOf(l: CLowering, node: SyntaxNode): Parameter[] {
  const rest = node.type.startsWith("variadic");
  const of = declaratorOf(childIn(node, "declarator"));
  const type = typeName(l, childIn(node, "type"));
  if (!rest && !/parameter/.test(node.type)) return [];
  if (!of && type === "void" && !childIn(node, "declarator")) return [];
  const name = of ? l.textOf(of.name) : "_";
  // Arrays that are passed are pointers.
  l.declared.set(name, of && (of.pointer || of.sizes.length > 0) ? "pointer" : "value");
  const fallback = childIn(node, "default_value");
  return [
    {
      ...span(node),
      name,
      pattern: null,
      type,
      decorators: [],
      default: fallback ? l.expression(fallback) : null,
      rest,
    },
  ];
}

/** A struct, union or class with a body; `given` is the name a typedef gives it. */
export function classOf(l: CLowering, node: SyntaxNode, given: string | null = null): ClassStatement {
  const name = childIn(node, "name");
  const bases = childOf(node, "base_class_clause")?.children.filter((c) => c.type !== "access_specifier") ?? [];
  return {
    ...span(node),
    kind: "class",
    name: given ?? (name ? (typeName(l, name) as string) : ""),
    bases: bases.map((base) => l.expression(base)),
    decorators: [],
    body: childIn(node, "body")?.children.flatMap((member) => l.statement(member)) ?? [],
  };
}
