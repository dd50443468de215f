import { createHash } from "node:crypto";
import { RE2JS } from "re2js";
import type { Candidate } from "../artefact.ts";
import type { Rule } from "../catalogue/schema.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import { entropyOf } from "./entropy.ts";
import { isPlaceholder } from "./placeholder.ts";

/** How much text around a keyword the expression sees. Secrets and what introduces them stand closer together than this. */
const windowBefore = 200;
const windowAfter = 400;
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

  /**
   * @returns candidates with the values masked; one place is reported by the first rule that finds it. `mask` does the same to what
   * others show of this text.
   */
  scan(
    text: string,
    lines: LineIndex,
    suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
  ): { candidates: Candidate[]; mask: (shown: string) => string } {
    const taken = this.#find(text);
    const mask = maskOf(taken);
    const candidates = taken.map((found) => {
      const place = lines.place(found.start, found.end);
      const { rule } = found;
      return {
        ...place,
        ruleId: rule.id,
        severity: rule.severity,
        confidence: rule.confidence,
        source: "",
        sink: masked(found.secret),
        symbol: "",
        // The hash stands for the value: equal secrets match across scans, and nothing can be read back from a long one.
        anchor: `${rule.id} ${createHash("sha256").update(`sluice-secret\0${found.secret}`).digest("hex")}`,
        snippet: mask(snippetOf(lines, { ...place, endLine: Math.min(place.endLine, place.startLine + 1) })),
        trace: [],
        suppressed: suppressed(rule.id, place.startLine),
      };
    });
    return { candidates, mask };
  }

  /** The same text with every secret made unreadable. Lengths and line breaks stay, so that places in it stay true. */
  mask(text: string): string {
    const keys = text.replace(privateKey, (key) => key.replace(/[A-Za-z0-9+/=]{16,}/g, hidden));
    const values = [...new Set(this.#find(text).map((found) => found.secret))].sort((a, b) => b.length - a.length);
    return values.reduce((left, value) => left.split(value).join(hidden(value)), keys);
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

  #matches(secret: CompiledSecret, text: string, from: number, to: number) {
    const found: FoundSecret[] = [];
    const window = text.slice(from, to);
    const matcher = secret.regex.matcher(window);
    const { group, entropy } = secret.rule.secret as NonNullable<Rule["secret"]>;
    while (matcher.find() && found.length < secretsMax) {
      const value = matcher.group(group) ?? "";
      if (value === "" || isPlaceholder(value) || entropyOf(value) < entropy) continue;
      if (secret.allow.some((allow) => allow.matcher(value).find())) continue;
      const start = from + matcher.start(group);
      found.push({ start, end: start + value.length, secret: value, rule: secret.rule });
    }
    return found;
  }
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

/** Enough to recognise the secret by, too little to use it. */
export const masked = (secret: string): string => (secret.length >= 12 ? `${secret.slice(0, 4)}****` : "****");

/** A rule finds a private key by its first line; who hides one must hide all of it, also where its end is missing. */
const privateKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?(?:-----END|$(?![\s\S]))/g;

/** `masked`, at the length of the secret. */
const hidden = (secret: string): string => {
  const shown = secret.length >= 12 ? 4 : 0;
  return secret.slice(0, shown) + secret.slice(shown).replace(/[^\r\n]/g, "*");
};

/** Masks every secret found in the file, wherever it stands in a snippet. */
function maskOf(taken: readonly { secret: string }[]): (snippet: string) => string {
  const values = [...new Set(taken.map((found) => found.secret))].sort((a, b) => b.length - a.length);
  return (snippet) => values.reduce((cut, value) => cut.split(value).join(masked(value)), snippet);
}
