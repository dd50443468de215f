import { type Argument, type Expression, handsOut } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { numberOf, positional, span } from "../lowering.ts";
import { builtIn } from "./built-ins.ts";
import { classOf } from "./classes.ts";
import { arrowOf, functionOf } from "./functions.ts";
import { comparison, operators } from "./operators.ts";
import { destructured } from "./patterns.ts";
import type { PhpLowering } from "./php-lowering.ts";
import { aliased, referenced } from "./references.ts";
import { interpolated, singleQuoted } from "./text.ts";

type Handler = (l: PhpLowering, node: SyntaxNode) => Expression;

const inner: Handler = (l, node) => (node.children[0] ? l.expression(node.children[0]) : l.reads(node, []));
const included: Handler = (l, node) =>
  l.call(
    node,
    l.variable(node, node.type.replace("_expression", "")),
    node.children.map((c) => positional(l.expression(c))),
  );
const className: Handler = (l, node) => l.variable(node, l.names.classNamed(l.textOf(node)));

/** How each kind of PHP value lowers. */
export const expressions: Record<string, Handler> = {
  variable_name: (l, node) => variableNamed(l, node, l.textOf(node)),
  // A name on its own is a constant; where a class or function is meant, the node above asks for that.
  name: (l, node) => (l.textOf(node) === "__CLASS__" ? l.literal(node, l.names.classNamed("self")) : l.variable(node)),
  qualified_name: className,
  relative_name: className,
  relative_scope: className,
  named_type: className,
  boolean: (l, node) => l.literal(node, /^true$/i.test(l.textOf(node))),
  null: (l, node) => l.literal(node, null),
  integer: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  float: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  string: (l, node) => l.literal(node, singleQuoted(l.textOf(node))),
  encapsed_string: interpolated,
  heredoc: (l, node) => textBody(l, node),
  nowdoc: (l, node) => textBody(l, node),
  shell_command_expression: (l, node) =>
    l.call(node, l.variable(node, "shell_exec"), [positional(interpolated(l, node))]),
  parenthesized_expression: inner,
  error_suppression_expression: inner,
  by_ref: inner,
  clone_expression: inner,
  sequence_expression: (l, node) => ({
    ...span(node),
    kind: "sequence",
    parts: node.children.map((c) => l.expression(c)),
  }),
  throw_expression: (l, node) => l.reads(node, node.children),
  yield_expression: (l, node) => {
    const given = node.children.flatMap((c) => (c.type === "array_element_initializer" ? c.children : [c])).at(-1);
    const spread = /^yield\s+from\b/i.test(l.textOf(node));
    const args = given ? [{ name: null, spread, value: l.expression(given) }] : [];
    return l.call(node, l.variable(node, handsOut), args);
  },
  print_intrinsic: (l, node) =>
    l.call(
      node,
      l.variable(node, "print"),
      node.children.map((c) => positional(l.expression(c))),
    ),
  include_expression: included,
  include_once_expression: included,
  require_expression: included,
  require_once_expression: included,
  // ${"name"}: which variable is meant is decided at run time.
  dynamic_variable_name: (l, node) => {
    const [of] = node.children;
    if (of?.type === "name") return l.variable(node, `$${l.textOf(of)}`);
    return l.call(node, l.variable(node, "$$"), of ? [positional(l.expression(of))] : []);
  },
  cast_expression: (l, node) => {
    const value = childIn(node, "value");
    const type = childIn(node, "type");
    if (!value || !type) return l.unknown(node);
    const conversion = conversions[l.textOf(type).toLowerCase()];
    if (conversion) return l.call(node, l.variable(type, conversion), [positional(l.expression(value))]);
    return /object/i.test(l.textOf(type)) ? l.reads(node, [value]) : l.expression(value);
  },
  array_creation_expression: (l, node) =>
    merged(l, node) ?? {
      ...span(node),
      kind: "collection",
      shape: node.children.some((c) => c.children.length > 1) ? "map" : "list",
      entries: node.children.map((c) => {
        const [first, second] = c.children;
        const spread = first?.type === "variadic_unpacking";
        const value = second ?? (spread ? first?.children[0] : first);
        return {
          ...span(c),
          key: second && first ? l.expression(first) : null,
          value: value ? l.expression(value) : l.reads(c, []),
          spread,
        };
      }),
    },
  subscript_expression: (l, node) => {
    const [of, key] = node.children;
    if (!of) return l.unknown(node);
    const from = l.expression(of);
    const at = key ? l.expression(key) : null;
    return globalOf(l, node, from, at) ?? { ...span(node), kind: "index", of: from, key: at };
  },
  member_access_expression: memberAccess,
  nullsafe_member_access_expression: memberAccess,
  scoped_property_access_expression: (l, node) => {
    const scope = childIn(node, "scope");
    const name = childIn(node, "name");
    if (!scope || name?.type !== "variable_name") return l.reads(node, scope ? [scope] : []);
    return { ...span(node), kind: "field", of: scopeOf(l, scope), name: l.textOf(name) };
  },
  class_constant_access_expression: (l, node) => {
    const [scope, name] = node.children;
    if (!scope || !name) return l.unknown(node);
    const constant = l.textOf(name);
    if (/^class$/i.test(constant) && isName(scope)) return l.literal(node, l.names.classNamed(l.textOf(scope)));
    return { ...span(node), kind: "field", of: scopeOf(l, scope), name: constant };
  },
  function_call_expression: (l, node) => {
    const callee = childIn(node, "function");
    if (!callee) return l.unknown(node);
    const args = argumentsOf(l, node);
    if (!isName(callee)) return l.call(node, invoked(l.expression(callee)), args);
    const name = l.names.functionNamed(l.textOf(callee));
    return builtIn(l, node, name, args) ?? l.call(node, l.variable(callee, name), args);
  },
  member_call_expression: methodCall,
  nullsafe_member_call_expression: methodCall,
  scoped_call_expression: (l, node) => {
    const scope = childIn(node, "scope");
    const name = childIn(node, "name");
    if (!scope || !name) return l.unknown(node);
    const method = /^__construct$/i.test(l.textOf(name)) ? "constructor" : l.textOf(name);
    const of = scopeOf(l, scope);
    const callee: Expression =
      name.type === "name"
        ? { start: scope.start, end: name.end, kind: "field", of, name: method }
        : { start: scope.start, end: name.end, kind: "index", of, key: l.expression(name) };
    return l.call(node, callee, argumentsOf(l, node));
  },
  object_creation_expression: (l, node) => {
    const anonymous = childOf(node, "anonymous_class");
    if (anonymous) return anonymousClass(l, node, anonymous);
    const type = node.children.find((c) => c.type !== "arguments");
    if (!type) return l.unknown(node);
    return {
      ...span(node),
      kind: "call",
      callee: isName(type) ? className(l, type) : l.expression(type),
      args: argumentsOf(l, node),
      isNew: true,
    };
  },
  attribute: (l, node) => {
    const [name] = node.children;
    return name ? l.call(node, className(l, name), argumentsOf(l, node)) : l.unknown(node);
  },
  anonymous_function: (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node, "closure") }),
  arrow_function: (l, node) => ({ ...span(node), kind: "closure", fn: arrowOf(l, node) }),
  binary_expression: operators,
  unary_op_expression: (l, node) => {
    const argument = childIn(node, "argument") ?? node.children.at(-1);
    const operator = childIn(node, "operator");
    if (!argument) return l.unknown(node);
    const symbol = operator ? l.textOf(operator) : l.textOf(node).slice(0, 1);
    if (symbol === "+") return l.call(node, l.variable(node, "floatval"), [positional(l.expression(argument))]);
    return { ...span(node), kind: "operation", operator: symbol, operands: [l.expression(argument)] };
  },
  conditional_expression: (l, node) => {
    const [test, then, otherwise] = ["condition", "body", "alternative"].map((field) => childIn(node, field));
    if (!test || !otherwise) return l.unknown(node);
    if (!then)
      return {
        ...span(node),
        kind: "operation",
        operator: "or",
        operands: [l.expression(test), l.expression(otherwise)],
      };
    return {
      ...span(node),
      kind: "conditional",
      test: l.expression(test),
      then: l.expression(then),
      otherwise: l.expression(otherwise),
    };
  },
  assignment_expression: assignment,
  reference_assignment_expression: (l, node) => referenced(l, node) ?? assignment(l, node),
  augmented_assignment_expression: (l, node) => {
    const left = childIn(node, "left");
    const right = childIn(node, "right");
    const operator = childIn(node, "operator");
    if (!left || !right || !operator) return l.unknown(node);
    const of = l.expression(left);
    const from = comparison(l, node, l.textOf(operator).slice(0, -1), [of, l.expression(right)]);
    return { ...span(node), kind: "assign", to: l.expression(left), from, type: null, declares: false };
  },
  update_expression: (l, node) => {
    const argument = childIn(node, "argument");
    if (!argument) return l.unknown(node);
    const operator = l.textOf(node).includes("++") ? "plus" : "-";
    const operands = [l.expression(argument), l.literal(node, 1)];
    const from: Expression = { ...span(node), kind: "operation", operator, operands };
    return { ...span(node), kind: "assign", to: l.expression(argument), from, type: null, declares: false };
  },
  match_expression: matched,
  list_literal: destructured,
  variadic_placeholder: (l, node) => l.reads(node, []),
  variadic_unpacking: inner,
};

