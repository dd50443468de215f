import type { Expression, FunctionNode, Statement } from "../../ir/ir.ts";
import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement, inside, none, under } from "../curly/statements.ts";
import { type Lowering, span } from "../lowering.ts";

type Handler = (l: Lowering, node: SyntaxNode) => Statement[];

/** `$1` to `$9`, as far as anybody passes them. */
const positions = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

const repeat: Handler = (l, node) => [
  {
    ...span(node),
    kind: "loop",
    bind: null,
    test: testOf(l, node),
    body: under(l, node, "body"),
    update: null,
    always: false,
  },
];

/** How each kind of statement in a shell script lowers. */
export const statements: Record<string, Handler> = {
  ERROR: inside,
  do_group: inside,
  compound_statement: inside,
  function_definition: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node) }],
  if_statement: branch,
  elif_clause: branch,
  else_clause: inside,
  while_statement: repeat,
  until_statement: repeat,
  c_style_for_statement: repeat,
  for_statement: (l, node) => {
    const name = childIn(node, "variable");
    if (!name) return inside(l, node);
    const entries = childrenIn(node, "value").map((c) => ({
      ...span(c),
      key: null,
      value: l.expression(c),
      spread: false,
    }));
    const of: Expression = { ...span(node), kind: "collection", shape: "list", entries };
    const bind = assigned(name, l.variable(name), { ...span(name), kind: "index", of, key: null });
    return [
      { ...span(node), kind: "loop", bind, test: null, body: under(l, node, "body"), update: null, always: false },
    ];
  },
  case_statement: (l, node) => {
    const of = childIn(node, "value");
    const items = node.children.filter((c) => c.type === "case_item");
    const cases = items.map((item) => {
      const patterns = childrenIn(item, "value");
      const body = l.statements(item.children.filter((c) => c.field !== "value" && c.field !== "termination"));
      const isDefault = patterns.some((c) => l.textOf(c) === "*");
      return { tests: isDefault ? [] : patterns.map((c) => pattern(l, c)), body, through: false };
    });
    return [{ ...span(node), kind: "switch", of: of ? l.expression(of) : l.reads(node, []), cases }];
  },
  command: (l, node) => {
    const written = l.textOf(node);
    const [name] = written.split(/\s/, 1);
    if (name === "exit" || name === "return") return [{ ...span(node), kind: "return", value: null }];
    if (name === "break" || name === "continue") return [{ ...span(node), kind: "jump", to: name }];
    return [asStatement(l.expression(node))];
  },
  comment: none,
};

/** Text that may stand for many texts is no constant. */
const pattern = (l: Lowering, node: SyntaxNode): Expression =>
  /[*?[]/.test(l.textOf(node)) ? l.reads(node, []) : l.expression(node);

const testOf = (l: Lowering, node: SyntaxNode): Expression => {
  const tests = childrenIn(node, "condition").filter((c) => c.type !== ";");
  const parts = tests.map((c) => l.expression(c));
  const [only] = parts;
  return parts.length === 1 && only ? only : { ...span(node), kind: "sequence", parts };
};

function branch(l: Lowering, node: SyntaxNode): Statement[] {
  const others = node.children.filter((c) => /^(elif|else)_clause$/.test(c.type));
  const isTest = (c: SyntaxNode) => c.field === "condition";
  // `elif` has its test as its first child, without a field.
  const first = node.children.some(isTest) ? null : node.children[0];
  const test = first ? l.expression(first) : testOf(l, node);
  const then = l.statements(node.children.filter((c) => !isTest(c) && c !== first && !others.includes(c)));
  const otherwise = others.reduceRight<Statement[]>((rest, clause) => {
    const lowered = l.statement(clause);
    const [only] = lowered;
    return only?.kind === "branch" && clause.type === "elif_clause" ? [{ ...only, otherwise: rest }] : lowered;
  }, []);
  return [{ ...span(node), kind: "branch", test, then, otherwise }];
}

function functionOf(l: Lowering, node: SyntaxNode): FunctionNode {
  const name = childIn(node, "name");
  const body = under(l, node, "body");
  return {
    ...span(node),
    name: name ? l.textOf(name) : "",
    params: positions.map((at) => ({
      ...span(node),
      name: at,
      pattern: null,
      type: null,
      decorators: [],
      default: null,
      rest: false,
    })),
    decorators: [],
    body,
    receiver: null,
    exported: true,
  };
}
