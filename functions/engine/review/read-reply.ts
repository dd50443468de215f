import { jsonrepair } from "jsonrepair";
import { ReplyIssue, ReplyVerdict } from "./reply-schema.ts";
import { statedPath, tidyIssue, tidyVerdict } from "./tidy-reply.ts";

/** Far above what any limit of tokens lets through; beyond it somebody sends garbage, and reading is not linear in the worst case. */
const replyCharactersMax = 400_000;
const statementsMax = 1_000;
const complaintsMax = 12;
/** How many beginnings of an object are tried in prose. */
const beginningsMax = 40;
/** No answer nests like this, and following garbage deeper takes time in proportion to its square. */
const depthMax = 64;

/** `statedPath`: the file a statement names although nobody asked for it. */
export type ReadIssue = ReplyIssue & { readonly statedPath: string | null };

export interface ReadReply {
  readonly issues: readonly ReadIssue[];
  readonly verdicts: readonly ReplyVerdict[];
  /** What is wrong with the answer as a whole or with statements that are left out; written for the model. */
  readonly complaints: readonly string[];
  /** Statements that could not be read. */
  readonly unreadable: number;
  /** Values that were none of the known ones and were replaced. */
  readonly unknownValues: number;
  /** The answer stops in the middle of a statement. */
  readonly cut: boolean;
}

/**
 * Reads an answer, mending what can be mended: direct, cleaned up, out of surrounding prose, closed where it was cut, repaired.
 * @returns null when there is no answer in the text
 */
export function readReply(text: string): ReadReply | null {
  const found = findReply(text.slice(0, replyCharactersMax));
  if (!found) return null;
  const complaints: string[] = [];
  const { issues = [], verdicts = [] } = found.reply;
  const read = { issues: [] as ReadIssue[], verdicts: [] as ReplyVerdict[] };
  let unknownValues = 0;
  for (const [i, raw] of issues.slice(0, statementsMax).entries()) {
    const tidied = tidyIssue(raw);
    unknownValues += tidied.unknownValues;
    const parsed = ReplyIssue.safeParse(tidied.value);
    if (parsed.success) read.issues.push({ ...parsed.data, statedPath: statedPath(raw) });
    else complaints.push(`issues[${i}]: ${explain(parsed.error)}`);
  }
  for (const [i, raw] of verdicts.slice(0, statementsMax).entries()) {
    const parsed = ReplyVerdict.safeParse(tidyVerdict(raw));
    if (parsed.success) read.verdicts.push(parsed.data);
    else complaints.push(`verdicts[${i}]: ${explain(parsed.error)}`);
  }
  return {
    ...read,
    complaints: complaints.slice(0, complaintsMax),
    unreadable: complaints.length,
    unknownValues,
    cut: found.cut,
  };
}

interface RawReply {
  issues?: unknown[];
  verdicts?: unknown[];
}

