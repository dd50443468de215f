import type { Argument, Expression } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { objectOf } from "../anonymous-objects.ts";
import { assigned, type ExpressionHandler, inner, list, silent } from "../curly/expressions.ts";
import { numberOf, positional, span } from "../lowering.ts";
import { classOf, functionOf, nameOf, patternOf, typeOf } from "./declarations.ts";
import type { KotlinLowering } from "./kotlin-lowering.ts";
import { blockValue, lastOf } from "./results.ts";
import { byReference, isBareCall, scoped } from "./scope-functions.ts";
import { branchesOf, contains } from "./statements.ts";
import { character, textValue } from "./text.ts";

type Handler = ExpressionHandler<KotlinLowering>;

const words: Record<string, boolean | null> = { true: true, false: false, null: null };
const number: Handler = (l, node) => l.literal(node, numberOf(l.textOf(node).replace(/[uU]?[lL]?$/, "")));
const binary = (l: KotlinLowering, n: SyntaxNode) => {
  const [left, operator, right] = ["left", "operator", "right"].map((field) => childIn(n, field));
  if (n.type !== "binary_expression" || !left || !operator || !right) return null;
  return { left, operator: l.textOf(operator), right };
};

/** How each kind of Kotlin value lowers. */
export const expressions: Record<string, Handler> = {
  identifier: (l, node) => {
    const name = l.textOf(node).replaceAll("`", "");
    const word = Object.hasOwn(words, name) ? words[name] : undefined;
    return word === undefined ? l.variable(node, name) : l.literal(node, word);
  },
  this_expression: (l, node) => l.variable(node, l.textOf(node).includes("@") ? "this" : l.self),
  super_expression: (l, node) => l.variable(node, "super"),
  user_type: nameOf,
  nullable_type: inner,
  number_literal: number,
  float_literal: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  character_literal: character,
  string_literal: textValue,
  multiline_string_literal: textValue,
  collection_literal: list,
  parenthesized_expression: inner,
  annotated_expression: inner,
  labeled_expression: inner,
  spread_expression: inner,
  // As a value they leave; what is given back is looked at.
  return_expression: (l, node) =>
    l.reads(
      node,
      node.children.filter((c) => c.field !== "label"),
    ),
  throw_expression: (l, node) => l.reads(node, node.children),
  range_expression: (l, node) => l.reads(node, node.children),
  binary_expression: (l, node) => {
    const parts = binary(l, node);
    const typed = parts && typedCall(l, parts);
    if (typed) return l.call(node, calleeOf(l, typed.callee), [positional(l.expression(typed.given))]);
    if (parts?.operator === "/" && l.dividesPaths) {
      const callee: Expression = { ...span(node), kind: "field", of: l.expression(parts.left), name: "resolve" };
      return l.call(node, callee, [positional(l.expression(parts.right))]);
    }
    if (parts?.operator !== "?:") return l.chain(node, (n) => binary(l, n));
    if (/^(return|throw)_expression$/.test(parts.right.type)) return l.expression(parts.left);
    return either(l, node, parts.left, parts.right);
  },
  infix_expression: (l, node) => {
    const [left, name, right] = node.children;
    if (!left || !name || !right) return l.unknown(node);
    const word = l.textOf(name);
    if (word === "to") return list(l, { ...node, children: [left, right] });
    if (/^(and|or|xor|shl|shr|ushr|until|downTo|step)$/.test(word)) return l.reads(node, [left, right]);
    const callee: Expression = { start: left.start, end: name.end, kind: "field", of: l.expression(left), name: word };
    return l.call(node, callee, [positional(l.expression(right))]);
  },
  unary_expression: (l, node) => {
    const [of, operator] = [childIn(node, "argument"), childIn(node, "operator")];
    if (!of || !operator) return l.unknown(node);
    const symbol = l.textOf(operator);
    // `x!!` only tells the compiler.
    if (symbol === "!!") return l.expression(of);
    // `p { +"text" }` puts it into what the block builds; nobody writes it before a number.
    if (symbol === "+" && of.type !== "number_literal" && l.builders.length > 0) {
      const builder = l.variable(node, l.builders.at(-1));
      const callee: Expression = { ...span(node), kind: "field", of: builder, name: "unaryPlus" };
      return l.call(node, callee, [positional(l.expression(of))]);
    }
    if (symbol !== "++" && symbol !== "--")
      return { ...span(node), kind: "operation", operator: symbol, operands: [l.expression(of)] };
    const operands = [l.expression(of), l.literal(node, 1)];
    const by = symbol[0] as string;
    return assigned(node, l.expression(of), { ...span(node), kind: "operation", operator: by, operands });
  },
  in_expression: (l, node) => {
    const [what, of] = [childIn(node, "left"), childIn(node, "right")];
    if (!what || !of) return l.unknown(node);
    const test = contains(l, node, of, what);
    const isNegated = /!\s*in$/.test(l.textOf({ start: what.end, end: of.start }).trim());
    return isNegated ? { ...span(node), kind: "operation", operator: "!", operands: [test] } : test;
  },
  is_expression: (l, node) => ({
    ...span(node),
    kind: "operation",
    operator: "instanceof",
    operands: [...node.children.slice(0, 1).map((c) => l.expression(c)), { ...span(node), kind: "unknown", reads: [] }],
  }),
  as_expression: (l, node) => {
    const left = childIn(node, "left");
    return left ? l.expression(left) : l.unknown(node);
  },
  if_expression: (l, node) => {
    const { test, then, otherwise } = branchesOf(node);
    if (!test || !then) return l.reads(node, node.children);
    const other: Expression = otherwise ? blockValue(l, otherwise) : l.literal(node, null);
    return {
      ...span(node),
      kind: "conditional",
      test: l.expression(test),
      then: blockValue(l, then),
      otherwise: other,
    };
  },
  when_expression: whenValue,
  try_expression: (l, node) => {
    const [first, ...others] = node.children
      .flatMap((c) => (c.type === "block" ? [c] : c.type === "catch_block" ? [childOf(c, "block") ?? c] : []))
      .map((c) => blockValue(l, c));
    if (!first) return l.unknown(node);
    return others.reduce((then, otherwise) => unsure(node, then, otherwise), first);
  },
  navigation_expression: (l, node) => {
    const [of, name] = node.children;
    if (!of || !name) return l.unknown(node);
    // `A::class.java` is `A.class`.
    if (/^(class|java|javaClass|kotlin)$/.test(l.textOf(name)) && l.textOf(node).includes("::class"))
      return l.expression(of);
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(name), accessor: true };
  },
  index_expression: (l, node) => {
    const [of, key] = node.children;
    if (!of) return l.unknown(node);
    return { ...span(node), kind: "index", of: l.expression(of), key: key ? l.expression(key) : null };
  },
  call_expression: callOf,
  callable_reference: (l, node) => {
    const name = node.children.at(-1);
    const [of] = node.children;
    if (!name || !of) return l.reads(node, []);
    if (of === name) return l.variable(name);
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(name) };
  },
  lambda_literal: (l, node) => lambdaOf(l, node, "it"),
  annotated_lambda: (l, node) => {
    const lambda = childOf(node, "lambda_literal");
    return lambda ? l.expression(lambda) : l.unknown(node);
  },
  anonymous_function: (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node, null) }),
  object_literal: (l, node) => {
    const made = classOf(l, node, `<class ${node.start}>`);
    const [base] = made.bases;
    const value: Expression = base
      ? { ...span(node), kind: "call", callee: base, args: [], isNew: true }
      : { ...span(node), kind: "unknown", reads: [] };
    return objectOf(l, node, made, value);
  },
  type_arguments: silent,
  label: silent,
  ERROR: (l, node) => l.reads(node, node.children),
};

