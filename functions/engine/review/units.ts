import type { FunctionPlace, SourceFile } from "../artefact.ts";
import type { Finding } from "../finding.ts";
import { decode, isBinary } from "../inventory/decode.ts";
import { depthOf } from "../inventory/depth.ts";
import type { ReviewUnit } from "./review.ts";
import { reviewLanguage } from "./review-language.ts";

/** As for the rules: what is larger is generated or data, hardly ever written by people. */
const bytesMax = 204_800;
/** Configuration is short; JSON beyond this is data, which costs tokens and tells nothing. */
const dataBytesMax = 20_480;
/**
 * With line numbers about 9,000 tokens. That leaves room for instructions and answer in a window of 16,000, which small local
 * models have, and models of every size miss more in the middle of longer texts.
 */
export const unitCharactersMax = 24_000;

const lockFiles =
  /(^|\/)([^/]*[-.]lock(file)?(\.(json|ya?ml))?|npm-shrinkwrap\.json|go\.sum|composer\.lock|[^/]*\.snap)$/i;
const generatedNames = /\.(min|bundle|generated|g|pb|designer)\.[a-z]+$|_pb2(_grpc)?\.py$|\.pb\.go$|\.map$/i;

/** Why a model does not look at a file; a stable snake_case code. */
export type ReviewSkip =
  | "language_not_reviewed"
  | "lock_file"
  | "data"
  | "generated"
  | "minified"
  | "binary"
  | "empty"
  | "size_limit";

export type Reviewable = { readonly review: true } | { readonly review: false; readonly reason: ReviewSkip };

/**
 * Says whether a model looks at a file, and why not.
 * @param content the file, or only its size in bytes where nothing more is known yet: an estimate, which the content can turn down
 */
export function reviewable(path: string, content: Uint8Array | number): Reviewable {
  const reason = skipByName(path, typeof content === "number" ? content : content.length);
  const found = reason ?? (typeof content === "number" ? null : skipByContent(content));
  return found === null ? { review: true } : { review: false, reason: found };
}

function skipByName(path: string, bytes: number): ReviewSkip | null {
  if (lockFiles.test(path)) return "lock_file";
  const language = reviewLanguage(path);
  if (language === null) return "language_not_reviewed";
  if (generatedNames.test(path)) return "generated";
  if (bytes === 0) return "empty";
  if (bytes > bytesMax) return "size_limit";
  return /^(json|xml)$/.test(language) && bytes > dataBytesMax ? "data" : null;
}

function skipByContent(bytes: Uint8Array): ReviewSkip | null {
  if (isBinary(bytes)) return "binary";
  const text = decode(bytes);
  if (text.trim() === "") return "empty";
  return depthOf(text, bytes.length).reason as ReviewSkip | null;
}

/**
 * Cuts a file into what one call each looks at: the whole file where it fits, else runs of whole lines that begin at the top level.
 * @param findings what the rules found in the file
 * @param mask makes secrets unreadable and changes no length; see `Engine.unitsOf`
 * @param functions of the file, as its artefact has them
 */
export function unitsOf(
  file: SourceFile,
  findings: readonly Finding[],
  mask: (text: string) => string,
  functions: readonly FunctionPlace[] = [],
): ReviewUnit[] {
  const lines = shownLines(file, mask);
  const whole: ReviewUnit = {
    path: file.path,
    language: reviewLanguage(file.path) ?? "text",
    startLine: 1,
    text: lines.join("\n"),
    // What a comment has silenced is settled; asking about it would only cost.
    findings: findings.filter((finding) => finding.path === file.path && !finding.suppressed),
    functions,
    excerpts: [],
  };
  const units: ReviewUnit[] = [];
  for (let from = 0; from < lines.length; ) {
    const end = nextCut(lines, from, unitCharactersMax);
    units.push(part(whole, lines, from, end));
    from = end;
  }
  return units;
}

/** The lines of a file as a model may see them. */
export function shownLines(file: SourceFile, mask: (text: string) => string): string[] {
  const lines = mask(decode(file.bytes).toWellFormed()).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.replace(/\r$/, ""));
}

/** Two units in place of one, cut near the middle; null where there is only one line. */
export function splitUnit(unit: ReviewUnit): [ReviewUnit, ReviewUnit] | null {
  const lines = unit.text.split("\n");
  if (lines.length < 2) return null;
  const cut = Math.min(nextCut(lines, 0, Math.ceil(unit.text.length / 2)), lines.length - 1);
  return [part(unit, lines, 0, cut), part(unit, lines, cut, lines.length)];
}

function part(unit: ReviewUnit, lines: readonly string[], from: number, end: number): ReviewUnit {
  const first = unit.startLine + from;
  const last = unit.startLine + end - 1;
  return {
    ...unit,
    startLine: first,
    text: lines.slice(from, end).join("\n"),
    findings: unit.findings.filter((finding) => finding.startLine >= first && finding.startLine <= last),
    functions: unit.functions.filter(({ startLine, endLine }) => startLine <= last && endLine >= first),
  };
}

/** The index of the line at which the next unit begins: at the top level, else after a blank line, else where the room ends. */
function nextCut(lines: readonly string[], from: number, charactersMax: number): number {
  let room = charactersMax;
  let end = from;
  while (end < lines.length && (end === from || room >= (lines[end] as string).length + 1)) {
    room -= (lines[end] as string).length + 1;
    end++;
  }
  if (end === lines.length) return end;
  // A cut in the first half would leave more units than there need to be.
  const least = from + Math.ceil((end - from) / 2);
  const blankBefore = (line: number) => lines[line - 1]?.trim() === "" && lines[line]?.trim() !== "";
  for (let line = end; line >= least; line--)
    if (blankBefore(line) && /^[^\s})\]]/.test(lines[line] as string)) return line;
  for (let line = end; line >= least; line--) if (blankBefore(line)) return line;
  return end;
}
