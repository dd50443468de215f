import type { Expression } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { positional, span, unescapeText } from "../lowering.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** 'text': only the quote and the backslash can be escaped. */
export const singleQuoted = (raw: string): string => raw.replace(/^[bB]?'|'$/g, "").replace(/\\([\\'])/g, "$1");

/** "text $x {$y['z']}", heredocs and backticks: the pieces of text between the values are taken from the source. */
export function interpolated(l: PhpLowering, node: SyntaxNode): Expression {
  const parts: Expression[] = [];
  let text = "";
  let from: number | null = null;
  const flush = (end: number) => {
    if (from !== null) parts.push({ start: from, end, kind: "literal", value: text });
    text = "";
    from = null;
  };
  for (const child of node.children) {
    if (child.type === "string_content" || child.type === "escape_sequence" || child.type === "nowdoc_string") {
      from ??= child.start;
      text += child.type === "escape_sequence" ? unescaped(l.textOf(child)) : l.textOf(child);
    } else {
      flush(child.start);
      parts.push(valueIn(l, child));
    }
  }
  flush(node.end);
  const [only] = parts;
  if (!only) return l.literal(node, "");
  return parts.length === 1 && only.kind === "literal"
    ? { ...only, ...span(node) }
    : { ...span(node), kind: "template", parts };
}

/** Inside text, `$a[key]` has its key unquoted and `${name}` is a variable. */
function valueIn(l: PhpLowering, node: SyntaxNode): Expression {
  if (node.type === "subscript_expression") {
    const [of, key] = node.children;
    if (of && key?.type === "name")
      return { ...span(node), kind: "index", of: l.expression(of), key: l.literal(key, l.textOf(key)) };
  }
  return l.expression(node);
}

const octal = /^\\[0-7]{1,3}$/;
const unescaped = (raw: string): string =>
  raw === "\\$" || raw === "\\{"
    ? raw.slice(1)
    : raw === "\\e"
      ? "\x1b"
      : octal.test(raw)
        ? String.fromCharCode(Number.parseInt(raw.slice(1), 8))
        : unescapeText(raw);

/** `sprintf("id = %d and name = '%s'", $id, $name)` is text with holes; numbers in it are numbers. Null: not a plain format. */
export function formatted(
  l: PhpLowering,
  node: SyntaxNode,
  format: string,
  args: readonly Expression[],
): Expression | null {
  const parts: Expression[] = [];
  let next = 0;
  for (const [piece, position, conversion] of format.matchAll(
    /%%|%(?:(\d+)\$)?[-+ 0]{0,9}(?:'.)?[-+]{0,9}\d{0,9}(?:\.\d{1,9})?([bcdeEfFgGosuxX])|[^%]+|%/g,
  )) {
    if (conversion === undefined) {
      parts.push(l.literal(node, piece === "%%" ? "%" : piece));
      continue;
    }
    const arg = args[position === undefined ? next++ : Number(position) - 1];
    if (!arg) return null;
    parts.push(conversion === "s" ? arg : l.call(node, l.variable(node, "intval"), [positional(arg)]));
  }
  return { ...span(node), kind: "template", parts };
}
