import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import { s3 } from "../../functions/platform/object-store.ts";
import { compactRun } from "../../functions/runs/compaction.ts";
import { readRun } from "../../functions/runs/read-run.ts";
import { applyRetention } from "../../functions/runs/retention.ts";
import { openRunLog, type RunLog } from "../../functions/runs/run-log.ts";
import { closeRun, requireRun, setRetention } from "../../functions/runs/run-store.ts";
import { segmentsFrom } from "../../functions/runs/segment-store.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import type { Fault } from "../../lib/local/gateway.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { killPoints } from "../support/kill-points.ts";
import { allItems, freshRun, textOf } from "./runs.ts";

// Faults are for our code to see, not for the SDK to hide.
process.env.AWS_MAX_ATTEMPTS = "1";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

const minute = 60_000;
/** Objects are as old as the embedded cloud says, so the test is a day late, and another. */
const tomorrow = new Date(Date.now() + 24 * 60 * minute);
const dayAfter = new Date(tomorrow.getTime() + 24 * 60 * minute);

/** One segment for each item, a minute apart, the last of them just now. */
async function segmentsOf(sizes: readonly number[]): Promise<{ id: string; log: RunLog }> {
  const { id } = await freshRun();
  let now = Date.now() - sizes.length * minute;
  const log = await openRunLog(id, { ownerId: "a", clock: { now: () => now, after: () => () => {} } });
  for (const [n, size] of sizes.entries()) {
    now += minute;
    const kind = n % 3 === 2 ? "interaction" : "transition";
    const identity = n % 2 === 0 ? { producer: `p${n % 4}`, seq: Math.floor(n / 4) + 1 } : { idempotencyKey: `k${n}` };
    await log.append({ kind, payload: Buffer.from(`item ${n}`.padEnd(size, ".")), ...identity });
  }
  return { id, log };
}
const small = (count: number) => Array.from({ length: count }, () => 10);

async function keysOf(id: string): Promise<(string | undefined)[]> {
  const list = new ListObjectsV2Command({ Bucket: environment().RESULTS_BUCKET, Prefix: `runs/${id}/segments/` });
  return ((await s3.send(list)).Contents ?? []).map(({ Key }) => Key);
}
const objectsOf = async (id: string): Promise<number> => (await keysOf(id)).length;
const entriesOf = (id: string) => segmentsFrom(id, 0, 1000);

describe("compaction", () => {
  it("makes one segment of many small ones, with the same items", async () => {
    const { id, log } = await segmentsOf(small(120));
    const before = await allItems(id);
    const { layout: _, storedBytes: __, ...run } = await requireRun(id);
    expect(await compactRun(id, tomorrow)).toEqual({ before: 120, after: 2 });
    expect((await entriesOf(id)).map(({ count }) => count)).toEqual([90, 30]);
    expect(await allItems(id)).toEqual(before);
    expect((await allItems(id, { offset: 77 })).map(({ offset }) => offset)[0]).toBe(77);
    expect(await requireRun(id)).toMatchObject(run);
    const verified = await verifyRun(id);
    expect(verified).toMatchObject({ segments: 2, items: 120, defects: [] });
    expect((await requireRun(id)).storedBytes).toBe(verified.bytes);
    // What was sent before is still known, and what comes goes on.
    const again = await log.append({ kind: "transition", payload: Buffer.from("item 4...."), producer: "p0", seq: 2 });
    expect(again).toMatchObject({ offset: 4, duplicate: true });
    expect(await log.append({ kind: "transition", payload: Buffer.from("new") })).toMatchObject({ offset: 120 });
    await log.close();
  });

  it("leaves what was replaced for a day, and then takes it and nothing else away", async () => {
    const { id, log } = await segmentsOf(small(5));
    await log.close();
    await compactRun(id, tomorrow);
    expect(await objectsOf(id)).toBe(6);
    expect(await compactRun(id, dayAfter)).toEqual({ before: 0, after: 0 });
    expect(await objectsOf(id)).toBe(1);
    expect(await verifyRun(id)).toMatchObject({ items: 5, defects: [] });
  });

  it("leaves large segments and young ones as they are, and does not put together what is apart", async () => {
    const large = 5 * 1024 * 1024;
    const { id, log } = await segmentsOf([10, 10, large, 10, 10, 10]);
    await log.close();
    expect(await compactRun(id, new Date())).toEqual({ before: 0, after: 0 });
    await compactRun(id, tomorrow);
    expect((await entriesOf(id)).map(({ count }) => count)).toEqual([2, 1, 3]);
    expect(await verifyRun(id)).toMatchObject({ items: 6, defects: [] });
  });

  it("makes segments no larger than a fraction of what retention keeps", async () => {
    const { id, log } = await segmentsOf(small(100));
    await log.close();
    await setRetention(id, { ageSeconds: 20 * 600, bytes: null });
    await compactRun(id, tomorrow);
    const counts = (await entriesOf(id)).map(({ count }) => count);
    expect([Math.max(...counts), counts.length]).toEqual([11, 10]);
    await setRetention(id, { ageSeconds: 4000, bytes: null });
    const first = await applyRetention(id, new Date());
    expect([first > 20, first < 45]).toEqual([true, true]);
    expect(await verifyRun(id)).toMatchObject({ first, items: 100 - first, defects: [] });
  });

  it("leaves a damaged segment where it is, with what can be read around it", async () => {
    const { id, log } = await segmentsOf(small(4));
    await log.close();
    const [Key] = await keysOf(id);
    await s3.send(new PutObjectCommand({ Bucket: environment().RESULTS_BUCKET, Key, Body: "short" }));
    await compactRun(id, tomorrow);
    expect((await verifyRun(id)).defects).toMatchObject([{ offset: 0 }]);
    expect((await allItems(id, { offset: 1 })).length).toBe(3);
  });

  it("is not noticed by a reader that is in the middle of it, even when the objects are gone", async () => {
    const { id, log } = await segmentsOf(small(30));
    await log.close();
    await closeRun(id, new Date());
    const { items } = await readRun(id, "earliest");
    const texts = [textOf((await items.next()).value as { payload: Buffer })];
    await compactRun(id, tomorrow);
    await compactRun(id, dayAfter);
    expect(await objectsOf(id)).toBe(1);
    for await (const item of items) texts.push(textOf(item));
    expect(texts).toEqual((await allItems(id)).map(textOf));
    expect(texts).toHaveLength(30);
  });
});

