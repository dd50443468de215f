import type { ClassStatement, Expression, FunctionNode, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import { attributesOf, decoratorsOf, functionOf, parametersOf, typeOf } from "./functions.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** Lowers a class, interface, trait, enum or anonymous class. Traits used count as bases: their methods are there to call. */
export function classOf(l: PhpLowering, node: SyntaxNode, given?: string): ClassStatement {
  const written = childIn(node, "name");
  const name = given ?? l.names.declared(written ? l.textOf(written) : "");
  const members = childIn(node, "body")?.children ?? [];
  const parents = namesIn(l, childOf(node, "base_clause"));
  const others = [
    ...namesIn(l, childOf(node, "class_interface_clause")),
    ...members.filter((m) => m.type === "use_declaration").flatMap((m) => namesIn(l, m)),
  ];
  return l.names.inside(name, parents[0]?.name ?? null, () => ({
    ...span(node),
    kind: "class",
    name,
    bases: [...parents, ...others].map((base) => l.variable(base, base.name)),
    decorators: decoratorsOf(l, node),
    body: [...madeMethods(node), ...members.flatMap((member) => memberOf(l, member, parents[0]?.name ?? ""))],
  }));
}

/** `Sort::from($name)` gives one of the cases or throws, so that nothing of the name is in what it gives. */
function madeMethods(node: SyntaxNode): Statement[] {
  if (node.type !== "enum_declaration") return [];
  const at = { start: node.start, end: node.start };
  return ["from", "tryFrom"].map((name) => ({
    ...at,
    kind: "function",
    fn: {
      ...at,
      name,
      params: [],
      decorators: [],
      body: [{ ...at, kind: "return", value: { ...at, kind: "unknown", reads: [] } }],
      receiver: null,
      exported: true,
      made: true,
    },
  }));
}

const namesIn = (l: PhpLowering, node: SyntaxNode | undefined) =>
  (node?.children ?? [])
    .filter((c) => c.type === "name" || c.type === "qualified_name" || c.type === "relative_name")
    .map((c) => ({ ...span(c), name: l.names.classNamed(l.textOf(c)) }));

/** `<public>.Base`: what a framework calls by the base class of a controller. */
function methodOf(l: PhpLowering, node: SyntaxNode, parent: string): FunctionNode {
  const fn = functionOf(l, node, "method");
  const visibility = childOf(node, "visibility_modifier");
  const isPublic = !visibility || /public/i.test(l.textOf(visibility));
  if (!isPublic || !parent.endsWith("Controller") || fn.receiver === null || /^(_|constructor$)/.test(fn.name))
    return fn;
  const { start, end } = span(node);
  const mark: Expression = { start, end, kind: "field", of: l.variable(node, "<public>"), name: parent };
  return { ...fn, decorators: [...fn.decorators, mark] };
}

function memberOf(l: PhpLowering, node: SyntaxNode, parent: string): Statement[] {
  switch (node.type) {
    case "method_declaration":
      return [...promotedFields(l, node), { ...span(node), kind: "function", fn: methodOf(l, node, parent) }];
    case "property_declaration": {
      const type = childIn(node, "type");
      const asked = attributesOf(l, node);
      return node.children
        .filter((c) => c.type === "property_element")
        .map((c) => {
          const name = childIn(c, "name");
          const value = childIn(c, "default_value");
          return fieldOf(l, c, l.textOf(name ?? c), type ? typeOf(l, type) : null, value && l.expression(value), asked);
        });
    }
    case "const_declaration":
      return node.children
        .filter((c) => c.type === "const_element")
        .map((c) => {
          const [name, value] = c.children;
          return fieldOf(l, c, l.textOf(name ?? c), null, value && l.expression(value));
        });
    case "enum_case": {
      const name = childIn(node, "name");
      const value = childIn(node, "value");
      return name ? [fieldOf(l, node, l.textOf(name), null, value ? l.expression(value) : l.literal(name, null))] : [];
    }
    default:
      return [];
  }
}

/** `private Foo $foo` among a constructor's parameters declares the property and its type. */
function promotedFields(l: PhpLowering, node: SyntaxNode): Statement[] {
  const list = childIn(node, "parameters");
  const declared = new Set(
    (list?.children ?? []).filter((p) => p.type === "property_promotion_parameter").map((p) => p.start),
  );
  return parametersOf(l, list)
    .filter((p) => declared.has(p.start))
    .map((p) => fieldOf(l, p, p.name, p.type, undefined, p.decorators));
}

function fieldOf(
  l: PhpLowering,
  at: { start: number; end: number },
  name: string,
  type: string | null,
  value: Expression | undefined,
  decorators: Expression[] = [],
): Statement {
  const from: Expression = value ?? { ...span(at), kind: "unknown", reads: decorators };
  const to = l.variable(at, name);
  const asked = value && decorators.length > 0 ? { decorators } : {};
  const assign: Expression = { ...span(at), kind: "assign", to, from, type, declares: true, ...asked };
  return { ...span(at), kind: "expression", value: assign };
}
