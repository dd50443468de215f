import type { LineIndex } from "../inventory/line-index.ts";
import type { Module, Span } from "../ir/ir.ts";
import { firstFrom } from "./word-index.ts";

/** What tells a linter to be silent, and what it names: `eslint-disable-next-line no-empty`, `# noqa: F841`, `//nolint:funlen`. */
const directive =
  /\b(eslint-disable(?:-next-line|-line)?|biome-ignore|pylint:\s*disable(?:-next)?|ruff:\s*noqa|flake8:\s*noqa|noqa|nolint|NOSONAR|phpcs:ignore|phpcs:disable)\b[:=\s]*([^*\n]*)/;
/** How many directives at the beginning of a file are compared with each finding; nobody writes more. */
const aheadMax = 100;
/** Directives for the rest of the file. */
const lasting = /^(eslint-disable|pylint:\s*disable|ruff:\s*noqa|flake8:\s*noqa|phpcs:disable)$/;

interface Directive {
  readonly start: number;
  readonly of: string;
  /** What is silenced; everything where nothing is named. */
  readonly names: ReadonlySet<string>;
}

/** Comments that tell another linter that something is intended: who has decided once is not asked again. */
export class OtherLinters {
  readonly #directives: readonly Directive[];
  readonly #starts: readonly number[];
  readonly #lines: LineIndex;
  /** Directives at the beginning of the file, which are about all of it. */
  readonly #ahead: readonly Directive[];

  constructor(text: string, { comments, body }: Module, lines: LineIndex) {
    this.#directives = comments
      .flatMap(({ start, end }) => {
        const [, of, names = ""] = text.slice(start, end).match(directive) ?? [];
        return of === undefined ? [] : [{ start, of, names: namesIn(names) }];
      })
      .sort((a, b) => a.start - b.start);
    this.#starts = this.#directives.map(({ start }) => start);
    this.#lines = lines;
    const firstCode = body.find(({ kind }) => kind !== "expression")?.start ?? 0;
    this.#ahead = this.#directives.filter(({ start, of }) => start < firstCode && lasting.test(of)).slice(0, aheadMax);
  }

  /**
   * Whether one of them stands on the line, on the line before it, or at the beginning of the file.
   * @param rules what linters call what was found
   */
  areSilent(rules: readonly string[], { start, end }: Span): boolean {
    if (this.#directives.length === 0 || rules.length === 0) return false;
    const about = ({ names }: Directive) => names.size === 0 || rules.some((rule) => names.has(rule));
    const from = this.#lines.startOf(this.#lines.lineOf(start) - 1);
    const to = this.#lines.startOf(this.#lines.lineOf(Math.max(start, end - 1)) + 1);
    const near = this.#directives.slice(firstFrom(this.#starts, from), firstFrom(this.#starts, to));
    return near.some(about) || this.#ahead.some(about);
  }
}

/** The names before what is said about them: `no-empty, no-console -- the caller looks`. */
const namesIn = (written: string): ReadonlySet<string> =>
  new Set(
    written
      .replace(/\s--\s.*/, "")
      .split(/[\s,/:()]+/)
      .filter((name) => name !== ""),
  );
