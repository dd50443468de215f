import type { Asked } from "./dialect.ts";

export interface ShownLine {
  readonly number: number;
  readonly text: string;
}

export interface ShownFinding {
  /** "F1" */
  readonly id: string;
  readonly line: number;
}

/** What a prompt of the review shows of a file. */
export interface ShownCode {
  readonly lines: readonly ShownLine[];
  readonly findings: readonly ShownFinding[];
  /** Lines of excerpts, `X1:12| text`: a verdict may quote them, an issue may not. */
  readonly excerpts: readonly ShownLine[];
  readonly path: string | null;
  /** The language that the answer shall be in. */
  readonly language: "zh" | "en";
  /** All lines with their numbers, to know the same content again; the prompt itself when it shows no code. */
  readonly content: string;
}

const finding = /^(F\d{1,5}) \| line (\d{1,7}) \| /;
const excerptLine = /^X\d{1,3}:(\d{1,7})\| (.*?)\r?$/;
/** A line of an excerpt, or the one that says what it is. */
const ofExcerpt = /^X\d{1,3}(?::\d{1,7}\|| \|)/;
const path = /\b(?:path|file)\b"?[ ]?[:=]?[ ]?("(?:[^"\\]|\\.)*")/i;
const languageName = /(简体中文|zh-CN)|English|en-US/;

/**
 * Finds code lines (`12| text`), rule findings (`F1 | line 12 | rule | title`) and the path in what the user says. What an assistant said
 * before is not read: it may quote lines that are not there. Language and path are not looked for in the code, which could name any.
 */
export function readShownCode({ system, turns }: Asked): ShownCode {
  const said = turns.filter(({ role }) => role === "user").map(({ text }) => text);
  const lines: ShownLine[] = [];
  const findings: ShownFinding[] = [];
  const excerpts: ShownLine[] = [];
  const rest = [system];
  for (const line of said.join("\n").split("\n")) {
    const code = codeLine(line);
    if (code !== null) {
      lines.push(code);
      continue;
    }
    const shown = excerptLine.exec(line);
    if (shown) excerpts.push({ number: Number(shown[1]), text: shown[2] as string });
    const found = finding.exec(line);
    if (found) findings.push({ id: found[1] as string, line: Number(found[2]) });
    else if (!ofExcerpt.test(line)) rest.push(line);
  }
  return {
    lines,
    findings,
    excerpts,
    path: lastPath(rest),
    language: wantedLanguage(rest),
    content: lines.length > 0 ? lines.map(({ number, text }) => `${number}|${text}`).join("\n") : said.join("\n"),
  };
}

/** By hand, because a pattern on every line of a thousand requests a second would be most of the work. */
function codeLine(line: string): ShownLine | null {
  let end = 0;
  while (end < 8 && isDigit(line.charCodeAt(end))) end++;
  if (end === 0 || line[end] !== "|") return null;
  const begin = line[end + 1] === " " ? end + 2 : end + 1;
  return { number: Number(line.slice(0, end)), text: line.slice(begin, line.endsWith("\r") ? -1 : undefined) };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** What is said last counts: the task comes after the owner's own words, which may name languages and files too. */
function lastPath(lines: readonly string[]): string | null {
  for (const line of lines.toReversed()) {
    const quoted = path.exec(line)?.[1];
    if (quoted === undefined) continue;
    try {
      return JSON.parse(quoted) as string;
    } catch {
      // Not a JSON string, hence not the path.
    }
  }
  return null;
}

function wantedLanguage(lines: readonly string[]): "zh" | "en" {
  const named = languageName.exec(lines.findLast((line) => languageName.test(line)) ?? "");
  return named?.[1] === undefined ? "en" : "zh";
}
