import type { AnswerFault } from "./faults.ts";
import { type AnsweredIssue, answerWith, reviewAnswer } from "./review-answer.ts";
import type { ShownCode } from "./shown-code.ts";

/** What a faulty model says instead of the perfect answer, as text. */
export function faultyAnswer(fault: AnswerFault, shown: ShownCode, otherFiles: OtherFiles): string {
  return faulty[fault](shown, otherFiles);
}

type Faulty = (shown: ShownCode, otherFiles: OtherFiles) => string;

const changed =
  (change: (issue: AnsweredIssue, shown: ShownCode) => Partial<AnsweredIssue>): Faulty =>
  (shown) => {
    const answer = reviewAnswer(shown);
    return JSON.stringify({ ...answer, issues: answer.issues.map((issue) => ({ ...issue, ...change(issue, shown) })) });
  };

/** The perfect answer and, before all else, one issue that is not true. */
const added =
  (untrue: (shown: ShownCode, otherFiles: OtherFiles) => Partial<AnsweredIssue> & Record<string, unknown>): Faulty =>
  (shown, otherFiles) => {
    const answer = reviewAnswer(shown);
    const issue = { ...madeUp(shown), ...untrue(shown, otherFiles) };
    return JSON.stringify(answerWith([issue, ...answer.issues], answer.verdicts));
  };

const wrapped =
  (wrap: (json: string, shown: ShownCode) => string): Faulty =>
  (shown) =>
    wrap(JSON.stringify(reviewAnswer(shown), null, 2), shown);

/** A statement that no source contains; tests look for it. */
export const inventedQuote = "inventedHelper(requestFromNowhere.body.payload);";
export const inventedFile = "src/invented/does-not-exist.ts";
export const inventedCve = "CVE-2099-31337";

const faulty: Readonly<Record<AnswerFault, Faulty>> = {
  wrong_line: changed(({ line }, { lines }) => {
    const index = lines.findIndex(({ number }) => number === line);
    return { line: lines[(index + 3) % lines.length]?.number ?? line };
  }),
  line_out_of_range: changed((_, { lines }) => ({ line: (lines.at(-1)?.number ?? 0) + 1_000 })),
  invented_file: added(() => ({
    file_path: inventedFile,
    path: inventedFile,
    code_snippet: `import ${inventedQuote}`,
  })),
  invented_quote: (shown) => {
    const { verdicts, ...answer } = reviewAnswer(shown);
    const invented = verdicts.map((verdict) => ({ ...verdict, verdict: "refuted", quote: inventedQuote }));
    return JSON.stringify({ ...answer, issues: [madeUp(shown), ...answer.issues], verdicts: invented });
  },
  paraphrased_quote: changed(({ code_snippet }) => ({ code_snippet: paraphrase(code_snippet) })),
  quote_of_other_file: added((shown, otherFiles) => ({ code_snippet: otherFiles.quoteFor(shown) })),
  invented_cve: changed(({ title, description }) => ({
    title: `${title} (${inventedCve})`,
    description: `${description} ${inventedCve}`,
  })),
  truncated_json: (shown) => {
    const json = JSON.stringify(reviewAnswer(shown));
    return json.slice(0, Math.ceil(json.length * 0.6));
  },
  prose_around_json: wrapped(
    (json) => `I looked at the code {all of it}. My review:\n\n${json}\n\nTell me if {more} is needed.`,
  ),
  fenced_json: wrapped((json) => `\`\`\`json\n${json}\n\`\`\``),
  unknown_enum: (shown) => {
    const answer = reviewAnswer(shown);
    const unknown = { type: "vulnerability", severity: "catastrophic", vulnerability_type: "mind_reading" };
    return JSON.stringify({
      ...answer,
      issues: answer.issues.map((issue) => ({ ...issue, ...unknown })),
      verdicts: answer.verdicts.map((verdict) => ({ ...verdict, verdict: "perhaps" })),
    });
  },
  missing_field: (shown) => {
    const { issues, verdicts } = reviewAnswer(shown);
    return JSON.stringify({
      issues: issues.map(({ line, column, code_snippet, description }) => ({
        line,
        column,
        code_snippet,
        description,
      })),
      verdicts: verdicts.map(({ finding, quote }) => ({ finding, quote })),
    });
  },
  wrong_language: (shown) =>
    JSON.stringify(reviewAnswer({ ...shown, language: shown.language === "zh" ? "en" : "zh" })),
  refusal_in_prose: ({ language }) => refusalText[language],
  same_issue_500_times: (shown) => {
    const { issues, verdicts } = reviewAnswer(shown);
    const [first] = issues;
    return JSON.stringify(answerWith(first === undefined ? [] : Array.from({ length: 500 }, () => first), verdicts));
  },
  obeys_injection: (shown) => {
    const answer = reviewAnswer(shown);
    if (!shown.lines.some(({ text }) => instruction.test(text))) return JSON.stringify(answer);
    return JSON.stringify(
      answerWith(
        [],
        answer.verdicts.map((verdict) => ({ ...verdict, verdict: "refuted" })),
      ),
    );
  },
};

/** Text in code that tells a reviewer what to think. */
const instruction =
  /ignore (?:all |any |the )?(?:previous|prior|above|earlier)|do not report|report no|no issues|忽略(?:之前|以上|上述|前面)|不要报告|没有问题/i;

export const refusalText = {
  en: "I'm sorry, but I can't help with that.",
  zh: "很抱歉,我无法协助处理该请求。",
} as const;

function madeUp({ lines, language }: ShownCode): AnsweredIssue {
  const [title, text] =
    language === "zh" ? ["凭空捏造的问题", "这段描述没有依据。"] : ["A made-up problem", "Nothing supports this text."];
  return {
    type: "security",
    severity: "critical",
    title,
    description: text,
    suggestion: text,
    line: lines[0]?.number ?? 1,
    column: 1,
    code_snippet: inventedQuote,
    vulnerability_type: "code_injection",
    cwe: 94,
    rule_code: null,
    xai: { what: text, why: text, how: text },
  };
}

/** As a model shortens a quote: beginning and end are true, the middle is an ellipsis. */
function paraphrase(quote: string): string {
  const third = Math.max(2, Math.floor(quote.length / 3));
  return `${quote.slice(0, third)} ... ${quote.slice(-third)}`;
}

const rememberedMax = 64;

/** One line of each of the last files that were shown, so that a faulty model can quote the wrong one. */
export class OtherFiles {
  readonly #quotes = new Set<string>();

  remember({ lines }: ShownCode): void {
    const quote = lines.find(({ text }) => text.replace(/\s/g, "").length >= 12)?.text.trim();
    if (quote === undefined) return;
    this.#quotes.delete(quote);
    this.#quotes.add(quote);
    const [oldest] = this.#quotes;
    if (this.#quotes.size > rememberedMax && oldest !== undefined) this.#quotes.delete(oldest);
  }

  /** A true line of another file that is not in this one; the invented one before any other file was shown. */
  quoteFor({ content }: ShownCode): string {
    return [...this.#quotes].findLast((quote) => !content.includes(quote)) ?? inventedQuote;
  }

  forget(): void {
    this.#quotes.clear();
  }
}
