/** What a statement of SQL, or of a language like it, says about the records that it works on. */
export interface Statement {
  table: string;
  /** What its conditions compare with what is filled in. */
  comparisons: Comparison[];
  /** The columns that it writes down. */
  written: string[];
}

/** A column that is compared with what is filled in, in the order of the marks for it. */
export interface Comparison {
  column: string;
  operator: string;
}

/** Longer statements are not read to the end. */
const textMax = 2000;
const verb = /^\s*(select|update|delete|insert|replace|from)\b/i;
const table = /\b(?:from|update|into)\s+["`[]?([\w.]{1,60})/i;
const conditions = /\bwhere\b([\s\S]*)$/i;
/** With a hole, as registration.ts writes it, or a mark for one. */
const compared =
  /([\w.]{1,60})["`\]]?\s{0,3}(=|<>|!=|<=?|>=?|\bi?like\b|\bin\b)\s{0,3}\(?\s{0,3}'?(?:\?|\$\d|:\w|@\w|%s|#\{)/gi;
const inserted = /\binto\s+[\w.`"[\]]+\s*\(([^)]*)\)/i;

/** Reads a statement; null for what is none. */
export function readStatement(text: string): Statement | null {
  const read = text.slice(0, textMax);
  const name = verb.test(read) ? read.match(table)?.[1] : undefined;
  if (name === undefined) return null;
  return {
    table: lastPart(name),
    comparisons: comparisonsIn(read.match(conditions)?.[1] ?? ""),
    written: read.match(inserted)?.[1]?.match(/\w+/g) ?? [],
  };
}

/** Reads what stands behind WHERE, or what is given for it. */
export const comparisonsIn = (text: string): Comparison[] =>
  [...text.slice(0, textMax).matchAll(compared)].map(([, column = "", operator = ""]) => ({
    column: lastPart(column),
    operator,
  }));

const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
