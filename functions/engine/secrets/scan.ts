import { createHash } from "node:crypto";
import { RE2JS } from "re2js";
import type { Candidate } from "../artefact.ts";
import type { Rule } from "../catalogue/schema.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import { entropyOf } from "./entropy.ts";
import { isPlaceholder } from "./placeholder.ts";
import { privateKeys } from "./private-keys.ts";
import { occurrencesOf, ShownText } from "./shown-text.ts";

/** How much text around a keyword the expression sees. Secrets and what introduces them stand closer together than this. */
const windowBefore = 200;
const windowAfter = 400;
/** What reaches the end of the window may go on: certificates of accounts and signed tokens have a few thousand characters. */
const secretLengthMax = 16_000;
/** A file with more is a dump, not a program; the first ones are enough to say so. */
const secretsMax = 200;
const windowsMax = 2_000;

interface CompiledSecret {
  rule: Rule;
  regex: RE2JS;
  allow: RE2JS[];
}

interface FoundSecret {
  start: number;
  end: number;
  secret: string;
  rule: Rule;
}

/** The secrets of one file. */
export interface FoundSecrets {
  /** The file without them. */
  readonly shown: ShownText;
  /**
   * One place is reported by the first rule that finds it.
   * @param shown the file without other secrets that were found since
   */
  candidates(suppressed: (ruleId: string, line: number) => Candidate["suppressed"], shown?: ShownText): Candidate[];
}

/** Finds secrets in any text. Work is linear in the text: expressions run only around keywords, in an engine that never backtracks. */
export class SecretScanner {
  readonly #secrets: CompiledSecret[];

  constructor(rules: readonly Rule[]) {
    this.#secrets = rules.flatMap((rule) =>
      rule.secret
        ? [
            {
              rule,
              regex: RE2JS.compile(rule.secret.regex),
              allow: rule.secret.allow.map((allow) => RE2JS.compile(allow)),
            },
          ]
        : [],
    );
  }

  /** @param lines those of the text, for who has them */
  find(text: string, lines?: LineIndex): FoundSecrets {
    const taken = this.#find(text);
    const values = taken.map((found) => found.secret);
    const shown = new ShownText(text, lines).without([...taken, ...privateKeys(text), ...occurrencesOf(text, values)]);
    return {
      shown,
      candidates: (suppressed, safe = shown) => taken.map((found) => candidateOf(found, safe, suppressed)),
    };
  }

  #find(text: string): FoundSecret[] {
    const lower = asciiLower(text);
    const taken: FoundSecret[] = [];
    for (const secret of this.#secrets) {
      for (const window of windowsOf(lower, secret.rule.secret?.keywords ?? [])) {
        for (const found of this.#matches(secret, text, window.start, window.end)) {
          const overlaps = taken.some((other) => other.start < found.end && found.start < other.end);
          if (!overlaps && taken.length < secretsMax) taken.push(found);
        }
      }
    }
    return taken;
  }

  #matches(secret: CompiledSecret, text: string, from: number, to: number, widened = false): FoundSecret[] {
    const found: FoundSecret[] = [];
    const matcher = secret.regex.matcher(text.slice(from, to));
    const { group, entropy } = secret.rule.secret as NonNullable<Rule["secret"]>;
    while (matcher.find() && found.length < secretsMax) {
      const at = from + matcher.start();
      // Cut off by the window, not by its own end.
      if (from + matcher.end() === to && to < text.length && !widened)
        return [...found, ...this.#matches(secret, text, at, at + secretLengthMax, true).slice(0, 1)];
      const value = matcher.group(group) ?? "";
      if (value === "" || isPlaceholder(value) || entropyOf(value) < entropy) continue;
      if (secret.allow.some((allow) => allow.matcher(value).find())) continue;
      const start = from + matcher.start(group);
      found.push({ start, end: start + value.length, secret: value, rule: secret.rule });
    }
    return found;
  }
}

function candidateOf(
  { start, end, secret, rule }: FoundSecret,
  { lines }: ShownText,
  suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
): Candidate {
  const place = lines.place(start, end);
  return {
    ...place,
    ruleId: rule.id,
    severity: rule.severity,
    confidence: rule.confidence,
    source: "",
    sink: masked(secret),
    symbol: "",
    // The hash stands for the value: equal secrets match across scans, and nothing can be read back from a long one.
    anchor: `${rule.id} ${createHash("sha256").update(`sluice-secret\0${secret}`).digest("hex")}`,
    snippet: snippetOf(lines, { ...place, endLine: Math.min(place.endLine, place.startLine + 1) }),
    trace: [],
    suppressed: suppressed(rule.id, place.startLine),
  };
}

/** Lower case without changing offsets; locale rules would change lengths. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());

/** Plain indexOf per keyword: with a few dozen keywords the engine's own search beats an automaton written here. */
function windowsOf(lower: string, keywords: readonly string[]): { start: number; end: number }[] {
  const windows: { start: number; end: number }[] = [];
  for (const keyword of keywords) {
    for (
      let at = lower.indexOf(keyword);
      at >= 0 && windows.length < windowsMax;
      at = lower.indexOf(keyword, at + keyword.length)
    ) {
      windows.push({ start: Math.max(0, at - windowBefore), end: Math.min(lower.length, at + windowAfter) });
    }
  }
  windows.sort((a, b) => a.start - b.start);
  const merged: typeof windows = [];
  for (const window of windows) {
    const last = merged.at(-1);
    if (last && window.start <= last.end) last.end = Math.max(last.end, window.end);
    else merged.push(window);
  }
  return merged;
}

/** What a message calls a secret by. */
const masked = (secret: string): string => (secret.length >= 12 ? `${secret.slice(0, 4)}****` : "****");
