import type { Span } from "../ir/ir.ts";

/** Comments that begin with `audit-ignore:`, in whatever way the formats of configuration write comments. */
export const markedComments = (text: string): Span[] =>
  [...text.matchAll(/(?:#|\/\/|\/\*|<!--|;)[ \t]*audit-ignore:[^\n]*/g)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
