import type { Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span, unescapeText } from "../lowering.ts";
import { classOf } from "./classes.ts";
import { declareModule, handedOn } from "./compiled-modules.ts";
import { functionOf, returning } from "./functions.ts";
import { target } from "./patterns.ts";

type Handler = (l: Lowering, node: SyntaxNode) => Statement[];

const nothing: Handler = () => [];
const declaration: Handler = (l, node) =>
  node.children.filter((c) => c.type === "variable_declarator").flatMap((c) => declarator(l, c));
const inside: Handler = (l, node) => l.statements(node.children);
const functionStatement: Handler = (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node) }];
const classStatement: Handler = (l, node) => [classOf(l, node)];
const body = (l: Lowering, node: SyntaxNode | undefined): Statement[] => (node ? l.statement(node) : []);

/** How each kind of JavaScript statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  expression_statement: (l, node) =>
    node.children.map((c) => {
      const module = handedOn(l, c);
      if (module) return { ...span(node), kind: "import", module: moduleName(l, module), name: null, as: "*" };
      return { ...span(node), kind: "expression", value: l.expression(c) };
    }),
  lexical_declaration: declaration,
  variable_declaration: declaration,
  statement_block: (l, node) => [{ ...span(node), kind: "block", body: l.statements(node.children) }],
  function_declaration: functionStatement,
  generator_function_declaration: functionStatement,
  class_declaration: classStatement,
  abstract_class_declaration: classStatement,
  if_statement: (l, node) => {
    const test = childIn(node, "condition");
    if (!test) return inside(l, node);
    const otherwise = childIn(node, "alternative");
    return [
      {
        ...span(node),
        kind: "branch",
        test: l.expression(test),
        then: body(l, childIn(node, "consequence")),
        otherwise: otherwise ? l.statements(otherwise.children) : [],
      },
    ];
  },
  switch_statement: switchStatement,
  while_statement: (l, node) => loop(l, node, childIn(node, "condition"), false),
  do_statement: (l, node) => loop(l, node, childIn(node, "condition"), true),
  for_statement: (l, node) => {
    const start = childIn(node, "initializer");
    const update = childIn(node, "increment");
    const test = childIn(node, "condition");
    const [repeat] = loop(l, node, test?.type === "empty_statement" ? undefined : test, false);
    if (repeat?.kind === "loop" && update) repeat.update = l.expression(update);
    return [...(start && start.type !== "empty_statement" ? l.statement(start) : []), ...(repeat ? [repeat] : [])];
  },
  for_in_statement: forIn,
  try_statement: (l, node) => {
    const handler = childIn(node, "handler");
    const parameter = handler && childIn(handler, "parameter");
    const caught = handler && childIn(handler, "body");
    const last = childIn(node, "finalizer");
    return [
      {
        ...span(node),
        kind: "try",
        body: childIn(node, "body") ? l.statements((childIn(node, "body") as SyntaxNode).children) : [],
        catches: handler
          ? [
              {
                ...span(handler),
                bind: parameter ? target(l, parameter) : null,
                body: caught ? l.statements(caught.children) : [],
              },
            ]
          : [],
        last: last ? body(l, childIn(last, "body")) : [],
      },
    ];
  },
  return_statement: (l, node) => returning(l, node, node.children[0]),
  throw_statement: (l, node) => [
    { ...span(node), kind: "throw", value: node.children[0] ? l.expression(node.children[0]) : null },
  ],
  break_statement: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  continue_statement: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
  labeled_statement: (l, node) => body(l, childIn(node, "body")),
  with_statement: (l, node) => body(l, childIn(node, "body")),
  import_statement: importStatement,
  export_statement: exportStatement,
  empty_statement: nothing,
  debugger_statement: nothing,
  hash_bang_line: nothing,
  interface_declaration: nothing,
  type_alias_declaration: nothing,
  import_alias: nothing,
  function_signature: nothing,
  ambient_declaration: nothing,
  enum_declaration: nothing,
  internal_module: (l, node) => body(l, childIn(node, "body")),
  module: (l, node) => body(l, childIn(node, "body")),
  else_clause: inside,
  ERROR: inside,
};

function declarator(l: Lowering, node: SyntaxNode): Statement[] {
  const name = childIn(node, "name");
  const value = childIn(node, "value");
  if (!name) return [];
  const type = childIn(node, "type")?.children[0];
  declareModule(l, name, value);
  const declared = value ? namedClass(l, name, value) : null;
  if (declared) return declared;
  const from: Expression = value ? l.expression(value) : { ...span(node), kind: "unknown", reads: [] };
  const assign: Expression = {
    ...span(node),
    kind: "assign",
    to: target(l, name),
    from,
    type: type ? l.textOf(type) : null,
    declares: true,
  };
  return [{ ...span(node), kind: "expression", value: assign }];
}

/** `let Page = Page_1 = class Page {…}` declares a class as `class Page {…}` does; compilers write it for those with decorators. */
function namedClass(l: Lowering, name: SyntaxNode, value: SyntaxNode): Statement[] | null {
  const alias = value.type === "assignment_expression" ? childIn(value, "left") : undefined;
  const node = alias ? childIn(value, "right") : value;
  if (name.type !== "identifier" || node?.type !== "class") return null;
  const declared = { ...classOf(l, node), name: l.textOf(name) };
  const inner = childIn(node, "name");
  const others = [alias, inner].filter(
    (other) => other?.type.endsWith("identifier") && l.textOf(other) !== declared.name,
  );
  return [declared, ...others.map((other) => renamed(l, other as SyntaxNode, name))];
}

