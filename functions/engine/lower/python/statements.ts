import type { Expression, Statement, Switch } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import { functionOf } from "./functions.ts";
import { madeInitialiser } from "./made-initialiser.ts";
import { capturesOf } from "./match-patterns.ts";
import { namedTuple } from "./named-tuples.ts";
import { target } from "./patterns.ts";
import type { PythonLowering } from "./python-lowering.ts";

type Handler = (l: PythonLowering, node: SyntaxNode) => Statement[];

const nothing: Handler = () => [];
const inside: Handler = (l, node) => l.statements(node.children);
const body = (l: PythonLowering, node: SyntaxNode | undefined): Statement[] =>
  node ? l.statements(node.children) : [];
const value = (at: SyntaxNode, of: Expression): Statement => ({ ...span(at), kind: "expression", value: of });

/** `global last`: what is assigned to the name from here on is there for others. */
function namesAround(l: PythonLowering, node: SyntaxNode): Statement[] {
  for (const name of node.children) l.namesAround.add(l.textOf(name));
  return [];
}

/** How each kind of Python statement lowers; a node that is not here is a value on its own. */
export const statements: Record<string, Handler> = {
  expression_statement: (l, node) => node.children.map((c) => namedTuple(l, c) ?? value(node, l.expression(c))),
  block: inside,
  ERROR: inside,
  pass_statement: nothing,
  line_continuation: nothing,
  global_statement: namesAround,
  nonlocal_statement: namesAround,
  type_alias_statement: nothing,
  function_definition: (l, node) => [{ ...span(node), kind: "function", fn: functionOf(l, node, [], false) }],
  class_definition: (l, node) => classDefinition(l, node, []),
  decorated_definition: (l, node) => {
    const definition = childIn(node, "definition");
    return definition ? definitionOf(l, definition, decoratorsOf(l, node), false) : inside(l, node);
  },
  if_statement: ifStatement,
  while_statement: (l, node) => {
    const test = childIn(node, "condition");
    return loop(l, node, null, test ? l.expression(test) : null);
  },
  for_statement: (l, node) => {
    const left = childIn(node, "left");
    const right = childIn(node, "right");
    if (!left || !right) return inside(l, node);
    const from: Expression = { ...span(right), kind: "index", of: l.expression(right), key: null };
    return loop(
      l,
      node,
      { ...span(left), kind: "assign", to: target(l, left), from, type: null, declares: true },
      null,
    );
  },
  try_statement: tryStatement,
  with_statement: withStatement,
  match_statement: matchStatement,
  return_statement: (l, node) => [
    { ...span(node), kind: "return", value: node.children[0] ? l.expression(node.children[0]) : null },
  ],
  raise_statement: (l, node) => [
    { ...span(node), kind: "throw", value: node.children[0] ? l.expression(node.children[0]) : null },
  ],
  break_statement: (_, node) => [{ ...span(node), kind: "jump", to: "break" }],
  continue_statement: (_, node) => [{ ...span(node), kind: "jump", to: "continue" }],
  assert_statement: assertion,
  delete_statement: (l, node) => [value(node, l.reads(node, node.children))],
  print_statement: (l, node) => [
    value(
      node,
      l.call(
        node,
        l.variable(node, "print"),
        node.children.map((c) => positional(l.expression(c))),
      ),
    ),
  ],
  exec_statement: (l, node) => [
    value(
      node,
      l.call(
        node,
        l.variable(node, "exec"),
        node.children.map((c) => positional(l.expression(c))),
      ),
    ),
  ],
  import_statement: (l, node) =>
    childrenIn(node, "name").flatMap((part): Statement[] => {
      const module = childIn(part, "name") ?? part;
      const alias = childIn(part, "alias");
      const path = l.textOf(module);
      // `import a.b` binds a; the fields that follow spell the rest of the path.
      const first = path.split(".")[0] as string;
      return [
        {
          ...span(part),
          kind: "import",
          module: alias ? path : first,
          name: null,
          as: alias ? l.textOf(alias) : first,
        },
      ];
    }),
  import_from_statement: (l, node) => {
    const module = childIn(node, "module_name");
    if (!module) return [];
    const from = standardModule(l.textOf(module));
    if (childOf(node, "wildcard_import")) return [{ ...span(node), kind: "import", module: from, name: null, as: "*" }];
    return childrenIn(node, "name").map((part): Statement => {
      const name = l.textOf(childIn(part, "name") ?? part);
      const alias = childIn(part, "alias");
      const as = alias ? l.textOf(alias) : name;
      if (moved.test(from))
        return { ...span(part), kind: "import", module: standardModule(`${from}.${name}`), name: null, as };
      return { ...span(part), kind: "import", module: from, name, as };
    });
  },
  future_import_statement: nothing,
};

