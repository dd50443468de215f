import type { Expression } from "../../ir/ir.ts";
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
  const known = name && Object.hasOwn(functions, l.textOf(name)) ? functions[l.textOf(name)] : undefined;
  const body = childOf(lambda, "lambda_literal");
  if (!of || !known || !body) return null;
  const implicit = known.as === "it" ? "it" : `<receiver ${node.start}>`;
  const value = l.expression(of);
  if (known.as === "this") l.receivers.push(implicit);
  try {
    const run = l.call(node, lambdaOf(l, body, implicit), [positional(value)]);
    return known.gives === "result" ? run : { ...span(node), kind: "sequence", parts: [run, value] };
  } finally {
    if (known.as === "this") l.receivers.pop();
  }
}
