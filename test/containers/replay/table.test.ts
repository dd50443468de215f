import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type FifoPlace,
  ReplayTable,
  type Selector,
  type TableOptions,
} from "../../../containers/learner/replay/replay-table.ts";
import { sample } from "../../../containers/learner/replay/sampler.ts";
import { seededRandom } from "../../../containers/learner/replay/seeded-random.ts";
import { systemClock } from "../../../functions/runs/clock.ts";
import { compactRun } from "../../../functions/runs/compaction.ts";
import { RecordReader } from "../../../functions/runs/record-reader.ts";
import { applyRetention } from "../../../functions/runs/retention.ts";
import type { ItemKind } from "../../../functions/runs/run.ts";
import { openRunLog } from "../../../functions/runs/run-log.ts";
import { closeRun, ensureRun, setRetention } from "../../../functions/runs/run-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../../support/embedded-data.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const tenant = "anonymous";
const unlimited = { samplesPerInsert: 0, minSize: 1, errorBuffer: 0 };
const options = (runs: string[], given: Partial<TableOptions> = {}): TableOptions => ({
  ...{ runs, kind: null, limits: unlimited, exponent: 1 },
  ...given,
});

/** A run of some items, "t" for transitions and "i" for interaction messages, in segments of `segmentItems`. */
async function runOf(kinds: string, segmentItems = 7, padding = 0): Promise<string> {
  const name = randomUUID();
  await append(name, kinds, segmentItems, padding);
  return name;
}

async function append(name: string, kinds: string, segmentItems = 7, padding = 0): Promise<void> {
  const { id, head } = await ensureRun(tenant, name, new Date());
  const log = await openRunLog(id, { ownerId: "a", limits: { segmentItems } });
  const appended = [...kinds].map((letter, index) => {
    const kind: ItemKind = letter === "t" ? "transition" : "interaction";
    const payload = Buffer.concat([Buffer.from(`${head + index}:`), Buffer.alloc(padding)]);
    return log.append({ kind, payload });
  });
  await Promise.all(appended);
  await log.close();
}

function tableOf(runs: string[], given: Partial<TableOptions> = {}, reader = new RecordReader(1e6)): ReplayTable {
  return new ReplayTable(tenant, options(runs, given), { reader, clock: systemClock });
}

async function loaded(runs: string[], given: Partial<TableOptions> = {}): Promise<ReplayTable> {
  const table = tableOf(runs, given);
  await table.refresh();
  return table;
}

/** How often each item of a table of one run was drawn. */
function countsOf(table: ReplayTable, selector: Selector, draws: number, seed: number): number[] {
  const counts = new Array<number>(table.size).fill(0);
  for (const { number } of table.draw(selector, draws, seededRandom(seed), new Map())) counts[number]! += 1;
  return counts;
}

const chiSquare = (counts: readonly number[], expected: readonly number[]) =>
  counts.reduce((sum, count, index) => sum + (count - expected[index]!) ** 2 / expected[index]!, 0);
/** Of 49 degrees of freedom: one in a thousand is above. */
const critical49 = 85.35;

async function sampled(
  table: ReplayTable,
  { selector = "uniform" as Selector, seed = 1, samplesMax = 20, reader = new RecordReader(1e6) } = {},
): Promise<string[]> {
  const signal = AbortSignal.timeout(20_000);
  const items = await Array.fromAsync(
    sample(table, reader, { selector, random: seededRandom(seed), samplesMax, signal }),
  );
  for (const { record, offset } of items) expect(record.payload.toString()).toMatch(new RegExp(`^${offset}:`));
  return items.map(({ source, offset }) => `${source.run}:${offset}`);
}

