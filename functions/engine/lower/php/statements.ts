import type { Argument, Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import { classOf } from "./classes.ts";
import { functionOf } from "./functions.ts";
import { imports } from "./imports.ts";
import type { PhpLowering } from "./php-lowering.ts";

type Handler = (l: PhpLowering, node: SyntaxNode) => Statement[];

const nothing: Handler = () => [];
const inside: Handler = (l, node) => l.statements(node.children);
const type: Handler = (l, node) => [classOf(l, node)];
const body = (l: PhpLowering, node: SyntaxNode | undefined): Statement[] => (node ? l.statement(node) : []);
const value = (l: PhpLowering, node: SyntaxNode): Expression | null =>
  node.children[0] ? l.expression(node.children[0]) : null;

/** How each kind of PHP statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  text: nothing,
  php_tag: nothing,
  php_end_tag: nothing,
  text_interpolation: nothing,
  empty_statement: nothing,
  named_label_statement: nothing,
  goto_statement: nothing,
  ERROR: inside,
  compound_statement: (l, node) => [{ ...span(node), kind: "block", body: l.statements(node.children) }],
  colon_block: inside,
  expression_statement: (l, node) => node.children.flatMap((c) => expressionStatement(l, node, c)),
  echo_statement: (l, node) => [echo(l, node, node.children)],
  exit_statement: (l, node) => [
    leave(
      l,
      node,
      node.children.map((c) => positional(l.expression(c))),
    ),
  ],
  unset_statement: (l, node) =>
    node.children.map((c) => ({
      ...span(node),
      kind: "expression",
      value: { ...span(c), kind: "assign", to: l.expression(c), from: l.literal(c, null), type: null, declares: false },
    })),
  // What they name is visible in the function as a whole, see FunctionNode.sees.
  global_declaration: nothing,
  function_static_declaration: (l, node) =>
    node.children.flatMap((c) => {
      const name = childIn(c, "name");
      const given = childIn(c, "value");
      return name && given ? [assigned(l, c, l.variable(name), l.expression(given), true)] : [];
    }),
  const_declaration: (l, node) =>
    node.children
      .filter((c) => c.type === "const_element")
      .flatMap((c) => {
        const [name, given] = c.children;
        return name && given ? [assigned(l, c, l.variable(name), l.expression(given), true)] : [];
      }),
  declare_statement: (l, node) => l.statements(node.children.filter((c) => c.type !== "declare_directive")),
  namespace_definition: (l, node) => {
    const name = childIn(node, "name");
    l.names.enterNamespace(name ? l.textOf(name).replace(/\s+/g, "") : "");
    return body(l, childIn(node, "body"));
  },
  namespace_use_declaration: imports,
  class_declaration: type,
  interface_declaration: type,
  trait_declaration: type,
  enum_declaration: type,
  function_definition: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node, "function") }],
  if_statement: (l, node) => [branch(l, node, childrenIn(node, "alternative"))],
  while_statement: (l, node) => [loop(l, node, null, false)],
  do_statement: (l, node) => [loop(l, node, null, true)],
  for_statement: (l, node) => {
    const update = childIn(node, "update");
    const first = childrenIn(node, "initialize").map(
      (i): Statement => ({ ...span(i), kind: "expression", value: l.expression(i) }),
    );
    return [...first, loop(l, node, null, false, update ? l.expression(update) : null)];
  },
  foreach_statement: foreach,
  switch_statement: (l, node) => {
    const condition = childIn(node, "condition");
    const cases = (childIn(node, "body")?.children ?? []).map((c): Switch["cases"][number] => {
      const test = childIn(c, "value");
      const rest = c.children.filter((s) => s !== test);
      return { tests: test ? [l.expression(test)] : [], body: l.statements(rest), through: true };
    });
    return [{ ...span(node), kind: "switch", of: condition ? l.expression(condition) : l.unknown(node), cases }];
  },
  try_statement: (l, node) => {
    const last = childOf(node, "finally_clause");
    return [
      {
        ...span(node),
        kind: "try",
        body: (childIn(node, "body")?.children ?? []).flatMap((c) => l.statement(c)),
        catches: node.children
          .filter((c) => c.type === "catch_clause")
          .map((clause) => {
            const name = childIn(clause, "name");
            return { ...span(clause), bind: name ? l.variable(name) : null, body: body(l, childIn(clause, "body")) };
          }),
        last: last ? body(l, childIn(last, "body")) : [],
      },
    ];
  },
  return_statement: (l, node) => [{ ...span(node), kind: "return", value: value(l, node) }],
  break_statement: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  continue_statement: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
};

const assigned = (_: PhpLowering, at: SyntaxNode, to: Expression, from: Expression, declares: boolean): Statement => ({
  ...span(at),
  kind: "expression",
  value: { ...span(at), kind: "assign", to, from, type: null, declares },
});

/** `echo` and its short form are calls, so that they can be sinks. */
function echo(l: PhpLowering, node: SyntaxNode, given: readonly SyntaxNode[]): Statement {
  const values = given.flatMap(sequenced);
  const args = values.map((c) => positional(l.expression(c)));
  return { ...span(node), kind: "expression", value: l.call(node, l.variable(node, "echo"), args) };
}

/** `echo $a, $b, $c`: the grammar puts all but the first into a sequence of their own, and so on; pages print hundreds in one statement. */
function sequenced(node: SyntaxNode): SyntaxNode[] {
  const values: SyntaxNode[] = [];
  let last: SyntaxNode | undefined = node;
  while (last?.type === "sequence_expression") {
    values.push(...last.children.slice(0, -1));
    last = last.children.at(-1);
  }
  return last ? [...values, last] : values;
}

/** Nothing goes on after exit and die; what they are given is printed. */
const leave = (l: PhpLowering, node: SyntaxNode, args: Argument[]): Statement => ({
  ...span(node),
  kind: "throw",
  value: l.call(node, l.variable(node, "exit"), args),
});

const endsStatement = /^(throw_expression|(function|member|scoped)_call_expression)$/;

const leaves = /^\s*(exit|die)\b/i;

function expressionStatement(l: PhpLowering, node: SyntaxNode, of: SyntaxNode): Statement[] {
  // The tree does not say that `<?=` stands before a value.
  if (/<\?=\s*$/.test(l.text.slice(Math.max(0, node.start - 40), node.start))) return [echo(l, node, [of])];
  if (of.type === "throw_expression") return [{ ...span(node), kind: "throw", value: value(l, of) }];
  if (isExit(l, of)) return [exit(l, node, of)];
  // `$ok or die("...")`, `$ok or fail("...")`: what follows may run only where the left side holds.
  const operator = of.type === "binary_expression" ? childIn(of, "operator") : undefined;
  const [left, right] = [childIn(of, "left"), childIn(of, "right")];
  const symbol = operator ? l.textOf(operator).toLowerCase() : "";
  if (left && right && /^(or|\|\||and|&&)$/.test(symbol) && (isExit(l, right) || endsStatement.test(right.type))) {
    const out = expressionStatement(l, right, right);
    const either = symbol === "or" || symbol === "||";
    return [
      {
        ...span(node),
        kind: "branch",
        test: l.expression(left),
        then: either ? [] : out,
        otherwise: either ? out : [],
      },
    ];
  }
  return [{ ...span(node), kind: "expression", value: l.expression(of) }];
}

const isExit = (l: PhpLowering, node: SyntaxNode): boolean =>
  (node.type === "name" || node.type === "function_call_expression" || node.type === "exit_statement") &&
  leaves.test(l.textOf(node)) &&
  /^(exit|die)$/i.test(l.textOf(childIn(node, "function") ?? node));

function exit(l: PhpLowering, at: SyntaxNode, of: SyntaxNode): Statement {
  const args = childOf(of, "arguments")?.children ?? [];
  return leave(
    l,
    at,
    args.flatMap((arg) => arg.children.map((c) => positional(l.expression(c)))),
  );
}

/** An `elseif` is an `if` in the `else` of what stands before it. */
function branch(l: PhpLowering, node: SyntaxNode, alternatives: readonly SyntaxNode[]): Statement {
  const test = childIn(node, "condition");
  const [next, ...others] = alternatives;
  // Between `if (…):` and a first tag the statements hang on the if itself.
  const loose = node.children.filter((c) => c.field === null && c.type !== "text_interpolation");
  return {
    ...span(node),
    kind: "branch",
    test: test ? l.expression(test) : l.reads(node, []),
    then: [...body(l, childIn(node, "body")), ...l.statements(loose)],
    otherwise: !next ? [] : next.type === "else_if_clause" ? [branch(l, next, others)] : body(l, childIn(next, "body")),
  };
}

function loop(
  l: PhpLowering,
  node: SyntaxNode,
  bind: Expression | null,
  always: boolean,
  update: Expression | null = null,
): Statement {
  const test = childIn(node, "condition");
  return {
    ...span(node),
    kind: "loop",
    bind,
    test: test ? l.expression(test) : null,
    body: childrenIn(node, "body").flatMap((b) => l.statement(b)),
    update,
    always,
  };
}

function foreach(l: PhpLowering, node: SyntaxNode): Statement[] {
  const [over, target] = node.children.filter((c) => c.field === null && c.type !== "text_interpolation");
  if (!over || !target) return inside(l, node);
  const [key, item] = target.type === "pair" ? target.children : [undefined, target];
  const isReference = item?.type === "by_ref";
  const position = key ? l.expression(key) : isReference ? l.variable(item, unnamedKey) : null;
  const assign = (at: SyntaxNode, to: Expression, from: Expression): Expression => ({
    ...span(at),
    kind: "assign",
    to,
    from,
    type: null,
    declares: false,
  });
  const parts: Expression[] = [];
  if (position) parts.push(assign(key ?? over, position, keyOf(l, over)));
  if (item)
    parts.push(assign(item, l.expression(item), { ...span(over), kind: "index", of: l.expression(over), key: null }));
  const round = loop(l, node, { ...span(target), kind: "sequence", parts }, false);
  if (!isReference || !position || round.kind !== "loop") return [round];
  // What is written into a reference is written into the list.
  const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: position };
  const written: Statement = { ...span(item), kind: "expression", value: assign(item, element, l.expression(item)) };
  return [{ ...round, body: [...round.body, written] }];
}

/** The key of a loop that goes through references without naming their keys. */
const unnamedKey = "$<key>";

const keyOf = (l: PhpLowering, over: SyntaxNode): Expression =>
  l.call(over, l.variable(over, "key"), [positional(l.expression(over))]);
