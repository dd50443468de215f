import type { ClassStatement, Expression, Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement, inside, none, under } from "../curly/statements.ts";
import { positional, span } from "../lowering.ts";
import { functionOf } from "./functions.ts";
import { withMacros } from "./macros.ts";
import type { RubyLowering } from "./ruby-lowering.ts";
import { target } from "./targets.ts";

type Handler = (l: RubyLowering, node: SyntaxNode) => Statement[];

const method: Handler = (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node) }];
const branch =
  (negated: boolean): Handler =>
  (l, node) => {
    const [test, then, otherwise] = [["condition"], ["consequence", "body"], ["alternative"]].map((fields) =>
      node.children.find((c) => fields.includes(c.field ?? "")),
    );
    if (!test) return inside(l, node);
    return [
      {
        ...span(node),
        kind: "branch",
        test: negated ? not(l, test) : l.expression(test),
        then: then ? l.statement(then) : [],
        otherwise: otherwise ? l.statement(otherwise) : [],
      },
    ];
  };
const repeat =
  (negated: boolean): Handler =>
  (l, node) => {
    const test = childIn(node, "condition");
    if (!test) return inside(l, node);
    return [
      {
        ...span(node),
        kind: "loop",
        bind: null,
        test: negated ? not(l, test) : l.expression(test),
        body: under(l, node, "body"),
        update: null,
        always: false,
      },
    ];
  };
const not = (l: RubyLowering, test: SyntaxNode): Expression => ({
  ...span(test),
  kind: "operation",
  operator: "!",
  operands: [l.expression(test)],
});
const given = (l: RubyLowering, node: SyntaxNode): Expression | null => {
  const args = childOf(node, "argument_list")?.children ?? [];
  const [only] = args;
  return args.length === 1 && only ? l.expression(only) : only ? l.reads(node, args) : null;
};

/** How each kind of Ruby statement lowers. */
export const statements: Record<string, Handler> = {
  ERROR: inside,
  empty_statement: none,
  heredoc_body: none,
  comment: none,
  uninterpreted: none,
  alias: none,
  undef: none,
  begin_block: inside,
  end_block: inside,
  body_statement: guarded,
  block_body: guarded,
  begin: guarded,
  then: inside,
  do: inside,
  else: inside,
  ensure: inside,
  parenthesized_statements: inside,
  method,
  singleton_method: methodOfClass,
  class: (l, node) => [classOf(l, node)],
  module: (l, node) => [classOf(l, node)],
  singleton_class: (l, node) => under(l, node, "body"),
  if: branch(false),
  elsif: branch(false),
  if_modifier: branch(false),
  unless: branch(true),
  unless_modifier: branch(true),
  while: repeat(false),
  while_modifier: repeat(false),
  until: repeat(true),
  until_modifier: repeat(true),
  for: (l, node) => {
    const [to, over] = [childIn(node, "pattern"), childIn(node, "value")?.children[0]];
    if (!to || !over) return inside(l, node);
    const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    const bind = assigned(to, target(l, to), element, null, true);
    const body = under(l, node, "body");
    return [{ ...span(node), kind: "loop", bind, test: null, body, update: null, always: false }];
  },
  case: (l, node) => {
    const of = childIn(node, "value");
    const cases = node.children.filter((c) => c.type === "when" || c.type === "in_clause");
    const last = childOf(node, "else");
    return [
      {
        ...span(node),
        kind: "switch",
        of: of ? l.expression(of) : l.literal(node, true),
        cases: [
          ...cases.map((c) => ({
            tests: childrenIn(c, "pattern").map((p) => l.expression(p)),
            body: under(l, c, "body"),
            through: false,
          })),
          ...(last ? [{ tests: [], body: l.statement(last), through: false }] : []),
        ],
      },
    ];
  },
  return: (l, node) => [{ ...span(node), kind: "return", value: given(l, node) }],
  break: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  next: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
  redo: none,
  retry: none,
  rescue_modifier: (l, node) => [
    {
      ...span(node),
      kind: "try",
      body: under(l, node, "body"),
      catches: [{ ...span(childIn(node, "handler") ?? node), bind: null, body: under(l, node, "handler") }],
      last: [],
    },
  ],
  // `raise unless columns.include?(name)` needs no class.
  identifier: (l, node) =>
    raising.test(l.textOf(node)) && !l.variables.has(l.textOf(node))
      ? [{ ...span(node), kind: "throw", value: null }]
      : [asStatement(l.expression(node))],
  call: (l, node) => {
    const name = childIn(node, "method");
    // `private def name` declares as well, and hides what it declares by its name.
    const declared = childIn(node, "arguments")?.children.filter((c) => /^(singleton_)?method$/.test(c.type)) ?? [];
    if (declared.length > 0 && name) {
      const names = declared.flatMap((c) => childIn(c, "name") ?? []);
      const args = names.map((own) => positional(l.literal(own, l.textOf(own))));
      return [...l.statements(declared), asStatement(l.call(node, l.variable(name), args))];
    }
    const raises = name && !childIn(node, "receiver") && raising.test(l.textOf(name));
    return raises ? [{ ...span(node), kind: "throw", value: l.expression(node) }] : [asStatement(l.expression(node))];
  },
};

