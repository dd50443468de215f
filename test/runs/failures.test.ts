import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { crc32c } from "../../functions/runs/crc32c.ts";
import { isRunError } from "../../functions/runs/run-error.ts";
import { type Appended, type NewItem, openRunLog, type RunLog } from "../../functions/runs/run-log.ts";
import { findRun } from "../../functions/runs/run-store.ts";
import { SegmentEncoder } from "../../functions/runs/segment.ts";
import { pipelineLimits } from "../../functions/runs/segment-pipeline.ts";
import { putSegment } from "../../functions/runs/segment-store.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import type { Fault, RecordedCall } from "../../lib/local/gateway.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { killPoints } from "../support/kill-points.ts";
import { allItems, freshRun, hurryingClock, textOf } from "./runs.ts";

// Faults are for our code to see, not for the SDK to hide.
process.env.AWS_MAX_ATTEMPTS = "1";

/** Faults hit some of the calls that a program makes; SLUICE_KILL_POINTS=all lets them hit each. */
const fewPoints = 5;

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(heal);

function heal(): void {
  data.gateway.planFault = () => undefined;
}
function breakWhere(matches: (call: RecordedCall) => Fault | boolean): void {
  data.gateway.planFault = (call) => {
    const fault = matches(call);
    return fault === true ? { when: "before", error } : fault || undefined;
  };
}
const error = new AwsError("InternalServerError", "We encountered an internal error. Please try again.", 500);

const numbered = (seq: number): NewItem & { payload: Buffer } => ({
  kind: "transition",
  payload: Buffer.from(`v${seq}`),
  producer: "robot",
  seq,
});
const plain = (value: string, ack?: "memory"): NewItem => ({ kind: "interaction", payload: Buffer.from(value), ack });

/** A program that does not give up: opens the log, sends three items one after the other, closes. */
async function golden(runId: string, triesMax: number): Promise<Appended[]> {
  const options = { ownerId: "a", limits: { triesMax }, clock: hurryingClock() };
  const log = await insisting(() => openRunLog(runId, options));
  const answers: Appended[] = [];
  for (const seq of [1, 2, 3]) answers.push(await insisting(() => log.append(numbered(seq)), log));
  await log.close();
  return answers;
}

/** Tries until it works; what must not be tried again ends it. */
async function insisting<T>(call: () => Promise<T>, log?: RunLog): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (failure) {
      if (isRunError(failure) && failure.code !== "unavailable") throw failure;
      await log?.whenOpen();
    }
  }
}

const faults: Record<string, Fault> = {
  "answered with an error": { when: "before", error },
  "cut off before anything happened": { when: "before", error: "cut" },
  "done, and answered with an error": { when: "after", error },
  "done, and cut off": { when: "after", error: "cut" },
};

describe.each(Object.entries(faults))("when a call is %s", (_, fault) => {
  it.each([
    ["the log tries again", pipelineLimits.triesMax, 1],
    ["the log gives up and recovers", 1, 1],
    ["and so are the two after it, the log gives up and recovers", 1, 3],
  ])("%s", async (__, triesMax, calls) => {
    const brokenAt = async (at: number) => {
      const run = await freshRun();
      let number = 0;
      breakWhere(() => (++number >= at && number < at + calls ? fault : false));
      const answers = await golden(run.id, triesMax);
      heal();
      const items = await allItems(run.id);
      expect(items.map(textOf), `fault at call ${at}`).toEqual(["v1", "v2", "v3"]);
      expect(answers.map(({ offset }) => offset)).toEqual([0, 1, 2]);
      expect(await verifyRun(run.id)).toMatchObject({ items: 3, defects: [] });
      return number;
    };
    const unbroken = await brokenAt(Number.POSITIVE_INFINITY);
    const hits = [];
    for (const at of killPoints(unbroken, fewPoints)) hits.push((await brokenAt(at)) >= at);
    expect(hits).toContain(true);
  });
});

describe("an outage", () => {
  it("acknowledges nothing, is known as such after ten seconds, and ends", async () => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a", clock: hurryingClock() });
    await log.append(plain("before"));
    breakWhere(({ service }) => service === "s3");
    await expect(log.append(plain("refused"))).rejects.toMatchObject({ code: "unavailable" });
    expect(log.isHealthy).toBe(true);
    await expect(log.append(plain("at once"))).rejects.toMatchObject({ code: "unavailable" });
    while (log.isHealthy) await setImmediate();
    heal();
    await log.whenOpen();
    expect(log.isHealthy).toBe(true);
    expect(await log.append(plain("after"))).toMatchObject({ offset: 1 });
    expect((await allItems(run.id)).map(textOf)).toEqual(["before", "after"]);
    await log.close();
    expect(log.bytesHeld).toBe(0);
  });

  it("counts what it takes of what was acknowledged from memory, and close says so", async () => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a", limits: { triesMax: 1, lingerMs: 60_000 } });
    await log.append(plain("one", "memory"));
    await log.append(plain("two", "memory"));
    breakWhere(() => true);
    await expect(log.close()).rejects.toMatchObject({ code: "unavailable", fields: { lost: 2 } });
    expect(log.counters.lost).toBe(2);
  });
});