const unsure = (node: SyntaxNode, then: Expression, otherwise: Expression): Expression => ({
  ...span(node),
  kind: "conditional",
  test: { ...span(node), kind: "unknown", reads: [] },
  then,
  otherwise,
});

/** `a ?: b` */
function either(l: KotlinLowering, node: SyntaxNode, left: SyntaxNode, right: SyntaxNode): Expression {
  const test: Expression = {
    ...span(node),
    kind: "operation",
    operator: "!=",
    operands: [l.expression(left), l.literal(node, null)],
  };
  return { ...span(node), kind: "conditional", test, then: l.expression(left), otherwise: blockValue(l, right) };
}

/** Where only a value can stand, each arm is asked for one after the other. */
function whenValue(l: KotlinLowering, node: SyntaxNode): Expression {
  const asked = childOf(node, "when_subject")?.children.at(-1);
  const arms = node.children.filter((c) => c.type === "when_entry");
  const chosen = arms.reduceRight<Expression | null>((otherwise, arm) => {
    const [test] = arm.children.filter((c) => c.field === "condition");
    const [body] = arm.children.filter((c) => c.field !== "condition");
    const value = body ? blockValue(l, body) : l.literal(arm, null);
    if (!test || otherwise === null) return value;
    const only = arm.children.filter((c) => c.field === "condition").length === 1;
    if (!only || test.type === "type_test" || test.type === "range_test") return unsure(node, value, otherwise);
    const right = l.expression(test);
    const question: Expression = asked
      ? { ...span(test), kind: "operation", operator: "==", operands: [l.expression(asked), right] }
      : right;
    return { ...span(node), kind: "conditional", test: question, then: value, otherwise };
  }, null);
  return chosen ?? l.reads(node, asked ? [asked] : []);
}

