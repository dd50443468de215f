import type { Candidate } from "../artefact.ts";
import { expression } from "../catalogue/expression.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import type { MayHave } from "../secrets/keyword-search.ts";
import type { ShownText } from "../secrets/shown-text.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";

/** Longer lines are data. */
const lineCharactersMax = 2_000;
/** One says enough; a file full of them is a collection of prompts. */
const matchesMax = 20;
const sinkCharactersMax = 120;
/** What expressions do with one line, in steps of the time limit. */
const stepsALine = 64;

/** Lower case without changing offsets; some letters beyond ASCII get longer. */
const lowerCase = (text: string, isAscii: boolean): string =>
  isAscii ? text.toLowerCase() : text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());

const beyondAscii = /[^\0-\x7f]/;
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

interface CompiledText {
  readonly rule: Rule;
  readonly keywords: readonly string[];
  readonly regexes: readonly string[];
}

/** Finds what is written for people, in any file. Expressions run only on lines that have a keyword, in an engine that never backtracks. */
export class TextScanner {
  readonly #texts: CompiledText[];

  constructor(rules: readonly Rule[]) {
    this.#texts = rules.flatMap((rule) =>
      rule.text ? [{ rule, keywords: rule.text.keywords, regexes: rule.text.regexes }] : [],
    );
  }

  /** What lines must have to be looked at, in lower case. */
  get keywords(): string[] {
    return this.#texts.flatMap(({ keywords }) => keywords);
  }

  /** @returns candidates, one a line and rule at most */
  scan(
    { text, lines }: ShownText,
    suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
    limit: TimeLimit = noLimit(),
    mayHave: MayHave = () => true,
  ): Candidate[] {
    const isAscii = !beyondAscii.test(text);
    const lower = lowerCase(text, isAscii);
    // A keyword may be broken up by characters that nobody sees.
    const broken = isAscii ? [] : Array.from(lower.matchAll(invisible), ({ index }) => lines.lineOf(index));
    return this.#texts.flatMap(({ rule, keywords, regexes }) => {
      const found: Candidate[] = [];
      for (const number of linesWith(lower, lines, keywords.filter(mayHave), broken)) {
        if (found.length === matchesMax || limit.passes(stepsALine)) break;
        const line = lines.line(number).slice(0, lineCharactersMax);
        const match = firstOf(regexes, line);
        if (match) found.push(candidateOf(rule, lines, number, line, match, suppressed));
      }
      return found;
    });
  }
}

function linesWith(lower: string, lines: LineIndex, keywords: readonly string[], broken: readonly number[]): number[] {
  const found = new Set(broken);
  for (const keyword of keywords) {
    for (let at = lower.indexOf(keyword); at >= 0; ) {
      const line = lines.lineOf(at);
      found.add(line);
      // On to the next line: one hit is enough to look at it.
      at = line < lines.count ? lower.indexOf(keyword, lines.startOf(line + 1)) : -1;
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Characters that nobody sees must not hide the words from us: where there are some, the whole line is meant. */
function firstOf(regexes: readonly string[], line: string): { start: number; end: number } | null {
  const seen = line.replace(invisible, "");
  for (const source of regexes) {
    const regex = expression(source);
    // Asking whether something matches is much faster than asking where.
    if (!regex.test(seen)) continue;
    const matcher = regex.matcher(seen);
    if (!matcher.find()) continue;
    return seen === line ? { start: matcher.start(), end: matcher.end() } : { start: 0, end: line.length };
  }
  return null;
}

function candidateOf(
  rule: Rule,
  lines: LineIndex,
  number: number,
  line: string,
  { start, end }: { start: number; end: number },
  suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
): Candidate {
  const place = { startLine: number, startColumn: start + 1, endLine: number, endColumn: end + 1 };
  const words = line.slice(start, end).replace(/\s+/g, " ");
  return {
    ...place,
    ruleId: rule.id,
    severity: rule.severity,
    confidence: rule.confidence,
    source: "",
    sink: words.slice(0, sinkCharactersMax),
    symbol: "",
    // The words, not the statement: in most cases they stand in a comment, which statements leave out.
    anchor: words.toLowerCase(),
    snippet: snippetOf(lines, place),
    trace: [],
    suppressed: suppressed(rule.id, number),
  };
}
