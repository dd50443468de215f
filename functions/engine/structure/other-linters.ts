import type { LineIndex } from "../inventory/line-index.ts";
import type { Module, Span } from "../ir/ir.ts";
import { firstFrom } from "./word-index.ts";

/** What tells a linter to be silent, and what it names: `eslint-disable-next-line no-empty`, `# noqa: F841`, `//nolint:funlen`. */
const directive =
  /\b(eslint-disable(?:-next-line|-line)?|biome-ignore|pylint:\s*disable(?:-next)?|ruff:\s*noqa|flake8:\s*noqa|noqa|nolint|NOSONAR|phpcs:ignore|phpcs:disable)\b[:=\s]*([^*\n]*)/;
/** Those that speak about all that follows. */
const lasting = /^(eslint-disable|pylint:\s*disable|ruff:\s*noqa|flake8:\s*noqa|phpcs:disable)$/;

interface Directive {
  readonly start: number;
  readonly of: string;
  /** What is silenced; everything where nothing is named. */
  readonly names: string;
}

/** Comments in which somebody has told another linter that this is meant: who has decided once is not asked again. */
export class OtherLinters {
  readonly #directives: readonly Directive[];
  readonly #starts: readonly number[];
  readonly #lines: LineIndex;
  readonly #firstCode: number;

  constructor(text: string, { comments, body }: Module, lines: LineIndex) {
    this.#directives = comments
      .flatMap(({ start, end }) => {
        const [, of, names = ""] = text.slice(start, end).match(directive) ?? [];
        return of === undefined ? [] : [{ start, of, names: names.replace(/\s--\s.*/, "").trim() }];
      })
      .sort((a, b) => a.start - b.start);
    this.#starts = this.#directives.map(({ start }) => start);
    this.#lines = lines;
    this.#firstCode = body.find(({ kind }) => kind !== "expression")?.start ?? 0;
  }

  /**
   * Whether one of them stands on the line, on the line before it, or at the beginning of the file.
   * @param rules what linters call what was found
   */
  areSilent(rules: readonly string[], { start, end }: Span): boolean {
    if (this.#directives.length === 0 || rules.length === 0) return false;
    const about = ({ names }: Directive) => names === "" || rules.some((rule) => wordIn(names, rule));
    const from = this.#lines.startOf(this.#lines.lineOf(start) - 1);
    const to = this.#lines.startOf(this.#lines.lineOf(Math.max(start, end - 1)) + 1);
    const near = this.#directives.slice(firstFrom(this.#starts, from), firstFrom(this.#starts, to));
    const ahead = this.#directives.slice(0, firstFrom(this.#starts, this.#firstCode));
    return near.some(about) || ahead.some((each) => lasting.test(each.of) && about(each));
  }
}

const wordIn = (names: string, rule: string): boolean => names.split(/[\s,/:()]+/).some((name) => name === rule);
