import type { LazyRegex } from "../catalogue/expression.ts";
import type { Expression, FunctionNode, Span } from "../ir/ir.ts";
import { walk } from "../ir/walk.ts";
import type { FileShape, FunctionShape, Round } from "./file-shape.ts";
import type { Place } from "./structure-schema.ts";

/** Loops that are there so that there are few rounds, or that go on until something works. */
const few = /chunk|batch|page|attempt|retr(y|ies)|range\(\d\)/i;

/** Tells where in its file a call stands. */
export class Places {
  readonly #shape: FileShape;
  readonly #entries: ReadonlySet<FunctionNode>;
  readonly #text: string;
  readonly #bound = new Map<Round, Set<string>>();

  /** @param entries the functions that a framework calls when somebody asks for something */
  constructor(shape: FileShape, entries: ReadonlySet<FunctionNode>, text: string) {
    this.#shape = shape;
    this.#entries = entries;
    this.#text = text;
  }

  /**
   * `loop`: it runs again and again. `each`: once for each of many things, and with something of it. `suspending`: in a function that
   * gives way while it waits, or whose declared result says so. `entry`: while a framework waits for an answer.
   */
  holds(place: Place, at: Span, result: LazyRegex | null): boolean {
    const fn = this.#functionAt(at);
    if (!fn) return false;
    switch (place) {
      case "loop":
        return roundsAt(fn, at).length > 0;
      case "each":
        return roundsAt(fn, at).some((round) => this.#isAbout(round, at));
      case "suspending":
        return fn.fn.suspends === true || result?.test(fn.fn.result ?? "") === true;
      case "entry":
        for (let here: FunctionShape | null = fn; here; here = here.around) if (this.#entries.has(here.fn)) return true;
        return false;
    }
  }

  /** The innermost function around it: they are listed from the outside in. */
  #functionAt({ start, end }: Span): FunctionShape | null {
    return this.#shape.functions.findLast(({ fn }) => fn.start <= start && fn.end >= end) ?? null;
  }

  #isAbout(round: Round, at: Span): boolean {
    if (round.head.some((part) => isWritten(part) || few.test(this.#text.slice(part.start, part.end)))) return false;
    const names = this.#namesOf(round);
    const words = this.#text.slice(at.start, at.end).match(/[\p{L}\p{N}_]+/gu) ?? [];
    // What a `while` asks may be the connection itself: only what is passed to the call tells.
    return words.slice(round.loop && !round.loop.bind ? 1 : 0).some((word) => names.has(word));
  }

  /** What is another thing in each round: what it binds, and what is made of that. */
  #namesOf(round: Round): Set<string> {
    const known = this.#bound.get(round);
    if (known) return known;
    const names = new Set<string>();
    for (const bound of round.binds) for (const name of namesIn(bound)) names.add(name);
    walk(round.nodes, (node) => {
      if (!("kind" in node)) return;
      // `statement.setLong(1, key)`: what runs next runs with the key.
      if (node.kind === "call" && node.callee.kind === "field" && /^(set[A-Z]|bind)/.test(node.callee.name)) {
        if (!node.args.some(({ value }) => namesIn(value).some((name) => names.has(name)))) return;
        for (const name of namesIn(node.callee.of)) names.add(name);
      }
      if (node.kind !== "assign") return;
      if (namesIn(node.from).some((name) => names.has(name))) for (const name of namesIn(node.to)) names.add(name);
    });
    this.#bound.set(round, names);
    return names;
  }
}

const roundsAt = (fn: FunctionShape, { start, end }: Span): Round[] =>
  [...fn.rounds, ...(fn.each ? [fn.each] : [])].filter(({ body }) => body.start <= start && body.end >= end);

/** A list that is written out has as many elements as somebody could be bothered to write. */
const isWritten = (part: Expression): boolean => {
  const bound = part.kind === "sequence" ? part.parts.at(-1) : part;
  const over = bound?.kind === "assign" && bound.from.kind === "index" ? bound.from.of : part;
  return over.kind === "collection" && over.entries.every(({ spread }) => !spread);
};

function namesIn(expression: Expression): string[] {
  const names: string[] = [];
  walk([expression], (node) => {
    if ("kind" in node && node.kind === "variable") names.push(node.name.replace(/^\$/, ""));
  });
  return names;
}