const raising = /^(raise|fail|abort|exit)$/;

/** A body with its `rescue` and `ensure`. */
function guarded(l: RubyLowering, node: SyntaxNode): Statement[] {
  const apart = new Set(["rescue", "ensure", "else"]);
  const body = l.statements(node.children.filter((c) => !apart.has(c.type)));
  const clauses = node.children.filter((c) => c.type === "rescue");
  const last = childOf(node, "ensure");
  const otherwise = childOf(node, "else");
  if (clauses.length === 0 && !last) return body;
  return [
    {
      ...span(node),
      kind: "try",
      body: [...body, ...(otherwise ? l.statement(otherwise) : [])],
      catches: clauses.map((c) => {
        const name = childIn(c, "variable")?.children[0];
        return { ...span(c), bind: name ? target(l, name) : null, body: under(l, c, "body") };
      }),
      last: last ? l.statement(last) : [],
    },
  ];
}

function classOf(l: RubyLowering, node: SyntaxNode): ClassStatement {
  const name = childIn(node, "name");
  const base = childIn(node, "superclass")?.children[0];
  const body = childIn(node, "body");
  const written = name ? l.textOf(name).replace(/^.*::/s, "") : "";
  const methods = new Set(namesOf(l, body));
  l.methods.push(methods);
  l.readers.push(new Set([...readersOf(l, body)].filter((name) => !methods.has(name))));
  l.classes.push(written);
  l.constants.push(constantsOf(l, body));
  l.ofObjects.push(new Set((body?.children ?? []).flatMap((c) => nameOfMethod(l, c, "method"))));
  try {
    return withMacros({
      ...span(node),
      kind: "class",
      name: written,
      bases: base ? [l.expression(base)] : [],
      decorators: [],
      body: body ? l.statements(body.children) : [],
    });
  } finally {
    l.ofObjects.pop();
    l.constants.pop();
    l.classes.pop();
    l.readers.pop();
    l.methods.pop();
  }
}

/** `def self.call` beside `def call`: what is asked of the class goes by a name of its own. */
function methodOfClass(l: RubyLowering, node: SyntaxNode): Statement[] {
  const name = childIn(node, "name");
  const isTwofold = name !== undefined && l.ofObjects.at(-1)?.has(l.textOf(name)) === true;
  return method(l, node).map((s) =>
    isTwofold && s.kind === "function" ? { ...s, fn: { ...s.fn, name: `self.${s.fn.name}` } } : s,
  );
}

/** What the methods of a class are called, also those declared behind `private`. */
const namesOf = (l: RubyLowering, body: SyntaxNode | undefined): string[] =>
  (body?.children ?? []).flatMap((c) => {
    if (c.type === "call") return namesOf(l, childIn(c, "arguments"));
    return [...nameOfMethod(l, c, "method"), ...nameOfMethod(l, c, "singleton_method")];
  });

/** `COLUMNS = %w[name price].freeze` in the body of a class. */
const constantsOf = (l: RubyLowering, body: SyntaxNode | undefined): ReadonlySet<string> =>
  new Set(
    (body?.children ?? []).flatMap((c) => {
      const to = c.type === "assignment" ? childIn(c, "left") : undefined;
      return to?.type === "constant" ? [l.textOf(to)] : [];
    }),
  );

/** The fields that a class has read by their names, unless it says itself how. */
const readersOf = (l: RubyLowering, body: SyntaxNode | undefined): ReadonlySet<string> =>
  new Set(
    (body?.children ?? []).flatMap((c) => {
      const name = c.type === "call" ? childIn(c, "method") : undefined;
      const written = name ? l.textOf(name) : "";
      const given = childIn(c, "arguments");
      if (hides.test(written)) return [...readersOf(l, given)];
      if (!/^attr(_reader|_accessor)?$/.test(written)) return [];
      return (given?.children ?? []).flatMap((own) => (own.type === "simple_symbol" ? [l.textOf(own).slice(1)] : []));
    }),
  );

/** `private attr_reader :name` */
const hides = /^(private|protected|public)$/;

function nameOfMethod(l: RubyLowering, node: SyntaxNode, type: string): string[] {
  const name = node.type === type ? childIn(node, "name") : undefined;
  return name ? [l.textOf(name)] : [];
}
