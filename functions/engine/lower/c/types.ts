import type { Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, positional, span } from "../lowering.ts";

/** Bytes of the types whose size is the same wherever it matters (64-bit Unix). */
const sizes: Record<string, number> = {
  char: 1,
  "signed char": 1,
  "unsigned char": 1,
  int8_t: 1,
  uint8_t: 1,
  u8: 1,
  BYTE: 1,
  bool: 1,
  short: 2,
  "unsigned short": 2,
  int16_t: 2,
  uint16_t: 2,
  int: 4,
  unsigned: 4,
  "unsigned int": 4,
  int32_t: 4,
  uint32_t: 4,
  wchar_t: 4,
  float: 4,
  long: 8,
  "unsigned long": 8,
  "long long": 8,
  "unsigned long long": 8,
  int64_t: 8,
  uint64_t: 8,
  size_t: 8,
  ssize_t: 8,
  double: 8,
};
const pointerSize = 8;

export const sizeOfType = (written: string): number | null =>
  written.trim().endsWith("*")
    ? pointerSize
    : (sizes[written.replace(/\b(const|volatile|struct)\b/g, "").trim()] ?? null);

/** A type as models and classes know it: without namespace std, arguments and keywords. */
export function typeName(l: Lowering, node: SyntaxNode | undefined): string | null {
  if (!node) return null;
  const named = childIn(node, "name");
  if (named && /_specifier$/.test(node.type)) return l.textOf(named);
  if (/_specifier$/.test(node.type) && node.type !== "sized_type_specifier") return null;
  return l
    .textOf(node)
    .replace(/<[\s\S]*$/, "")
    .replace(/\s+/g, " ")
    .replace(/^(::)?std::/, "")
    .replaceAll("::", ".");
}

/** What a declarator declares. `sizes` of an array, outermost first; null where the size is left to the initialiser. */
export interface Declarator {
  name: SyntaxNode;
  pointer: boolean;
  sizes: (SyntaxNode | null)[];
  parameters: SyntaxNode | null;
}

/** Unwraps `*`, `[]`, `()` and `&` around the name. Null for what declares no name. */
export function declaratorOf(node: SyntaxNode | undefined): Declarator | null {
  if (!node) return null;
  if (/identifier$|_name$/.test(node.type)) return { name: node, pointer: false, sizes: [], parameters: null };
  const of = declaratorOf(
    childIn(node, "declarator") ?? node.children.find((c) => !/qualifier|specifier|modifier/.test(c.type)),
  );
  if (!of) return null;
  if (node.type === "pointer_declarator") return { ...of, pointer: true };
  if (node.type === "array_declarator") return { ...of, sizes: [...of.sizes, childIn(node, "size") ?? null] };
  // A pointer to a function is a variable, a function is none.
  if (node.type === "function_declarator" && !of.pointer)
    return { ...of, parameters: childIn(node, "parameters") ?? node };
  return of;
}

/** The room an array takes: elements, bytes of each, and whether it outlives the function. */
export function arrayOf(
  l: Lowering,
  node: SyntaxNode,
  count: Expression,
  type: string | null,
  kept: boolean,
): Expression {
  const element = l.literal(node, type === null ? null : sizeOfType(type));
  const args = [count, element, l.literal(node, kept)].map(positional);
  return l.call(node, { ...span(node), kind: "variable", name: "<array>" }, args);
}
