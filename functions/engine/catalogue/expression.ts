import { RE2JS } from "re2js";

/** Rules and models are compiled for every set of imports that files have, and say the same each time. */
const compiled = new Map<string, RE2JS>();

/**
 * Compiles a regular expression of a rule or model, once for all who ask: what it has learned of one text serves the next.
 * All of these run in linear time, also ours: one engine, one syntax. Users' expressions do not belong here, they would never be forgotten.
 */
export function expression(source: string): RE2JS {
  let known = compiled.get(source);
  if (!known) {
    known = RE2JS.compile(source);
    compiled.set(source, known);
  }
  return known;
}

/** Asks whether an expression is found in a text. It is compiled when it is asked first: most of them never are. */
export function tester(source: string): (text: string) => boolean {
  let wanted: RE2JS | null = null;
  return (text) => {
    wanted ??= expression(source);
    return wanted.test(text);
  };
}