function renamed(l: Lowering, to: SyntaxNode, name: SyntaxNode): Statement {
  const from = l.variable(name);
  const value: Expression = { ...span(to), kind: "assign", to: l.variable(to), from, type: null, declares: false };
  return { ...span(to), kind: "expression", value };
}

function loop(l: Lowering, node: SyntaxNode, test: SyntaxNode | undefined, always: boolean): Statement[] {
  return [
    {
      ...span(node),
      kind: "loop",
      bind: null,
      test: test ? l.expression(test) : null,
      body: body(l, childIn(node, "body")),
      update: null,
      always,
    },
  ];
}

function forIn(l: Lowering, node: SyntaxNode): Statement[] {
  const left = childIn(node, "left");
  const right = childIn(node, "right");
  if (!left || !right) return inside(l, node);
  const operator = childIn(node, "operator");
  const values = l.expression(right);
  // `in` walks over the keys, which are the object's as much as its values are.
  const from: Expression =
    operator && l.textOf(operator) === "in"
      ? { ...span(right), kind: "unknown", reads: [values] }
      : { ...span(right), kind: "index", of: values, key: null };
  const [repeat] = loop(l, node, undefined, false);
  if (repeat?.kind === "loop") {
    repeat.bind = {
      ...span(left),
      kind: "assign",
      to: target(l, left),
      from,
      type: null,
      declares: childIn(node, "kind") !== undefined,
    };
  }
  return repeat ? [repeat] : [];
}

function switchStatement(l: Lowering, node: SyntaxNode): Statement[] {
  const of = childIn(node, "value");
  if (!of) return inside(l, node);
  const cases: Switch["cases"] = (childIn(node, "body")?.children ?? []).map((c) => ({
    tests: childrenIn(c, "value").map((test) => l.expression(test)),
    body: l.statements(c.children.filter((part) => part.field !== "value")),
    through: true,
  }));
  return [{ ...span(node), kind: "switch", of: l.expression(of), cases }];
}

function importStatement(l: Lowering, node: SyntaxNode): Statement[] {
  const source = childIn(node, "source");
  const clause = childOf(node, "import_clause");
  const required = childOf(node, "import_require_clause");
  if (required) {
    const [name] = required.children;
    const from = childIn(required, "source");
    return name && from
      ? [{ ...span(node), kind: "import", module: moduleName(l, from), name: null, as: l.textOf(name) }]
      : [];
  }
  if (!source || !clause) return [];
  const module = moduleName(l, source);
  return clause.children.flatMap((part): Statement[] => {
    // CommonJS modules arrive as the default, so default and namespace imports both stand for the module.
    if (part.type === "identifier") return [{ ...span(part), kind: "import", module, name: null, as: l.textOf(part) }];
    if (part.type === "namespace_import") {
      const as = part.children[0];
      return as ? [{ ...span(part), kind: "import", module, name: null, as: l.textOf(as) }] : [];
    }
    return part.children.flatMap((specifier): Statement[] => {
      const name = childIn(specifier, "name");
      const as = childIn(specifier, "alias") ?? name;
      if (!name || !as) return [];
      const member = l.textOf(name) === "default" ? null : l.textOf(name);
      return [{ ...span(specifier), kind: "import", module, name: member, as: l.textOf(as) }];
    });
  });
}

const moduleName = (l: Lowering, node: SyntaxNode) => unescapeText(l.textOf(node).slice(1, -1)).replace(/^node:/, "");

