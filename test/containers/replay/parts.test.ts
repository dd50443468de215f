import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimiter } from "../../../containers/learner/replay/rate-limiter.ts";
import { seededRandom } from "../../../containers/learner/replay/seeded-random.ts";
import { SumTree } from "../../../containers/learner/replay/sum-tree.ts";

const limits = fc
  .record({
    samplesPerInsert: fc.double({ min: 0.01, max: 50, noNaN: true }),
    minSize: fc.integer({ min: 1, max: 50 }),
    extra: fc.double({ min: 0, max: 100, noNaN: true }),
  })
  .map(({ extra, ...rest }) => ({ ...rest, errorBuffer: Math.max(1, rest.samplesPerInsert) + extra }));
const steps = fc.array(fc.record({ inserts: fc.boolean(), wanted: fc.integer({ min: 1, max: 200 }) }), {
  maxLength: 200,
});

describe("a rate limiter", () => {
  it("never leaves its band once the table has its least size, and never keeps both sides waiting", () => {
    fc.assert(
      fc.property(limits, steps, (given, steps) => {
        const limiter = new RateLimiter(given);
        const { min, max } = limiter.band;
        const slack = 1e-9 * (Math.abs(min) + Math.abs(max) + 1);
        for (const { inserts, wanted } of steps) {
          const size = limiter.inserts;
          const mayInsert = limiter.insertable(wanted, size);
          const maySample = limiter.samplable(wanted, size);
          expect(mayInsert + maySample).toBeGreaterThan(0);
          if (inserts) limiter.inserted(mayInsert);
          else limiter.sampled(maySample);
          if (size < given.minSize) expect(maySample).toBe(0);
          if (limiter.inserts < given.minSize) continue;
          expect(limiter.difference).toBeGreaterThanOrEqual(min - slack);
          expect(limiter.difference).toBeLessThanOrEqual(max + slack);
        }
      }),
    );
  });

  it("goes on where another one was", () => {
    const given = { samplesPerInsert: 2, minSize: 10, errorBuffer: 4 };
    const limiter = new RateLimiter(given);
    limiter.inserted(10);
    limiter.sampled(limiter.samplable(100, 10));
    const next = new RateLimiter(given, limiter);
    expect([next.inserts, next.samples, next.difference]).toEqual([10, 4, 16]);
    expect(next.samplable(1, 10)).toBe(0);
    expect(next.insertable(100, 10)).toBe(4);
  });
});

describe("a tree of sums", () => {
  it("finds what going through all weights finds, and never an item without weight", () => {
    const weights = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1000 })), {
      minLength: 1,
      maxLength: 3000,
    });
    fc.assert(
      fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (weights, part) => {
        const tree = new SumTree();
        for (const [index, weight] of weights.entries()) tree.set(index, weight);
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        expect(tree.total).toBe(total);
        fc.pre(total > 0);
        // Whole weights add up without rounding, so both ways agree exactly.
        const sum = Math.floor(part * total);
        let before = 0;
        const expected = weights.findIndex((weight) => {
          before += weight;
          return sum < before;
        });
        expect(tree.find(sum)).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  it("has the same sums however its weights came about", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 100 }),
        (weights) => {
          const [straight, detour] = [new SumTree(), new SumTree()];
          for (let index = weights.length - 1; index >= 0; index--) detour.set(index, 1 / (index + 3));
          detour.set(5000, 1);
          detour.set(5000, 0);
          weights.forEach((weight, index) => {
            straight.set(index, weight);
            detour.set(index, weight);
          });
          expect(detour.total).toBe(straight.total);
        },
      ),
    );
  });
});

describe("seeded random numbers", () => {
  it("are the same for the same seed, others for another, and from 0 to below 1", () => {
    const some = (seed: number) => Array.from({ length: 1000 }, seededRandom(seed));
    expect(some(7)).toEqual(some(7));
    expect(some(7)).not.toEqual(some(8));
    for (const one of some(0)) expect(one >= 0 && one < 1).toBe(true);
  });

  it("fill all of the range evenly", () => {
    for (const seed of [0, 1, 2, 0xffff_ffff]) {
      const counts = new Array<number>(64).fill(0);
      const random = seededRandom(seed);
      for (let n = 0; n < 64_000; n++) counts[Math.floor(random() * 64)]! += 1;
      // Chi-square with 63 degrees of freedom: one of a thousand honest generators is above 103.4.
      expect(counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(103.4);
    }
  });
});