/** Where code for both Pythons takes the standard library from. */
const moved = /(^|\.)six\.moves$/;

const renamed: Readonly<Record<string, string>> = {
  cPickle: "pickle",
  http_client: "http.client",
  http_cookies: "http.cookies",
  xmlrpc_client: "xmlrpc.client",
};

/** `six.moves.http_client` is `http.client`. */
function standardModule(path: string): string {
  const [, module, rest = ""] = /(?:^|\.)six\.moves\.(\w+)(.*)$/.exec(path) ?? [];
  return module === undefined ? path : (renamed[module] ?? module) + rest;
}

function decoratorsOf(l: PythonLowering, node: SyntaxNode): Expression[] {
  return node.children.filter((c) => c.type === "decorator").flatMap((d) => d.children.map((c) => l.expression(c)));
}

function definitionOf(l: PythonLowering, node: SyntaxNode, decorators: Expression[], inClass: boolean): Statement[] {
  if (node.type === "class_definition") return classDefinition(l, node, decorators);
  return [{ ...span(node), kind: "function", fn: functionOf(l, node, decorators, inClass) }];
}

function classDefinition(l: PythonLowering, node: SyntaxNode, decorators: Expression[]): Statement[] {
  const name = childIn(node, "name");
  const bases = (childIn(node, "superclasses")?.children ?? [])
    .filter((c) => c.type !== "keyword_argument")
    // `class Orders(Repository[Order])` extends the repository, whatever it is one of.
    .map((c) => (c.type === "subscript" ? (childIn(c, "value") ?? c) : c));
  const members = (childIn(node, "body")?.children ?? []).flatMap((member): Statement[] => {
    if (member.type === "function_definition") return definitionOf(l, member, [], true);
    const decorated = member.type === "decorated_definition" ? childIn(member, "definition") : undefined;
    return decorated ? definitionOf(l, decorated, decoratorsOf(l, member), true) : l.statement(member);
  });
  return [
    {
      ...span(node),
      kind: "class",
      name: name ? l.textOf(name) : "",
      bases: bases.map((base) => l.expression(base)),
      decorators,
      body: withMarks([...madeInitialiser(l, node, decorators), ...members]),
    },
  ];
}

/** `search.exposed = True` below a method says what a decorator above it would say. */
function withMarks(members: readonly Statement[]): Statement[] {
  const marks = members.flatMap((member) => {
    const made = member.kind === "expression" && member.value.kind === "assign" ? member.value : null;
    const isMark = made?.to.kind === "field" && made.from.kind === "literal" && made.from.value === true;
    return isMark && made.to.kind === "field" && made.to.of.kind === "variable"
      ? [{ name: made.to.of.name, mark: made.to }]
      : [];
  });
  if (marks.length === 0) return [...members];
  return members.map((member) => {
    if (member.kind !== "function") return member;
    const own = marks.flatMap(({ name, mark }) => (name === member.fn.name ? [mark] : []));
    return own.length === 0
      ? member
      : { ...member, fn: { ...member.fn, decorators: [...member.fn.decorators, ...own] } };
  });
}

/** Each elif is the else of what precedes it; built from the last one, so that a long ladder costs no recursion here. */
function ifStatement(l: PythonLowering, node: SyntaxNode): Statement[] {
  let otherwise: Statement[] = [];
  for (const clause of childrenIn(node, "alternative").reverse()) {
    if (clause.type === "else_clause") otherwise = body(l, childIn(clause, "body"));
    else otherwise = [branch(l, clause, otherwise)];
  }
  return [branch(l, node, otherwise)];
}