function exportStatement(l: Lowering, node: SyntaxNode): Statement[] {
  const declared = childIn(node, "declaration");
  const value = childIn(node, "value");
  if (declared)
    return [
      ...markExported(decorated(l, node, l.statement(declared))),
      ...asDefault(l, node, declared),
      ...madeValues(l, declared),
    ];
  if (value) {
    const to: Expression = { ...span(node), kind: "field", of: l.variable(node, "exports"), name: "default" };
    const assign: Expression = {
      ...span(value),
      kind: "assign",
      to,
      from: l.expression(value),
      type: null,
      declares: false,
    };
    return [{ ...span(node), kind: "expression", value: assign }];
  }
  const whole = exportedWhole(l, node);
  if (whole) return [{ ...span(node), kind: "expression", value: whole }];
  const source = childIn(node, "source");
  const clause = childOf(node, "export_clause");
  const namespace = childOf(node, "namespace_export")?.children[0];
  if (source && namespace) return [exported(l, node, namespace, requireOf(l, source))];
  if (source && !clause) return [{ ...span(node), kind: "import", module: moduleName(l, source), name: null, as: "*" }];
  // `export { a as b }` is the assignment exports.b = a, and `export { a } from "c"` takes a from what `require("c")` gives.
  return (clause?.children ?? []).flatMap((specifier): Statement[] => {
    const name = childIn(specifier, "name");
    const as = childIn(specifier, "alias") ?? name;
    if (!name || !as) return [];
    return [exported(l, specifier, as, source ? memberOf(l, requireOf(l, source), name) : l.variable(name))];
  });
}

/** `export const check = listed(["png"])`, `export const orders = { find() {} }`: others find these as they do `exports.check`. */
function madeValues(l: Lowering, declared: SyntaxNode): Statement[] {
  if (declared.type !== "lexical_declaration") return [];
  return declared.children.flatMap((declarator) => {
    const name = childIn(declarator, "name");
    if (name?.type !== "identifier" || !isMade.test(childIn(declarator, "value")?.type ?? "")) return [];
    return [exported(l, declarator, name, l.variable(name))];
  });
}

/** Functions are marked as exported themselves, and of constants nobody asks. */
const isMade =
  /^(await|call|new|as|satisfies|ternary|binary|member|parenthesized)_expression$|^(object|array|identifier)$/;

/** `export default function f() {}` also is `exports.default = f`. */
function asDefault(l: Lowering, node: SyntaxNode, declared: SyntaxNode): Statement[] {
  const name = childIn(declared, "name");
  if (!name || !/\bdefault\s/.test(l.text.slice(node.start, declared.start))) return [];
  const to: Expression = { ...span(name), kind: "field", of: l.variable(name, "exports"), name: "default" };
  const value: Expression = { ...span(name), kind: "assign", to, from: l.variable(name), type: null, declares: false };
  return [{ ...span(name), kind: "expression", value }];
}

function exported(l: Lowering, node: SyntaxNode, as: SyntaxNode, from: Expression): Statement {
  const to: Expression = { ...span(as), kind: "field", of: l.variable(as, "exports"), name: l.textOf(as) };
  return {
    ...span(node),
    kind: "expression",
    value: { ...span(node), kind: "assign", to, from, type: null, declares: false },
  };
}

function requireOf(l: Lowering, source: SyntaxNode): Expression {
  const module: Expression = { ...span(source), kind: "literal", value: moduleName(l, source) };
  const args = [{ name: null, value: module, spread: false }];
  return { ...span(source), kind: "call", callee: l.variable(source, "require"), args, isNew: false };
}

/** CommonJS modules arrive as the default. */
const memberOf = (l: Lowering, module: Expression, name: SyntaxNode): Expression =>
  l.textOf(name) === "default" ? module : { ...span(name), kind: "field", of: module, name: l.textOf(name) };

/** `export = f` is how TypeScript writes `module.exports = f`. */
function exportedWhole(l: Lowering, node: SyntaxNode): Expression | null {
  const [value] = node.children;
  if (!value || !/^export\s*=/.test(l.text.slice(node.start, value.start))) return null;
  const to: Expression = { ...span(node), kind: "field", of: l.variable(node, "module"), name: "exports" };
  return { ...span(node), kind: "assign", to, from: l.expression(value), type: null, declares: false };
}

/** TypeScript lets the decorators of a class stand before `export`, where they are children of the export. */
function decorated(l: Lowering, node: SyntaxNode, declared: Statement[]): Statement[] {
  const before = childrenIn(node, "decorator").flatMap((d) => d.children.map((c) => l.expression(c)));
  for (const statement of declared)
    if (statement.kind === "class") statement.decorators = [...before, ...statement.decorators];
  return declared;
}

function markExported(declared: Statement[]): Statement[] {
  for (const statement of declared) {
    if (statement.kind === "function") statement.fn.exported = true;
    if (
      statement.kind === "expression" &&
      statement.value.kind === "assign" &&
      statement.value.from.kind === "closure"
    ) {
      statement.value.from.fn.exported = true;
    }
  }
  return declared;
}
