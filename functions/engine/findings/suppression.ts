import type { LineIndex } from "../inventory/line-index.ts";
import type { Span } from "../ir/ir.ts";

const mark = /audit-ignore:\s*([a-z0-9][a-z0-9._-]*)\s+(\S[^\n]*)$/;
const closing = /(?:\*\/\}?|--%?>|#\})$/;
/** What may stand before a comment that has its line for itself: in the markup of JSX and in templates it stands in braces. */
const opening = /^\s*(?:\{\s*)?$/;

/** The reasons given in comments like `audit-ignore: <rule id> <reason>`, by rule and line. A mark without a reason does not count. */
export class Suppressions {
  readonly #reasons = new Map<string, string>();

  constructor(text: string, comments: readonly Span[], lines: LineIndex) {
    const isAlone = ({ start }: Span) => opening.test(text.slice(lines.startOf(lines.lineOf(start)), start));
    const marks = comments.flatMap((comment) => {
      const found = text.slice(comment.start, comment.end).trimEnd().replace(closing, "").trimEnd().match(mark);
      return found ? [{ comment, rule: found[1] as string, reason: found[2] as string }] : [];
    });
    if (marks.length === 0) return;
    // Several comments about one line stand above each other.
    const hasLine = (at: Span) =>
      isAlone(at) && /^[\s}]*$/.test(text.slice(at.end, lines.startOf(lines.lineOf(at.end) + 1)));
    const ends = new Map(comments.filter(hasLine).map(({ start, end }) => [lines.lineOf(start), lines.lineOf(end)]));
    // From the last comment up, so that each of ten thousand comments in a row is looked at once.
    const behind = new Map<number, number>();
    const codeFrom = (line: number) => behind.get(line) ?? line;
    for (const [line, end] of [...ends].sort(([a], [b]) => b - a)) behind.set(line, codeFrom(end + 1));
    for (const { comment, rule, reason } of marks) {
      // A comment is about its own line; one that has the line for itself is about the next line that is no comment.
      const line = isAlone(comment) ? codeFrom(lines.lineOf(comment.end) + 1) : lines.lineOf(comment.start);
      this.#reasons.set(`${rule}:${line}`, reason);
    }
  }

  of(ruleId: string, line: number): { reason: string } | null {
    const reason = this.#reasons.get(`${ruleId}:${line}`);
    return reason === undefined ? null : { reason };
  }
}