/** `[...$defaults, ...$given]`: nothing tells lists and maps apart that are put together of nothing else. */
function merged(l: PhpLowering, node: SyntaxNode): Expression | null {
  const parts = node.children.flatMap(({ children }) => (children.length === 1 ? children : []));
  const isSpread = parts.length > 1 && parts.every(({ type }) => type === "variadic_unpacking");
  if (!isSpread || parts.length < node.children.length) return null;
  const given = parts.map((part) => positional(inner(l, part)));
  return l.call(node, l.variable(node, "array_merge"), given);
}

/** Casts are conversions; `(array)` changes nothing that matters. */
const conversions: Record<string, string> = {
  int: "intval",
  integer: "intval",
  float: "floatval",
  double: "floatval",
  real: "floatval",
  bool: "boolval",
  boolean: "boolval",
  string: "strval",
};

export const isName = (node: SyntaxNode): boolean =>
  node.type === "name" ||
  node.type === "qualified_name" ||
  node.type === "relative_name" ||
  node.type === "relative_scope";

/** What stands before `::`: a class, or a value that is or names one. */
const scopeOf = (l: PhpLowering, node: SyntaxNode): Expression =>
  isName(node) ? l.variable(node, l.names.classNamed(l.textOf(node))) : l.expression(node);

function variableNamed(l: PhpLowering, node: SyntaxNode, written: string): Expression {
  const other = l.aliases.get(written);
  return other ? aliased(other, span(node)) : l.variable(node, written === "$this" ? "this" : written);
}

