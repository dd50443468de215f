import type { ClassStatement, Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement } from "../curly/statements.ts";
import { span } from "../lowering.ts";
import { boundType, withTypeParameters } from "../type-parameters.ts";
import { argumentsOf, typeAsked } from "./expressions.ts";
import type { KotlinLowering } from "./kotlin-lowering.ts";
import { returning } from "./results.ts";

const isTypeNode = (node: SyntaxNode): boolean =>
  ["user_type", "nullable_type", "non_nullable_type", "parenthesized_type", "function_type"].includes(node.type);

/** The type among the parts of a declaration, as Java would write it: whether it may be null is no part of it. */
export function typeOf(l: KotlinLowering, node: SyntaxNode): string | null {
  const type = node.children.find(isTypeNode);
  const written = type && l.textOf(type).replace(/[?\s]+$/, "");
  return written ? boundType(l, written.replace(/^Array<\s*(?:out\s+|in\s+)?([\w.]+)\??\s*>$/, "$1[]")) : null;
}

/** Annotations as the calls they are; `@field:` and the like say where they are kept, which nobody asks. */
export function annotationsOf(l: KotlinLowering, modifiers: SyntaxNode | undefined): Expression[] {
  return (modifiers?.children ?? [])
    .filter((c) => c.type === "annotation")
    .flatMap((annotation) => {
      const made = childOf(annotation, "constructor_invocation") ?? annotation;
      const type = childOf(made, "user_type");
      if (!type) return [];
      const args = argumentsOf(l, childOf(made, "value_arguments")).map((arg) => ({ ...arg, value: alone(arg.value) }));
      return [l.call(annotation, nameOf(l, type), args)];
    });
}

/** Lists of one stand without brackets in Java, and so do the models have them. */
const alone = (value: Expression): Expression =>
  value.kind === "collection" && value.entries.length === 1 ? (value.entries[0]?.value ?? value) : value;

/** `a.b.C<D>` as the value that the class is. */
export function nameOf(l: KotlinLowering, type: SyntaxNode): Expression {
  const names = type.children.filter((c) => c.type === "identifier");
  const [first, ...rest] = names;
  if (!first) return l.variable(type);
  return rest.reduce<Expression>(
    (of, name) => ({ start: first.start, end: name.end, kind: "field", of, name: l.textOf(name) }),
    l.variable(first),
  );
}

const says = (l: KotlinLowering, node: SyntaxNode, modifier: RegExp): boolean =>
  (childOf(node, "modifiers")?.children ?? []).some((c) => c.type !== "annotation" && modifier.test(l.textOf(c)));

/** What nothing is given to; the annotations (@Value, @Autowired) say where its value comes from. */
const unsaid = (node: SyntaxNode, reads: Expression[]): Expression => ({ ...span(node), kind: "unknown", reads });

/** Lowers a class, interface, enumeration or object. */
export const classOf = (l: KotlinLowering, node: SyntaxNode, given?: string): ClassStatement =>
  withTypeParameters(l, node, () => declaredClass(l, node, given));

function declaredClass(l: KotlinLowering, node: SyntaxNode, given?: string): ClassStatement {
  const name = childIn(node, "name");
  const parameters = childOf(childOf(node, "primary_constructor") ?? node, "class_parameters")?.children ?? [];
  const members = (childOf(node, "class_body") ?? childOf(node, "enum_class_body"))?.children ?? [];
  const parents = (childOf(node, "delegation_specifiers")?.children ?? []).flatMap((c) => {
    const type = childOf(childOf(c, "constructor_invocation") ?? c, "user_type");
    return type ? [nameOf(l, type)] : [];
  });
  const isEnum = says(l, node, /^enum$/);
  const fields = parameters.map((p) => parameterOf(l, p, p));
  const isObject = node.type === "object_declaration";
  return {
    ...span(node),
    kind: "class",
    name: given ?? (name ? l.textOf(name) : ""),
    bases: [...parents, ...(isEnum ? [l.variable(node, "Enum")] : [])],
    decorators: annotationsOf(l, childOf(node, "modifiers")),
    body: [
      ...fields.map((p) => asStatement(assigned(p, l.variable(p, p.name), unsaid(node, p.decorators), p.type, true))),
      ...(fields.length > 0 ? [constructorOf(l, node, fields)] : []),
      ...members.flatMap((member) => memberOf(l, member, isObject)),
    ],
  };
}

/** What stands in the head of a class is kept in its fields. */
function constructorOf(l: KotlinLowering, node: SyntaxNode, params: Parameter[]): Statement {
  const body = params.map((p) => {
    const to: Expression = { ...span(p), kind: "field", of: l.variable(p, "this"), name: p.name };
    return asStatement(assigned(p, to, l.variable(p, p.name)));
  });
  const fn = { ...plain(node, "constructor"), params, body, receiver: "this" };
  return { ...span(node), kind: "function", fn };
}

const plain = (node: SyntaxNode, name: string): FunctionNode => ({
  ...span(node),
  name,
  params: [],
  decorators: [],
  body: [],
  receiver: null,
  exported: true,
});

