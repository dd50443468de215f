import type { Expression } from "../../ir/ir.ts";
import { childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span, unescapeText } from "../lowering.ts";
import type { KotlinLowering } from "./kotlin-lowering.ts";

/**
 * Text with what it is filled with. Of `"$name"` the grammar makes two pieces of plain text, so plain text is
 * taken from the source and searched for names.
 */
export function textValue(l: KotlinLowering, node: SyntaxNode): Expression {
  const quotes = l.textOf(node).startsWith('"""') ? 3 : 1;
  const raw = quotes === 3;
  const parts: Expression[] = [];
  let from = node.start + quotes;
  const plain = (end: number) => {
    if (end > from) parts.push(...piecesOf(l, from, end, raw));
  };
  for (const hole of node.children.filter((c) => c.type === "interpolation")) {
    plain(hole.start);
    const value = hole.children.at(-1);
    if (value) parts.push(l.expression(value));
    from = hole.end;
  }
  plain(node.end - quotes);
  const [only] = parts;
  if (!only) return l.literal(node, "");
  if (parts.length === 1 && only.kind === "literal") return { ...only, ...span(node) };
  return { ...span(node), kind: "template", parts };
}

function piecesOf(l: KotlinLowering, start: number, end: number, raw: boolean): Expression[] {
  const text = l.textOf({ start, end });
  const out: Expression[] = [];
  let from = 0;
  const plain = (to: number) => {
    const piece = text.slice(from, to);
    if (piece) out.push(l.literal({ start: start + from, end: start + to }, raw ? piece : unescapeText(piece)));
  };
  for (const match of text.matchAll(raw ? /\$([A-Za-z_]\w*)/g : /\\[\s\S]|\$([A-Za-z_]\w*)/g)) {
    if (match[1] === undefined) continue;
    plain(match.index);
    const at = { start: start + match.index, end: start + match.index + match[0].length };
    out.push(l.variable(at, match[1] === "this" ? l.self : match[1]));
    from = match.index + match[0].length;
  }
  plain(text.length);
  return out;
}

/** A character is a text of one. */
export const character = (l: KotlinLowering, node: SyntaxNode): Expression =>
  l.literal(node, unescapeText(l.textOf(childOf(node, "character_content") ?? node).replace(/^'|'$/g, "")));
