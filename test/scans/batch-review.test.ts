import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReviewUnit } from "../../functions/engine/review/review.ts";
import { ModelFailure } from "../../functions/llm/model.ts";
import { SluiceError } from "../../functions/platform/errors.ts";
import { BatchReview, type BatchReviewProps } from "../../functions/scans/batch-review.ts";
import { OutOfTime } from "../../functions/scans/careful-asking.ts";
import { spread } from "../../functions/scans/instructions.ts";
import type { Reviewed, ReviewReason } from "../../functions/scans/review-result.ts";
import { ReviewStopped } from "../../functions/scans/review-stopped.ts";

const unit = (n: number): ReviewUnit => ({
  path: `f${n}.py`,
  language: "python",
  startLine: 1,
  text: `x = ${n}`,
  findings: [],
  functions: [],
  excerpts: [],
});
const units = (count: number) => Array.from({ length: count }, (_, n) => unit(n));
const reviewed: Reviewed = { status: "reviewed", findings: [], verdicts: [], dropped: {} };

/** A batch whose model, cache and clock are this test's. */
function batchOf(given: Partial<BatchReviewProps>) {
  const stops: ReviewReason[] = [];
  const kept = new Map<string, Reviewed>();
  const asked: string[] = [];
  const review = given.review ?? (async () => reviewed);
  const batch = new BatchReview({
    units: units(10),
    done: {},
    workers: 3,
    find: async ({ path }) => kept.get(path) ?? null,
    keep: async ({ path }, outcome) => void kept.set(path, outcome),
    alternative: null,
    stop: async (reason) => void stops.push(reason),
    ...given,
    review: (one) => {
      asked.push(one.path);
      return review(one);
    },
  });
  const statuses = () => Object.values(batch.results).map((result) => result.status);
  const reasons = () =>
    Object.values(batch.results).map((result) => (result.status === "failed" ? result.reason : null));
  return { batch, stops, kept, asked, statuses, reasons };
}

/** Another model that answers as the test says. */
function otherModel(review: BatchReviewProps["review"]) {
  const kept = new Map<string, Reviewed>();
  const asked: string[] = [];
  const alternative: BatchReviewProps["alternative"] = {
    model: { provider: "claude", model: "other" },
    review: (one) => {
      asked.push(one.path);
      return review(one);
    },
    find: async ({ path }) => kept.get(path) ?? null,
    keep: async ({ path }, outcome) => void kept.set(path, outcome),
  };
  return { alternative, asked, kept };
}

