import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import type { PythonLowering } from "./python-lowering.ts";

/** A pattern, and what of the subject it is held against. */
interface Held {
  pattern: SyntaxNode;
  of: Expression;
  /** How many parts of the subject the part lies within. */
  depth: number;
}

/** Patterns within patterns that are told apart; what lies deeper is some part of what they are held against. */
const depthMax = 8;

/** Types of which a value cannot carry an attack; what matches one is lowered like what is converted to it. */
const numeric = /^(?:int|float|bool|complex)$/;

/** Assigns each name that a pattern binds the part of the subject that it stands for. */
export function capturesOf(l: PythonLowering, pattern: SyntaxNode, subject: Expression): Statement[] {
  const captured: Statement[] = [];
  const open: Held[] = [{ pattern, of: subject, depth: 0 }];
  for (let held = open.pop(); held; held = open.pop()) {
    const name = captureOf(held.pattern);
    if (name && l.textOf(name) !== "_") captured.push(assigned(l, name, boundTo(l, held)));
    open.push(...partsOf(l, held));
  }
  return captured.sort((a, b) => a.start - b.start);
}

/** The name that a pattern binds itself: all of `name`, `*rest`, `**rest`, the last of `int() as name`. */
function captureOf({ type, children }: SyntaxNode): SyntaxNode | undefined {
  if (type === "dotted_name") return children.length === 1 ? children[0] : undefined;
  const last = children.at(-1);
  return (type === "as_pattern" || type === "splat_pattern") && last?.type === "identifier" ? last : undefined;
}

function boundTo(l: PythonLowering, { pattern, of }: Held): Expression {
  const [inner] = pattern.children;
  if (pattern.type !== "as_pattern" || !inner) return of;
  // The grammar reads `key=int() as n` as if the name were that of `key=int()`.
  const named = inside(inner);
  if (named.type !== "keyword_pattern") return asMatched(l, inner, of);
  const [field, value] = named.children;
  return field && value ? asMatched(l, value, fieldOf(l, of, field)) : of;
}

/** A value that has matched `int()` is a number. */
function asMatched(l: PythonLowering, pattern: SyntaxNode, of: Expression): Expression {
  const matched = inside(pattern);
  const options = matched.type === "union_pattern" ? matched.children.map(inside) : [matched];
  const types = options.map((option) => typeOf(l, option));
  const [type] = types;
  return type && types.every((name) => numeric.test(name)) ? converted(l, matched, type, of) : of;
}

function partsOf(l: PythonLowering, held: Held): Held[] {
  const { pattern, of, depth } = held;
  const { children } = pattern;
  const within = (part: SyntaxNode, from: Expression): Held => ({
    pattern: part,
    of: depth < depthMax ? from : of,
    depth: depth + 1,
  });
  const anyOf = (part: SyntaxNode): Expression => ({ ...span(part), kind: "index", of, key: null });
  switch (pattern.type) {
    case "case_pattern":
    case "union_pattern":
      return children.map((part) => ({ ...held, pattern: part }));
    case "as_pattern":
      return children.slice(0, 1).map((part) => ({ ...held, pattern: part }));
    case "list_pattern":
    case "tuple_pattern": {
      const rest = children.findIndex((part) => inside(part).type === "splat_pattern");
      return children.map((part, i) =>
        within(part, rest < 0 || i < rest ? indexOf(part, of, l.literal(part, i)) : anyOf(part)),
      );
    }
    case "dict_pattern":
      return children.flatMap((part, i) => {
        if (part.field === "key") return [];
        const key = children[i - 1];
        return [within(part, part.field === "value" && key ? indexOf(part, of, l.expression(key)) : anyOf(part))];
      });
    case "class_pattern": {
      const type = typeOf(l, pattern);
      const whole = (part: SyntaxNode) => (numeric.test(type) ? converted(l, part, type, of) : of);
      // `str(name)` binds the value itself, `Point(x)` something of it.
      return children.slice(1).map((part) => {
        if (isByName(part)) return within(part, of);
        return within(part, builtIn.test(type) ? whole(part) : anyOf(part));
      });
    }
    case "keyword_pattern": {
      const [field, value] = children;
      return field && value ? [within(value, fieldOf(l, of, field))] : [];
    }
    default:
      return [];
  }
}

/** `Point(x=0)`, `Point(x=int() as n)`: the part says itself which one it is. */
function isByName(part: SyntaxNode): boolean {
  const plain = inside(part);
  return (plain.type === "as_pattern" ? inside(plain.children[0] ?? plain) : plain).type === "keyword_pattern";
}

/** Types whose only argument in a pattern is the value as a whole. */
const builtIn = /^(?:int|float|bool|complex|str|bytes|bytearray|list|tuple|dict|set|frozenset)$/;

const typeOf = (l: PythonLowering, { type, children: [name] }: SyntaxNode): string =>
  type === "class_pattern" && name ? l.textOf(name) : "";

/** What a pattern consists of, without the node around it. */
const inside = (pattern: SyntaxNode): SyntaxNode =>
  pattern.type === "case_pattern" ? (pattern.children[0] ?? pattern) : pattern;

const indexOf = (at: SyntaxNode, of: Expression, key: Expression): Expression => ({
  ...span(at),
  kind: "index",
  of,
  key,
});

const fieldOf = (l: PythonLowering, of: Expression, name: SyntaxNode): Expression => ({
  ...span(name),
  kind: "field",
  of,
  name: l.textOf(name),
});

const converted = (l: PythonLowering, at: SyntaxNode, type: string, of: Expression): Expression =>
  l.call(at, l.variable(at, type), [positional(of)]);

const assigned = (l: PythonLowering, name: SyntaxNode, from: Expression): Statement => ({
  ...span(name),
  kind: "expression",
  value: { ...span(name), kind: "assign", to: l.variable(name), from, type: null, declares: true },
});
