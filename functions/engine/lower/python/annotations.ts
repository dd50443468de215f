import type { Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import type { Lowering } from "../lowering.ts";

const wrappers = /^(?:typing\.|typing_extensions\.|t\.)?(?:Optional|Final|ClassVar|Required|NotRequired)\[(.*)\]$/s;
const annotated = /^(?:typing\.|typing_extensions\.|t\.)?Annotated\[\s*([\w.]+(?:\[[^[\]]*\])?(?:\s*\|\s*\w+)*)\s*,/s;

/** `constr(pattern="^[a-z]+$")`, `Annotated[str, Query(pattern="^[a-z]+$")]`: the whole text is of words and numbers. */
const plainPattern =
  /^(?:[\w.]+\(|(?:\w+\.)?Annotated\[\s*str\b)[^"']*\b(?:pattern|regex)\s*=\s*r?(["'])\^(?:[\w(){},|+*?\\-]|\[[\w\\+*,-]+\])+\$\1/;

export const isAnnotated = (text: string): boolean => annotated.test(text);

/**
 * The type that an annotation says, without what says nothing about the value: quotes, Optional, `| None` and the metadata of
 * Annotated. A choice of constants is a Literal, whichever they are, and so is text of which a pattern says that it is a word.
 */
export function annotationOf(text: string): string {
  const plain = text.trim().replace(/^(["'])(.*)\1$/s, "$2");
  if (plainPattern.test(plain)) return "Literal";
  const inner = plain.match(wrappers)?.[1] ?? plain.match(annotated)?.[1];
  if (inner !== undefined) return annotationOf(inner);
  if (/^(?:[\w.]+\.)?Literal\[/.test(plain)) return "Literal";
  return plain.replace(/(?<!\s)\s*\|\s*None\b|\bNone\s*\|\s*/g, "");
}

/** Of `Tenant = Annotated[str, Depends(tenant)]` the function: what it makes is known by that, as text has no members of its own. */
export function makerOfText(l: Lowering, type: SyntaxNode, metadata: readonly SyntaxNode[]): SyntaxNode | undefined {
  if (!/^(?:str|dict|list|Any)\b/.test(l.textOf(type))) return undefined;
  const call = metadata.find((node) => {
    const callee = node.type === "call" && childIn(node, "function");
    return callee && /(?:^|\.)(?:Depends|Security)$/.test(l.textOf(callee));
  });
  const maker = call && childIn(call, "arguments")?.children[0];
  return maker && /^(?:identifier|attribute)$/.test(maker.type) ? maker : undefined;
}

/** What fills a parameter: the calls in an Annotated and the call that is its default, such as `Header()` or `Depends(f)`. */
export function metadataOf(l: Lowering, type: SyntaxNode | undefined, fallback: SyntaxNode | undefined): Expression[] {
  const calls = fallback?.type === "call" ? [fallback] : [];
  if (type && isAnnotated(l.textOf(type))) {
    const open = [...type.children];
    for (let node = open.shift(); node; node = open.shift()) {
      if (node.type === "call") calls.push(node);
      else if (node.type !== "identifier") open.push(...node.children);
    }
  }
  return calls.filter((call) => childIn(call, "function")).map((call) => l.expression(call));
}