/** `f(a, b = c) { … }`: the function after the parentheses is the last argument. */
export function argumentsOf(l: KotlinLowering, node: SyntaxNode | undefined): Argument[] {
  return (node?.children ?? []).map((c) => {
    const [first, second] = c.children;
    const value = second ?? first ?? c;
    const given = { name: second && first ? l.textOf(first) : null, spread: value.type === "spread_expression" };
    return { ...given, value: l.expression(value) };
  });
}

/** A lambda's last value is what it gives. */
export function lambdaOf(l: KotlinLowering, node: SyntaxNode, implicit: string): Expression {
  const named = childOf(node, "lambda_parameters");
  const params = named
    ? named.children.map((c) => ({ at: c, pattern: patternOf(l, c) }))
    : [{ at: node, pattern: l.variable(node, implicit) }];
  return {
    ...span(node),
    kind: "closure",
    fn: {
      ...span(node),
      name: "",
      params: params.map(({ at, pattern }, i) => ({
        ...span(at),
        name: pattern.kind === "variable" ? pattern.name : `<part ${i}>`,
        pattern: pattern.kind === "variable" ? null : pattern,
        type: at.type === "variable_declaration" ? typeOf(l, at) : null,
        decorators: [],
        default: null,
        rest: false,
      })),
      decorators: [],
      body: lastOf(
        l,
        node.children.filter((c) => c !== named),
      ),
      receiver: null,
      exported: false,
    },
  };
}

const lists =
  /^(Pair|Triple|listOf|listOfNotNull|setOf|arrayOf|mutableListOf|mutableSetOf|arrayListOf|hashSetOf|linkedSetOf)$/;
const maps = /^(mapOf|mutableMapOf|hashMapOf|linkedMapOf|sortedMapOf)$/;

function callOf(l: KotlinLowering, node: SyntaxNode): Expression {
  const lambda = childOf(node, "annotated_lambda");
  let [callee] = node.children;
  let given = childOf(node, "value_arguments");
  // `f(a) { }` is a call of `f(a)` for the grammar.
  if (lambda && !given && callee?.type === "call_expression") {
    given = childOf(callee, "value_arguments");
    callee = callee.children[0];
  }
  if (!callee) return l.unknown(node);
  const inScope = lambda && scoped(l, node, callee, given, lambda);
  if (inScope) return inScope;
  const name = l.textOf(callee);
  const looked = lookedUp(l, node, callee, given, lambda) ?? (lambda ? null : byReference(l, node, callee, given));
  if (looked) return looked;
  if (given && lists.test(name)) return list(l, { ...node, children: given.children.flatMap((c) => c.children) });
  if (maps.test(name)) return mapOf(l, node, given);
  const args = [...argumentsOf(l, given), ...(lambda ? [positional(builtIn(l, callee, lambda))] : [])];
  const called = calleeOf(l, callee);
  // `java.io.File(x)`: what begins with a capital is a class.
  const last = called.kind === "variable" || called.kind === "field" ? called.name : "";
  // With an expression it replaces what Java's `replaceAll` does.
  if (called.kind === "field" && last === "replace" && isExpression.test(l.textOf(given?.children[0] ?? callee)))
    return l.call(node, { ...called, name: "replaceAll" }, args);
  // What a function makes of each is joined, and not the elements themselves.
  if (called.kind === "field" && last === "joinToString" && lambda) {
    const of = l.call(node, { ...called, name: "map" }, args.slice(-1));
    return l.call(node, { ...called, of }, args.slice(0, -1));
  }
  // `HostnameVerifier { … }` is the function, as an object of an interface that has no other.
  if (lambda && !given && /^\p{Lu}/u.test(last)) return l.expression(lambda);
  return { ...span(node), kind: "call", callee: called, args, isNew: /^\p{Lu}/u.test(last) };
}

