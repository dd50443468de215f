import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../functions/runs/clock.ts";
import { applyRetention } from "../../functions/runs/retention.ts";
import { type NewItem, openRunLog, type RunLog } from "../../functions/runs/run-log.ts";
import { setRetention } from "../../functions/runs/run-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { allItems, freshRun, textOf } from "./runs.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const item = (value: string, rest: Partial<NewItem> = {}): NewItem => ({
  kind: "transition",
  payload: Buffer.from(value),
  ...rest,
});
const numbered = (seq: number, value = `v${seq}`, producer = "robot") => item(value, { producer, seq });

const inOneLife = async (runId: string, step: (log: RunLog) => Promise<void>, clock?: Clock) => {
  const log = await openRunLog(runId, { ownerId: "a", clock });
  await step(log);
  await log.close();
};

/** A machine clock whose timers of a second the test lets go off. */
function holdingClock(): { clock: Clock; manual: ManualClock } {
  const manual = new ManualClock("2026-01-01T00:00:00Z");
  return {
    manual,
    clock: { now: () => manual.now().getTime(), after: (ms, call) => manual.setTimer(call, ms) },
  };
}

describe.each([
  ["a number", (value: string) => numbered(1, value)],
  ["a key", (value: string) => item(value, { idempotencyKey: "k#1" })],
])("an item with %s", (_, make) => {
  it("is stored once however often it is sent at once", async () => {
    const run = await freshRun();
    await inOneLife(run.id, async (log) => {
      const answers = await Promise.all([1, 2, 3].map(() => log.append(make("x"))));
      expect(answers.map(({ offset }) => offset)).toEqual([0, 0, 0]);
      expect(answers.filter(({ duplicate }) => duplicate).length).toBe(2);
      expect(await log.append(make("x"))).toEqual({ offset: 0, duplicate: true, durable: true });
    });
    expect((await allItems(run.id)).map(textOf)).toEqual(["x"]);
  });

  it("is known again after a restart, and by who takes the run over", async () => {
    const run = await freshRun();
    await inOneLife(run.id, async (log) => {
      await log.append(item("before"));
      await log.append(make("x"));
    });
    await inOneLife(run.id, async (log) => {
      expect(await log.append(make("x"))).toEqual({ offset: 1, duplicate: true, durable: true });
    });
    const other = await openRunLog(run.id, { ownerId: "b" });
    expect(await other.append(make("x"))).toMatchObject({ offset: 1, duplicate: true });
    await other.close();
  });

  it("may not change its bytes: in the open segment, stored, after a restart", async () => {
    const run = await freshRun();
    await inOneLife(run.id, async (log) => {
      const first = log.append(make("x"));
      await expect(log.append(make("y"))).rejects.toMatchObject({ code: "already_exists", fields: { offset: 0 } });
      await first;
      await expect(log.append(make("y"))).rejects.toMatchObject({ code: "already_exists" });
    });
    await inOneLife(run.id, async (log) => {
      await expect(log.append(make("y"))).rejects.toMatchObject({ code: "already_exists", fields: { offset: 0 } });
    });
    expect((await allItems(run.id)).map(textOf)).toEqual(["x"]);
  });
});

describe("keys", () => {
  it("are forgotten after a day", async () => {
    const run = await freshRun();
    const { clock, manual } = holdingClock();
    await inOneLife(run.id, async (log) => void (await log.append(item("x", { idempotencyKey: "k" }))), clock);
    manual.advance(24 * 3600 * 1000 + 1000);
    await inOneLife(
      run.id,
      async (log) =>
        expect(await log.append(item("y", { idempotencyKey: "k" }))).toMatchObject({ offset: 1, duplicate: false }),
      clock,
    );
  });
});

describe("the numbers of a producer", () => {
  it("put its items in order, in whatever order they come", async () => {
    const run = await freshRun();
    await inOneLife(run.id, async (log) => {
      const sent = [1, 4, 3, 2, 6, 5].map((seq) => log.append(numbered(seq)));
      expect((await Promise.all(sent)).map(({ offset }) => offset)).toEqual([0, 3, 2, 1, 5, 4]);
    });
    expect((await allItems(run.id)).map(textOf)).toEqual(["v1", "v2", "v3", "v4", "v5", "v6"]);
  });

  it("may leave some out: after a second the gap counts as meant, and what comes late is refused", async () => {
    const run = await freshRun();
    const { clock, manual } = holdingClock();
    const log = await openRunLog(run.id, { ownerId: "a", clock });
    await log.append(numbered(1));
    let isHere = false;
    const late = log.append(numbered(5)).then((answer) => {
      isHere = true;
      return answer;
    });
    // A turn of the log for everything that was sent before.
    await log.append(item("other"));
    expect(isHere).toBe(false);
    manual.advance(1000);
    expect(await late).toMatchObject({ offset: 2, duplicate: false });
    expect(log.counters.gaps).toBe(1);
    await expect(log.append(numbered(3))).rejects.toMatchObject({ code: "aborted" });
    expect(await log.append(numbered(6))).toMatchObject({ offset: 3 });
    await log.close();
    // As true as before for who opens the log next.
    await inOneLife(run.id, async (next) => {
      await expect(next.append(numbered(3))).rejects.toMatchObject({ code: "aborted" });
      expect(await next.append(numbered(5))).toMatchObject({ offset: 2, duplicate: true });
    });
  });

  it("wait for each other, but never more than so many", async () => {
    const run = await freshRun();
    const { clock } = holdingClock();
    const log = await openRunLog(run.id, { ownerId: "a", clock, limits: { holdItems: 3 } });
    await log.append(numbered(1));
    const held = [10, 11, 12, 13].map((seq) => log.append(numbered(seq)));
    expect((await Promise.all(held)).map(({ offset }) => offset)).toEqual([1, 2, 3, 4]);
    await log.close();
  });

  it("are each producer's own", async () => {
    const run = await freshRun();
    await inOneLife(run.id, async (log) => {
      for (const [index, producer] of ["a", "a#", "a%23", "A"].entries())
        expect(await log.append(numbered(1, "x", producer))).toMatchObject({ offset: index, duplicate: false });
    });
  });

  it("are known when the segments that held them are gone", async () => {
    const run = await freshRun();
    await inOneLife(run.id, async (log) => {
      for (const seq of [1, 2, 3]) await log.append(numbered(seq));
    });
    await setRetention(run.id, { ageSeconds: null, bytes: 1 });
    expect(await applyRetention(run.id, new Date())).toBe(3);
    await inOneLife(run.id, async (log) => {
      expect(await log.append(numbered(3))).toMatchObject({ offset: 2, duplicate: true });
      expect(await log.append(numbered(2))).toEqual({ offset: null, duplicate: true, durable: true });
      expect(await log.append(numbered(4))).toMatchObject({ offset: 3, duplicate: false });
    });
  });
});
