import type { Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned, list } from "../curly/expressions.ts";
import {
  asStatement,
  statements as curly,
  inside,
  loop,
  none,
  type StatementHandler,
  under,
} from "../curly/statements.ts";
import { span } from "../lowering.ts";
import { classOf, functionOf } from "./classes.ts";
import type { CSharpLowering } from "./csharp-lowering.ts";
import { variableOf } from "./expressions.ts";

type Handler = StatementHandler<CSharpLowering>;

const type: Handler = (l, node) => [classOf(l, node)];
const declarations: Handler = (l, node) => {
  const declaration = childOf(node, "variable_declaration") ?? node;
  return declaration.children
    .filter((c) => c.type === "variable_declarator")
    .map((c) => asStatement(variableOf(l, declaration, c)));
};

/** How each kind of C# statement lowers. */
export const statements: Record<string, Handler> = {
  ...curly,
  namespace_declaration: (l, node) => under(l, node, "body"),
  file_scoped_namespace_declaration: (l, node) => l.statements(node.children.filter((c) => c.field !== "name")),
  declaration_list: inside,
  using_directive: (l, node) => {
    const module = node.children.at(-1);
    if (!module) return [];
    return [{ ...span(node), kind: "import", module: l.textOf(module).replace(/\s/g, ""), name: null, as: "*" }];
  },
  extern_alias_directive: none,
  class_declaration: type,
  struct_declaration: type,
  record_declaration: type,
  interface_declaration: type,
  enum_declaration: (l, node) => {
    const name = childIn(node, "name");
    const bases = [l.variable(node, "System.Enum")];
    return name ? [{ ...span(node), kind: "class", name: l.textOf(name), bases, decorators: [], body: [] }] : [];
  },
  delegate_declaration: none,
  event_field_declaration: none,
  event_declaration: none,
  attribute_list: none,
  global_attribute: none,
  modifier: none,
  preproc_region: none,
  preproc_endregion: none,
  preproc_pragma: none,
  preproc_nullable: none,
  preproc_define: none,
  preproc_undef: none,
  preproc_error: none,
  preproc_warning: none,
  preproc_line: none,
  preproc_if: (l, node) => l.statements(node.children.filter((c) => c.field !== "condition")),
  preproc_elif: (l, node) => l.statements(node.children.filter((c) => c.field !== "condition")),
  preproc_else: inside,
  global_statement: inside,
  block: (l, node) => [{ ...span(node), kind: "block", body: l.statements(node.children) }],
  field_declaration: declarations,
  local_declaration_statement: declarations,
  variable_declaration: declarations,
  local_function_statement: functionStatement,
  operator_declaration: functionStatement,
  conversion_operator_declaration: functionStatement,
  destructor_declaration: functionStatement,
  indexer_declaration: none,
  foreach_statement: (l, node) => {
    const [left, over] = [childIn(node, "left"), childIn(node, "right")];
    if (!left || !over) return inside(l, node);
    const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    const to = left.type === "tuple_pattern" ? list(l, left) : l.variable(left);
    return [loop(l, node, assigned(left, to, element, null, true))];
  },
  using_statement: (l, node) => [
    ...l.statements(node.children.filter((c) => c.field !== "body")),
    ...under(l, node, "body"),
  ],
  lock_statement: inside,
  fixed_statement: inside,
  unsafe_statement: inside,
  checked_statement: inside,
  labeled_statement: inside,
  goto_statement: none,
  yield_statement: (l, node) => node.children.map((c) => asStatement(l.expression(c))),
  try_statement: (l, node) => {
    const last = childOf(node, "finally_clause");
    return [
      {
        ...span(node),
        kind: "try",
        body: under(l, node, "body"),
        catches: node.children
          .filter((c) => c.type === "catch_clause")
          .map((clause) => {
            const name = childIn(childOf(clause, "catch_declaration") ?? clause, "name");
            return { ...span(clause), bind: name ? l.variable(name) : null, body: under(l, clause, "body") };
          }),
        last: last ? inside(l, last) : [],
      },
    ];
  },
  switch_statement: (l, node) => {
    const of = childIn(node, "value");
    const body = childIn(node, "body");
    if (!of || !body) return inside(l, node);
    return [{ ...span(node), kind: "switch", of: l.expression(of), cases: casesOf(l, body) }];
  },
};

function functionStatement(l: CSharpLowering, node: SyntaxNode): Statement[] {
  return [{ ...span(node), kind: "function", fn: functionOf(l, node) }];
}

/** `case "a" or "b":` */
const alternatives = (pattern: SyntaxNode): readonly SyntaxNode[] =>
  pattern.type === "or_pattern"
    ? pattern.children.filter(({ type }) => /_pattern$/.test(type)).flatMap(alternatives)
    : [pattern];

function casesOf(l: CSharpLowering, body: SyntaxNode): Switch["cases"] {
  return body.children.map((section) => {
    const tests = section.children.filter((c) => /_pattern$|^when_clause$|^discard$/.test(c.type));
    const rest = section.children.filter((c) => !tests.includes(c));
    return {
      tests: tests
        .flatMap(alternatives)
        .map((c) => (c.type === "constant_pattern" ? l.expression(c) : { ...span(c), kind: "unknown", reads: [] })),
      body: l.statements(rest),
      // Labels may share a body; bodies never run into each other.
      through: rest.length === 0,
    };
  });
}
