import { type ClassStatement, checkedText, type Expression, type Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { boundType, withTypeParameters } from "../type-parameters.ts";
import { methodOf } from "./functions.ts";
import type { GoLowering } from "./go-lowering.ts";

/** Types that say nothing about what a value is called or can carry. */
const silent = new Set(["string", "any", "byte", "comparable"]);

/** The tag of a field that validators check when it is filled: it has one of the values listed, or a form that carries no attack. */
const listed =
  /\b(binding|validate):"([^"]*,)?(oneof=|uuid|number\b|numeric\b|alphanum\b|alpha\b|boolean\b|ip(v[46])?\b|datetime=)/;

/** A type as the interpreter reads it: without pointers and type arguments. Null for what has no name. */
export function typeName(l: Lowering, node: SyntaxNode | undefined): string | null {
  if (!node) return null;
  if (node.type === "pointer_type" || node.type === "parenthesized_type") return typeName(l, node.children[0]);
  if (node.type === "generic_type") return typeName(l, childIn(node, "type"));
  if (node.type !== "type_identifier" && node.type !== "qualified_type") return null;
  const name = l.textOf(node).replace(/\s+/g, "");
  return silent.has(name) ? null : boundType(l, name);
}

/** The type a method belongs to. */
export function receiverTypeOf(l: Lowering, method: SyntaxNode): string {
  const receiver = childIn(method, "receiver")?.children[0];
  return typeName(l, receiver && childIn(receiver, "type")) ?? "";
}

/** Lowers the types of a declaration; each takes its methods along. */
export function typesOf(l: GoLowering, node: SyntaxNode): Statement[] {
  return node.children.flatMap((spec) => {
    const name = childIn(spec, "name");
    const type = childIn(spec, "type");
    return name && type ? [withTypeParameters(l, spec, () => typeOf(l, spec, name, type))] : [];
  });
}

function typeOf(l: GoLowering, spec: SyntaxNode, name: SyntaxNode, type: SyntaxNode): Statement {
  const written = l.textOf(name);
  const methods = (l.methods.get(written) ?? []).map((method): Statement => asFunction(l, method));
  const { fields, embedded } = partsOf(l, type);
  // A type made of another is called like it too: `type Handler gin.Engine`.
  const same = typeName(l, type);
  const bases = [...embedded, ...(same === null || spec.type !== "type_alias" ? [] : [nameOf(l, type, same)])];
  const asks = type.children.flatMap((part) =>
    part.type === "method_elem" ? childrenIn(part, "name").map((method) => l.textOf(method)) : [],
  );
  const declared = classOf(l, spec, written, bases, [...fields, ...methods]);
  return asks.length > 0 ? { ...declared, asks } : declared;
}

/** The methods of a type that another file declares. */
export function methodsAlone(l: GoLowering, type: string, methods: readonly SyntaxNode[]): Statement {
  const body = methods.map((method) => asFunction(l, method));
  return classOf(l, methods[0] as SyntaxNode, type, [], body);
}

const asFunction = (l: GoLowering, method: SyntaxNode): Statement => ({
  ...span(method),
  kind: "function",
  fn: methodOf(l, method),
});

function classOf(l: Lowering, at: SyntaxNode, name: string, bases: Expression[], body: Statement[]): ClassStatement {
  // What other files know of the type is found under the name it has in its package.
  const own = l.variable(at, `~${name}`);
  return { ...span(at), kind: "class", name, bases: [own, ...bases], decorators: [], body };
}

/** The fields of a struct, the methods an interface asks for, and what either embeds. */
function partsOf(l: GoLowering, type: SyntaxNode): { fields: Statement[]; embedded: Expression[] } {
  const list = type.type === "struct_type" ? childOf(type, "field_declaration_list") : undefined;
  const fields: Statement[] = [];
  const embedded: Expression[] = [];
  for (const declaration of list?.children ?? []) {
    const of = childIn(declaration, "type");
    const tag = childIn(declaration, "tag");
    const named = typeName(l, of);
    const written = named === null && tag && listed.test(l.textOf(tag)) ? checkedText : named;
    const names = childrenIn(declaration, "name");
    for (const name of names) fields.push(field(l, name, l.textOf(name), written));
    if (names.length > 0 || !of || written === null) continue;
    embedded.push(nameOf(l, of, written));
    fields.push(field(l, of, written.slice(written.indexOf(".") + 1), written));
  }
  return { fields, embedded };
}

/** The fields of a struct as they are declared, embedded ones by the name of their type; null for what is no struct. */
export function fieldNamesOf(l: Lowering, type: SyntaxNode | undefined): string[] | null {
  if (type?.type !== "struct_type") return null;
  return (childOf(type, "field_declaration_list")?.children ?? []).flatMap((declaration) => {
    const names = childrenIn(declaration, "name");
    if (names.length > 0) return names.map((name) => l.textOf(name));
    const embedded = typeName(l, childIn(declaration, "type"));
    return embedded === null ? [] : [embedded.slice(embedded.indexOf(".") + 1)];
  });
}

function field(l: Lowering, at: SyntaxNode, name: string, type: string | null): Statement {
  const from: Expression = { ...span(at), kind: "unknown", reads: [] };
  return {
    ...span(at),
    kind: "expression",
    value: { ...span(at), kind: "assign", to: l.variable(at, name), from, type, declares: true },
  };
}

/** `pkg.Type` or `Type` as a value. */
export function nameOf(l: Lowering, at: SyntaxNode, written: string): Expression {
  const [first, ...rest] = written.split(".") as [string, ...string[]];
  return rest.reduce<Expression>((of, name) => ({ ...span(at), kind: "field", of, name }), l.variable(at, first));
}
