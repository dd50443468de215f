import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { annotationTypeOf, classOf } from "./classes.ts";
import { methodOf } from "./functions.ts";
import { switchParts } from "./switches.ts";

type Handler = (l: Lowering, node: SyntaxNode) => Statement[];

const nothing: Handler = () => [];
const inside: Handler = (l, node) => l.statements(node.children);
const body = (l: Lowering, node: SyntaxNode | undefined): Statement[] => (node ? l.statement(node) : []);
const type: Handler = (l, node) => [classOf(l, node)];
const value = (l: Lowering, node: SyntaxNode): Expression | null =>
  node.children[0] ? l.expression(node.children[0]) : null;

/** How each kind of Java statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  expression_statement: (l, node) => node.children.flatMap((c) => expressionStatement(l, c)),
  block: (l, node) => [{ ...span(node), kind: "block", body: l.statements(node.children) }],
  constructor_body: inside,
  ERROR: inside,
  package_declaration: nothing,
  module_declaration: nothing,
  annotation_type_declaration: (l, node) => [annotationTypeOf(l, node)],
  class_declaration: type,
  interface_declaration: type,
  enum_declaration: type,
  record_declaration: type,
  method_declaration: (l, node) => [{ ...span(node), kind: "function", fn: methodOf(l, node) }],
  import_declaration: importDeclaration,
  local_variable_declaration: (l, node) => {
    const declared = childIn(node, "type");
    return childrenIn(node, "declarator").flatMap((d) => declarator(l, d, declared));
  },
  if_statement: (l, node) => {
    const test = childIn(node, "condition");
    return [
      {
        ...span(node),
        kind: "branch",
        test: test ? l.expression(test) : l.reads(node, []),
        then: body(l, childIn(node, "consequence")),
        otherwise: body(l, childIn(node, "alternative")),
      },
    ];
  },
  while_statement: (l, node) => loop(l, node, null, false),
  do_statement: (l, node) => loop(l, node, null, true),
  for_statement: (l, node) => {
    const updates = childrenIn(node, "update").map((u) => l.expression(u));
    const update: Expression | null = updates.length > 0 ? { ...span(node), kind: "sequence", parts: updates } : null;
    return [...childrenIn(node, "init").flatMap((i) => l.statement(i)), ...loop(l, node, null, false, update)];
  },
  enhanced_for_statement: (l, node) => {
    const name = childIn(node, "name");
    const over = childIn(node, "value");
    const declared = childIn(node, "type");
    if (!name || !over) return inside(l, node);
    const from: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    const written = declared ? l.textOf(declared) : null;
    return loop(
      l,
      node,
      { ...span(name), kind: "assign", to: l.variable(name), from, type: written, declares: true },
      false,
    );
  },
  switch_expression: (l, node) => [{ ...span(node), kind: "switch", ...switchParts(l, node) }],
  try_statement: tryStatement,
  try_with_resources_statement: tryStatement,
  return_statement: (l, node) => [{ ...span(node), kind: "return", value: value(l, node) }],
  // The value of a switch arm; the arm ends as a function would.
  yield_statement: (l, node) => [{ ...span(node), kind: "return", value: value(l, node) }],
  throw_statement: (l, node) => [{ ...span(node), kind: "throw", value: value(l, node) }],
  break_statement: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  continue_statement: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
  synchronized_statement: (l, node) => body(l, childIn(node, "body")),
  labeled_statement: (l, node) => body(l, node.children.at(-1)),
  assert_statement: (l, node) =>
    node.children.map((c) => ({ ...span(node), kind: "expression", value: l.expression(c) })),
};

function expressionStatement(l: Lowering, node: SyntaxNode): Statement[] {
  if (node.type === "switch_expression") return [{ ...span(node), kind: "switch", ...switchParts(l, node) }];
  return [{ ...span(node), kind: "expression", value: l.expression(node) }];
}

function declarator(l: Lowering, node: SyntaxNode, declared: SyntaxNode | undefined): Statement[] {
  const name = childIn(node, "name");
  const given = childIn(node, "value");
  if (!name) return [];
  const from: Expression = given ? l.expression(given) : { ...span(node), kind: "unknown", reads: [] };
  const written = declared ? l.textOf(declared) : null;
  const assign: Expression = {
    ...span(node),
    kind: "assign",
    to: l.variable(name),
    from,
    type: written,
    declares: true,
  };
  return [{ ...span(node), kind: "expression", value: assign }];
}

function loop(
  l: Lowering,
  node: SyntaxNode,
  bind: Expression | null,
  always: boolean,
  update: Expression | null = null,
): Statement[] {
  const test = childIn(node, "condition");
  return [
    {
      ...span(node),
      kind: "loop",
      bind,
      test: test ? l.expression(test) : null,
      body: body(l, childIn(node, "body")),
      update,
      always,
    },
  ];
}

/** Resources are assignments before the body: they are in scope there and in nothing else that matters. */
function tryStatement(l: Lowering, node: SyntaxNode): Statement[] {
  const resources = (childIn(node, "resources")?.children ?? []).flatMap((resource): Statement[] =>
    childIn(resource, "name")
      ? declarator(l, resource, childIn(resource, "type"))
      : resource.children.map((c) => ({ ...span(c), kind: "expression", value: l.expression(c) })),
  );
  const last = childOf(node, "finally_clause");
  return [
    {
      ...span(node),
      kind: "try",
      body: [...resources, ...(childIn(node, "body")?.children ?? []).flatMap((c) => l.statement(c))],
      catches: node.children
        .filter((c) => c.type === "catch_clause")
        .map((clause) => {
          const name = childIn(childOf(clause, "catch_formal_parameter") ?? clause, "name");
          return { ...span(clause), bind: name ? l.variable(name) : null, body: body(l, childIn(clause, "body")) };
        }),
      last: last ? body(l, childOf(last, "block")) : [],
    },
  ];
}

function importDeclaration(l: Lowering, node: SyntaxNode): Statement[] {
  const path = node.children.find((c) => c.type === "scoped_identifier" || c.type === "identifier");
  if (!path) return [];
  const written = l.textOf(path).replace(/\s+/g, "");
  if (childOf(node, "asterisk")) return [{ ...span(node), kind: "import", module: written, name: null, as: "*" }];
  return [
    { ...span(node), kind: "import", module: written, name: null, as: written.slice(written.lastIndexOf(".") + 1) },
  ];
}
