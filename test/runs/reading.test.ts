import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { s3 } from "../../functions/platform/object-store.ts";
import { type RunItem, readRun } from "../../functions/runs/read-run.ts";
import { readerLag } from "../../functions/runs/reader-lag.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { closeRun, requireRun } from "../../functions/runs/run-store.ts";
import { segmentsFrom } from "../../functions/runs/segment-store.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { allItems, freshRun, textOf } from "./runs.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const Bucket = "sluice-test-results";
const append = (log: Awaited<ReturnType<typeof openRunLog>>, value: string) =>
  log.append({ kind: "transition", payload: Buffer.from(value) });

/** A run of `segments` segments with ten items each. */
async function filledRun(segments: number): Promise<string> {
  const { id } = await freshRun();
  const log = await openRunLog(id, { ownerId: "a" });
  for (let segment = 0; segment < segments; segment++)
    await Promise.all(Array.from({ length: 10 }, (_, n) => append(log, `item ${10 * segment + n}`)));
  await log.close();
  return id;
}

describe("reading a run", () => {
  it("begins at any offset that is kept, within a segment too", async () => {
    const id = await filledRun(3);
    for (const offset of [0, 1, 9, 10, 15, 29, 30]) {
      const texts = (await allItems(id, { offset })).map(textOf);
      expect(texts).toEqual(Array.from({ length: 30 - offset }, (_, n) => `item ${offset + n}`));
    }
  });

  it("refuses offsets that are not there yet, and a run that is not", async () => {
    const id = await filledRun(1);
    for (const offset of [11, -1, 0.5, Number.NaN])
      await expect(readRun(id, { offset })).rejects.toMatchObject({
        code: "out_of_range",
        fields: { first: 0, next: 10 },
      });
    await expect(readRun("018f3a52-7d2c-7cc2-9c3c-1f0f2b3f4a5b", "now")).rejects.toMatchObject({
      code: "run_not_found",
    });
  });

  it("goes on with what comes, for each of several readers, and ends when the run is closed", async () => {
    const { id } = await freshRun();
    const log = await openRunLog(id, { ownerId: "a" });
    await append(log, "before");
    const fromNow = await readRun(id, "now");
    expect(fromNow.first).toBe(1);
    const readers = [fromNow, ...(await Promise.all(Array.from({ length: 15 }, () => readRun(id, "earliest"))))];
    const received = readers.map(({ items }) => Array.fromAsync(items));
    for (let n = 0; n < 20; n++) await append(log, `item ${n}`);
    await closeRun(id, new Date());
    const written = Array.from({ length: 20 }, (_, n) => `item ${n}`);
    const [now, ...all] = (await Promise.all(received)).map((items) => items.map(textOf));
    expect(now).toEqual(written);
    for (const texts of all) expect(texts).toEqual(["before", ...written]);
    await log.close();
  });

  it("knows how far behind it is, in items and bytes", async () => {
    const { id } = await freshRun();
    expect(await readerLag(id, 0)).toEqual({ items: 0, bytes: 0 });
    const log = await openRunLog(id, { ownerId: "a" });
    // Segments of one item and its head and tail, the last of three items.
    for (let n = 0; n < 205; n++) await append(log, "x".repeat(n % 2 ? 100 : 300));
    const together = ["a", "b", "c"].map((text) =>
      log.append({ kind: "transition", payload: Buffer.from(text), ack: "memory" }),
    );
    await Promise.all(together);
    await log.flush();
    await log.close();
    const { storedBytes } = await requireRun(id);
    const entries = await segmentsFrom(id, 0, 1000);
    const exact = (next: number) => entries.reduce((sum, { first, bytes }) => sum + (first < next ? 0 : bytes), 0);
    for (const next of [20, 21, 204, 205])
      expect(await readerLag(id, next)).toEqual({ items: 208 - next, bytes: exact(next) });
    expect(await readerLag(id, 207)).toEqual({ items: 1, bytes: Math.round(exact(205) / 3) });
    // The first 201 segments are added up, the rest has the average of all.
    const far = await readerLag(id, 0);
    expect(far.items).toBe(208);
    expect(Math.abs(far.bytes - storedBytes) / storedBytes).toBeLessThan(0.02);
    expect(await readerLag(id, 208)).toEqual({ items: 0, bytes: 0 });
  });

  it("ends quietly when nobody wants it any more", async () => {
    const id = await filledRun(1);
    const stop = new AbortController();
    const { items } = await readRun(id, "earliest", { signal: stop.signal });
    const received: RunItem[] = [];
    for await (const item of items) if (received.push(item) === 10) stop.abort();
    expect(received.length).toBe(10);
  });

  it.each([
    ["404", new AwsError("NoSuchKey", "The specified key does not exist.", 404)],
    ["403, as to those who may not list", new AwsError("AccessDenied", "Access Denied", 403)],
  ])("calls an object lost that S3 does not have and says %s", async (_, error) => {
    const id = await filledRun(2);
    const second = (await segmentsFrom(id, 1, 1))[0]?.first as number;
    data.gateway.planFault = ({ permissions: [permission] }) =>
      permission?.action === "s3:GetObject" && permission.resource.includes(String(second).padStart(20, "0"))
        ? { when: "before", error }
        : undefined;
    onTestFinished(() => {
      data.gateway.planFault = () => undefined;
    });
    for (const offset of [0, second + 1])
      await expect(allItems(id, { offset })).rejects.toMatchObject({
        code: "data_loss",
        fields: { next: expect.any(Number) },
      });
    expect((await verifyRun(id)).defects).toEqual([{ offset: second, problem: "the object is missing" }]);
  });

  it("goes on behind an item that is damaged, after saying so", async () => {
    const id = await filledRun(2);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `runs/${id}/segments/` }));
    const Key = Contents[0]?.Key as string;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) as Uint8Array);
    bytes[bytes.indexOf("item 4")] = 0;
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes }));
    const received: string[] = [];
    const reading = async (offset: number) => {
      const { items } = await readRun(id, { offset }, { isLive: false });
      for await (const item of items) received.push(textOf(item));
    };
    await expect(reading(0)).rejects.toMatchObject({ code: "data_loss", fields: { offset: 4, next: 5 } });
    await reading(5);
    expect(received).toEqual(Array.from({ length: 20 }, (_, n) => `item ${n}`).filter((_, n) => n !== 4));
    expect((await verifyRun(id)).defects).toEqual([{ offset: 0, problem: expect.stringContaining("record 4") }]);
  });

  it("says how much is lost with an object that is cut short or gone", async () => {
    const id = await filledRun(3);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `runs/${id}/segments/` }));
    await s3.send(new PutObjectCommand({ Bucket, Key: Contents[1]?.Key, Body: "short" }));
    await expect(allItems(id)).rejects.toMatchObject({ code: "data_loss", fields: { offset: 10, next: 20 } });
    await expect(allItems(id, { offset: 13 })).rejects.toMatchObject({ code: "data_loss", fields: { next: 20 } });
    expect((await allItems(id, { offset: 20 })).length).toBe(10);
  });
});