describe("what the model refuses", () => {
  const refused = { status: "failed", category: "refused", reply: "No." } as const;
  const refusing: BatchReviewProps["review"] = async ({ path }) => (path < "f3.py" ? refused : reviewed);

  it("goes to another model once, whose review counts and is kept as that one's", async () => {
    const other = otherModel(async () => reviewed);
    const { batch, kept, statuses } = batchOf({ review: refusing, alternative: other.alternative });
    await batch.run();
    expect(statuses()).toEqual(Array(10).fill("reviewed"));
    expect(other.asked.toSorted()).toEqual(["f0.py", "f1.py", "f2.py"]);
    expect(batch.results[1]).toMatchObject({ by: { provider: "claude", model: "other" } });
    expect(batch.results[5]).not.toHaveProperty("by");
    expect([...other.kept.keys()].toSorted()).toEqual(other.asked.toSorted());
    expect([...kept.keys()]).not.toContain("f1.py");
    const again = batchOf({ review: refusing, alternative: other.alternative });
    await again.batch.run();
    expect(again.batch.results[1]).toMatchObject({ status: "cached", by: { model: "other" } });
    expect(again.asked).not.toContain("f1.py");
  });

  it.each([
    ["refuses too", async () => refused],
    ["writes nonsense", async () => ({ status: "failed", category: "format", reply: "No." }) as const],
    ["does not answer", () => Promise.reject(new ModelFailure("timeout"))],
  ])("stays refused when that one %s", async (_, review) => {
    const other = otherModel(review);
    const { batch, stops, reasons } = batchOf({ review: refusing, alternative: other.alternative });
    await batch.run();
    expect(reasons()).toEqual([...Array(3).fill("refused"), ...Array(7).fill(null)]);
    expect(other.asked).toHaveLength(3);
    expect([stops, other.kept.size, batch.finished]).toEqual([[], 0, true]);
  });

  it.each([
    ["its account is in trouble", 1, new ModelFailure("auth_invalid_key")],
    ["the budget is at an end", 1, new SluiceError("budget_exhausted", { level: "month" })],
    ["there is no such model any more", 1, new ReviewStopped("model_changed")],
    ["it is down", 8, new ModelFailure("connection")],
  ])("goes to no other model any more when %s, and the review goes on", async (_, calls, error) => {
    const other = otherModel(() => Promise.reject(error));
    const review: BatchReviewProps["review"] = async ({ path }) => (path === "f29.py" ? reviewed : refused);
    const { batch, stops, statuses } = batchOf({
      ...{ units: units(30), workers: 1, review, alternative: other.alternative },
    });
    await batch.run();
    expect(other.asked).toHaveLength(calls);
    expect([stops, statuses().at(-1), batch.finished]).toEqual([[], "reviewed", true]);
  });

  it("is not asked for again when time was over before the other model came to it", async () => {
    const late = otherModel(() => Promise.reject(new OutOfTime("over")));
    const first = batchOf({ workers: 1, review: refusing, alternative: late.alternative });
    await first.batch.run();
    expect(first.batch.finished).toBe(false);
    const other = otherModel(async () => reviewed);
    const done = JSON.parse(JSON.stringify(first.batch.results));
    const second = batchOf({ done, review: refusing, alternative: other.alternative });
    await second.batch.run();
    expect(second.batch.finished).toBe(true);
    expect(second.asked).not.toContain("f0.py");
    expect(other.asked.toSorted()).toEqual(["f0.py", "f1.py", "f2.py"]);
  });

  it("ends all when the attempt is over", async () => {
    const other = otherModel(() => Promise.reject(new SluiceError("task_superseded")));
    const { batch } = batchOf({ review: refusing, alternative: other.alternative });
    await expect(batch.run()).rejects.toMatchObject({ code: "task_superseded" });
  });
});