describe("two writers of a run", () => {
  it("are kept apart by the lease until it runs out", async () => {
    const run = await freshRun();
    let now = Date.now();
    const clock = { now: () => now, after: () => () => {} };
    const first = await openRunLog(run.id, { ownerId: "a", clock });
    const until = now + 15_000;
    await expect(openRunLog(run.id, { ownerId: "b", clock })).rejects.toMatchObject({
      code: "lease_held",
      fields: { until },
    });
    now = until;
    const second = await openRunLog(run.id, { ownerId: "b", clock });
    expect([first.epoch, second.epoch]).toEqual([1, 2]);
  });

  it("never both write: the newer one shuts the other out, and nothing acknowledged is lost", async () => {
    const run = await freshRun();
    // On a busy machine the second one may take longer to open than items wait for company.
    const first = await openRunLog(run.id, { ownerId: "same", limits: { lingerMs: 60_000 } });
    await first.append(numbered(1));
    await first.append(plain("from memory", "memory"));
    const second = await openRunLog(run.id, { ownerId: "same" });
    await expect(first.append(numbered(2))).rejects.toMatchObject({ code: "fenced" });
    expect(first.isOver).toBe(true);
    expect(await second.append(numbered(1))).toMatchObject({ offset: 0, duplicate: true });
    expect(await second.append(numbered(2))).toMatchObject({ offset: 1, duplicate: false });
    await first.close();
    await second.append(numbered(3));
    await second.close();
    expect((await allItems(run.id)).map(textOf)).toEqual(["v1", "v2", "v3"]);
  });

  it("leave it to the newer one, even when the older one recovers from a failure under the same name", async () => {
    const run = await freshRun();
    const options = { ownerId: "same", limits: { triesMax: 1, lingerMs: 60_000 }, clock: hurryingClock() };
    const first = await openRunLog(run.id, options);
    await first.append(plain("from memory", "memory"));
    const second = await openRunLog(run.id, options);
    breakWhere(() => true);
    await expect(first.flush()).rejects.toMatchObject({ code: "unavailable" });
    heal();
    await first.whenOpen();
    expect(first.isOver).toBe(true);
    expect(await second.append(plain("x"))).toMatchObject({ offset: 0, durable: true });
    await Promise.all([first.close(), second.close()]);
  });

  it("hand over at once when the first one closes", async () => {
    const run = await freshRun();
    const first = await openRunLog(run.id, { ownerId: "a" });
    await first.append(plain("x", "memory"));
    await first.close();
    const second = await openRunLog(run.id, { ownerId: "b" });
    expect(second.epoch).toBe(2);
    expect((await allItems(run.id)).map(textOf)).toEqual(["x"]);
    await second.close();
  });

  it("of many that open at once leave one that writes", async () => {
    const run = await freshRun();
    const opened = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => openRunLog(run.id, { ownerId: `owner ${n}` })),
    );
    const logs = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(logs.length).toBe(1);
    await logs[0]?.append(plain("x"));
    await logs[0]?.close();
  });
});

describe("who takes a run over", () => {
  /** Uploads what a writer would, without the commit. */
  async function upload(
    runId: string,
    at: { first: number; epoch: number },
    values: readonly number[],
    damage = false,
  ) {
    const encoder = new SegmentEncoder({ runId, first: at.first });
    for (const value of values) {
      const { payload } = numbered(value);
      encoder.add({
        kind: "transition",
        payload,
        crc: crc32c(payload),
        time: 1,
        producer: "robot",
        seq: value,
        key: "",
      });
    }
    const body = encoder.encode();
    if (damage) body[60] = body[60]! ^ 1;
    await putSegment(runId, { ...at, body });
  }

  async function writerOf(runId: string): Promise<RunLog> {
    const log = await openRunLog(runId, { ownerId: "a" });
    await log.append(numbered(1));
    return log;
  }

  it("takes up whole objects that begin at the head, and the numbers in them", async () => {
    const run = await freshRun();
    await writerOf(run.id);
    await upload(run.id, { first: 1, epoch: 1 }, [2, 3]);
    await upload(run.id, { first: 3, epoch: 1 }, [4]);
    const next = await openRunLog(run.id, { ownerId: "a" });
    expect(await next.append(numbered(3))).toMatchObject({ offset: 2, duplicate: true });
    expect(await next.append(numbered(5))).toMatchObject({ offset: 4, duplicate: false });
    await next.close();
    expect((await allItems(run.id)).map(textOf)).toEqual(["v1", "v2", "v3", "v4", "v5"]);
    expect(await findRun(run.id)).toMatchObject({ transitions: 5, head: 5 });
  });

  it("leaves out what is damaged, and what lies behind it", async () => {
    const run = await freshRun();
    await writerOf(run.id);
    await upload(run.id, { first: 1, epoch: 1 }, [2, 3], true);
    await upload(run.id, { first: 3, epoch: 1 }, [4]);
    const next = await openRunLog(run.id, { ownerId: "a" });
    for (const [index, seq] of [2, 3, 4].entries())
      expect(await next.append(numbered(seq))).toMatchObject({ offset: index + 1, duplicate: false });
    await next.close();
    expect((await allItems(run.id)).map(textOf)).toEqual(["v1", "v2", "v3", "v4"]);
  });

  it("leaves out late uploads of a writer that was shut out before the newest segment", async () => {
    const run = await freshRun();
    await writerOf(run.id);
    const second = await openRunLog(run.id, { ownerId: "a" });
    await second.append(numbered(2));
    // The first writer's upload of its own item 2 was slow, and lands where the head is by now, and where it was before.
    await upload(run.id, { first: 1, epoch: 1 }, [2]);
    await upload(run.id, { first: 2, epoch: 1 }, [2]);
    const third = await openRunLog(run.id, { ownerId: "a" });
    await third.append(numbered(3));
    await third.close();
    expect((await allItems(run.id)).map(textOf)).toEqual(["v1", "v2", "v3"]);
    expect(await verifyRun(run.id)).toMatchObject({ items: 3, defects: [] });
  });
});
