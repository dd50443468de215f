import type { Expression, Import, Index, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { textLiteral } from "./expressions.ts";
import { functionOf } from "./functions.ts";
import type { GoLowering } from "./go-lowering.ts";
import { nameOf, typeName, typesOf } from "./types.ts";

type Handler = (l: GoLowering, node: SyntaxNode) => Statement[];

const nothing: Handler = () => [];
const inside: Handler = (l, node) => l.statements(node.children);
const value = (node: SyntaxNode, e: Expression): Statement => ({ ...span(node), kind: "expression", value: e });
const values: Handler = (l, node) => node.children.map((c) => value(node, l.expression(c)));

/** How each kind of Go statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  package_clause: nothing,
  import_declaration: (l, node) => importSpecs(node).flatMap((spec) => importOf(l, spec)),
  function_declaration: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node) }],
  // Lowered with its type.
  method_declaration: nothing,
  type_declaration: typesOf,
  const_declaration: inside,
  var_declaration: inside,
  var_spec_list: inside,
  const_spec: declared,
  var_spec: declared,
  statement_list: inside,
  ERROR: inside,
  block: (l, node) => [{ ...span(node), kind: "block", body: l.statements(node.children) }],
  expression_statement: (l, node) => {
    const evaluated = values(l, node);
    return endsProcess(l, node) ? [...evaluated, { ...span(node), kind: "throw", value: null }] : evaluated;
  },
  // When it runs does not matter, what it does with its arguments does.
  go_statement: values,
  defer_statement: values,
  send_statement: (l, node) => {
    const channel = childIn(node, "channel");
    const sent = childIn(node, "value");
    if (!channel || !sent) return values(l, node);
    const to: Expression = { ...span(channel), kind: "index", of: l.expression(channel), key: null };
    return [assigned(node, to, l.expression(sent))];
  },
  inc_statement: (l, node) => step(l, node, "+"),
  dec_statement: (l, node) => step(l, node, "-"),
  assignment_statement: (l, node) => assignments(l, node, false),
  short_var_declaration: (l, node) => assignments(l, node, true),
  receive_statement: (l, node) => assignments(l, node, true),
  labeled_statement: (l, node) => l.statements(node.children.filter((c) => c.type !== "label_name")),
  empty_statement: nothing,
  fallthrough_statement: nothing,
  goto_statement: nothing,
  break_statement: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  continue_statement: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
  return_statement: (l, node) => [{ ...span(node), kind: "return", value: returned(l, node) }],
  if_statement: (l, node) => {
    const test = childIn(node, "condition");
    const otherwise = childIn(node, "alternative");
    const before = childIn(node, "initializer");
    return [
      ...(before ? l.statement(before) : []),
      {
        ...span(node),
        kind: "branch",
        test: test ? l.expression(test) : l.reads(node, []),
        then: bodyOf(l, node, "consequence"),
        otherwise: otherwise ? l.statement(otherwise) : [],
      },
    ];
  },
  for_statement: loop,
  expression_switch_statement: (l, node) => {
    const before = childIn(node, "initializer");
    const of = childIn(node, "value");
    return [
      ...(before ? l.statement(before) : []),
      of
        ? { ...span(node), kind: "switch", of: l.expression(of), cases: casesOf(l, node) }
        : conditions(l, node, casesOf(l, node)),
    ];
  },
  type_switch_statement: typeSwitch,
  select_statement: (l, node) => {
    const of: Expression = { start: node.start, end: node.start, kind: "unknown", reads: [] };
    return [{ ...span(node), kind: "switch", of, cases: casesOf(l, node) }];
  },
};

/** Calls after which nothing runs. */
function endsProcess(l: Lowering, node: SyntaxNode): boolean {
  const [call] = node.children;
  const callee = call?.type === "call_expression" ? childIn(call, "function") : undefined;
  return callee !== undefined && /^(panic|os\.Exit|log\.(Fatal|Panic)(f|ln)?)$/.test(l.textOf(callee));
}

const importSpecs = (node: SyntaxNode): SyntaxNode[] =>
  node.children
    .flatMap((c) => (c.type === "import_spec_list" ? c.children : [c]))
    .filter((c) => c.type === "import_spec");

/** `github.com/gofiber/fiber/v2/middleware/cors`; deeper in a path it is a folder that somebody has called so. */
const majorOfModule = /^(github\.com\/[^/]+\/[^/]+)\/v\d+(?=\/)/;

/** Major versions are no part of what a package is called; its name is its folder's, unless the import gives another. */
function importOf(l: Lowering, node: SyntaxNode): Statement[] {
  const path = childIn(node, "path");
  const text = path && textLiteral(l, path);
  if (!text) return [];
  const module = text
    .replace(/\/v\d+$/, "")
    .replace(/\.v\d+$/, "")
    .replace(majorOfModule, "$1");
  const given = childIn(node, "name");
  const as = given ? l.textOf(given) : packageName(l, module);
  const bound: Import = { ...span(node), kind: "import", module, name: null, as: as === "." ? "*" : as };
  if (as !== "_") return [bound];
  // Imported for what it does when it is loaded.
  return [bound, value(node, { ...span(node), kind: "field", of: l.variable(node, "_"), name: "init" })];
}

/** What a package is called; names have no dashes, and of a folder that has, it is the part that the file uses. */
function packageName(l: Lowering, module: string): string {
  const folder = module.slice(module.lastIndexOf("/") + 1).replace(/^go-|[-.]go$/g, "");
  const parts = folder.split(/[-.]/);
  if (parts.length === 1) return folder;
  const used = usedNames(l);
  return [parts.join(""), ...parts.toReversed()].find((part) => used.has(part)) ?? (parts[0] as string);
}

const namesOf = new WeakMap<Lowering, ReadonlySet<string>>();

/** What the file uses with a dot behind it, read once for all of its imports. */
function usedNames(l: Lowering): ReadonlySet<string> {
  const known = namesOf.get(l) ?? new Set(Array.from(l.text.matchAll(/(\w+)\./g), ([, name]) => name as string));
  namesOf.set(l, known);
  return known;
}

const assigned = (
  at: SyntaxNode,
  to: Expression,
  from: Expression,
  declares = false,
  type: string | null = null,
): Statement => value(at, { ...span(at), kind: "assign", to, from, type, declares });

const list = (field: SyntaxNode | undefined): SyntaxNode[] =>
  field?.type === "expression_list" ? field.children : field ? [field] : [];

function declared(l: GoLowering, node: SyntaxNode): Statement[] {
  const names = childrenIn(node, "name").filter((c) => c.type === "identifier");
  const written = childIn(node, "type");
  const type = typeName(l, written);
  const given = list(childIn(node, "value"));
  if (given.length === 1 && names.length > 1) {
    const from = l.expression(given[0] as SyntaxNode);
    return [assigned(node, targets(l, node, names), from, true)];
  }
  return names.map((name, i) => {
    const from = given[i];
    return assigned(name, l.variable(name), from ? l.expression(from) : emptyValue(l, name, written), true, type);
  });
}

/** A map or list that is declared without a value is empty, and an error is none; of other types nothing is known. */
function emptyValue(l: Lowering, at: SyntaxNode, type: SyntaxNode | undefined): Expression {
  if (type?.type === "map_type" || type?.type === "slice_type")
    return { ...span(at), kind: "collection", shape: type.type === "map_type" ? "map" : "list", entries: [] };
  const written = typeName(l, type);
  if (written === "error") return { ...span(at), kind: "literal", value: null };
  return written === null
    ? { ...span(at), kind: "unknown", reads: [] }
    : { ...span(at), kind: "call", callee: nameOf(l, type ?? at, written), args: [], isNew: true };
}

/** The last of several results is, by custom, an error or whether there is one: neither is the attacker's text. */
const outcome = /^(err|\w*Err|err\w*|ok|found|exists)$/;
/** What a call gives that gives nothing but an error. */
const isError = /^(err|\w*Err)$/;

/** `v, there := m[k]`, `v, fits := x.(T)`, `v, open := <-c`: the second is never the attacker's either, whatever it is called. */
const saysWhether = (from: SyntaxNode | undefined): boolean =>
  /^(index_expression|type_assertion_expression|unary_expression)$/.test(from?.type ?? "");

function targets(l: Lowering, node: SyntaxNode, names: readonly SyntaxNode[], from?: SyntaxNode): Expression {
  return {
    ...span(node),
    kind: "collection",
    shape: "list",
    entries: names.map((name, i) => {
      const to = l.expression(name);
      const isOutcome = i > 0 && i === names.length - 1 && (saysWhether(from) || outcome.test(l.textOf(name)));
      const unknown: Expression = { ...span(name), kind: "unknown", reads: [] };
      const target: Expression = isOutcome
        ? { ...span(name), kind: "assign", to, from: unknown, type: "error", declares: false }
        : to;
      return { ...span(name), key: null, value: target, spread: false };
    }),
  };
}

function assignments(l: GoLowering, node: SyntaxNode, declares: boolean): Statement[] {
  const left = list(childIn(node, "left"));
  const right = list(childIn(node, "right"));
  const symbol = childIn(node, "operator");
  const operator = symbol ? l.textOf(symbol).slice(0, -1) : "";
  const [to] = left;
  const [from] = right;
  if (!from) return [];
  if (!to) return [value(node, l.expression(from))];
  if (operator !== "" && operator !== ":") {
    const operands = [l.expression(to), l.expression(from)];
    return [assigned(node, l.expression(to), { ...span(node), kind: "operation", operator, operands })];
  }
  if (left.length > 1 && right.length === 1)
    return [assigned(node, targets(l, node, left, from), l.expression(from), declares)];
  const type = from.type === "call_expression" && isError.test(l.textOf(to)) ? "error" : null;
  if (left.length === 1) return [assigned(node, l.expression(to), l.expression(from), declares, type)];
  // `a, b = b, a` evaluates all before it assigns any.
  const all: Expression = {
    ...span(node),
    kind: "collection",
    shape: "list",
    entries: right.map((c) => ({ ...span(c), key: null, value: l.expression(c), spread: false })),
  };
  return [assigned(node, targets(l, node, left), all, declares)];
}

function step(l: Lowering, node: SyntaxNode, operator: string): Statement[] {
  const [of] = node.children;
  if (!of) return [];
  const operands = [l.expression(of), l.literal(node, 1)];
  return [assigned(node, l.expression(of), { ...span(node), kind: "operation", operator, operands })];
}

/** A bare return gives the named results. */
function returned(l: GoLowering, node: SyntaxNode): Expression | null {
  const [given] = node.children;
  if (given) return l.expression(given);
  const names = l.results.at(-1) ?? [];
  const parts = names.map((name) => l.variable(node, name));
  if (parts.length < 2) return parts[0] ?? null;
  const entries = parts.map((part) => ({ ...span(node), key: null, value: part, spread: false }));
  return { ...span(node), kind: "collection", shape: "list", entries };
}

const bodyOf = (l: Lowering, node: SyntaxNode, field: string): Statement[] => {
  const block = childIn(node, field);
  return block ? l.statement(block) : [];
};

function loop(l: GoLowering, node: SyntaxNode): Statement[] {
  const clause = childOf(node, "for_clause");
  const range = childOf(node, "range_clause");
  const head = clause ?? node;
  const plain = node.children.find((c) => c.field !== "body" && c !== clause && c !== range);
  const test = clause ? childIn(clause, "condition") : plain;
  const before = clause && childIn(head, "initializer");
  const after = clause && childIn(head, "update");
  const updates = after ? l.statement(after).flatMap((s) => (s.kind === "expression" ? [s.value] : [])) : [];
  return [
    ...(before ? l.statement(before) : []),
    {
      ...span(node),
      kind: "loop",
      bind: range ? rangeBind(l, range) : null,
      test: test ? l.expression(test) : null,
      body: bodyOf(l, node, "body"),
      update: updates.length > 0 && after ? { ...span(after), kind: "sequence", parts: updates } : null,
      always: false,
    },
  ];
}

/** The key of a list is its position; names tell which it is, as the types are not known: `k, v` are those of a map. */
const position = /^(_|i|j|n|idx|index|pos)$/;

function rangeBind(l: GoLowering, range: SyntaxNode): Expression {
  const over = childIn(range, "right");
  const [first, second] = list(childIn(range, "left"));
  const of = over ? l.expression(over) : l.reads(range, []);
  if (!first) return of;
  const element: Index = { ...span(over ?? range), kind: "index", of, key: null };
  const bind = (to: SyntaxNode, from: Expression): Expression => ({
    ...span(to),
    kind: "assign",
    to: l.expression(to),
    from,
    type: null,
    declares: true,
  });
  const isPosition = position.test(l.textOf(first)) && (second || !isChannel(l, of));
  const key: Expression = isPosition ? { ...span(first), kind: "unknown", reads: [] } : { ...element, asKey: true };
  const parts = [bind(first, key), ...(second ? [bind(second, element)] : [])];
  return { ...span(range), kind: "sequence", parts };
}

/** `for j := range jobs` gets what was sent, where the file says that `jobs` is a channel. */
const isChannel = (l: GoLowering, of: Expression): boolean =>
  (of.kind === "variable" || of.kind === "field") && l.channels.has(of.name);

function casesOf(l: GoLowering, node: SyntaxNode): Switch["cases"] {
  const groups = node.children.filter((c) => c.type.endsWith("_case"));
  return groups.map((group) => {
    const tests = group.type === "expression_case" ? list(childIn(group, "value")).map((c) => l.expression(c)) : [];
    const communication = childIn(group, "communication");
    const rest = group.children.filter((c) => c.field !== "value" && c.field !== "type" && c !== communication);
    const unknown: Expression[] = communication ? [{ ...span(communication), kind: "unknown", reads: [] }] : [];
    return {
      tests: [...tests, ...unknown],
      body: [...(communication ? l.statement(communication) : []), ...l.statements(rest)],
      through: fallsThrough(rest),
    };
  });
}

/** The default may stand anywhere and is still tried last. */
const fallsThrough = (body: readonly SyntaxNode[]): boolean =>
  body.at(-1)?.children.at(-1)?.type === "fallthrough_statement" || body.at(-1)?.type === "fallthrough_statement";

/** A switch without a value is a chain of tests. */
function conditions(l: Lowering, node: SyntaxNode, cases: Switch["cases"]): Statement {
  const last = cases.find((c) => c.tests.length === 0)?.body ?? [];
  const chain = cases
    .filter((c) => c.tests.length > 0)
    .reduceRight<Statement[]>((otherwise, { tests, body }) => {
      const [only] = tests;
      const test: Expression =
        tests.length === 1 && only
          ? only
          : { ...span(only ?? node), kind: "operation", operator: "||", operands: tests };
      return [{ ...span(node), kind: "branch", test, then: body, otherwise }];
    }, last);
  // Wrapped in a switch of one arm, so that break leaves it and not the loop around.
  const of = l.literal({ start: node.start, end: node.start }, true);
  return { ...span(node), kind: "switch", of, cases: [{ tests: [], body: chain, through: false }] };
}

function typeSwitch(l: GoLowering, node: SyntaxNode): Statement[] {
  const before = childIn(node, "initializer");
  const of = childIn(node, "value");
  const [alias] = list(childIn(node, "alias"));
  const from = of ? l.expression(of) : l.reads(node, []);
  const cases = node.children
    .filter((c) => c.type.endsWith("_case"))
    .map((group) => {
      const types = childrenIn(group, "type");
      const type = types.length === 1 ? typeName(l, types[0]) : null;
      const bind = alias ? [assigned(alias, l.variable(alias), from, true, type)] : [];
      const rest = group.children.filter((c) => c.field !== "type");
      const tests = types.map((t): Expression => ({ ...span(t), kind: "unknown", reads: [] }));
      return { tests, body: [...bind, ...l.statements(rest)], through: false };
    });
  return [...(before ? l.statement(before) : []), { ...span(node), kind: "switch", of: from, cases }];
}
