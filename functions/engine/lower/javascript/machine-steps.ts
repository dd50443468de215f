import { lastName } from "../../ir/called-name.ts";
import type { Assign, Call, Expression, Span, Statement } from "../../ir/ir.ts";

/** What has been waited for. Compilers have it as a property of what they keep the state in. */
export const sent = "<sent>";

/** `_a.sent()`, `_context.sent`, `_context.v` */
export const isSent = (written: string): boolean =>
  written.length < 30 && /^(?:_[\w$]+\.sent(?:\(\))?|_context\d*\.v)$/.test(written);

/** Where a part that may throw begins, is caught, ends in any case, and what comes behind it; null for what is not there. */
export type TryRow = readonly (number | null)[];

/** `[2, , 5, 8]`, which the tree has without what is left out. */
export const rowIn = (written: string): TryRow =>
  written
    .replace(/\/\*.*?\*\//g, "")
    .replace(/[[\]\s]/g, "")
    .split(",")
    .map((part) => (part === "" ? null : Number(part)));

/** What a statement of a machine does that is no statement of the function; with `isTwo` the next one has a part in it. */
export type Step = { readonly isTwo?: true } & (
  | { readonly does: "jump"; readonly to: number }
  | { readonly does: "wait"; readonly for: Expression }
  | { readonly does: "return"; readonly value: Expression | null }
  | { readonly does: "try"; readonly row: TryRow }
  | { readonly does: "nothing" }
);

/** One way of a choice: the tests of a case, of what, and where it goes on. The last way has no tests. */
export interface Chosen {
  readonly tests: readonly Expression[];
  readonly of: Expression | null;
  readonly to: number | null;
}

const nextCase = /^(?:next|n)$/;
const tryBegins = /^(?:prev|p)$/;

/** Reads the statements of a machine by what it calls its state. */
export class MachineSteps {
  readonly #state: string;
  readonly #text: string;

  constructor(state: string, text: string) {
    this.#state = state;
    this.#text = text;
  }

  /** What a statement does, maybe with the one behind it, which waits or jumps; null for one of the function itself. */
  of(statement: Statement, next: Statement | undefined): Step | null {
    if (statement.kind === "return") return this.#returned(statement.value);
    if (statement.kind !== "expression") return null;
    const { value } = statement;
    if (value.kind === "call") return this.#begunTry(value);
    const field = value.kind === "assign" ? this.#fieldOf(value) : null;
    if (value.kind !== "assign" || field === null) return null;
    if (!nextCase.test(field)) return field === "label" || tryBegins.test(field) ? { does: "nothing" } : null;
    const to = numberIn(value.from);
    if (to !== null && next?.kind === "jump") return { does: "jump", to, isTwo: true };
    const waits = next?.kind === "return" && next.value !== null && this.#returned(next.value) === null;
    return waits && next.value ? { does: "wait", for: next.value, isTwo: true } : { does: "nothing" };
  }

  /** The case that statements jump to which do nothing else. */
  jumpIn([first, second, ...others]: readonly Statement[], behind?: Statement): number | null {
    if (first?.kind === "block" && !second) return this.jumpIn(first.body);
    if (!first || others.length > 0) return null;
    const step = this.of(first, second ?? behind);
    return step?.does === "jump" && (second === undefined || second.kind === "jump") ? step.to : null;
  }

  /** Where a switch goes on by what it is about: a switch of jumps, or a number that is chosen. */
  choiceOf(statement: Statement, next: Statement | undefined): Chosen[] | null {
    if (!next) return null;
    if (statement.kind === "switch") {
      const { of, cases } = statement;
      const ways = cases.map(({ tests, body }): Chosen => ({ tests, of, to: this.jumpIn(body) }));
      const otherwise = this.jumpIn([next]);
      if (otherwise === null || ways.some(({ to }) => to === null)) return null;
      return [...ways.filter(({ tests }) => tests.length > 0), { tests: [], of, to: otherwise }];
    }
    const value = statement.kind === "expression" && statement.value.kind === "assign" ? statement.value : null;
    if (!value || next.kind !== "jump" || !nextCase.test(this.#fieldOf(value) ?? "")) return null;
    return chosenNumbers(value.from);
  }

  /** The number of the part that may throw which begins here, where no case does: `_context.prev = 10`. */
  begins(statement: Statement): number | null {
    const value = statement.kind === "expression" && statement.value.kind === "assign" ? statement.value : null;
    return value && tryBegins.test(this.#fieldOf(value) ?? "") ? numberIn(value.from) : null;
  }

  /** `_a.trys.push([0, 3, , 4])` */
  #begunTry({ callee, args: [list] }: Call): Step | null {
    const of = lastName(callee) === "push" && callee.kind === "field" ? callee.of : null;
    if (of?.kind !== "field" || of.name !== "trys" || !this.#isState(of.of) || !list) return null;
    return { does: "try", row: rowIn(this.#text.slice(list.value.start, list.value.end)) };
  }

  #returned(value: Expression | null): Step | null {
    if (value?.kind === "call" && value.callee.kind === "field" && this.#isState(value.callee.of))
      return leaving(value.callee.name, value);
    if (value?.kind !== "collection" || value.shape !== "list") return null;
    const [code, given] = value.entries.map((entry) => entry.value);
    const number = numberIn(code);
    if (number === 2) return { does: "return", value: given ?? null };
    if ((number === 4 || number === 5) && given) return { does: "wait", for: given };
    const to = numberIn(given);
    return number === 3 && to !== null ? { does: "jump", to } : number === 7 ? { does: "nothing" } : null;
  }

  #fieldOf({ to }: Assign): string | null {
    return to.kind === "field" && this.#isState(to.of) ? to.name : null;
  }

  #isState(e: Expression): boolean {
    return isVariable(e, this.#state);
  }
}

/** `_context.abrupt("return", x)`, `_context.a(2, x)`, `_context.stop()`, `_context.delegateYield(x, "t0", 4)` */
function leaving(name: string, { args }: Call): Step {
  const [how, given] = args.map(({ value }) => value);
  if (name === "delegateYield" && how) return { does: "wait", for: how };
  const word = how?.kind === "literal" ? how.value : null;
  const to = numberIn(given);
  if ((word === "break" || word === "continue" || word === 3) && to !== null) return { does: "jump", to };
  return name === "finish" || name === "f" ? { does: "nothing" } : { does: "return", value: given ?? null };
}

/** Ways that become branches within each other. */
const waysMax = 60;

/** `kind === "a" ? 4 : kind === "b" ? 7 : 10` */
function chosenNumbers(from: Expression): Chosen[] | null {
  const ways: Chosen[] = [];
  let here = from;
  for (; here.kind === "conditional" && ways.length < waysMax; here = here.otherwise)
    ways.push({ tests: [here.test], of: null, to: numberIn(here.then) });
  const otherwise = numberIn(here);
  return ways.length === 0 || otherwise === null ? null : [...ways, { tests: [], of: null, to: otherwise }];
}

/** What a step is in the words of the function. */
export function plainly(step: Step, { start, end }: Span): Statement[] {
  if (step.does === "return") return [{ start, end, kind: "return", value: step.value }];
  if (step.does !== "wait") return [];
  const at = { start: step.for.start, end: step.for.end };
  const to: Expression = { ...at, kind: "variable", name: sent };
  const from: Expression = step.for.kind === "call" ? { ...step.for, awaited: true } : step.for;
  return [{ ...at, kind: "expression", value: { ...at, kind: "assign", to, from, type: null, declares: true } }];
}

const numberIn = (e: Expression | undefined): number | null =>
  e?.kind === "literal" && typeof e.value === "number" ? e.value : null;

export const isVariable = (e: Expression | null, name: string): boolean => e?.kind === "variable" && e.name === name;
