import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  claimRange,
  extendRange,
  finishRange,
  type Group,
  isDelivered,
  type Range,
} from "../../functions/runs/group.ts";

type Step =
  | { readonly do: "append"; readonly count: number }
  | { readonly do: "work"; readonly member: number }
  | { readonly do: "deliver"; readonly member: number; readonly part: number }
  | { readonly do: "die"; readonly member: number }
  | { readonly do: "wait" };

const member = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 100 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("work" as const), member }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      member,
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("die" as const), member }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const) }) },
);

const term = 30;

/** Members, the record that they share, and who got what. */
class Model {
  group: Group = { next: 0, ranges: [] };
  head = 0;
  now = 0;
  deaths = 0;
  readonly delivered: number[] = [];
  /** What each life of a member is at, and whether it has got all of it. */
  readonly #lives = new Map<number, { name: string; range: Range | null; next: number }>();

  run(step: Step): void {
    if (step.do === "append") this.head += step.count;
    else if (step.do === "wait") this.#wait();
    else if (step.do === "die") this.#die(step.member);
    else if (step.do === "work") this.work(step.member);
    else this.#deliver(step.member, step.part);
  }

  #lifeOf(member: number) {
    const life = this.#lives.get(member) ?? { name: `${member}/${this.deaths}`, range: null, next: 0 };
    this.#lives.set(member, life);
    return life;
  }

  /** Finishes its range if it has delivered it, and takes another one. */
  work(member: number): void {
    const life = this.#lifeOf(member);
    if (life.range && life.next < life.range.to) return;
    const claim = { claimant: life.name, first: 0, head: this.head, now: this.now, until: this.now + term };
    const { group, range } = claimRange(finishRange(this.group, life.name), claim);
    this.group = group;
    life.range = range;
    life.next = range?.from ?? 0;
  }

  #deliver(member: number, part: number): void {
    const life = this.#lifeOf(member);
    if (!life.range) return;
    this.group = extendRange(this.group, life.name, life.range.from, this.now + term);
    const isOurs = this.group.ranges.some(({ claimant }) => claimant === life.name);
    const to = isOurs ? life.next + Math.ceil(part * (life.range.to - life.next)) : life.next;
    for (; life.next < to; life.next++) this.delivered.push(life.next);
    if (!isOurs) life.range = null;
  }

  /** Nothing more is heard of it; another one comes in its place. */
  #die(member: number): void {
    this.#lives.delete(member);
    this.deaths += 1;
  }

  /** Who does nothing for so long loses its range. */
  #wait(): void {
    this.now += term;
    this.deaths += 1;
  }

  /** One member is left for everything, and the others are late. */
  endAlone(): void {
    this.now += term;
    for (let round = 0; !isDelivered(this.group, this.head) && round < 10_000; round++) {
      this.work(0);
      this.#deliver(0, 1);
      this.now += 1;
    }
  }

  /** All go on until there is nothing left. */
  endTogether(): void {
    for (let round = 0; !isDelivered(this.group, this.head) && round < 10_000; round++) {
      for (const member of [0, 1, 2, 3]) {
        this.work(member);
        this.#deliver(member, 1);
      }
    }
  }
}

describe("a group", () => {
  it("delivers every item, each once while nobody dies or is late, and never gives one to two at a time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const model = new Model();
        for (const one of steps) {
          model.run(one);
          const held = model.group.ranges.toSorted((a, b) => a.from - b.from);
          held.forEach((range, index) => {
            expect(range.from).toBeLessThan(range.to);
            if (index > 0) expect(held[index - 1]!.to).toBeLessThanOrEqual(range.from);
            expect(range.to).toBeLessThanOrEqual(model.group.next);
          });
        }
        const all = Array.from({ length: model.head }, (_, offset) => offset);
        if (model.deaths === 0) {
          model.endTogether();
          expect(model.delivered.toSorted((a, b) => a - b)).toEqual(all);
        } else {
          model.endAlone();
          expect([...new Set(model.delivered)].toSorted((a, b) => a - b)).toEqual(all);
        }
        expect(isDelivered(model.group, model.head)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves out what retention has taken, given to somebody or not", () => {
    const claim = { claimant: "a", first: 0, head: 20, now: 0, until: 10 };
    const { group } = claimRange({ next: 0, ranges: [] }, claim);
    expect(group).toEqual({ next: 10, ranges: [{ from: 0, to: 10, claimant: "a", until: 10 }] });
    const late = claimRange(group, { ...claim, claimant: "b", first: 5, now: 10, until: 20 });
    expect(late.range).toEqual({ from: 5, to: 10, claimant: "b", until: 20 });
    const later = claimRange(group, { ...claim, claimant: "b", first: 15, now: 10, until: 20 });
    expect(later.range).toEqual({ from: 15, to: 18, claimant: "b", until: 20 });
  });
});
