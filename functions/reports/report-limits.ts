import type { ReportIssue } from "./report.ts";
import type { Say } from "./report-texts.ts";

/**
 * Characters that the issues of a report have in all: five hundred ordinary ones have about 250,000. Setting one takes up to 10 µs, which
 * makes four of the 25 seconds that a request has.
 */
const reportCharactersMax = 400_000;

/** What one text of an issue may have. All are cut shorter before a single issue is left out, or long code would hide what comes after it. */
const textMaxima = [2_000, 600, 150] as const;
const titleMax = 300;
const codeLinesMax = 24;

/** A character that nobody would see is spelled out, as [U+202E], and set as eight. */
const spelledOutLength = 8;

/** The issues as a report has room for them: their texts cut, with a word that they go on, and as many as can be set in time. */
export function listable(issues: readonly ReportIssue[], say: Say): ReportIssue[] {
  let fitting: ReportIssue[] = [];
  for (const max of textMaxima) {
    const cut = issues.map((issue) => shortened(issue, max, say));
    fitting = firstThatFit(cut);
    if (fitting.length === cut.length) break;
  }
  return fitting;
}

function firstThatFit(issues: readonly ReportIssue[]): ReportIssue[] {
  let characters = 0;
  const end = issues.findIndex((issue) => {
    const { title, place, classes, remarks, description, snippet, suggestion } = issue;
    const texts = [title, place, ...classes, ...remarks.map(({ value }) => value), description, snippet, suggestion];
    characters += texts.reduce((sum, text) => sum + lengthAsSet(text), 0);
    return characters > reportCharactersMax;
  });
  return end < 0 ? [...issues] : issues.slice(0, end);
}

function shortened(issue: ReportIssue, max: number, say: Say): ReportIssue {
  const short = (text: string, most = max) => {
    const start = beginning(text, most);
    return start.length === text.length ? text : `${start} ${say("cut")}`;
  };
  const code = issue.snippet.trimEnd();
  const lines = code.split(/\r\n|\n|\r/);
  return {
    ...issue,
    title: short(issue.title, Math.min(titleMax, max)),
    place: short(issue.place),
    classes: issue.classes.map((name) => short(name, Math.min(titleMax, max))),
    remarks: issue.remarks.map(({ label, value }) => ({ label, value: short(value) })),
    description: short(issue.description),
    snippet: short(lines.length > codeLinesMax ? `${lines.slice(0, codeLinesMax).join("\n")}\n${say("cut")}` : code),
    suggestion: short(issue.suggestion),
  };
}

const isSpelledOut = (character: string): boolean => /[\p{C}\p{M}]/u.test(character) && !/[\n\r\t]/.test(character);

const lengthAsSet = (text: string): number =>
  text.length + (spelledOutLength - 1) * (text.match(/(?![\n\r\t])[\p{C}\p{M}]/gu)?.length ?? 0);

/** As much of a text as sets so many characters. */
function beginning(text: string, max: number): string {
  if (lengthAsSet(text) <= max) return text;
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += isSpelledOut(character) ? spelledOutLength : character.length;
    if (used > max) break;
    end += character.length;
  }
  return text.slice(0, end);
}
