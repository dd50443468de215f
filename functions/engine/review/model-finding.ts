import type { Explanation, Finding, Text } from "../finding.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import { slugOf } from "../user-rules/user-pattern.ts";
import { symbolAt } from "./function-places.ts";
import { isInLanguage } from "./output-language.ts";
import { classOf, type ProblemClass } from "./problem-class.ts";
import type { QuotePlace } from "./quote-gate.ts";
import type { ReplyIssue } from "./reply-schema.ts";
import type { ReviewInstructions, ReviewRule, ReviewUnit } from "./review.ts";
import { visible } from "./visible.ts";

/** Raise when the prompt, the gate or the findings change. */
const reviewVersion = 2;

/** Statements are followed this far, which is also how many lines a snippet has. */
const statementLinesMax = 8;

/** What a model says alone is worth less than what rules say, most of which lies at 0.5 and above. A known class is easier to get right. */
const confidences = { knownClass: 0.45, bug: 0.4, other: 0.35, quality: 0.3 };
/** Who is wrong about the line has looked less closely. */
const relocatedLoss = 0.05;

/** Makes a finding of an issue whose quote was found. Its fingerprints are still to come, see `identify`. */
export function modelFinding(
  unit: ReviewUnit,
  instructions: ReviewInstructions,
  lines: LineIndex,
  issue: ReplyIssue,
  at: QuotePlace,
): Finding {
  const rule = instructions.rules.find((known) => sameCode(known, issue.rule_code)) ?? null;
  const kind = classOf(issue, rule);
  const place = lines.place(at.start, at.end);
  const statement = { ...place, endLine: statementEnd(lines, place.startLine, place.endLine) };
  const offset = unit.startLine - 1;
  const texts = textsOf(issue, kind, instructions.outputLanguage);
  return {
    path: unit.path,
    startLine: place.startLine + offset,
    startColumn: place.startColumn,
    endLine: place.endLine + offset,
    endColumn: place.endColumn,
    ruleId: `review.${slugOf(rule?.code ?? kind.family)}`,
    ruleVersion: reviewVersion,
    family: kind.family,
    type: kind.type,
    issueType: kind.cwe.length > 0 && issue.type !== "bug" ? "security" : issue.type,
    severity: issue.severity,
    confidence: confidenceOf(issue, kind, at.relocated),
    cwe:
      kind.cwe.length === 0
        ? []
        : [issue.cwe !== null && kind.cwe.includes(issue.cwe) ? issue.cwe : (kind.cwe[0] as number)],
    owasp2021: kind.owasp2021,
    owasp2025: kind.owasp2025,
    ...texts,
    symbol: symbolAt(unit.functions, place.startLine + offset),
    snippet: snippetOf(lines, statement),
    trace: [],
    fingerprint: "",
    movedFingerprint: "",
    suppressed: null,
    origins: ["model"],
    adjudication: null,
  };
}

/** Everything a reader gets to see of an issue, as one text: what its language is judged by. */
export const writtenText = (issue: ReplyIssue): string => `${issue.title}\n${issue.description}\n${issue.suggestion}`;

const sameCode = (rule: ReviewRule, code: string | null): boolean =>
  code !== null && rule.code.toLowerCase() === code.toLowerCase();

function confidenceOf(issue: ReplyIssue, kind: ProblemClass, relocated: boolean): number {
  const base =
    kind.cwe.length > 0
      ? confidences.knownClass
      : issue.type === "bug"
        ? confidences.bug
        : issue.type === "security"
          ? confidences.other
          : confidences.quality;
  return Math.round((base - (relocated ? relocatedLoss : 0)) * 100) / 100;
}

/** The model's words, or the catalogue's where the model wrote in another language than asked for. */
function textsOf(
  issue: ReplyIssue,
  kind: ProblemClass,
  language: "zh" | "en",
): { title: Text; message: Text; fix: Text; explanation: Explanation | null } {
  if (!isInLanguage(writtenText(issue), language)) {
    const message = {
      zh: `模型认为这里存在${kind.name.zh}；它的说明不是所要求的语言，因此没有采用。`,
      en: `A model sees this here: ${kind.name.en.toLowerCase()}. Its own words were not in the language asked for and are left out.`,
    };
    const fix = { zh: "请核对这段代码。", en: "Check this code." };
    return { title: kind.name, message, fix, explanation: null };
  }
  const title = cleanText(issue.title).replace(/\s+/g, " ");
  const { xai } = issue;
  const words = xai && { what: cleanText(xai.what), why: cleanText(xai.why), how: cleanText(xai.how) };
  const explained = words && isInLanguage(`${words.what}\n${words.why}\n${words.how}`, language);
  return {
    title: title ? both(title) : kind.name,
    message: both(cleanText(issue.description) || title || kind.name[language]),
    fix: both(cleanText(issue.suggestion)),
    explanation: explained ? words : null,
  };
}

const both = (text: string): Text => ({ zh: text, en: text });

/** Nobody's dependency data stands behind a CVE id that a model names: it is taken out, with the brackets it stood in. */
const advisory = /[([（]?\s*\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[a-z0-9]{4}){3})\b\s*[)\]）]?/gi;

export const namesAdvisory = (issue: ReplyIssue): boolean =>
  [writtenText(issue), ...Object.values(issue.xai ?? {})].some((text) => text.search(advisory) >= 0);

export const cleanText = (text: string): string => visible(text.replace(advisory, "").replace(/\r\n?/g, "\n")).trim();

/** Goes on to the line on which the brackets that were opened are closed again, so that the anchor is a statement and not its first line. */
function statementEnd(lines: LineIndex, first: number, last: number): number {
  let open = 0;
  for (let line = first; line < first + statementLinesMax && line <= lines.count; line++) {
    for (const character of lines.line(line)) {
      if ("([{".includes(character)) open++;
      if (")]}".includes(character)) open--;
    }
    if (line >= last && (open <= 0 || /[{:]\s*$/.test(lines.line(line)))) return line;
  }
  return last;
}