describe("a replay table", () => {
  it("draws uniformly, whatever the seed", async () => {
    const table = await loaded([await runOf("t".repeat(50))]);
    for (const seed of [1, 2, 3, 4, 5]) {
      const counts = countsOf(table, "uniform", 50_000, seed);
      expect(chiSquare(counts, new Array(50).fill(1000))).toBeLessThan(critical49);
    }
  });

  it.each([0, 0.5, 1, 2])("draws by priority^%d", async (exponent) => {
    const run = await runOf("t".repeat(50));
    const table = await loaded([run], { exponent });
    const priorities = Array.from({ length: 50 }, (_, index) => 1 + (index % 5));
    for (const [offset, priority] of priorities.entries()) await table.setPriority(run, offset, priority);
    const weights = priorities.map((priority) => priority ** exponent);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const seed of [1, 2, 3]) {
      const counts = countsOf(table, "prioritised", 100_000, seed);
      const expected = weights.map((weight) => (100_000 * weight) / total);
      expect(chiSquare(counts, expected)).toBeLessThan(critical49);
    }
    for (const { number, probability } of table.draw("prioritised", 100, seededRandom(1), new Map()))
      expect(probability).toBeCloseTo(weights[number]! / total, 10);
  });

  it("gives new items the highest priority there is, and never draws one of priority 0", async () => {
    const run = await runOf("ttt");
    const table = await loaded([run]);
    for (const [offset, priority] of [0, 5, 0].entries())
      expect(await table.setPriority(run, offset, priority)).toBe(true);
    expect(await table.setPriority(run, 3, 1)).toBe(false);
    expect(await table.setPriority("other", 0, 1)).toBe(false);
    expect(countsOf(table, "prioritised", 100, 1)).toEqual([0, 100, 0]);
    await append(run, "t");
    await table.refresh();
    const drawn = table.draw("prioritised", 1000, seededRandom(1), new Map());
    expect(new Set(drawn.map(({ number }) => number))).toEqual(new Set([1, 3]));
    for (const { priority, probability } of drawn) expect([priority, probability]).toEqual([5, 0.5]);
  });

  it("draws the same for the same seed and log, however the log came into the table", async () => {
    const [a, b] = [await runOf("ttitt"), await runOf("itiit")];
    const early = await loaded([a, b], { kind: "transition" });
    await append(a, "tti");
    await early.refresh();
    await append(b, "itt");
    const late = await loaded([a, b], { kind: "transition" });
    for (const selector of ["uniform", "fifo", "prioritised"] as const) {
      const wishes = { selector, samplesMax: 9, seed: 42 };
      const first = await sampled(early, wishes);
      expect(await sampled(late, wishes)).toEqual(first);
      if (selector !== "fifo") expect(await sampled(late, { ...wishes, seed: 43 })).not.toEqual(first);
    }
  });

  it("yields each item of the wanted kind once with FIFO, in any mixture of kinds and segments", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom("t", "i"), minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom<ItemKind | null>("transition", "interaction", null),
        async (kinds, segmentItems, kind) => {
          const run = await runOf(kinds, segmentItems);
          const table = await loaded([run], { kind });
          await closeRun(table.sources[0]!.runId, new Date());
          const expected = [...kinds].flatMap((letter, offset) =>
            kind === null || letter === kind[0] ? `${run}:${offset}` : [],
          );
          expect(await sampled(table, { selector: "fifo", samplesMax: Infinity })).toEqual(expected);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("lets items in only as its limiter does; the others wait in the log", async () => {
    const limits = { samplesPerInsert: 2, minSize: 5, errorBuffer: 4 };
    const table = await loaded([await runOf("t".repeat(30))], { limits });
    const { min, max } = table.limiter.band;
    const fifo: FifoPlace = new Map();
    expect([table.size, table.waiting]).toEqual([7, 23]);
    const random = seededRandom(9);
    for (let drawn = 1; drawn > 0; ) {
      drawn = table.draw("uniform", 1 + Math.floor(random() * 5), random, fifo).length;
      expect(table.limiter.difference).toBeGreaterThanOrEqual(min);
      if (table.waiting > 0) expect(table.limiter.difference).toBeLessThanOrEqual(max);
    }
    // 30 items came in, twice as many samples were taken, but for what the band is below its middle.
    expect([table.waiting, table.limiter.samples]).toEqual([0, 2 * 30 - min]);
  });

  it("goes on after a restart where it was", async () => {
    const run = await runOf("titttittit", 3);
    const limits = { samplesPerInsert: 1, minSize: 2, errorBuffer: 2 };
    const table = await loaded([run], { kind: "transition", limits });
    table.draw("uniform", 2, seededRandom(1), new Map());
    const checkpoint = await table.checkpoint();
    expect(checkpoint).toEqual({ offsets: [{ run, nextOffset: 9 }], inserts: 6, samples: 2 });
    const reader = new RecordReader(1e6);
    const given = options([run], { kind: "transition", limits });
    const next = new ReplayTable(tenant, given, { reader, clock: systemClock, resume: checkpoint });
    await next.refresh();
    expect([next.size, next.waiting, next.limiter.samples]).toEqual([table.size, table.waiting, 2]);
    expect(await next.checkpoint()).toEqual(checkpoint);
  });

  it("does not draw what retention has taken, also in the middle of a call", async () => {
    const run = await runOf("t".repeat(20), 5);
    const table = await loaded([run]);
    const id = table.sources[0]!.runId;
    await setRetention(id, { ageSeconds: null, bytes: 1 });
    const first = await applyRetention(id, new Date());
    expect(first).toBeGreaterThan(0);
    await append(run, "ttt");
    // The table has not noticed yet and still draws what is gone; nobody gets it.
    const offsets = (await sampled(table, { samplesMax: 30 })).map((one) => Number(one.split(":")[1]));
    expect(Math.min(...offsets)).toBeGreaterThanOrEqual(first);
    await table.refresh();
    expect(table.size).toBe(23 - first);
  });

  it("draws the same after segments were put together, and when those from before are gone", async () => {
    const run = await runOf("tittitttiittit", 3);
    const given = { kind: "transition" as const };
    const table = await loaded([run], given);
    const id = table.sources[0]!.runId;
    const before = await sampled(table, { seed: 5 });
    const hours = (count: number) => new Date(Date.now() + count * 3600_000);
    await append(run, "ittitt", 3);
    expect((await compactRun(id, hours(3))).after).toBeGreaterThan(0);
    const reader = new RecordReader(1e6);
    // It has not noticed yet, and what it knows is gone a day later.
    await compactRun(id, hours(30));
    const drawn = table.draw("uniform", 20, seededRandom(5), new Map());
    const places = await Promise.all(drawn.map(async ({ number }) => (await table.sources[0]!.locate(number))!));
    for (const { offset, entry } of places)
      expect((await reader.read(id, offset, entry))?.payload.toString()).toBe(`${offset}:`);
    expect(places.map(({ offset }) => `${run}:${offset}`)).toEqual(before);
    const fresh = await loaded([run], given);
    await table.refresh();
    for (const one of [table, fresh]) expect(await one.setPriority(run, 18, 7)).toBe(true);
    for (const selector of ["uniform", "prioritised", "fifo"] as const) {
      const wishes = { selector, samplesMax: 13, seed: 6 };
      expect(await sampled(table, wishes)).toEqual(await sampled(fresh, wishes));
    }
  });

  it("holds no more of the log in memory than it may", async () => {
    const run = await runOf("t".repeat(60), 4, 50_000);
    const reader = new RecordReader(400_000);
    const table = tableOf([run], {}, reader);
    const seen = await sampled(table, { samplesMax: 200, reader });
    expect(new Set(seen).size).toBeGreaterThan(50);
    expect(reader.bytesHeld).toBeGreaterThan(0);
    expect(reader.bytesHeld).toBeLessThanOrEqual(400_000);
  });

  it("reads of a large segment only what lies around a record", async () => {
    const run = await runOf("t".repeat(30), 30, 100_000);
    const reader = new RecordReader(1e7);
    await sampled(tableOf([run], {}, reader), { samplesMax: 3, reader });
    // Of 3 MB: a stretch of 128 KiB ends with the record that begins in it.
    expect(reader.bytesHeld).toBeLessThan(3 * 250_000);
  });
});
