import type { Span } from "../ir/ir.ts";
import { isFreemarker, type TemplateFormat } from "./template-format.ts";

export interface Token extends Span {
  text: string;
}

const tokens =
  /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|\d[\w.]*|@?@?[$]?[\p{L}_][\p{L}\p{N}_$]*[?!]?(?![\w=])|[@$]?[\p{L}_][\p{L}\p{N}_$]*|(?:\.\.\/)+|\?\?|\?\.|->|=>|::|[!=]==?|<=|>=|&&|\|\||\S/gu;
/** Names end in a mark in Ruby only; in FreeMarker such a mark asks for what follows. */
const plainTokens = new RegExp(tokens.source.replace("[?!]?(?![\\w=])", ""), tokens.flags);
/** Longer expressions are not written by people. */
const tokensMax = 2_000;
const lengthMax = 20_000;

/** The names, texts and marks that an expression consists of, up to the limits above. */
export function tokensOf(text: string, { start, end }: Span, format: TemplateFormat): Token[] {
  const known = isFreemarker(format) ? plainTokens : tokens;
  return text
    .slice(start, Math.min(end, start + lengthMax))
    .matchAll(known)
    .take(tokensMax)
    .map((found) => ({ text: found[0], start: start + found.index, end: start + found.index + found[0].length }))
    .toArray();
}
