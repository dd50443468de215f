import type { Call, Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** PHP's `+`, `/` and `%` give numbers, whatever the same signs do to text elsewhere. */
const spelled: Record<string, string> = {
  "+": "plus",
  "/": "divide",
  "%": "modulo",
  "<>": "!=",
  "<=>": "-",
  xor: "^",
  and: "&&",
  or: "||",
  AND: "&&",
  OR: "||",
};

export function operators(l: PhpLowering, node: SyntaxNode): Expression {
  const right = childIn(node, "right");
  const operator = childIn(node, "operator");
  if (!right || !operator) return l.unknown(node);
  const symbol = l.textOf(operator);
  const flat = l.chain(node, (n) => binaryParts(l, n));
  return flat.kind === "operation" ? comparison(l, node, symbol, flat.operands) : flat;
}

function binaryParts(l: PhpLowering, node: SyntaxNode) {
  if (node.type !== "binary_expression") return null;
  const left = childIn(node, "left");
  const operator = childIn(node, "operator");
  const right = childIn(node, "right");
  return left && operator && right ? { left, operator: l.textOf(operator), right } : null;
}

/** An operator on values that are lowered already. */
export function comparison(l: PhpLowering, node: SyntaxNode, symbol: string, operands: Expression[]): Expression {
  if (symbol === ".") {
    const parts = operands.flatMap((operand) => (operand.kind === "template" ? operand.parts : [operand]));
    return { ...span(node), kind: "template", parts };
  }
  if (symbol === "|" && operands.every((operand) => operand.kind === "variable" || operand.kind === "field"))
    return anyOf(node, operands);
  if (symbol === "+" && operands.some(({ kind }) => kind === "collection")) return union(l, node, operands);
  const operator = spelled[symbol] ?? symbol;
  return positionTest(l, node, operator, operands) ?? { ...span(node), kind: "operation", operator, operands };
}

/** `A | B` of named flags: each of them is meant. */
const anyOf = (node: SyntaxNode, flags: Expression[]): Expression =>
  flags.reduceRight((otherwise, then) => ({
    ...span(node),
    kind: "conditional",
    test: { ...span(node), kind: "unknown", reads: [] },
    then,
    otherwise,
  }));

/** `$given + ["page" => 1]` of arrays: what has a key keeps it. */
const union = (l: PhpLowering, node: SyntaxNode, operands: readonly Expression[]): Expression =>
  l.call(
    node,
    l.variable(node, "array_replace"),
    operands.toReversed().map((operand) => positional(operand)),
  );

/** `strpos($text, "x") !== false` asks whether it is contained, `=== 0` whether the text begins with it. */
function positionTest(l: PhpLowering, node: SyntaxNode, operator: string, operands: Expression[]): Expression | null {
  const equal = operator === "===" || operator === "==";
  if (!equal && operator !== "!==" && operator !== "!=" && operator !== ">" && operator !== ">=") return null;
  const [call, bound] = operands as [Expression, Expression];
  if (operands.length !== 2) return null;
  if (call.kind === "literal" && bound.kind === "call" && !operator.startsWith(">"))
    return positionTest(l, node, operator, [bound, call]);
  if (call.kind !== "call" || call.callee.kind !== "variable") return null;
  const name = call.callee.name.toLowerCase();
  if (/^(mb_)?str(i)?pos$/.test(name) && bound.kind === "literal") {
    if (bound.value === false) return asked(l, node, "includes", call, !equal);
    if (bound.value === 0 && !operator.startsWith(">")) return asked(l, node, "startsWith", call, equal);
    return operator.startsWith(">") ? asked(l, node, "includes", call, true) : null;
  }
  if (/^strn(case)?cmp$/.test(name) && bound.kind === "literal" && bound.value === 0)
    return asked(l, node, "startsWith", call, equal);
  // substr($path, 0, strlen($base)) === $base
  const from = call.args[1]?.value;
  if (/^(mb_)?substr$/.test(name) && from?.kind === "literal" && from.value === 0 && call.args[2]) {
    const [text] = call.args;
    if (text) return asked(l, node, "startsWith", { ...call, args: [text, positional(bound)] }, equal);
  }
  return null;
}

/** The question as a method of the text: the shape in which tests are known to all languages. */
export function asked(l: PhpLowering, node: SyntaxNode, method: string, call: Call, holds: boolean): Expression {
  const [text, part] = call.args;
  if (!text || !part) return call;
  const question = l.call(node, { ...span(call), kind: "field", of: text.value, name: method }, [
    positional(part.value),
  ]);
  return holds ? question : { ...span(node), kind: "operation", operator: "!", operands: [question] };
}
