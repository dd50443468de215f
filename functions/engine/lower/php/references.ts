import type { Expression, Span } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** Names for the same that one function gives; each is looked for in its text. */
const aliasesMax = 20;
/** UTF-16 units of a function whose text is looked through. */
const textMax = 20_000;

/**
 * `$user = &$_SESSION["user"];`: from there on `$user` is another name for the same. A name that is bound again, as in walking down a tree,
 * or handed in as a reference, is followed as what it was given.
 */
export function referenced(l: PhpLowering, node: SyntaxNode): Expression | null {
  const left = childIn(node, "left");
  const right = childIn(node, "right");
  if (!left || !right || left.type !== "variable_name" || l.aliases.size >= aliasesMax) return null;
  const name = l.textOf(left);
  const around = l.around ?? { start: 0, end: l.text.length };
  if (around.end - around.start > textMax || name === "$this") return null;
  const target = l.expression(right);
  if (!isPlace(target, name)) return null;
  const text = l.text.slice(around.start, around.end);
  const written = `\\${name}\\b`;
  const bound = new RegExp(
    `(?:(?<!&)&\\s*|\\bglobal\\s+|\\bstatic\\s+|\\bunset\\(\\s*|\\buse\\s*\\([^)]{0,200})${written}|${written}\\s*=\\s*&`,
    "g",
  );
  const [, ...others] = text.matchAll(bound);
  if (others.length > 0) return null;
  l.aliases.set(name, target);
  return { ...target, ...span(node) };
}

/** A variable, or what it has under keys and in properties that are written out; a key in a variable may be another one later. */
function isPlace(place: Expression, name: string): boolean {
  switch (place.kind) {
    case "variable":
      return place.name !== name && (place.name === "this" || place.name.startsWith("$"));
    case "field":
      return isPlace(place.of, name);
    case "index":
      return place.key?.kind === "literal" && isPlace(place.of, name);
    default:
      return false;
  }
}

/** What a name stands for at a place. */
export const aliased = (of: Expression, at: Span): Expression => ({ ...of, ...at });
