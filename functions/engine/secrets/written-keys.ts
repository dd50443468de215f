import type { Module, Span } from "../ir/ir.ts";
import { walk } from "../ir/walk.ts";

/** A key can be put together from several texts; shorter ones of them tell nothing. */
const pieceLengthMin = 4;

/** The literals in which keys are written that only following values has found: equal to one, or a piece of it. */
export function writtenKeys(module: Module, text: string, keys: ReadonlySet<string>): Span[] {
  if (keys.size === 0) return [];
  const found: Span[] = [];
  walk(module.body, (node) => {
    if (!("kind" in node) || node.kind !== "literal" || typeof node.value !== "string" || node.value === "") return;
    const { value } = node;
    const isPiece = (key: string) => key === value || (value.length >= pieceLengthMin && key.includes(value));
    if ([...keys].some(isPiece)) found.push(contentOf(text, node));
  });
  return found;
}

/** What stands between the quotes, of a literal that has some. */
function contentOf(text: string, { start, end }: Span): Span {
  const [opening] = text.slice(start, end).match(/^[A-Za-z]{0,3}["'`]+/) ?? [""];
  const closing = text.slice(end - 1, end) === opening.at(-1) ? 1 : 0;
  return opening === "" ? { start, end } : { start: start + opening.length, end: end - closing };
}
