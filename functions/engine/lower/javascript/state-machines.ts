import { lastName } from "../../ir/called-name.ts";
import type { Assign, Branch, Span, Statement } from "../../ir/ir.ts";
import { type Chosen, isVariable, MachineSteps, plainly, sent, type TryRow } from "./machine-steps.ts";

export type Cases = Extract<Statement, { kind: "switch" }>["cases"];

/** Parts of a machine that lie within each other; people nest a few. */
const nestingMax = 60;

/** The items that are being read: up to which, where the rounds around them end (null outside of any), and how deep they lie. */
interface Range {
  readonly to: number;
  readonly end: number | null;
  readonly depth: number;
}

/** What items have become, and the item that goes on. */
interface Read {
  readonly done: readonly Statement[];
  readonly behind: number;
}

/**
 * A generator as compilers write it for engines that have none: the cases of a switch, each of which says which one goes on. Jumps forward were
 * branches, jumps back were rounds; what they were made of stands between them in its order.
 */
export class StateMachine {
  readonly #steps: MachineSteps;
  readonly #items: Statement[] = [];
  /** Where the statements of a case begin, by its number. */
  readonly #at = new Map<number, number>();
  readonly #tries = new Map<number, TryRow>();
  /** Where rounds begin, and the item behind their last one. */
  readonly #rounds = new Map<number, number>();

