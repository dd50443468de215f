import { ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { s3 } from "../../functions/platform/object-store.ts";
import { latestParameters, pushParameters, readParameters } from "../../functions/runs/parameter-store.ts";
import { etagOf } from "../../functions/runs/parameters.ts";
import { readRun } from "../../functions/runs/read-run.ts";
import { applyRetention } from "../../functions/runs/retention.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { closeRun, findRun, setRetention } from "../../functions/runs/run-store.ts";
import { putSegment } from "../../functions/runs/segment-store.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { killPoints } from "../support/kill-points.ts";
import { allItems, freshRun } from "./runs.ts";

// The faults below are for our code to see, not for the SDK to hide.
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
const start = Date.parse("2026-01-01T00:00:00Z");

/** Segments of one item, one a minute. */
async function minutesOf(segments: number): Promise<string> {
  const { id } = await freshRun();
  let now = start;
  const clock = { now: () => now, after: () => () => {} };
  const log = await openRunLog(id, { ownerId: "a", clock });
  for (let n = 0; n < segments; n++, now += minute)
    await log.append({ kind: "transition", payload: Buffer.alloc(1000), producer: "p", seq: n });
  await log.close();
  return id;
}

const objectsOf = async (id: string, part = "segments") => {
  const list = new ListObjectVersionsCommand({ Bucket: "sluice-test-results", Prefix: `runs/${id}/${part}/` });
  const { Versions = [], DeleteMarkers = [] } = await s3.send(list);
  return Versions.length + DeleteMarkers.length;
};

describe("retention", () => {
  it("keeps everything unless told otherwise", async () => {
    const id = await minutesOf(10);
    expect(await applyRetention(id, new Date(start + 1e12))).toBe(0);
    expect((await allItems(id)).length).toBe(10);
  });

  it("takes what is too old", async () => {
    const id = await minutesOf(10);
    await setRetention(id, { ageSeconds: 300, bytes: null });
    expect(await applyRetention(id, new Date(start + 9 * minute))).toBe(4);
    expect((await allItems(id)).map(({ offset }) => offset)).toEqual([4, 5, 6, 7, 8, 9]);
    await expect(readRun(id, { offset: 3 })).rejects.toMatchObject({ code: "out_of_range", fields: { first: 4 } });
    expect(await objectsOf(id)).toBe(6);
    expect(await verifyRun(id)).toMatchObject({ first: 4, items: 6, defects: [] });
  });

  it("takes the oldest beyond a size", async () => {
    const id = await minutesOf(10);
    await setRetention(id, { ageSeconds: null, bytes: 3500 });
    expect(await applyRetention(id, new Date())).toBe(7);
    const run = await findRun(id);
    expect(run?.storedBytes).toBe((await verifyRun(id)).bytes);
  });

  it("takes what no index names too, and more of it than a listing holds", async () => {
    const id = await minutesOf(3);
    // Uploads of writers that were shut out.
    const strays = Array.from({ length: 1020 }, (_, n) => ({ first: n % 2, epoch: 10 + n, body: Buffer.from("late") }));
    for (let from = 0; from < strays.length; from += 60)
      await Promise.all(strays.slice(from, from + 60).map((stray) => putSegment(id, stray)));
    await setRetention(id, { ageSeconds: null, bytes: 1500 });
    expect(await applyRetention(id, new Date())).toBe(2);
    expect(await objectsOf(id)).toBe(1);
    expect(await verifyRun(id)).toMatchObject({ first: 2, items: 1, defects: [] });
  });

  it("tells a reader that it has overtaken", async () => {
    const id = await minutesOf(10);
    const { items } = await readRun(id, "earliest");
    await items.next();
    await setRetention(id, { ageSeconds: null, bytes: 1 });
    await applyRetention(id, new Date());
    await expect(Array.fromAsync(items)).rejects.toMatchObject({ code: "out_of_range", fields: { first: 10 } });
  });

  it("is finished by the next call when it dies, at whatever call of AWS", async () => {
    const error = new AwsError("InternalServerError", "Internal", 500);
    const dying = async (dieAt: number) => {
      const id = await minutesOf(3);
      await setRetention(id, { ageSeconds: null, bytes: 1500 });
      let calls = 0;
      data.gateway.planFault = () => (++calls >= dieAt ? { when: "before", error } : undefined);
      const died = await applyRetention(id, new Date()).then(
        () => false,
        () => true,
      );
      data.gateway.planFault = () => undefined;
      expect(await applyRetention(id, new Date())).toBe(2);
      expect(await objectsOf(id)).toBe(1);
      expect(await verifyRun(id)).toMatchObject({ first: 2, items: 1, defects: [] });
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

describe("parameters", () => {
  it("are the newest ones, with a version that counts up", async () => {
    const { id } = await freshRun();
    expect(await latestParameters(id)).toBeNull();
    const payload = Buffer.alloc(100_000, "weights");
    await pushParameters(id, Buffer.from("old"), new Date());
    await pushParameters(id, payload, new Date());
    const latest = (await latestParameters(id))!;
    expect([latest.version, etagOf(latest), latest.bytes]).toEqual([2, '"2"', payload.length]);
    expect((await readParameters(latest))?.equals(payload)).toBe(true);
    expect(await findRun(id)).toMatchObject({ parameterVersion: 2 });
  });

  it("of many pushes at once each become a version", async () => {
    const { id } = await freshRun();
    const pushes = Array.from({ length: 20 }, (_, n) => pushParameters(id, Buffer.from([n]), new Date()));
    const versions = (await Promise.all(pushes)).map(({ version }) => version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    const newest = versions.indexOf(20);
    expect(await readParameters((await latestParameters(id))!)).toEqual(Buffer.from([newest]));
  });

  it("stay for an hour after the next came", async () => {
    const { id } = await freshRun();
    for (const minutes of [0, 10, 69, 71, 72]) {
      await pushParameters(id, Buffer.from("x"), new Date(start + minutes * minute));
      expect(await objectsOf(id, "parameters")).toBe({ 0: 1, 10: 2, 69: 3, 71: 3, 72: 4 }[minutes]);
    }
  });

  it("are refused for a run that is closed, and leave nothing", async () => {
    const { id } = await freshRun();
    await closeRun(id, new Date());
    await expect(pushParameters(id, Buffer.from("x"), new Date())).rejects.toMatchObject({ code: "run_closed" });
    expect(await objectsOf(id, "parameters")).toBe(0);
  });
});