describe("the review of a batch", () => {
  it("gives every unit its result and keeps what is whole", async () => {
    const { batch, kept, asked, statuses } = batchOf({
      review: async ({ path }) =>
        path === "f3.py" ? { status: "failed", category: "refused", reply: "No." } : reviewed,
    });
    await batch.run();
    expect(batch.finished).toBe(true);
    expect(statuses().filter((status) => status === "reviewed")).toHaveLength(9);
    expect(batch.results[3]).toEqual({
      path: "f3.py",
      startLine: 1,
      status: "failed",
      reason: "refused",
      reply: "No.",
    });
    expect(kept.size).toBe(9);
    expect(asked).toHaveLength(10);
  });

  it("asks nothing that is kept or done", async () => {
    const { batch, asked, statuses } = batchOf({
      done: { 0: { path: "f0.py", startLine: 1, status: "failed", reason: "format" } },
      find: async () => reviewed,
    });
    await batch.run();
    expect(asked).toEqual([]);
    expect(statuses()).toEqual(["failed", ...Array(9).fill("cached")]);
  });

  it.each(["auth_invalid_key", "insufficient_balance", "model_not_found"] as const)(
    "ends with %s, and tells the others once",
    async (category) => {
      const failing = async () => {
        throw new ModelFailure(category);
      };
      const { batch, stops, asked, reasons } = batchOf({ units: units(30), workers: 1, review: failing });
      await batch.run();
      expect(asked).toHaveLength(1);
      expect(stops).toEqual([category]);
      expect(reasons()).toEqual(Array(30).fill(category));
    },
  );

  it("uses what is paid for also when it has stopped", async () => {
    const { batch, statuses } = batchOf({
      workers: 1,
      review: async () => {
        throw new SluiceError("budget_exhausted", { level: "scan" });
      },
      find: async ({ path }) => (path === "f7.py" ? reviewed : null),
    });
    await batch.run();
    expect(batch.results[0]).toMatchObject({ reason: "budget_exhausted" });
    expect(statuses()[7]).toBe("cached");
  });

  it("stops when another batch has, without telling it back", async () => {
    const { batch, stops, reasons } = batchOf({
      review: async () => {
        throw new ReviewStopped("auth_failed");
      },
    });
    await batch.run();
    expect(stops).toEqual([]);
    expect(reasons()).toEqual(Array(10).fill("auth_failed"));
  });

  it("gives up on a provider that is down, and not on one that fails now and then", async () => {
    const down = batchOf({
      units: units(40),
      workers: 1,
      review: async () => {
        throw new ModelFailure("timeout");
      },
    });
    await down.batch.run();
    expect(down.asked).toHaveLength(8);
    expect(down.stops).toEqual(["timeout"]);
    expect(down.batch.finished).toBe(true);
    let asked = 0;
    const shaky = batchOf({
      units: units(40),
      workers: 1,
      review: async () => {
        asked += 1;
        if (asked % 4 > 0) throw new ModelFailure("timeout");
        return reviewed;
      },
    });
    await shaky.batch.run();
    expect(shaky.asked).toHaveLength(40);
    expect(shaky.stops).toEqual([]);
  });

  it("leaves what it has no time for, and a later run does the rest", async () => {
    let left = 4;
    const first = batchOf({
      workers: 1,
      review: async () => {
        left -= 1;
        if (left < 0) throw new OutOfTime("over");
        return reviewed;
      },
    });
    await first.batch.run();
    expect(first.batch.finished).toBe(false);
    expect(Object.keys(first.batch.results)).toEqual(["0", "1", "2", "3"]);
    const second = batchOf({ done: JSON.parse(JSON.stringify(first.batch.results)) });
    await second.batch.run();
    expect(second.batch.finished).toBe(true);
    expect(second.asked.toSorted()).toEqual(["f4.py", "f5.py", "f6.py", "f7.py", "f8.py", "f9.py"]);
  });

  it("passes trouble of its own on and has the results that came before", async () => {
    const { batch, asked } = batchOf({
      workers: 2,
      review: async ({ path }) => {
        if (path === "f4.py") throw new SluiceError("task_superseded");
        return reviewed;
      },
    });
    await expect(batch.run()).rejects.toMatchObject({ code: "task_superseded" });
    expect(asked.length).toBeLessThan(10);
    expect(batch.results[4]).toBeUndefined();
    expect(batch.results[0]).toMatchObject({ status: "reviewed" });
  });

  it("loses no unit and asks about none twice, whatever fails", async () => {
    const behaviour = fc.constantFrom("good", "refused", "timeout", "rate_limit", "kept");
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        async (plan, workers) => {
          const does = new Map(plan.map((what, n) => [`f${n}.py`, what]));
          const { batch, asked } = batchOf({
            units: units(plan.length),
            workers,
            find: async ({ path }) => (does.get(path) === "kept" ? reviewed : null),
            review: async ({ path }) => {
              const what = does.get(path);
              if (what === "timeout" || what === "rate_limit") throw new ModelFailure(what);
              return what === "refused" ? { status: "failed", category: "refused", reply: "No." } : reviewed;
            },
          });
          await batch.run();
          expect(batch.finished).toBe(true);
          expect(new Set(asked).size).toBe(asked.length);
          for (const [at, result] of Object.entries(batch.results)) {
            const what = does.get(`f${at}.py`);
            if (what === "kept") expect(result.status).toBe("cached");
            else if (result.status !== "failed") expect(what).toBe("good");
          }
        },
      ),
    );
  });
});

describe("simultaneous calls", () => {
  it("are never more than the user allows, and not many fewer", () => {
    for (let concurrency = 1; concurrency <= 100; concurrency++) {
      const { functions, workers, batchUnits } = spread(concurrency);
      expect(functions * workers).toBeLessThanOrEqual(concurrency);
      expect(functions * workers).toBeGreaterThanOrEqual(concurrency * 0.9);
      expect(batchUnits).toBeGreaterThan(workers);
    }
    expect(spread(1)).toMatchObject({ functions: 1, workers: 1 });
    expect(spread(50)).toMatchObject({ functions: 2, workers: 25 });
  });
});
