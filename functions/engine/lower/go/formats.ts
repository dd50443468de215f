import type { Expression } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, positional, span } from "../lowering.ts";

/** Verbs that print numbers, truth values, types and hexadecimal digits, whatever they are given. */
const harmlessVerbs = new Set("bcdoOxXUeEfFgGtTp");

/**
 * `fmt.Sprintf` with a format that is written out is text with holes.
 * Null where the holes cannot be matched with the arguments: numbered ones, widths that are arguments, `args...`.
 */
export function formatted(
  l: Lowering,
  node: SyntaxNode,
  format: string,
  args: readonly SyntaxNode[],
): Expression | null {
  if (args.some((arg) => arg.type === "variadic_argument")) return null;
  const parts: Expression[] = [];
  const values = args.map((arg) => l.expression(arg));
  let next = 0;
  for (const [piece] of format.matchAll(/%[-+# 0-9.*[\]]*[a-zA-Z%]|[^%]+|%/g)) {
    const verb = piece.at(-1) as string;
    if (piece[0] !== "%" || piece.length === 1) parts.push(l.literal(node, piece));
    else if (verb === "%") parts.push(l.literal(node, "%"));
    else if (/[*[]/.test(piece)) return null;
    else {
      const value = values[next++];
      if (value) parts.push(harmlessVerbs.has(verb) ? asNumber(l, value) : value);
    }
  }
  parts.push(...values.slice(next));
  return { ...span(node), kind: "template", parts };
}

/** What the conversion gives is what matters: digits. */
const asNumber = (l: Lowering, value: Expression): Expression =>
  l.call(value, { ...span(value), kind: "variable", name: "int" }, [positional(value)]);
