import type { Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import {
  asStatement,
  statements as curly,
  inside,
  loop,
  none,
  type StatementHandler,
  under,
} from "../curly/statements.ts";
import { numberOf, span } from "../lowering.ts";
import type { CLowering } from "./c-lowering.ts";
import { classOf, declarationOf, functionOf } from "./declarations.ts";
import { intoStream } from "./expressions.ts";
import { declaratorOf } from "./types.ts";

type Handler = StatementHandler<CLowering>;

const type: Handler = (l, node) => (childIn(node, "body") ? [classOf(l, node)] : []);

/** How each kind of statement in C and C++ lowers. */
export const statements: Record<string, Handler> = {
  ...curly,
  translation_unit: withMembers,
  declaration_list: withMembers,
  field_declaration_list: inside,
  compound_statement: (l, node) => [{ ...span(node), kind: "block", body: withLabels(l, node.children) }],
  // Without the compiler's settings either side may be the one that counts.
  preproc_if: conditional,
  preproc_ifdef: conditional,
  preproc_elif: conditional,
  preproc_else: inside,
  preproc_include: none,
  preproc_call: none,
  preproc_function_def: (l, node) => {
    const [name, value] = [childIn(node, "name"), childIn(node, "value")];
    if (!name || !value) return [];
    const macro = l.textOf(name);
    l.leaving.set(macro, leaves(l.textOf(value)) && l.leaving.get(macro) !== false);
    return [];
  },
  expression_statement: (l, node) =>
    node.children.flatMap((child) => {
      const called = child.type === "call_expression" ? childIn(child, "function") : undefined;
      const statement = asStatement(intoStream(l, child) ?? l.expression(child));
      const isLast = called !== undefined && l.leaving.get(l.textOf(called)) === true;
      return isLast ? [statement, { ...span(child), kind: "return", value: null }] : [statement];
    }),
  preproc_directive: none,
  preproc_def: (l, node) => {
    const name = childIn(node, "name");
    const value = childIn(node, "value");
    const constant = value && macroValue(l.textOf(value).trim());
    if (name && constant !== undefined) l.define(l.textOf(name), constant);
    return [];
  },
  linkage_specification: (l, node) => under(l, node, "body"),
  namespace_definition: (l, node) => under(l, node, "body"),
  template_declaration: (l, node) => l.statements(node.children.filter((c) => c.field !== "parameters")),
  template_instantiation: none,
  using_declaration: none,
  alias_declaration: none,
  namespace_alias_definition: none,
  static_assert_declaration: none,
  friend_declaration: none,
  concept_definition: none,
  access_specifier: none,
  attribute_declaration: none,
  attribute_specifier: none,
  type_qualifier: none,
  function_definition: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node) }],
  inline_method_definition: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node) }],
  declaration: declarationOf,
  field_declaration: declarationOf,
  type_definition: (l, node) => {
    const body = childIn(node, "type");
    const named = declaratorOf(childIn(node, "declarator"));
    if (!body || !childIn(body, "body")) return [];
    if (body.type === "enum_specifier") return l.statement(body);
    return [classOf(l, body, named ? l.textOf(named.name) : null)];
  },
  struct_specifier: type,
  union_specifier: type,
  class_specifier: type,
  enum_specifier: (l, node) => enumerators(l, childIn(node, "body")),
  for_range_loop: (l, node) => {
    const over = childIn(node, "right");
    const of = declaratorOf(childIn(node, "declarator"));
    if (!over || !of) return inside(l, node);
    const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    return [loop(l, node, assigned(of.name, l.variable(of.name), element, null, true))];
  },
  switch_statement: (l, node) => {
    const of = childIn(node, "condition");
    const body = childIn(node, "body");
    if (!of || !body) return inside(l, node);
    return [{ ...span(node), kind: "switch", of: l.expression(of), cases: casesOf(l, body) }];
  },
  labeled_statement: (l, node) => l.statements(node.children.filter((c) => c.field !== "label")),
  // Where it goes is left to `withLabels`; what follows here is not reached from here.
  goto_statement: (_, node) => [{ ...span(node), kind: "throw", value: null }],
  try_statement: (l, node) => [
    {
      ...span(node),
      kind: "try",
      body: under(l, node, "body"),
      catches: node.children
        .filter((c) => c.type === "catch_clause")
        .map((clause) => {
          const name = declaratorOf(childIn(childIn(clause, "parameters")?.children[0] ?? clause, "declarator"));
          return { ...span(clause), bind: name ? l.variable(name.name) : null, body: under(l, clause, "body") };
        }),
      last: [],
    },
  ],
  seh_try_statement: inside,
  attributed_statement: inside,
};

/** `int Stack::pop() {}` is written apart from its class, and part of it. */
function withMembers(l: CLowering, node: SyntaxNode): Statement[] {
  const all: Statement[] = [];
  for (const child of node.children) {
    const lowered = l.statement(child);
    const owner = child.type === "function_definition" ? ownerOf(l, child) : null;
    const home = owner === null ? undefined : all.find((s) => s.kind === "class" && s.name === owner);
    if (home?.kind === "class") home.body.push(...lowered);
    else all.push(...lowered);
  }
  return all;
}

function ownerOf(l: CLowering, node: SyntaxNode): string | null {
  const name = declaratorOf(childIn(node, "declarator"))?.name;
  return (name && l.textOf(name).match(/(\w+)\s*::\s*~?\w+$/)?.[1]) ?? null;
}

