import type { Expression } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned, inner, list, silent } from "../curly/expressions.ts";
import { type Lowering, numberOf, positional, span } from "../lowering.ts";

type Handler = (l: Lowering, node: SyntaxNode) => Expression;

const word: Handler = (l, node) => l.literal(node, l.textOf(node).replace(/\\(.)/g, "$1"));
const template: Handler = (l, node) => ({
  ...span(node),
  kind: "template",
  parts: node.children.map((c) => l.expression(c)),
});
const sequence: Handler = (l, node) => ({
  ...span(node),
  kind: "sequence",
  parts: node.children.filter((c) => c.field !== "operator").map((c) => l.expression(c)),
});
const compared: Record<string, string> = { "=": "==", "==": "==", "!=": "!=", "-eq": "==", "-ne": "!=" };

/** How each kind of value in a shell script lowers. */
export const expressions: Record<string, Handler> = {
  word,
  raw_string: (l, node) => l.literal(node, l.textOf(node).slice(1, -1)),
  ansi_c_string: (l, node) => l.literal(node, l.textOf(node).slice(2, -1)),
  number: (l, node) => l.literal(node, numberOf(l.textOf(node)) ?? l.textOf(node)),
  // Quotes around one value alone change nothing about it.
  string: (l, node) =>
    node.children.length === 0
      ? l.literal(node, "")
      : node.children.length === 1 &&
          node.end - node.start === (node.children[0]?.end ?? 0) - (node.children[0]?.start ?? 0) + 2
        ? inner(l, node)
        : template(l, node),
  translated_string: inner,
  string_content: (l, node) => l.literal(node, l.textOf(node).replace(/\\(["$`\\])/g, "$1")),
  heredoc_body: template,
  heredoc_content: (l, node) => l.literal(node, l.textOf(node)),
  concatenation: template,
  brace_expression: silent,
  extglob_pattern: word,
  regex: (l, node) => ({ ...l.literal(node, l.textOf(node).replace(/^["']|["']$/g, "")), regex: true }),
  variable_name: (l, node) => l.variable(node),
  special_variable_name: (l, node) => l.variable(node),
  simple_expansion: inner,
  expansion: (l, node) => {
    const of = node.children.find((c) => /variable_name|subscript/.test(c.type));
    const operators = childrenIn(node, "operator").map((c) => l.textOf(c));
    // `${#x}` is a number.
    if (!of || l.text.startsWith("${#", node.start)) return l.reads(node, []);
    const fallback = operators.some((o) => /^:?[-=]$/.test(o)) ? node.children.at(-1) : undefined;
    if (!fallback || fallback === of) return l.expression(of);
    const operands = [l.expression(of), l.expression(fallback)];
    return { ...span(node), kind: "operation", operator: "||", operands };
  },
  subscript: (l, node) => {
    const of = childIn(node, "name");
    return of ? { ...span(node), kind: "index", of: l.expression(of), key: null } : l.unknown(node);
  },
  command_substitution: sequence,
  process_substitution: sequence,
  arithmetic_expansion: silent,
  array: list,
  command,
  pipeline,
  list: (l, node) => {
    const operands = node.children.filter((c) => c.field !== "operator").map((c) => l.expression(c));
    const [left, right] = node.children;
    const operator = left && right && /\|\|/.test(l.text.slice(left.end, right.start)) ? "||" : "&&";
    return { ...span(node), kind: "operation", operator, operands };
  },
  negated_command: (l, node) => ({
    ...span(node),
    kind: "operation",
    operator: "!",
    operands: node.children.map((c) => l.expression(c)),
  }),
  subshell: sequence,
  compound_statement: sequence,
  redirected_statement: (l, node) => ({
    ...span(node),
    kind: "sequence",
    parts: [...childrenIn(node, "redirect"), ...childrenIn(node, "body")].map((c) => l.expression(c)),
  }),
  file_redirect: (l, node) => {
    const to = childIn(node, "destination");
    const writes = to && l.text.slice(node.start, to.start).includes(">");
    return writes
      ? l.call(node, l.variable(node, "<write>"), [positional(l.expression(to))])
      : l.reads(node, to ? [to] : []);
  },
  heredoc_redirect: (l, node) =>
    l.reads(
      node,
      node.children.filter((c) => c.type === "heredoc_body"),
    ),
  herestring_redirect: (l, node) => l.reads(node, node.children),
  test_command: inner,
  parenthesized_expression: inner,
  unary_expression: (l, node) => ({
    ...span(node),
    kind: "operation",
    operator: l.textOf(childIn(node, "operator") ?? node) === "!" ? "!" : "typeof",
    operands: node.children.filter((c) => c.field !== "operator").map((c) => l.expression(c)),
  }),
  postfix_expression: silent,
  binary_expression: (l, node) => {
    const [left, operator, right] = ["left", "operator", "right"].map((field) => childIn(node, field));
    if (!left || !right) return sequence(l, node);
    const symbol = operator ? l.textOf(operator) : "";
    if (symbol === "=~") {
      const pattern = { ...l.literal(right, l.textOf(right).replace(/^["']|["']$/g, "")), regex: true };
      return l.call(node, { ...span(left), kind: "field", of: l.expression(left), name: "test" }, [
        positional(pattern),
      ]);
    }
    const written = compared[symbol] ?? (/^(&&|\|\|)$/.test(symbol) ? symbol : "<");
    return { ...span(node), kind: "operation", operator: written, operands: [l.expression(left), l.expression(right)] };
  },
  variable_assignment: (l, node) => {
    const [name, value] = [childIn(node, "name"), childIn(node, "value")];
    if (!name) return l.unknown(node);
    const to = l.variable(childIn(name, "name") ?? name);
    return assigned(node, to, value ? l.expression(value) : l.literal(node, ""));
  },
  variable_assignments: sequence,
  declaration_command: (l, node) => ({
    ...span(node),
    kind: "sequence",
    parts: node.children.map((c) => {
      const made = l.expression(c);
      return made.kind === "assign" && l.text.startsWith("local", node.start) ? { ...made, declares: true } : made;
    }),
  }),
  unset_command: silent,
  test_operator: silent,
  file_descriptor: silent,
  arithmetic_command: silent,
  "<": silent,
  ERROR: (l, node) => l.reads(node, node.children),
};

/** Programs that print what they read, in another form. */
const filters = new Set(
  "awk base64 cat column cut egrep fgrep fold grep head nl paste perl rev sed sort tac tail tee tr uniq".split(" "),
);

/** What a filter reads is one more argument of it: `echo "$1" | tr a-z A-Z` is made of what was echoed. */
function pipeline(l: Lowering, node: SyntaxNode): Expression {
  const parts: Expression[] = [];
  for (const made of node.children.filter((c) => c.field !== "operator").map((c) => l.expression(c))) {
    const isFilter = made.kind === "call" && made.callee.kind === "variable" && filters.has(made.callee.name);
    const read = isFilter ? parts.pop() : undefined;
    parts.push(made.kind === "call" && read ? { ...made, args: [...made.args, positional(read)] } : made);
  }
  return { ...span(node), kind: "sequence", parts };
}

const wrappers = new Set(["sudo", "command", "exec", "nohup", "time", "env", "builtin", "doas"]);

function command(l: Lowering, node: SyntaxNode): Expression {
  const name = childIn(node, "name");
  const given = childrenIn(node, "argument");
  const before = node.children.filter((c) => c.type === "variable_assignment").map((c) => l.expression(c));
  const redirects = childrenIn(node, "redirect").map((c) => l.expression(c));
  if (!name) return { ...span(node), kind: "sequence", parts: [...before, ...redirects] };
  // `sudo -u www tar …` runs tar.
  let at = -1;
  if (wrappers.has(l.textOf(name))) at = given.findIndex((c, i) => isProgram(l, c, given[i - 1]));
  const called = at < 0 ? name : (given[at] as SyntaxNode);
  const written = childOf(called, "word") ?? called;
  const isPlain = written.type === "word" || called.type === "word";
  const callee = isPlain ? l.variable(called, l.textOf(written).replace(/^.*\//, "")) : l.expression(written);
  const reads = isPlain && /^(read|mapfile|readarray)$/.test(l.textOf(written));
  const args = given.slice(at + 1).map((c) => {
    // What `read` is given are the names of variables.
    const asName = reads && c.type === "word" && /^\w+$/.test(l.textOf(c));
    return positional(asName ? l.variable(c) : l.expression(c));
  });
  const made = l.call(node, callee, args);
  const parts = [...before, ...redirects];
  return parts.length === 0 ? made : { ...span(node), kind: "sequence", parts: [...parts, made] };
}

const isProgram = (l: Lowering, node: SyntaxNode, before: SyntaxNode | undefined): boolean =>
  !/^-|=/.test(l.textOf(node)) && !(before && /^-[ugCp]$/.test(l.textOf(before)));
