import type { Taint, Value } from "../interpret/value.ts";

/** `Promise<Note | null>`, `{ id: string }`, `Note[]`: what a function of TypeScript is declared to give is an object or nothing. */
export function isRecord(type: string | null | undefined): boolean {
  if (!type || type.length > resultMax) return false;
  const awaited = /^Promise<(.*)>$/s.exec(type)?.[1] ?? type;
  const given = awaited.replace(/\|\s*(null|undefined)\b/g, "").trim();
  return recordType.test(given) && !textType.test(given);
}

/** UTF-16 units of a type that somebody has written. */
const resultMax = 300;
const recordType = /^(\{.*\}|\w+\[\]|(\w+\.)?\p{Lu}\w*\p{Ll}\w*(<[^|]*>)?(\[\])?)$/su;
/** Names of types that may stand for text, and those that say nothing. */
const textType =
  /(html|text|string|markup|page|view|template|message|token|name|id|key|ur[il]|path|slug|content|xml|svg|css|script|code)$|^(awaited|returntype|extract|nonnullable)</i;

/** Whether a result is an object, or a list, wherever it holds this: what is in a field of one is nothing else. */
export const givesRecord = ({ slots, taint: whole }: Value, { source }: Taint, field: string | undefined): boolean =>
  field !== undefined || (slots !== null && !whole.some((other) => other.source === source));