function textBody(l: PhpLowering, node: SyntaxNode): Expression {
  const body = childIn(node, "value");
  return body ? { ...interpolated(l, body), ...span(node) } : l.literal(node, "");
}

/** Properties keep the `$` of their declaration. A name that is computed may mean any property. */
function memberAccess(l: PhpLowering, node: SyntaxNode): Expression {
  const of = childIn(node, "object");
  const name = childIn(node, "name");
  if (!of || !name) return l.unknown(node);
  if (name.type !== "name") return { ...span(node), kind: "index", of: l.expression(of), key: null };
  return { ...span(node), kind: "field", of: l.expression(of), name: `$${l.textOf(name)}` };
}

/** `(new Page())($data)` calls a method of the object that has a name. */
const invoked = (callee: Expression): Expression =>
  callee.kind === "call" && callee.isNew
    ? { start: callee.start, end: callee.end, kind: "field", of: callee, name: "__invoke" }
    : callee;

function methodCall(l: PhpLowering, node: SyntaxNode): Expression {
  const of = childIn(node, "object");
  const name = childIn(node, "name");
  if (!of || !name) return l.unknown(node);
  const place = { start: of.start, end: name.end };
  const callee: Expression =
    name.type === "name"
      ? { ...place, kind: "field", of: l.expression(of), name: l.textOf(name) }
      : { ...place, kind: "index", of: l.expression(of), key: l.expression(name) };
  return l.call(node, callee, argumentsOf(l, node));
}

