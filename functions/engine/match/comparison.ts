/** The condition of a `metavariable-comparison`: a small part of Python's expressions, evaluated without anything else of Python. */
export type Comparison =
  | { readonly kind: "value"; readonly value: Operand }
  | { readonly kind: "metavariable"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Comparison[] }
  | { readonly kind: "call"; readonly name: "int" | "float" | "str" | "len"; readonly of: Comparison }
  | { readonly kind: "operation"; readonly operator: string; readonly left: Comparison; readonly right: Comparison }
  | { readonly kind: "not" | "minus"; readonly of: Comparison };

export type Operand = number | string | boolean;

export class ComparisonRefused extends Error {}

const token =
  /\s*(?:(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+(?:\.\d+)?)|("[^"]*"|'[^']*')|(\$(?:\d|[A-Z_][A-Z0-9_]*))|(==|!=|<=|>=|\*\*|\/\/|[-+*/%<>()[\],])|([A-Za-z_]+))/y;
const depthMax = 50;
/** Loosest first. */
const levels: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["==", "!=", "<=", ">=", "<", ">", "in"],
  ["+", "-"],
  ["*", "/", "//", "%"],
];

/** @throws ComparisonRefused for what is not understood */
export function readComparison(source: string): Comparison {
  const tokens = tokensOf(source);
  let at = 0;
  let depth = 0;
  const take = (wanted: string): boolean => tokens[at] === wanted && ++at > 0;
  const result = level(0);
  if (at < tokens.length) throw new ComparisonRefused(`unexpected ${tokens[at]}`);
  return result;

  function level(n: number): Comparison {
    if (++depth > depthMax) throw new ComparisonRefused("nested too deeply");
    try {
      const operators = levels[n];
      if (!operators) return unary();
      let left = n === 2 && take("not") ? { kind: "not" as const, of: level(n) } : level(n + 1);
      for (;;) {
        const operator = tokens[at] as string;
        const isNotIn = n === 2 && operator === "not" && tokens[at + 1] === "in";
        if (!isNotIn && !operators.includes(operator)) return left;
        at += isNotIn ? 2 : 1;
        const right = level(n + 1);
        const made: Comparison = { kind: "operation", operator: isNotIn ? "in" : operator, left, right };
        left = isNotIn ? { kind: "not", of: made } : made;
      }
    } finally {
      depth--;
    }
  }
  function unary(): Comparison {
    if (take("-")) return { kind: "minus", of: unary() };
    if (take("(")) return closed(level(0), ")");
    if (take("[")) {
      const items: Comparison[] = [];
      while (tokens[at] !== "]") {
        items.push(level(0));
        if (!take(",")) break;
      }
      return closed({ kind: "list", items }, "]");
    }
    const word = tokens[at++];
    if (word === undefined) throw new ComparisonRefused("it ends too early");
    if (/^["']/.test(word)) return { kind: "value", value: word.slice(1, -1) };
    if (/^\d/.test(word)) return { kind: "value", value: Number(word) };
    if (word.startsWith("$")) return { kind: "metavariable", name: word };
    if (word === "True" || word === "False") return { kind: "value", value: word === "True" };
    if ((word === "int" || word === "float" || word === "str" || word === "len") && take("("))
      return { kind: "call", name: word, of: closed(level(0), ")") };
    throw new ComparisonRefused(`${word} is not supported`);
  }
  function closed(inner: Comparison, by: string): Comparison {
    if (!take(by)) throw new ComparisonRefused(`${by} is missing`);
    return inner;
  }
}

function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  const trimmed = source.trim();
  token.lastIndex = 0;
  while (token.lastIndex < trimmed.length) {
    const from = token.lastIndex;
    const found = token.exec(trimmed);
    if (!found) throw new ComparisonRefused(`not understood: ${trimmed.slice(from, from + 20)}`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

/** @returns null where a value is not known or of the wrong kind, which makes no comparison true */
export function evaluateComparison(comparison: Comparison, lookUp: (name: string) => Operand | null): Operand | null {
  const evaluate = (inner: Comparison) => evaluateComparison(inner, lookUp);
  switch (comparison.kind) {
    case "value":
      return comparison.value;
    case "metavariable":
      return lookUp(comparison.name);
    case "list":
      return null;
    case "not": {
      const value = evaluate(comparison.of);
      return value === null ? null : !value;
    }
    case "minus": {
      const value = evaluate(comparison.of);
      return typeof value === "number" ? -value : null;
    }
    case "call":
      return called(comparison.name, evaluate(comparison.of));
    case "operation":
      return operated(comparison, evaluate);
  }
}

function called(name: "int" | "float" | "str" | "len", value: Operand | null): Operand | null {
  if (value === null) return null;
  if (name === "str") return String(value);
  if (name === "len") return typeof value === "string" ? value.length : null;
  const number = Number(value);
  if (!Number.isFinite(number)) return null;
  return name === "int" ? Math.trunc(number) : number;
}

function operated(
  { operator, left, right }: Extract<Comparison, { kind: "operation" }>,
  evaluate: (of: Comparison) => Operand | null,
): Operand | null {
  const a = evaluate(left);
  if (operator === "and" || operator === "or") {
    if (a === null) return operator === "or" ? evaluate(right) : null;
    return (operator === "and") === Boolean(a) ? evaluate(right) : a;
  }
  if (operator === "in")
    return a === null || right.kind !== "list"
      ? inText(a, evaluate(right))
      : right.items.some((item) => evaluate(item) === a);
  const b = evaluate(right);
  if (a === null || b === null) return null;
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (operator === "+" && typeof a === "string" && typeof b === "string") return (a + b).slice(0, 10_000);
  if (typeof a !== typeof b || typeof a === "boolean") return null;
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  if (operator === ">") return a > b;
  if (operator === ">=") return a >= b;
  return typeof a === "number" && typeof b === "number" ? computed(operator, a, b) : null;
}

const inText = (a: Operand | null, b: Operand | null): boolean | null =>
  typeof a === "string" && typeof b === "string" ? b.includes(a) : null;

function computed(operator: string, a: number, b: number): number | null {
  const value = { "+": a + b, "-": a - b, "*": a * b, "/": a / b, "//": Math.floor(a / b), "%": ((a % b) + b) % b }[
    operator
  ];
  return value !== undefined && Number.isFinite(value) ? value : null;
}