  constructor(state: string, cases: Cases, tries: readonly TryRow[], text: string) {
    this.#steps = new MachineSteps(state, text);
    for (const { tests, body } of cases) {
      const [test] = tests;
      if (test?.kind === "literal" && typeof test.value === "number") this.#at.set(test.value, this.#items.length);
      this.#items.push(...body.flatMap((one) => (one.kind === "block" ? one.body : [one])));
    }
    const noted = new Map(this.#items.map((item, i) => [this.#steps.begins(item), i]));
    for (const row of tries) this.#tries.set(this.#index(row[0]) ?? noted.get(row[0] ?? null) ?? -1, row);
    for (const [i, item] of this.#items.entries()) this.#noteRounds(item, i);
  }

  statements(): Statement[] {
    return this.#between(0, { to: this.#items.length, end: null, depth: 0 });
  }

  #noteRounds(item: Statement, i: number): void {
    const next = this.#items[i + 1];
    const begin = this.#index(this.#steps.jumpIn(item.kind === "branch" ? item.then : [item], next));
    const behind = this.#steps.of(item, next)?.isTwo ? i + 2 : i + 1;
    if (begin !== null && begin <= i) this.#rounds.set(begin, Math.max(behind, this.#rounds.get(begin) ?? 0));
  }

  #index(label: number | null | undefined): number | null {
    return label === null || label === undefined ? null : (this.#at.get(label) ?? null);
  }

  #between(from: number, range: Range): Statement[] {
    const all: Statement[] = [];
    for (let i = from; i < range.to; ) {
      const { done, behind } =
        (range.depth < nestingMax && (this.#round(i, range) ?? this.#try(i, range) ?? this.#choice(i, range))) ||
        (this.#branch(i, range) ?? this.#one(i, range));
      all.push(...done);
      i = Math.max(i + 1, Math.min(behind, range.to));
    }
    return all;
  }

  #round(i: number, { to, depth }: Range): Read | null {
    const behind = this.#rounds.get(i);
    if (behind === undefined || behind > to) return null;
    this.#rounds.delete(i);
    const body = this.#between(i, { to: behind, end: behind, depth: depth + 1 });
    const at = spanOf(this.#items[i] as Statement);
    return { done: [{ ...at, kind: "loop", bind: null, test: null, body, update: null, always: true }], behind };
  }

  #try(i: number, range: Range): Read | null {
    const item = this.#items[i] as Statement;
    const step = this.#steps.of(item, this.#items[i + 1]);
    const row = this.#tries.get(i) ?? (step?.does === "try" ? step.row : undefined);
    if (!row) return null;
    this.#tries.delete(i);
    const from = step?.does === "try" ? i + 1 : i;
    const [caught, last, behind] = row.slice(1).map((label) => this.#within(label, from, range)) as (number | null)[];
    const body = caught ?? last ?? behind ?? range.to;
    const stop = Math.min(Math.max(behind ?? this.#jumpBefore(body) ?? range.to, body), range.to);
    const part = (begin: number, to: number) => this.#between(begin, { ...range, to, depth: range.depth + 1 });
    const at = spanOf(item);
    const statement: Statement = {
      ...at,
      kind: "try",
      body: part(from, body),
      catches: caught == null ? [] : [catching(at, part(caught, last ?? stop))],
      last: last == null ? [] : part(last, stop),
    };
    return { done: [statement], behind: stop };
  }

  #within(label: number | null | undefined, from: number, { to }: Range): number | null {
    const index = this.#index(label);
    return index !== null && index > from && index <= to ? index : null;
  }

  /** The parts that a choice is about stand one behind the other, and what goes on stands behind the last of them. */
  #choice(i: number, range: Range): Read | null {
    const item = this.#items[i] as Statement;
    const ways = this.#steps.choiceOf(item, this.#items[i + 1]);
    if (!ways) return null;
    const { to, depth } = range;
    const targets = ways.map((way) => Math.min(this.#index(way.to) ?? to, to));
    const order = [...new Set(targets.filter((target) => target > i))].sort((a, b) => a - b);
    const jumps = order.slice(1).map((target) => this.#jumpBefore(target) ?? 0);
    const behind = Math.min(Math.max(order.at(-1) ?? i + 1, ...jumps.filter((target) => target <= to)), to);
    const parts = order.map((target, n) => {
      return [target, this.#between(target, { ...range, to: order[n + 1] ?? behind, depth: depth + 1 })] as const;
    });
    const part = new Map(parts);
    const bodies = targets.map((target) => part.get(target) ?? []);
    return { done: [choosing(spanOf(item), ways, bodies)], behind };
  }

  /** `if (!ok) jump to the other part; one part; jump behind it; the other part` */
  #branch(i: number, range: Range): Read | null {
    const item = this.#items[i] as Statement;
    const target = item.kind === "branch" && item.otherwise.length === 0 ? this.#steps.jumpIn(item.then) : null;
    const index = this.#index(target);
    if (item.kind !== "branch" || index === null) return null;
    const asked = (then: Statement[], otherwise: Statement[]): Branch => ({ ...item, then, otherwise });
    if (index <= i || range.depth >= nestingMax) return { done: [asked([], [])], behind: i + 1 };
    if (index >= range.to && range.end !== null) return { done: [asked([leaving(item)], [])], behind: i + 1 };
    const other = Math.min(index, range.to);
    const last = this.#jumpBefore(other);
    const behind = last !== null && last > other && last <= range.to ? last : other;
    const part = (begin: number, to: number) => this.#between(begin, { ...range, to, depth: range.depth + 1 });
    return { done: [asked(part(other, behind), part(i + 1, other))], behind };
  }

  #one(i: number, { to, end }: Range): Read {
    const item = this.#items[i] as Statement;
    const step = this.#steps.of(item, this.#items[i + 1]);
    const behind = step?.isTwo ? i + 2 : i + 1;
    if (step?.does !== "jump") return { done: step ? plainly(step, item) : [this.#plain(item)], behind };
    const target = this.#index(step.to);
    if (target === null || target <= i) return { done: [], behind };
    return { done: target >= to && end !== null ? [leaving(item)] : [], behind: target };
  }

  /** Where the last statement before an item jumps to. */
  #jumpBefore(item: number): number | null {
    const [before, last] = [this.#items[item - 2], this.#items[item - 1]];
    const to = (last && this.#steps.jumpIn([last])) ?? (before && last && this.#steps.jumpIn([before, last]));
    return this.#index(to);
  }

  /** A statement that has no case in it, but may return. What is jumped to from inside of it is reached behind it. */
  #plain(statement: Statement): Statement {
    const all = (body: readonly Statement[]): Statement[] =>
      body.flatMap((one, i) => {
        const before = body[i - 1];
        if (before && this.#steps.of(before, one)?.isTwo) return [];
        const step = this.#steps.of(one, body[i + 1]);
        return step ? plainly(step, one) : [this.#plain(one)];
      });
    if (statement.kind === "block") return { ...statement, body: all(statement.body) };
    if (statement.kind === "branch")
      return { ...statement, then: all(statement.then), otherwise: all(statement.otherwise) };
    if (statement.kind === "switch")
      return { ...statement, cases: statement.cases.map((one) => ({ ...one, body: all(one.body) })) };
    return statement.kind === "loop" ? { ...statement, body: all(statement.body) } : statement;
  }
}

function catching(at: Span, handled: Statement[]): Extract<Statement, { kind: "try" }>["catches"][number] {
  const [first, ...others] = handled;
  const bound = first?.kind === "expression" && first.value.kind === "assign" ? first.value : null;
  return bound && isCaught(bound) ? { ...at, bind: bound.to, body: others } : { ...at, bind: null, body: handled };
}

/** `e_1 = _a.sent()`, `_context.t0 = _context["catch"](0)` */
const isCaught = ({ from }: Assign): boolean =>
  isVariable(from, sent) ||
  (from.kind === "call" && (lastName(from.callee) === "catch" || from.callee.kind === "index"));

function choosing(at: Span, ways: readonly Chosen[], bodies: readonly Statement[][]): Statement {
  const [{ of } = { of: null }] = ways;
  if (of) {
    const cases = ways.map(({ tests }, n) => ({ tests: [...tests], body: bodies[n] ?? [], through: false }));
    return { ...at, kind: "switch", of, cases };
  }
  return ways.slice(0, -1).reduceRight<Statement>(
    (otherwise, { tests: [test] }, n) => ({
      ...at,
      kind: "branch",
      test: test ?? { ...at, kind: "literal", value: true },
      then: bodies[n] ?? [],
      otherwise: [otherwise],
    }),
    { ...at, kind: "block", body: bodies.at(-1) ?? [] },
  );
}

const leaving = ({ start, end }: Span): Statement => ({ start, end, kind: "jump", to: "break" });

const spanOf = ({ start, end }: Span): Span => ({ start, end });
