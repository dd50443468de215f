import type { LineIndex } from "../inventory/line-index.ts";
import type { Span } from "../ir/ir.ts";

const mark = /audit-ignore:\s*([a-z0-9][a-z0-9._-]*)\s+(\S[^\n]*)$/;
const closing = /(?:\*\/|-->)$/;

/** The reasons given in comments like `audit-ignore: <rule id> <reason>`, by rule and line. A mark without a reason does not count. */
export class Suppressions {
  readonly #reasons = new Map<string, string>();

  constructor(text: string, comments: readonly Span[], lines: LineIndex) {
    for (const comment of comments) {
      const found = text.slice(comment.start, comment.end).trimEnd().replace(closing, "").trimEnd().match(mark);
      if (!found) continue;
      const [, rule, reason] = found as unknown as [string, string, string];
      // It speaks about its own line, and about the next one where it stands alone.
      const first = lines.lineOf(comment.start);
      const last = lines.lineOf(comment.end);
      const alone = text.slice(lines.startOf(first), comment.start).trim() === "";
      for (const line of alone ? [last + 1] : [first]) this.#reasons.set(`${rule}:${line}`, reason);
    }
  }

  of(ruleId: string, line: number): { reason: string } | null {
    const reason = this.#reasons.get(`${ruleId}:${line}`);
    return reason === undefined ? null : { reason };
  }
}
