import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement, inside, none, type StatementHandler, under } from "../curly/statements.ts";
import { span } from "../lowering.ts";
import { classOf, functionOf, functionsIn } from "./declarations.ts";
import { use } from "./paths.ts";
import { patternOf } from "./patterns.ts";
import { bindingOf, blockIn, returning } from "./results.ts";
import type { RustLowering } from "./rust-lowering.ts";
import { typeName } from "./types.ts";

type Handler = StatementHandler<RustLowering>;

const type: Handler = (l, node) => [classOf(l, node)];
/** A value whose branches hold statements, and which nobody asks for. */
const branching: Handler = (l, node) => returning(l, node, asStatement);
const declared: Handler = (l, node) => {
  const [name, value] = [childIn(node, "name"), childIn(node, "value")];
  return name && value
    ? [asStatement(assigned(node, l.variable(name), l.expression(value), typeName(l, childIn(node, "type")), true))]
    : [];
};

/** How each kind of Rust statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  ERROR: inside,
  shebang: none,
  empty_statement: none,
  attribute_item: none,
  inner_attribute_item: none,
  extern_crate_declaration: none,
  macro_definition: none,
  type_item: none,
  associated_type: none,
  union_item: none,
  foreign_mod_item: none,
  function_signature_item: none,
  // Their functions were gathered with the types they are about.
  impl_item: none,
  trait_item: (l, node) => functionsIn(l, childIn(node, "body")?.children ?? []),
  mod_item: (l, node) => functionsIn(l, childIn(node, "body")?.children ?? []),
  struct_item: type,
  enum_item: type,
  const_item: declared,
  static_item: declared,
  use_declaration: (l, node) =>
    use(l, node).map((module): Statement => ({ ...span(node), kind: "import", module, name: null, as: `<${module}>` })),
  function_item: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node, []) }],
  expression_statement: inside,
  block: (l, node) => [{ ...span(node), kind: "block", body: functionsIn(l, node.children) }],
  unsafe_block: inside,
  async_block: inside,
  if_expression: branching,
  match_expression: branching,
  let_declaration: (l, node) => {
    const [pattern, value, otherwise] = ["pattern", "value", "alternative"].map((field) => childIn(node, field));
    if (!pattern) return [];
    if (otherwise) {
      const bound = bindingOf(l, node);
      const unsure: Expression = { ...span(node), kind: "unknown", reads: [] };
      const leaves: Statement = {
        ...span(node),
        kind: "branch",
        test: unsure,
        then: l.statement(otherwise),
        otherwise: [],
      };
      return [leaves, ...(bound ? [asStatement(bound)] : [])];
    }
    const to = patternOf(l, pattern);
    const as = typeName(l, childIn(node, "type"));
    if (!value) return [asStatement(assigned(node, to, { ...span(node), kind: "unknown", reads: [] }, as, true))];
    return returning(l, value, (from) => asStatement(assigned(node, to, from, as, true)));
  },
  assignment_expression: (l, node) => {
    const [to, right] = [childIn(node, "left"), childIn(node, "right")];
    if (!to || !right) return inside(l, node);
    return returning(l, right, (from) => asStatement(assigned(node, l.expression(to), from)));
  },
  for_expression: (l, node) => {
    const [pattern, over] = [childIn(node, "pattern"), childIn(node, "value")];
    if (!pattern || !over) return inside(l, node);
    const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    return [loop(l, node, assigned(pattern, patternOf(l, pattern), element, null, true), null)];
  },
  while_expression: (l, node) => {
    const test = childIn(node, "condition");
    return [loop(l, node, null, test ? l.expression(test) : null)];
  },
  loop_expression: (l, node) => [loop(l, node, null, null)],
  return_expression: (l, node) => {
    const [value] = node.children;
    return value ? returning(l, value) : [{ ...span(node), kind: "return", value: null }];
  },
  break_expression: (l, node) => [
    ...l.statements(node.children.filter((c) => c.type !== "label")),
    { ...span(node), kind: "jump", to: "break" },
  ],
  continue_expression: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
  else_clause: inside,
  macro_invocation: (l, node) => {
    const value = l.expression(node);
    // `bail!` and `panic!` leave, and so do their like.
    const leaves = /^(panic|bail|unreachable|todo|unimplemented)!/.test(l.textOf(node));
    return leaves ? [asStatement(value), { ...span(node), kind: "throw", value: null }] : [asStatement(value)];
  },
};

function loop(l: RustLowering, node: SyntaxNode, bind: Expression | null, test: Expression | null): Statement {
  const body = blockIn(node);
  return {
    ...span(node),
    kind: "loop",
    bind,
    test,
    body: body ? under(l, { ...node, children: [{ ...body, field: "body" }] }, "body") : [],
    update: null,
    always: false,
  };
}