function memberOf(l: KotlinLowering, node: SyntaxNode, isStatic: boolean): Statement[] {
  switch (node.type) {
    case "function_declaration":
      return [{ ...span(node), kind: "function", fn: functionOf(l, node, isStatic ? null : "this") }];
    case "secondary_constructor":
      return [{ ...span(node), kind: "function", fn: { ...functionOf(l, node, "this"), name: "constructor" } }];
    case "companion_object":
      return l.nested(() => childOf(node, "class_body")?.children.flatMap((member) => memberOf(l, member, true))) ?? [];
    case "property_declaration":
      return propertyOf(l, node);
    case "anonymous_initializer":
      return node.children.flatMap((c) => l.statements(c.children));
    case "enum_entry":
      return (childOf(node, "class_body")?.children ?? []).flatMap((member) => memberOf(l, member, false));
    default:
      return l.statement(node);
  }
}

/** Lowers a function, method, anonymous function, getter or setter. */
export const functionOf = (l: KotlinLowering, node: SyntaxNode, receiver: string | null): FunctionNode =>
  withTypeParameters(l, node, () => declaredFunction(l, node, receiver));

function declaredFunction(l: KotlinLowering, node: SyntaxNode, receiver: string | null): FunctionNode {
  const name = childIn(node, "name");
  const body = childOf(node, "function_body");
  const [first] = body?.children ?? [];
  const block = first?.type === "block" ? first : childOf(node, "block");
  const value = block ? undefined : first;
  const list = childOf(node, "function_value_parameters");
  // `fun String.trimmed()`: the type before the name is what it is called on.
  const after = list ? node.children.slice(node.children.indexOf(list)) : node.children;
  const written = typeOf(l, { ...node, children: after });
  const isText = value?.type === "string_literal" || value?.type === "multiline_string_literal";
  return {
    ...plain(node, name ? l.textOf(name) : ""),
    params: parametersOf(l, list),
    decorators: annotationsOf(l, childOf(node, "modifiers")),
    body: block ? l.statements(block.children) : value ? returning(l, value) : [],
    result: written ?? (isText ? "String" : null),
    receiver,
    exported: !says(l, node, /^private$/),
  };
}

/** Parameters, whose annotations and defaults stand beside them. */
export function parametersOf(l: KotlinLowering, list: SyntaxNode | undefined): Parameter[] {
  const out: Parameter[] = [];
  let modifiers: SyntaxNode | undefined;
  for (const node of list?.children ?? []) {
    if (node.type === "parameter_modifiers") modifiers = node;
    else if (node.type === "parameter") {
      const rest = modifiers !== undefined && /\bvararg\b/.test(l.textOf(modifiers));
      out.push({ ...parameterOf(l, node, modifiers), rest });
      modifiers = undefined;
    } else {
      const last = out.at(-1);
      if (last) last.default = l.expression(node);
    }
  }
  return out;
}

function parameterOf(l: KotlinLowering, node: SyntaxNode, marked: SyntaxNode | undefined): Parameter {
  const name = childOf(node, "identifier");
  const fallback = node.type === "class_parameter" ? node.children.at(-1) : undefined;
  const isValue = fallback && fallback !== name && !isTypeNode(fallback) && fallback.type !== "modifiers";
  return {
    ...span(node),
    name: name ? l.textOf(name) : "",
    pattern: null,
    type: typeOf(l, node),
    decorators: annotationsOf(l, marked === node ? childOf(node, "modifiers") : marked),
    default: isValue ? l.expression(fallback) : null,
    rest: false,
  };
}

/** A property is a variable or a field; what its accessors do is looked at as functions. */
export function propertyOf(l: KotlinLowering, node: SyntaxNode): Statement[] {
  const single = childOf(node, "variable_declaration");
  const several = childOf(node, "multi_variable_declaration");
  const head = single ?? several;
  if (!head) return [];
  const after = node.children.slice(node.children.indexOf(head) + 1);
  const accessors = after.filter((c) => c.type === "getter" || c.type === "setter");
  const value = after.find((c) => !["getter", "setter", "type_constraints"].includes(c.type));
  const type = single ? (typeOf(l, single) ?? (value ? typeAsked(l, value) : null)) : null;
  const to = patternOf(l, head);
  const annotations = annotationsOf(l, childOf(node, "modifiers"));
  const computed = childOf(accessors.find((c) => c.type === "getter") ?? node, "function_body")?.children[0];
  const written = value ?? (computed?.type === "block" ? undefined : computed);
  const name = to.kind === "variable" ? to.name : "";
  return [
    ...(written
      ? returning(l, written.type === "property_delegate" ? delegated(written) : written, (from) =>
          asStatement(assigned(node, to, from, type, true)),
        )
      : [asStatement(assigned(node, to, unsaid(node, annotations), type, true))]),
    ...accessors.map((c): Statement => {
      const fn = { ...functionOf(l, c, "this"), name: `${c.type}_${name}` };
      const given = childOf(c, "identifier");
      const params = given ? [{ ...parameterOf(l, c, undefined), ...span(given) }] : [];
      return { ...span(c), kind: "function", fn: { ...fn, params } };
    }),
  ];
}

const delegated = (node: SyntaxNode): SyntaxNode => node.children[0] ?? node;

/** `a`, or `(a, b)`. */
export function patternOf(l: KotlinLowering, node: SyntaxNode): Expression {
  if (node.type === "multi_variable_declaration")
    return {
      ...span(node),
      kind: "collection",
      shape: "list",
      entries: node.children.map((c) => ({ ...span(c), key: null, value: patternOf(l, c), spread: false })),
    };
  return l.variable(childOf(node, "identifier") ?? node);
}
