import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ReviewPrompt } from "../../functions/engine/review/review.ts";
import { type ModelAnswer, ModelFailure } from "../../functions/llm/model.ts";
import { SluiceError } from "../../functions/platform/errors.ts";
import { CallSlots } from "../../functions/scans/call-slots.ts";
import { CarefulAsking, OutOfTime, roomWaitsMs } from "../../functions/scans/careful-asking.ts";
import { RoomTaken } from "../../functions/spending/spending-store.ts";

const prompt: ReviewPrompt = { system: "", messages: [], schema: {} };
const good: ModelAnswer = { text: "{}", usage: null, finish: "stop", model: "m" };

/** A model that answers as scripted, over and over the last, and a clock that only sleeping moves. */
function asking(
  script: (ModelAnswer | Error)[],
  { minutes = 10, mayGoOn = async () => {}, waitsForRoom = roomWaitsMs } = {},
) {
  let at = 0;
  let calls = 0;
  const slept: number[] = [];
  const careful = new CarefulAsking({
    slots: new CallSlots({ slots: 1, gapMs: 0, sleep: async () => {} }),
    roomWaitsMs: waitsForRoom,
    call: async () => {
      const next = script[Math.min(calls, script.length - 1)];
      calls += 1;
      if (next instanceof Error) throw next;
      return next as ModelAnswer;
    },
    mayGoOn,
    until: new Date(minutes * 60_000),
    now: () => new Date(at),
    sleep: async (ms) => {
      slept.push(ms);
      at += ms;
    },
    random: () => 0.5,
  });
  return { ask: () => careful.ask(prompt), slept, calls: () => calls };
}

describe("asking a model with care", () => {
  it.each(["server_error", "connection", "timeout"] as const)(
    "tries %s again, longer apart, three times in all",
    async (category) => {
      const twice = asking([new ModelFailure(category), new ModelFailure(category), good]);
      expect(await twice.ask()).toEqual(good);
      expect(twice.slept).toEqual([1000, 2000]);
      const ever = asking([new ModelFailure(category)]);
      await expect(ever.ask()).rejects.toMatchObject({ category });
      expect(ever.calls()).toBe(3);
    },
  );

  it.each(["auth_failed", "bad_request", "insufficient_balance", "model_not_found", "unknown"] as const)(
    "does not try %s again",
    async (category) => {
      const once = asking([new ModelFailure(category)]);
      await expect(once.ask()).rejects.toMatchObject({ category });
      expect(once.calls()).toBe(1);
    },
  );

  it("waits for a rate limit as long as the provider asks", async () => {
    const limited = asking([new ModelFailure("rate_limit", { retryAfterMs: 7000 }), good]);
    expect(await limited.ask()).toEqual(good);
    expect(limited.slept).toEqual([7250]);
  });

  it("waits longer each time where the provider does not say, and not for ever", async () => {
    const limited = asking([new ModelFailure("rate_limit")]);
    await expect(limited.ask()).rejects.toMatchObject({ category: "rate_limit" });
    expect(limited.calls()).toBe(6);
    expect(limited.slept).toEqual([2250, 4250, 8250, 16250, 32250]);
  });

  it("does not wait an hour for one", async () => {
    const limited = asking([new ModelFailure("rate_limit", { retryAfterMs: 3_600_000 })]);
    await expect(limited.ask()).rejects.toMatchObject({ category: "rate_limit" });
    expect(limited.slept).toEqual([]);
  });

  it("makes all workers wait for a limit that one has met", async () => {
    const limited = asking([new ModelFailure("rate_limit", { retryAfterMs: 5000 }), good]);
    await limited.ask();
    const met = limited.slept.length;
    await limited.ask();
    // The clock has moved past the pause by now.
    expect(limited.slept).toHaveLength(met);
  });

  it("hands an empty answer on as one", async () => {
    expect(await asking([new ModelFailure("empty_response")]).ask()).toEqual({ text: "", finish: "stop" });
  });

  it("begins no call for which there is no time", async () => {
    const late = asking([good], { minutes: 0 });
    await expect(late.ask()).rejects.toBeInstanceOf(OutOfTime);
    expect(late.calls()).toBe(0);
    const waiting = asking([new ModelFailure("rate_limit", { retryAfterMs: 59_000 })], { minutes: 0.5 });
    await expect(waiting.ask()).rejects.toBeInstanceOf(OutOfTime);
    expect(waiting.calls()).toBe(1);
  });

  it("makes no call when it may not go on, nor again when it may not be paid", async () => {
    const superseded = new SluiceError("task_superseded");
    const stopped = asking([good], {
      mayGoOn: async () => {
        throw superseded;
      },
    });
    await expect(stopped.ask()).rejects.toBe(superseded);
    expect(stopped.calls()).toBe(0);
    const poor = asking([new SluiceError("budget_exhausted", { level: "scan" })]);
    await expect(poor.ask()).rejects.toMatchObject({ code: "budget_exhausted" });
    expect(poor.calls()).toBe(1);
  });
});

