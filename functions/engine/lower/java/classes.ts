import type { ClassStatement, Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { boundType, withTypeParameters } from "../type-parameters.ts";
import { annotationsOf, methodOf, parametersOf } from "./functions.ts";
import { kept, madeConstructor } from "./made-constructor.ts";

/** Lowers a class, interface, enum, record or the body of an anonymous class. */
export const classOf = (l: Lowering, node: SyntaxNode, given?: string): ClassStatement =>
  withTypeParameters(l, node, () => declaredClass(l, node, given));

function declaredClass(l: Lowering, node: SyntaxNode, given?: string): ClassStatement {
  const name = childIn(node, "name");
  const body = childIn(node, "body");
  // What an interface extends has no field of its own in the grammar.
  const extended = childOf(node, "extends_interfaces");
  const parents = [childIn(node, "superclass"), childIn(node, "interfaces"), extended].flatMap((p) =>
    (p?.children ?? []).flatMap((c) => (c.type === "type_list" ? c.children : [c])),
  );
  const components = parametersOf(l, childIn(node, "parameters"));
  return {
    ...span(node),
    kind: "class",
    name: given ?? (name ? l.textOf(name) : ""),
    bases: [
      ...parents.map((parent) => l.expression(parent)),
      ...(node.type === "enum_declaration" ? [l.variable(node, "Enum")] : []),
    ],
    decorators: annotationsOf(l, node),
    body: [
      ...components.map((p) => field(l, node, p.name, p.type, null, p.decorators)),
      ...madeConstructor(l, node, components),
      ...(body?.children ?? []).flatMap((member) => memberOf(l, member, components)),
    ],
  };
}

function memberOf(l: Lowering, node: SyntaxNode, components: Parameter[] = []): Statement[] {
  switch (node.type) {
    case "compact_constructor_declaration":
      return [{ ...span(node), kind: "function", fn: compactConstructor(l, node, components) }];
    case "method_declaration":
    case "constructor_declaration":
      return [{ ...span(node), kind: "function", fn: methodOf(l, node) }];
    case "field_declaration":
    case "constant_declaration": {
      const type = childIn(node, "type");
      return childrenIn(node, "declarator").map((declarator) =>
        field(
          l,
          declarator,
          l.textOf(childIn(declarator, "name") ?? declarator),
          type ? boundType(l, l.textOf(type)) : null,
          childIn(declarator, "value") ?? null,
          annotationsOf(l, node),
        ),
      );
    }
    case "static_initializer":
    case "block": {
      const block = node.type === "block" ? node : childOf(node, "block");
      return block ? l.statements(block.children) : [];
    }
    case "enum_body_declarations":
      return node.children.flatMap((member) => memberOf(l, member));
    case "enum_constant": {
      const body = childIn(node, "body");
      return body ? body.children.flatMap((member) => memberOf(l, member)) : [];
    }
    default:
      return isType(node.type) ? [classOf(l, node)] : [];
  }
}

/** `record Range(int from, int to) { Range { … } }`: what its body leaves in the parameters is kept. */
function compactConstructor(l: Lowering, node: SyntaxNode, params: Parameter[]): FunctionNode {
  const fn = methodOf(l, node);
  return { ...fn, params, body: [...fn.body, ...params.map((param) => kept(l, node, param))] };
}

/** The type of an annotation is asked for what it is annotated with; what its elements are called tells nothing. */
export const annotationTypeOf = (l: Lowering, node: SyntaxNode): ClassStatement => ({
  ...span(node),
  kind: "class",
  name: l.textOf(childIn(node, "name") ?? node),
  bases: [],
  decorators: annotationsOf(l, node),
  body: [],
});

export const isType = (type: string): boolean =>
  ["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"].includes(type);

function field(
  l: Lowering,
  at: SyntaxNode,
  name: string,
  type: string | null,
  value: SyntaxNode | null,
  decorators: Expression[],
): Statement {
  // The annotations of a field (@Value, @Autowired) say where its value comes from.
  const from: Expression = value ? l.expression(value) : { ...span(at), kind: "unknown", reads: decorators };
  const to = l.variable(childIn(at, "name") ?? at, name);
  const kept = value && decorators.length > 0 ? { decorators } : {};
  const assign: Expression = { ...span(at), kind: "assign", to, from, type, declares: true, ...kept };
  return { ...span(at), kind: "expression", value: assign };
}