const isExpression = /^Regex\s*\(|\.toRegex\s*\(/;

/** A block knows by what call it was handed on, for what it adds to what is built there. */
function builtIn(l: KotlinLowering, callee: SyntaxNode, lambda: SyntaxNode): Expression {
  l.builders.push(l.textOf(callee.children.at(-1) ?? callee));
  try {
    return l.expression(lambda);
  } finally {
    l.builders.pop();
  }
}

/** `map.getValue(key)`, `map.getOrDefault(key, other)`, `map.getOrElse(key) { other }` are `map[key]`, or something else. */
function lookedUp(
  l: KotlinLowering,
  node: SyntaxNode,
  callee: SyntaxNode,
  given: SyntaxNode | undefined,
  lambda: SyntaxNode | undefined,
): Expression | null {
  const [of, name] = callee.type === "navigation_expression" ? callee.children : [];
  const [key, other] = given?.children.map((c) => c.children.at(-1)) ?? [];
  if (!of || !name || !key) return null;
  const count = (given?.children.length ?? 0) + (lambda ? 1 : 0);
  if (lookUps[l.textOf(name)] !== count) return null;
  const found: Expression = { ...span(node), kind: "index", of: l.expression(of), key: l.expression(key) };
  if (count === 1) return found;
  return unsure(
    node,
    found,
    lambda ? l.call(node, l.expression(lambda), [positional(l.expression(key))]) : l.expression(other ?? key),
  );
}

/** With how many arguments each of them is called. */
const lookUps: Record<string, number> = {
  getValue: 1,
  getOrNull: 1,
  elementAt: 1,
  elementAtOrNull: 1,
  getOrDefault: 2,
  getOrElse: 2,
};

/** `read<Note>(text)`: with one argument the grammar takes what is called with types for two comparisons. */
function typedCall(l: KotlinLowering, { left, operator, right }: NonNullable<ReturnType<typeof binary>>) {
  const [given] = right.children;
  const inner = operator === ">" && right.type === "parenthesized_expression" && given ? binary(l, left) : null;
  if (inner?.operator !== "<" || !given || !/^\p{Lu}[\w.]*$/u.test(l.textOf(inner.right))) return null;
  return { callee: inner.left, type: inner.right, given };
}

/** `read<Note>(text)`, `call.receive<Note>()`: what is called with one type often gives an object of it; its name says so. */
export function typeAsked(l: KotlinLowering, node: SyntaxNode): string | null {
  const parts = binary(l, node);
  if (parts?.operator === "?:") return typeAsked(l, parts.left);
  const typed = parts && typedCall(l, parts);
  const types = childOf(node, "type_arguments")?.children ?? [];
  const type = typed?.type ?? (types.length === 1 ? types[0] : undefined);
  const callee = typed?.callee ?? (node.type === "call_expression" ? node.children[0] : undefined);
  return type && callee && typeGivers.test(l.textOf(callee.children.at(-1) ?? callee)) ? l.textOf(type) : null;
}

/** What reads, gets or makes one of what it is asked for. */
const typeGivers =
  /^(get|read|receive|decode|parse|from|body|await|convert|to|require|load|fetch|find)(?![a-z])(?!\w*(List|Of|Map|Set|Array)$)/;

function calleeOf(l: KotlinLowering, callee: SyntaxNode): Expression {
  const name = l.textOf(callee);
  const receiver = l.receivers.at(-1);
  if (callee.type === "identifier" && receiver !== undefined && isBareCall(l, name))
    return { ...span(callee), kind: "field", of: l.variable(callee, receiver), name };
  const written = l.expression(callee);
  return written.kind === "field" ? { ...written, accessor: false } : written;
}

function mapOf(l: KotlinLowering, node: SyntaxNode, given: SyntaxNode | undefined): Expression {
  const entries = (given?.children ?? []).map((c) => {
    const pair = c.children[0];
    const [key, , value] = pair?.type === "infix_expression" ? pair.children : [];
    if (!key || !value) return { ...span(c), key: null, value: l.expression(pair ?? c), spread: true };
    return { ...span(c), key: l.expression(key), value: l.expression(value), spread: false };
  });
  return { ...span(node), kind: "collection", shape: "map", entries };
}