describe("a budget that is nearly used up", () => {
  /** Every call sets 10 aside and costs 3. */
  async function spend(budget: number, workers: number) {
    let committed = 0;
    let most = 0;
    let calls = 0;
    const careful = new CarefulAsking({
      slots: new CallSlots({ slots: workers, gapMs: 0, sleep: async () => {} }),
      roomWaitsMs,
      call: async () => {
        await setImmediate();
        if (committed + 10 > budget) throw new RoomTaken("budget_exhausted", { level: "scan" });
        committed += 10;
        most = Math.max(most, committed);
        for (let turns = calls++ % 5; turns >= 0; turns--) await setImmediate();
        committed -= 7;
        return good;
      },
      mayGoOn: async () => {},
      until: new Date(1000),
      now: () => new Date(0),
      sleep: async () => {},
      random: () => 0.5,
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => careful.ask(prompt)));
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "budget_exhausted" });
    return { calls, committed, most };
  }

  it.each([1, 2, 7, 30])("is used up by what calls have cost, %i at a time", async (workers) => {
    const { calls, committed, most } = await spend(100, workers);
    expect(committed).toBe(calls * 3);
    // Nothing was left in which another worst case fits.
    expect(committed).toBeGreaterThan(90);
    expect(most).toBeLessThanOrEqual(100);
  });

  it("may get room back from calls elsewhere: a scan waits a while, longer each time, and not for ever", async () => {
    const taken = new RoomTaken("budget_exhausted", { level: "month" });
    const lucky = asking([taken, taken, good]);
    expect(await lucky.ask()).toEqual(good);
    expect(lucky.slept).toEqual([500, 1000]);
    const full = asking([taken]);
    await expect(full.ask()).rejects.toBe(taken);
    expect(full.slept).toEqual(roomWaitsMs);
  });

  it("refuses whoever waits for the answer at once", async () => {
    const taken = new RoomTaken("budget_exhausted", { level: "month" });
    const urgent = asking([taken, good], { waitsForRoom: [] });
    await expect(urgent.ask()).rejects.toBe(taken);
    expect([urgent.calls(), urgent.slept]).toEqual([1, []]);
  });

  it("that takes not even one call ends at once", async () => {
    expect(await spend(9, 10)).toEqual({ calls: 0, committed: 0, most: 0 });
  });
});

describe("slots for calls", () => {
  it("are given to so many at a time, in the order they were asked for", async () => {
    const slots = new CallSlots({ slots: 2, gapMs: 0, sleep: async () => {} });
    const given: number[] = [];
    const takes = [0, 1, 2, 3].map(async (n) => {
      const release = await slots.take();
      given.push(n);
      return release;
    });
    const [first] = await Promise.all(takes.slice(0, 2));
    expect(given).toEqual([0, 1]);
    first?.();
    first?.();
    const third = await takes[2];
    expect(given).toEqual([0, 1, 2]);
    third?.();
    await takes[3];
    expect(given).toEqual([0, 1, 2, 3]);
  });

  it("rest after a call", async () => {
    const rested: number[] = [];
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    const sleep = (ms: number) => {
      rested.push(ms);
      return promise;
    };
    const slots = new CallSlots({ slots: 1, gapMs: 2000, sleep });
    (await slots.take())();
    let taken = false;
    const next = slots.take().then(() => {
      taken = true;
    });
    await Promise.resolve();
    expect([taken, rested]).toEqual([false, [2000]]);
    wake();
    await next;
    expect(taken).toBe(true);
  });
});
