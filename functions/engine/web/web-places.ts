import { anchorOf } from "../findings/anchor.ts";
import { type FileContext, snippetOf, steadySymbol } from "../findings/candidates.ts";
import type { Span } from "../ir/ir.ts";
import type { WebPlace } from "./web-record.ts";

/** Notes about places of a file all that rules report of them. */
export class WebPlaces {
  readonly #file: FileContext;
  readonly #rules: readonly string[];

  /** @param rules those that may report the places, and that a comment there may suppress */
  constructor(file: FileContext, rules: readonly string[]) {
    this.#file = file;
    this.#rules = rules;
  }

  /** What a finding at a place is going to need. */
  at(at: Span, symbol: string): Omit<WebPlace, "effect"> {
    const place = this.#file.lines.place(at.start, at.end);
    const suppressed = this.#rules.flatMap((rule) => {
      const given = this.#file.suppressions.of(rule, place.startLine);
      return given ? [[rule, given.reason]] : [];
    });
    return {
      ...place,
      symbol: steadySymbol(symbol),
      anchor: anchorOf(this.#file.text.slice(at.start, at.end), this.#file.hashComments),
      snippet: snippetOf(this.#file.lines, place),
      suppressed: Object.fromEntries(suppressed),
    };
  }
}

/** Where the first line of a function ends. */
export function headOf(text: string, fn: Span): number {
  const end = text.indexOf("\n", fn.start);
  return end < 0 ? fn.end : Math.min(end, fn.end);
}
