/** What a statement of SQL says about the records that it works on. */
export interface RecordStatement {
  table: string;
  /** What the records are compared with, or written down with. */
  columns: string[];
}

const verb = /^\s*(select|update|delete|insert|from)\b/i;
const table = /\b(?:from|update|into)\s+[`"[]?([\w.]+)/i;
const conditions = /\bwhere\b([\s\S]*)$/i;
/** With a hole, as registration.ts writes it, or a mark for one. */
const compared = /([\w.]+)[`"\]]?\s*=\s*'?(?:\?|:|#\{|\$\d|@\w|%s)/g;
const inserted = /\binto\s+[\w.`"[\]]+\s*\(([^)]*)\)/i;

/** Reads a statement with marks or holes for what is filled in; null for what is none. */
export function recordStatement(text: string): RecordStatement | null {
  const name = verb.test(text) ? text.match(table)?.[1] : undefined;
  if (name === undefined) return null;
  const asked = [...(text.match(conditions)?.[1] ?? "").matchAll(compared)].map(([, column]) =>
    lastPart(column as string),
  );
  const kept = text.match(inserted)?.[1]?.match(/\w+/g) ?? [];
  return { table: lastPart(name), columns: [...asked, ...kept] };
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