/** A label that is jumped to from above is reached from there as from a statement that throws. */
function withLabels(l: CLowering, children: readonly SyntaxNode[]): Statement[] {
  let before: Statement[] = [];
  for (const [i, child] of children.entries()) {
    const label = child.type === "labeled_statement" ? childIn(child, "label") : undefined;
    const first = children[0] as SyntaxNode;
    const above = label ? l.text.slice(first.start, child.start) : "";
    if (label && i > 0 && new RegExp(`\\bgoto\\s+${l.textOf(label)}\\b`).test(above)) {
      const at = { start: first.start, end: child.start };
      before = [{ ...at, kind: "try", body: before, catches: [{ ...at, bind: null, body: [] }], last: [] }];
    }
    before = [...before, ...l.statement(child)];
  }
  return before;
}

function conditional(l: CLowering, node: SyntaxNode): Statement[] {
  const apart = new Set(["name", "condition", "alternative"]);
  const alternative = childIn(node, "alternative");
  const condition = childIn(node, "condition");
  const taken = condition ? isTaken(l, l.textOf(condition)) : null;
  if (taken === false) return alternative ? l.statement(alternative) : [];
  const then = l.statements(node.children.filter((c) => !apart.has(c.field ?? "")));
  if (!alternative || taken) return then;
  const test: Expression = { start: node.start, end: node.start, kind: "unknown", reads: [] };
  const otherwise = l.statement(alternative);
  // Declarations of either side are there for what follows; inside functions only one side runs.
  if (l.declaredIn === null) return [...then, ...otherwise];
  return [{ ...span(node), kind: "branch", test, then, otherwise }];
}

/** `#if 0`, and `#if WIDTH == 8` where the file says what the width is. Switches by name alone are for whoever builds it. */
function isTaken(l: CLowering, condition: string): boolean | null {
  const plain = condition
    .trim()
    .replace(/^\((.*)\)$/, "$1")
    .trim();
  if (/^[01]$/.test(plain)) return plain === "1";
  const [, name = "", operator = "", written] = plain.match(/^(\w+)\s*([=!]=|[<>]=?)\s*(\d+)$/) ?? [];
  const known = l.constants.get(name);
  if (typeof known !== "number") return null;
  const other = Number(written);
  const answers = { "==": known === other, "!=": known !== other, "<": known < other, ">": known > other };
  return { ...answers, "<=": known <= other, ">=": known >= other }[operator] ?? null;
}

/** `#define FAIL(r) do { report(r); return NULL; } while (0)`: the last thing that a macro does whatever was asked before is to return. One that goes to a label is read on: what is freed there counts. */
function leaves(macro: string): boolean {
  const plain = macro.replace(/\\\s/g, " ").replace(/\/\*[^*]*\*\//g, "");
  const body = plain
    .replace(/^\s*do\b/, "")
    .replace(/\bwhile\s*\(\s*0\s*\)[\s;]*$/, "")
    .trim();
  const inside = body.startsWith("{") && body.endsWith("}") ? body.slice(1, -1) : body;
  const last = inside.match(/(^|[;}])\s*return\b[^;{}]*(;\s*)?$/);
  if (!last) return false;
  const before = inside.slice(0, (last.index ?? 0) + 1);
  return before.split("{").length === before.split("}").length;
}

function macroValue(written: string): string | number | undefined {
  const plain = written.replace(/^\((.*)\)$/, "$1").replace(/[uUlL]+$/, "");
  const shifted = plain.match(/^(\d+)\s*<<\s*(\d+)$/);
  if (shifted) return Number(shifted[1]) * 2 ** Number(shifted[2]);
  if (/^"[^"\\]*"$/.test(plain)) return plain.slice(1, -1);
  const value = /^(0[xX][0-9a-fA-F]+|\d+)$/.test(plain) ? numberOf(plain) : null;
  return value ?? undefined;
}

function enumerators(l: CLowering, body: SyntaxNode | undefined): Statement[] {
  let next = 0;
  for (const child of body?.children ?? []) {
    const name = childIn(child, "name");
    const given = childIn(child, "value");
    const value = given ? l.expression(given) : l.literal(child, next);
    // Where one is computed, the ones after it are not known either.
    next = value.kind === "literal" && typeof value.value === "number" ? value.value + 1 : Number.NaN;
    if (name && !Number.isNaN(next)) l.constants.set(l.textOf(name), next - 1);
  }
  return [];
}

function casesOf(l: CLowering, body: SyntaxNode): Switch["cases"] {
  const cases: Switch["cases"] = [];
  for (const child of inSwitch(body.children)) {
    if (child.type === "case_statement")
      cases.push({
        tests: childrenIn(child, "value").map((test) => l.expression(test)),
        body: l.statements(child.children.filter((inside) => inside.field !== "value")),
        // Unless it jumps.
        through: true,
      });
    // Behind a condition of the preprocessor the grammar no longer sees that it belongs to the case.
    else cases.at(-1)?.body.push(...l.statement(child));
  }
  return cases;
}

/** What stands in a switch, with the cases that the preprocessor may leave out. */
const inSwitch = (children: readonly SyntaxNode[]): SyntaxNode[] =>
  children.flatMap((child) => {
    const isCondition =
      child.type.startsWith("preproc_") && child.children.some(({ type }) => type === "case_statement");
    return isCondition
      ? inSwitch(child.children.filter(({ field }) => field !== "name" && field !== "condition"))
      : [child];
  });
