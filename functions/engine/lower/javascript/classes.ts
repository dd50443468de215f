import type { ClassStatement, Expression, Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { functionOf } from "./functions.ts";

const functions: ReadonlySet<string> = new Set(["arrow_function", "function_expression", "generator_function"]);

/** Lowers a class declaration or expression. Decorators of members precede them as siblings. */
export function classOf(l: Lowering, node: SyntaxNode): ClassStatement {
  const name = childIn(node, "name");
  const body: Statement[] = [];
  const decorated: NonNullable<ClassStatement["decorated"]> = [];
  let decorators: Expression[] = [];
  for (const member of childIn(node, "body")?.children ?? []) {
    if (member.type === "decorator") {
      decorators.push(...member.children.map((c) => l.expression(c)));
      continue;
    }
    body.push(...memberOf(l, member, decorators));
    const field = member.type === "public_field_definition" ? childIn(member, "name") : undefined;
    const its = field
      ? [...decorators, ...childrenIn(member, "decorator").flatMap((d) => d.children.map((c) => l.expression(c)))]
      : [];
    if (field && its.length > 0) decorated.push({ name: l.textOf(field), decorators: its });
    decorators = [];
  }
  const heritage = childOf(node, "class_heritage");
  const interfaces = interfacesOf(l, heritage);
  return {
    ...span(node),
    kind: "class",
    name: name ? l.textOf(name) : `<class ${node.start}>`,
    bases: basesOf(l, heritage),
    ...(interfaces.length > 0 && { interfaces }),
    decorators: childrenIn(node, "decorator").flatMap((d) => d.children.map((c) => l.expression(c))),
    body,
    ...(decorated.length > 0 && { decorated }),
  };
}

function basesOf(l: Lowering, heritage: SyntaxNode | undefined): Expression[] {
  const clauses = heritage?.children ?? [];
  // TypeScript wraps what a class extends, and lists interfaces, which have no behaviour, beside it.
  return clauses.flatMap((clause) => {
    if (clause.type === "implements_clause") return [];
    return (clause.type === "extends_clause" ? childrenIn(clause, "value") : [clause]).map((value) =>
      l.expression(value),
    );
  });
}

/** `implements Controller, UseCase<Order>`: the names alone. */
function interfacesOf(l: Lowering, heritage: SyntaxNode | undefined): string[] {
  const clause = heritage && childOf(heritage, "implements_clause");
  return (clause?.children ?? []).flatMap((type) => l.textOf(type).match(/^[\w$]+/)?.[0] ?? []);
}

function memberOf(l: Lowering, node: SyntaxNode, decorators: Expression[]): Statement[] {
  switch (node.type) {
    case "method_definition": {
      const fn = functionOf(l, node);
      const fields = fn.name === "constructor" ? parameterProperties(l, node) : [];
      return [
        {
          ...span(node),
          kind: "function",
          fn: { ...fn, body: [...fields, ...fn.body], decorators: [...decorators, ...fn.decorators] },
        },
      ];
    }
    case "field_definition":
    case "public_field_definition": {
      const name = childIn(node, "name") ?? childIn(node, "property");
      const value = childIn(node, "value");
      if (name && !value) return keptObject(l, node, name);
      if (!name || !value) return [];
      // `find = async (id) => …` is a method in all but the way it is written.
      if (functions.has(value.type)) {
        const fn = functionOf(l, value);
        return [{ ...span(node), kind: "function", fn: { ...fn, name: l.textOf(name), decorators } }];
      }
      return [
        {
          ...span(node),
          kind: "expression",
          value: {
            ...span(node),
            kind: "assign",
            to: l.variable(name),
            from: l.expression(value),
            type: null,
            declares: true,
          },
        },
      ];
    }
    case "class_static_block":
      return l.statements(childIn(node, "body")?.children ?? []);
    default:
      // Signatures, index types and abstract members have no behaviour.
      return [];
  }
}

/**
 * `private static store: Store;` is given what it holds elsewhere, by a framework or when the application starts: its type tells what that
 * can do. Fields that others see are those of records, which come in as a whole.
 */
function keptObject(l: Lowering, node: SyntaxNode, name: SyntaxNode): Statement[] {
  const type = childIn(node, "type")?.children[0];
  const head = l.text.slice(node.start, name.start);
  if (!type || !/\b(?:private|protected|static)\b/.test(head) || !classType.test(l.text.slice(type.start, type.end)))
    return [];
  const from: Expression = { ...span(node), kind: "unknown", reads: [] };
  const to = l.variable(name);
  const value: Expression = { ...span(node), kind: "assign", to, from, type: l.textOf(type), declares: true };
  return [{ ...span(node), kind: "expression", value }];
}

/** The name of a class, also with what it is made for. */
const classType = /^[A-Z][\w$]{0,60}(?:\.[A-Z][\w$]{0,60})?(?:<[\w$, ]{1,60}>)?$/;

/** TypeScript's `constructor(private readonly db: Db)` assigns the field without a statement. */
function parameterProperties(l: Lowering, node: SyntaxNode): Statement[] {
  return (childIn(node, "parameters")?.children ?? [])
    .filter((p) => childOf(p, "accessibility_modifier") || /^readonly\b/.test(l.textOf(p)))
    .flatMap((p) => {
      const name = childIn(p, "pattern");
      if (name?.type !== "identifier") return [];
      const to: Expression = { ...span(name), kind: "field", of: l.variable(name, "this"), name: l.textOf(name) };
      const value: Expression = { ...span(p), kind: "assign", to, from: l.variable(name), type: null, declares: false };
      return [{ ...span(p), kind: "expression" as const, value }];
    });
}
