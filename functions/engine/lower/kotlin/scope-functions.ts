import type { Expression, Span, Statement } from "../../ir/ir.ts";
import { childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import { lambdaOf } from "./expressions.ts";
import type { KotlinLowering } from "./kotlin-lowering.ts";

/** What such a function hands its body, and whether it gives back what it was called on. */
const functions: Record<string, { as: "it" | "this"; gives: "receiver" | "result" }> = {
  let: { as: "it", gives: "result" },
  use: { as: "it", gives: "result" },
  also: { as: "it", gives: "receiver" },
  run: { as: "this", gives: "result" },
  apply: { as: "this", gives: "receiver" },
  with: { as: "this", gives: "result" },
};

/** `x.takeIf { it in known }` is x or null. */
const choices: Record<string, boolean> = { takeIf: true, takeUnless: false };

/** Functions that are there everywhere, and are no methods of a receiver. */
const everywhere =
  /^(print|println|error|require|requireNotNull|check|checkNotNull|TODO|repeat|run|with|lazy|assert|async|launch|withContext|runBlocking|runCatching|transaction|emptyList|emptyMap|emptySet|arrayOf|listOf|setOf|mapOf|sequenceOf|buildString|buildList|buildMap|maxOf|minOf|synchronized)$/;

/** Whether a call without a receiver, inside of a scope function, is one of that function's receiver. */
export const isBareCall = (l: KotlinLowering, name: string): boolean =>
  /^\p{Ll}/u.test(name) && !l.ownNames.has(name) && !everywhere.test(name);

/** `x.let { y -> … }` and its like are the body, run on x once. Null for other calls. */
export function scoped(
  l: KotlinLowering,
  node: SyntaxNode,
  callee: SyntaxNode,
  given: SyntaxNode | undefined,
  lambda: SyntaxNode,
): Expression | null {
  const [of, name] =
    callee.type === "navigation_expression" ? callee.children : [given?.children[0]?.children[0], callee];
  const body = childOf(lambda, "lambda_literal");
  if (of && name && body && Object.hasOwn(choices, l.textOf(name)))
    return chosen(l, node, of, body, choices[l.textOf(name)] === true);
  const known = name && Object.hasOwn(functions, l.textOf(name)) ? functions[l.textOf(name)] : undefined;
  if (!of || !known || !body) return null;
  const implicit = known.as === "it" ? "it" : `<receiver ${node.start}>`;
  const value = l.expression(of);
  if (known.as === "this") l.receivers.push(implicit);
  try {
    const lambda = lambdaOf(l, body, implicit);
    if (known.gives === "receiver" && (value.kind === "call" || value.kind === "collection"))
      return preparing(l, node, lambda, value);
    const run = l.call(node, lambda, [positional(value)]);
    return known.gives === "result" ? run : { ...span(node), kind: "sequence", parts: [run, value] };
  } finally {
    if (known.as === "this") l.receivers.pop();
  }
}

/** `StringBuilder().apply { append(x) }`: what is made has no name yet, and is given when all of this has been done to it. */
function preparing(l: KotlinLowering, node: SyntaxNode, lambda: Expression, made: Expression): Expression {
  const at = span(node);
  const [param] = lambda.kind === "closure" ? lambda.fn.params : [];
  if (lambda.kind !== "closure" || !param) return l.call(node, lambda, [positional(made)]);
  const object: Expression = { ...at, kind: "variable", name: param.name };
  const body: Statement[] = [
    { ...at, kind: "expression", value: { ...at, kind: "assign", to: object, from: made, type: null, declares: true } },
    ...lambda.fn.body.map(
      (s): Statement => (s.kind === "return" && s.value ? { ...s, kind: "expression", value: s.value } : s),
    ),
    { ...at, kind: "return", value: object },
  ];
  return l.call(node, { ...lambda, fn: { ...lambda.fn, params: [], body } }, []);
}

/** `x.let(store::find)`, `x.takeIf(NAME::matches)`: the function by its name in place of a block. Null for other calls. */
export function byReference(
  l: KotlinLowering,
  node: SyntaxNode,
  callee: SyntaxNode,
  given: SyntaxNode | undefined,
): Expression | null {
  const [of, name] = callee.type === "navigation_expression" ? callee.children : [];
  const [only, other] = given?.children.map((c) => c.children[0]) ?? [];
  if (!of || !name || !only || other || !/::(?!class\b)\w+$/.test(l.textOf(only))) return null;
  const written = l.textOf(name);
  if (written !== "let" && !Object.hasOwn(choices, written)) return null;
  const at = span(node);
  const meant = l.expression(only);
  const called: Expression = meant.kind === "field" ? { ...meant, accessor: false } : meant;
  if (written === "let") return l.call(node, called, [positional(l.expression(of))]);
  const to: Expression = { ...at, kind: "variable", name: "it" };
  return chosenBy(l, at, of, to, l.call(node, called, [positional(to)]), choices[written] === true);
}

function chosen(l: KotlinLowering, node: SyntaxNode, of: SyntaxNode, body: SyntaxNode, outcome: boolean): Expression {
  const at = span(node);
  const { fn } = lambdaOf(l, body, "it") as Extract<Expression, { kind: "closure" }>;
  const to: Expression = { ...at, kind: "variable", name: fn.params[0]?.name ?? "it" };
  const last = fn.body.at(-1);
  const test: Expression = last?.kind === "return" && last.value ? last.value : { ...at, kind: "unknown", reads: [] };
  return chosenBy(l, at, of, to, test, outcome);
}

/** The test is about a name for the value, so that what it tells holds for what is given. */
function chosenBy(
  l: KotlinLowering,
  at: Span,
  of: SyntaxNode,
  to: Expression,
  test: Expression,
  outcome: boolean,
): Expression {
  const none: Expression = { ...at, kind: "literal", value: null };
  const [then, otherwise] = outcome ? [to, none] : [none, to];
  const named: Expression = { ...at, kind: "assign", to, from: l.expression(of), type: null, declares: true };
  return { ...at, kind: "sequence", parts: [named, { ...at, kind: "conditional", test, then, otherwise }] };
}