export function argumentsOf(l: PhpLowering, node: SyntaxNode): Argument[] {
  return (childOf(node, "arguments")?.children ?? []).flatMap((c): Argument[] => {
    const name = childIn(c, "name");
    const value = c.children.findLast((v) => v !== name && v.type !== "reference_modifier");
    if (c.type === "variadic_placeholder" || !value) return [];
    const spread = value.type === "variadic_unpacking";
    return [{ name: name ? `$${l.textOf(name)}` : null, spread, value: l.expression(value) }];
  });
}

function anonymousClass(l: PhpLowering, node: SyntaxNode, declared: SyntaxNode): Expression {
  const name = `<class ${declared.start}>`;
  const body = [classOf(l, declared, name)];
  const closure: Expression = {
    ...span(declared),
    kind: "closure",
    fn: { ...span(declared), name: "", params: [], decorators: [], receiver: null, exported: false, body },
  };
  const made: Expression = {
    ...span(node),
    kind: "call",
    callee: l.variable(declared, name),
    args: argumentsOf(l, declared),
    isNew: true,
  };
  return { ...span(node), kind: "sequence", parts: [closure, made] };
}

function assignment(l: PhpLowering, node: SyntaxNode): Expression {
  const left = childIn(node, "left");
  const right = childIn(node, "right");
  if (!left || !right) return l.unknown(node);
  const from = l.expression(right);
  // Writing to a variable whose name is computed is something to be judged, not to be stored.
  if (left.type === "dynamic_variable_name" && left.children[0]?.type !== "name")
    return l.call(node, l.variable(left, "$$="), [
      ...left.children.map((c) => positional(l.expression(c))),
      positional(from),
    ]);
  return { ...span(node), kind: "assign", to: l.expression(left), from, type: null, declares: false };
}

/** `match` as nested conditionals. */
function matched(l: PhpLowering, node: SyntaxNode): Expression {
  const condition = childIn(node, "condition");
  const arms = childIn(node, "body")?.children ?? [];
  if (!condition) return l.unknown(node);
  const fallback = arms.find((arm) => arm.type === "match_default_expression");
  const last = fallback && childIn(fallback, "return_expression");
  let result: Expression = last ? l.expression(last) : l.reads(node, []);
  for (const arm of arms.toReversed()) {
    const tests = childIn(arm, "conditional_expressions")?.children ?? [];
    const value = childIn(arm, "return_expression");
    if (tests.length === 0 || !value) continue;
    const operands = tests.map(
      (test): Expression => ({
        ...span(test),
        kind: "operation",
        operator: "===",
        operands: [l.expression(condition), l.expression(test)],
      }),
    );
    const [only] = operands as [Expression];
    const test: Expression =
      operands.length === 1 ? only : { ...span(arm), kind: "operation", operator: "||", operands };
    result = { ...span(arm), kind: "conditional", test, then: l.expression(value), otherwise: result };
  }
  return result;
}

/** `$GLOBALS["conf"]` is the variable `$conf` of the file. */
function globalOf(l: PhpLowering, node: SyntaxNode, of: Expression, key: Expression | null): Expression | null {
  if (of.kind !== "variable" || of.name !== "$GLOBALS" || key?.kind !== "literal") return null;
  const name = `$${key.value}`;
  return /^\$[a-z]\w*$/i.test(name) && (l.globals === null || l.globals.has(name)) ? l.variable(node, name) : null;
}
