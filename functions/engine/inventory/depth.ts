/** How far a file is analysed, by its size and by what it looks like. */
export type Depth = "full" | "secrets";

const fullBytesMax = 1_048_576;
const lineLengthMax = 5_000;
const meanLineMax = 300;

/** @returns the depth, and the stable reason why it is not full */
export function depthOf(text: string, bytes: number): { depth: Depth; reason: string | null } {
  if (bytes > fullBytesMax) return { depth: "secrets", reason: "size_limit" };
  if (isGenerated(text)) return { depth: "secrets", reason: "generated" };
  if (isMinified(text)) return { depth: "secrets", reason: "minified" };
  return { depth: "full", reason: null };
}

/** Marks in the output of webpack and the GNU build tools, which nobody edits either. */
const builders =
  /^\/\*{6}\/ |\bwebpackBootstrap\b|^# Generated (automatically )?by (GNU )?(Autoconf|automake|libtool)|^# ltmain\.sh - /im;

/** What processors of annotations write carries one itself: `@Generated("com.google.auto.value.processor.AutoValueProcessor")`. */
const processors = /^@(?:javax?\.annotation\.(?:processing\.)?)?Generated\(\s*(?:value\s*=\s*)?\{?\s*"[\w.$]+"/m;

/** Generated code says so in its first comments. A script that generates code says so further down. */
function isGenerated(text: string): boolean {
  const beginning = text.slice(0, 2_000);
  if (builders.test(beginning) || processors.test(beginning)) return true;
  if (!/@generated\b|DO NOT EDIT\b/.test(beginning)) return false;
  const comments = beginning.match(leadingComments)?.[0] ?? "";
  return /@generated\b|DO NOT EDIT\b/.test(comments) && /generated/i.test(comments);
}

/** Comments of all kinds, blank lines, and what may stand before them: `<?php`, `<!DOCTYPE html>`, `"use strict"`, `package shop`. */
const leadingComments =
  /^(?:\ufeff|\s|<[?!%][^\n]*|["']use strict["'];?|package [\w.]+;?|@charset[^\n]*|(?:\/\/|#|--|;|%)[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|"""(?:[^"]|"(?!""))*""")*/;

/**
 * Whether nobody of the project has written the code as it stands: it was compiled from another language, or is a library with the banner that
 * it is published with. What it does matters, how it reads does not.
 */
export function isWrittenElsewhere(text: string): boolean {
  const beginning = text.slice(0, 1_500);
  const [banner = ""] = beginning.match(/^(?:\s|["']use strict["']|[;!])*\/\*(?:[^*]|\*(?!\/))*\*\//) ?? [];
  const isPublished = /^\s*\/\*!|@preserve\b|@license\b/.test(banner) && /\d+\.\d+/.test(banner);
  return (
    isPublished ||
    beginning.includes('Object.defineProperty(exports, "__esModule"') ||
    /^\/\/# sourceMappingURL=/m.test(text.slice(-400))
  );
}

/** A long line of data does not make a file minified; long lines with this share of its characters, or with so many, do. */
const longLinesMax = { share: 0.5, characters: 50_000 };

/** A compiler may append the map back to the source as one long comment, which does not make the code before it minified. */
const inlineMap = "\n//# sourceMappingURL=data:";

function withoutMap(text: string): string {
  const start = text.lastIndexOf(inlineMap);
  if (start < 0) return text;
  const end = text.indexOf("\n", start + 1);
  return end < 0 || text.slice(end).trim() === "" ? text.slice(0, start) : text;
}

/** How compilers begin a line with a function of theirs that the code of the file calls: `function _regeneratorRuntime() { … }`. */
const compilersHelpers = ["function _", "function asyncGeneratorStep(", "function ownKeys("];
/** UTF-16 units of the longest of them, with room: the one that runs generators has 7,000. */
const helperMax = 20_000;

function isMinified(whole: string): boolean {
  const text = withoutMap(whole);
  let lines = 0;
  let long = 0;
  let helpers = 0;
  let start = 0;
  for (let end = text.indexOf("\n"); ; end = text.indexOf("\n", start)) {
    const stop = end < 0 ? text.length : end;
    const isHelper = stop - start < helperMax && compilersHelpers.some((head) => text.startsWith(head, start));
    if (isHelper) helpers += stop - start;
    else if (stop - start > lineLengthMax) long += stop - start;
    lines++;
    if (end < 0) break;
    start = end + 1;
  }
  const own = text.length - helpers;
  if (long > Math.min(own * longLinesMax.share, longLinesMax.characters)) return true;
  // A short file with one long line is nothing unusual.
  return own > 2_000 && own / lines > meanLineMax;
}