function branch(l: PythonLowering, node: SyntaxNode, otherwise: Statement[]): Statement {
  const test = childIn(node, "condition");
  return {
    ...span(node),
    kind: "branch",
    test: test ? l.expression(test) : l.reads(node, []),
    then: body(l, childIn(node, "consequence")),
    otherwise,
  };
}

function loop(l: PythonLowering, node: SyntaxNode, bind: Expression | null, test: Expression | null): Statement[] {
  const afterwards = childIn(node, "alternative");
  return [
    { ...span(node), kind: "loop", bind, test, body: body(l, childIn(node, "body")), update: null, always: false },
    ...(afterwards ? body(l, childIn(afterwards, "body")) : []),
  ];
}

/** `assert test, message` goes on where the test holds. */
function assertion(l: PythonLowering, node: SyntaxNode): Statement[] {
  const [test, message] = node.children;
  if (!test) return [];
  const error = l.call(node, l.variable(node, "AssertionError"), message ? [positional(l.expression(message))] : []);
  const otherwise: Statement[] = [{ ...span(node), kind: "throw", value: error }];
  return [{ ...span(node), kind: "branch", test: l.expression(test), then: [], otherwise }];
}

function tryStatement(l: PythonLowering, node: SyntaxNode): Statement[] {
  const clauses = node.children.filter((c) => c.type === "except_clause" || c.type === "except_group_clause");
  const succeeded = childOf(node, "else_clause");
  const last = childOf(node, "finally_clause");
  return [
    {
      ...span(node),
      kind: "try",
      body: [...body(l, childIn(node, "body")), ...(succeeded ? body(l, childIn(succeeded, "body")) : [])],
      catches: clauses.map((clause) => {
        const caught = childIn(clause, "value");
        const alias =
          childIn(clause, "alias") ?? (caught?.type === "as_pattern" ? childIn(caught, "alias") : undefined);
        return { ...span(clause), bind: alias ? target(l, alias) : null, body: body(l, childOf(clause, "block")) };
      }),
      last: last ? body(l, childOf(last, "block")) : [],
    },
  ];
}

/** `with f() as x:` is the assignment x = f(): what __enter__ returns is nearly always the object itself. */
function withStatement(l: PythonLowering, node: SyntaxNode): Statement[] {
  const items = (childOf(node, "with_clause")?.children ?? []).flatMap((item): Statement[] => {
    const held = childIn(item, "value") ?? item;
    const alias = childIn(held, "alias");
    if (!alias || !held.children[0]) return [value(item, l.expression(held))];
    const from = l.expression(held.children[0]);
    return [value(item, { ...span(item), kind: "assign", to: target(l, alias), from, type: null, declares: true })];
  });
  return [...items, ...body(l, childIn(node, "body"))];
}

function matchStatement(l: PythonLowering, node: SyntaxNode): Statement[] {
  const of = childIn(node, "subject");
  if (!of) return inside(l, node);
  const subject = l.expression(of);
  const cases: Switch["cases"] = (childIn(node, "body")?.children ?? []).map((clause) => {
    const patterns = clause.children.filter((c) => c.type === "case_pattern");
    const captured = patterns.flatMap((p) => capturesOf(l, p, subject));
    return {
      tests: patterns.flatMap((p) => testsOf(l, p)),
      body: [...captured, ...body(l, childIn(clause, "consequence"))],
      through: false,
    };
  });
  return [{ ...span(node), kind: "switch", of: subject, cases }];
}

/** The constants of a pattern. A pattern that tests something else gives Unknown: it may or may not match. */
function testsOf(l: PythonLowering, pattern: SyntaxNode): Expression[] {
  const [only] = pattern.children;
  if (!only) return [];
  const options = only.type === "union_pattern" ? only.children : [only];
  if (options.length === 1 && only.type === "dotted_name" && only.children.length === 1) return [];
  return options.map((option) =>
    ["string", "integer", "float", "true", "false", "none"].includes(option.type)
      ? l.expression(option)
      : l.reads(option, []),
  );
}