const error = new AwsError("InternalServerError", "We encountered an internal error. Please try again.", 500);
const faults: Record<string, Fault> = {
  "before a call of AWS": { when: "before", error },
  "after a call of AWS": { when: "after", error: "cut" },
};

describe("a compaction that dies", () => {
  it.each(Object.entries(faults))("%s leaves the log whole, and the next one makes up for it", async (_, fault) => {
    const dying = async (dieAt: number) => {
      const { id, log } = await segmentsOf(small(4));
      await log.close();
      await compactRun(id, tomorrow);
      // Some that are to be swept, and some to be put together.
      const second = await openRunLog(id, { ownerId: "a" });
      for (const n of [4, 5, 6]) await second.append({ kind: "transition", payload: Buffer.from(`item ${n}...`) });
      await second.close();
      const before = (await allItems(id)).map(textOf);
      let calls = 0;
      // It stays dead: nothing that it would still send arrives.
      data.gateway.planFault = () => {
        calls += 1;
        if (calls === dieAt) return fault;
        return calls > dieAt ? { when: "before", error } : undefined;
      };
      const died = await compactRun(id, dayAfter).then(
        () => false,
        () => true,
      );
      data.gateway.planFault = () => undefined;
      expect((await allItems(id)).map(textOf), `died at call ${dieAt}`).toEqual(before);
      expect(await verifyRun(id)).toMatchObject({ items: 7, defects: [] });
      await compactRun(id, dayAfter);
      await compactRun(id, dayAfter);
      expect([await objectsOf(id), (await entriesOf(id)).length]).toEqual([1, 1]);
      expect((await allItems(id)).map(textOf)).toEqual(before);
      const verified = await verifyRun(id);
      expect((await requireRun(id)).storedBytes).toBe(verified.bytes);
      return { died, calls };
    };
    const { died, calls } = await dying(Number.POSITIVE_INFINITY);
    expect(died).toBe(false);
    for (const dieAt of killPoints(calls, 6)) {
      const end = await dying(dieAt);
      expect([dieAt, end.died]).toEqual([dieAt, end.calls >= dieAt]);
    }
  });
});

describe("two at once", () => {
  it("of compactions, retention and a writer never work on one another", async () => {
    const { id, log } = await segmentsOf(small(60));
    await setRetention(id, { ageSeconds: null, bytes: 4000 });
    const before = (await allItems(id)).map(textOf);
    const refused = (failure: unknown) => expect(failure).toMatchObject({ code: "aborted" });
    const writing = (async () => {
      for (let n = 60; n < 80; n++) {
        const payload = Buffer.from(`item ${n}`.padEnd(10, "."));
        await log.append({ kind: "transition", payload });
        before.push(payload.toString());
      }
    })();
    const rearranging = [1, 2, 3].flatMap(() => [
      compactRun(id, tomorrow).catch(refused),
      applyRetention(id, new Date()).catch(refused),
    ]);
    await Promise.all([writing, ...rearranging]);
    await log.close();
    const run = await requireRun(id);
    expect(run.first).toBeGreaterThan(0);
    expect((await allItems(id)).map(textOf)).toEqual(before.slice(run.first));
    expect(await verifyRun(id)).toMatchObject({ first: run.first, items: 80 - run.first, defects: [] });
  });

  it("the one that was slower changes nothing", async () => {
    const { id, log } = await segmentsOf(small(8));
    await log.close();
    // The first one is held right before it changes the index, and the second overtakes it.
    let second: Promise<unknown> | undefined;
    data.gateway.planFault = ({ service, operation }) => {
      if (service !== "s3" || operation !== "PutObject" || second) return undefined;
      second = compactRun(id, tomorrow);
      return second.then(() => undefined);
    };
    await expect(compactRun(id, tomorrow)).rejects.toMatchObject({ code: "aborted" });
    await second;
    expect(await verifyRun(id)).toMatchObject({ segments: 1, items: 8, defects: [] });
  });
});