function findReply(text: string): { reply: RawReply; cut: boolean } | null {
  const clean = cleanUp(text);
  for (const candidate of [text, clean, withoutTrailingCommas(clean)]) {
    const reply = asReply(parse(candidate));
    if (reply) return { reply, cut: false };
  }
  // The longest, because models that think aloud write examples first.
  const inProse = [...objectsIn(clean)].sort((a, b) => b[1] - b[0] - (a[1] - a[0]));
  for (const [start, end] of inProse) {
    const reply = asReply(parse(withoutTrailingCommas(clean.slice(start, end))));
    if (reply) return { reply, cut: false };
  }
  const begin = clean.search(/[{[]/);
  if (begin < 0) return null;
  const open = clean.slice(begin);
  const closed = closeCut(open);
  const reply = closed && asReply(parse(withoutTrailingCommas(closed.text)));
  if (reply) return { reply, cut: closed.lost };
  const repaired = asReply(parse(repair(open)));
  return repaired && { reply: repaired, cut: false };
}

const explain = (error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string =>
  error.issues.map((issue) => `${issue.path.join(".") || "(all)"}: ${issue.message}`).join("; ");

function parse(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function repair(text: string): string | null {
  try {
    return jsonrepair(text);
  } catch {
    // Also a stack overflow: it works by recursion, and the text is anybody's.
    return null;
  }
}

const issueKeys = ["issues", "findings", "vulnerabilities", "problems"];

/** The object that has the lists, also inside one wrapper; a bare list is a list of issues. */
function asReply(value: unknown, wrapped = false): RawReply | null {
  if (Array.isArray(value))
    return !wrapped && value.every(isRecord) && value.some(looksLikeIssue) ? { issues: value } : null;
  if (!isRecord(value)) return null;
  const issues = issueKeys.map((key) => value[key]).find(Array.isArray);
  const verdicts = Array.isArray(value.verdicts) ? value.verdicts : undefined;
  if (issues || verdicts) return { ...(issues && { issues }), ...(verdicts && { verdicts }) };
  if (wrapped) return null;
  for (const inner of Object.values(value)) {
    const reply = isRecord(inner) ? asReply(inner, true) : null;
    if (reply) return reply;
  }
  return null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const looksLikeIssue = (value: unknown): boolean => isRecord(value) && ("code_snippet" in value || "title" in value);

/** Without byte order mark, thoughts that some models print, and code fences around the whole. */
function cleanUp(text: string): string {
  return text
    .replace(/^\ufeff/, "")
    .replace(/^\s*<think>[\s\S]*?<\/think>/, "")
    .replace(/^\s*```[a-z]*\s*\n/i, "")
    .trim()
    .replace(/\n[ \t]{0,20}```$/, "")
    .trim();
}

/** One pass over JSON text, telling brackets from text in quotes. */
function* brackets(text: string, from: number): Generator<{ at: number; character: string }> {
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (/[{}[\],]/.test(character)) yield { at, character };
  }
}

function withoutTrailingCommas(text: string): string {
  const commas: number[] = [];
  let comma: number | null = null;
  for (const { at, character } of brackets(text, 0)) {
    if (/[}\]]/.test(character) && comma !== null && text.slice(comma + 1, at).trim() === "") commas.push(comma);
    comma = character === "," ? at : null;
  }
  let from = 0;
  let kept = "";
  for (const at of commas) {
    kept += text.slice(from, at);
    from = at + 1;
  }
  return kept + text.slice(from);
}

/** Balanced objects in prose, in the order in which they begin, each beginning after the last that was balanced. */
function* objectsIn(text: string): Generator<[start: number, end: number]> {
  let tried = 0;
  for (let start = text.indexOf("{"); start >= 0 && tried < beginningsMax; tried++) {
    const end = balancedEnd(text, start);
    if (end !== null) yield [start, end];
    start = text.indexOf("{", end ?? start + 1);
  }
}

function balancedEnd(text: string, start: number): number | null {
  let depth = 0;
  for (const { at, character } of brackets(text, start)) {
    if (/[{[]/.test(character) && ++depth > depthMax) return null;
    if (/[}\]]/.test(character) && --depth === 0) return at + 1;
  }
  return null;
}

/** Goes back to where the last object or list ended and closes what is open there. `lost`: something stood behind it. */
function closeCut(text: string): { text: string; lost: boolean } | null {
  const open: string[] = [];
  let last: { end: number; closers: string; begun: boolean } | null = null;
  for (const { at, character } of brackets(text, 0)) {
    if (/[{[]/.test(character)) {
      open.push(character === "{" ? "}" : "]");
      if (open.length > depthMax) return null;
      if (character === "[") last = { end: at + 1, closers: [...open].reverse().join(""), begun: true };
    } else if (character !== ",") {
      if (open.pop() !== character) return null;
      last = { end: at + 1, closers: [...open].reverse().join(""), begun: false };
      if (open.length === 0) break;
    }
  }
  if (!last) return null;
  const lost = open.length > 0 && (last.begun || /[^\s`]/.test(text.slice(last.end)));
  return { text: text.slice(0, last.end) + last.closers, lost };
}
