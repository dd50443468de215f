import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crc32c } from "../../functions/runs/crc32c.ts";
import { MemoryBudget } from "../../functions/runs/memory-budget.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { closeRun, ensureRun, findRun, listRunsOf } from "../../functions/runs/run-store.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { allItems, freshRun, heldClock, textOf } from "./runs.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const text = (value: string) => Buffer.from(value);

describe("a log of a run", () => {
  it("gives items their offsets in order and reads them back, empty ones too", async () => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a" });
    const answers = await Promise.all([
      log.append({ kind: "transition", payload: text("one"), producer: "p" }),
      log.append({ kind: "interaction", payload: text("") }),
      log.append({ kind: "transition", payload: text("three"), ack: "memory" }),
    ]);
    expect(answers).toEqual([
      { offset: 0, duplicate: false, durable: true },
      { offset: 1, duplicate: false, durable: true },
      { offset: 2, duplicate: false, durable: false },
    ]);
    await log.close();
    const items = await allItems(run.id);
    expect(items.map(({ offset, kind, payload, producer }) => [offset, kind, String(payload), producer])).toEqual([
      [0, "transition", "one", "p"],
      [1, "interaction", "", ""],
      [2, "transition", "three", ""],
    ]);
    expect(await findRun(run.id)).toMatchObject({
      head: 3,
      transitions: 2,
      transitionBytes: 8,
      interactions: 1,
      interactionBytes: 0,
    });
    expect(await verifyRun(run.id)).toMatchObject({ items: 3, defects: [] });
  });

  it("makes one segment of what arrives at once", async () => {
    const run = await freshRun();
    const segments: number[] = [];
    const log = await openRunLog(run.id, { ownerId: "a", onCommit: ({ items }) => segments.push(items) });
    await Promise.all(
      Array.from({ length: 500 }, (_, n) => log.append({ kind: "transition", payload: text(String(n)) })),
    );
    await log.close();
    expect(segments).toEqual([500]);
  });

  it("waits for whoever was answered last to come along, for a moment", async () => {
    const run = await freshRun();
    const segments: number[] = [];
    const clock = heldClock();
    const log = await openRunLog(run.id, {
      ...{ ownerId: "a", clock, limits: { lingerMs: 60_000 } },
      onCommit: ({ items }) => segments.push(items),
    });
    const append = () => log.append({ kind: "transition", payload: text("x") });
    const first = append();
    // By then it is on its way, alone.
    await new Promise((resolve) => setImmediate(resolve));
    const behind = [append(), append()];
    await first;
    await Promise.all([append(), ...behind]);
    expect(segments).toEqual([1, 3]);
    // Now two of the three do not come back.
    const alone = append();
    clock.pass();
    await alone;
    await append();
    expect(segments).toEqual([1, 3, 1, 1]);
    await log.close();
  });

  it("ends a segment at its limits: bytes, items, and what the index takes", async () => {
    const run = await freshRun();
    const reasons: [string, number][] = [];
    const log = await openRunLog(run.id, {
      ownerId: "a",
      limits: { segmentBytes: 20_000, segmentItems: 300, sealWhenIdle: false, lingerMs: 60_000 },
      onCommit: ({ reason, items }) => reasons.push([reason, items]),
    });
    const append = (payload: Buffer, key?: string) =>
      log.append({ kind: "transition", payload, idempotencyKey: key, ack: "memory" });
    for (let n = 0; n < 300; n++) await append(text("x"));
    await append(Buffer.alloc(19_000));
    await append(Buffer.alloc(50_000));
    for (let n = 0; n < 99; n++) await append(text("x"), `key-${n}`);
    await log.close();
    expect(reasons).toEqual([
      ["items", 300],
      ["bytes", 1],
      ["bytes", 1],
      ["index", 98],
      ["flush", 1],
    ]);
    expect(await verifyRun(run.id)).toMatchObject({ items: 401, defects: [] });
  });

  it("refuses a payload that is not what its checksum says, and stores nothing", async () => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a" });
    const payload = text("bytes");
    await expect(log.append({ kind: "transition", payload, crc32c: 1 })).rejects.toMatchObject({
      code: "checksum_mismatch",
    });
    expect(await log.append({ kind: "transition", payload, crc32c: crc32c(payload) })).toMatchObject({ offset: 0 });
    await log.close();
  });

  it.each([
    ["a producer with a blank", { producer: "a b" }],
    ["a number without a producer", { seq: 1 }],
    ["a negative number", { producer: "p", seq: -1 }],
    ["a key that is too long", { idempotencyKey: "k".repeat(201) }],
  ])("refuses %s", async (_, identity) => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a" });
    await expect(log.append({ kind: "transition", payload: text("x"), ...identity })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await log.close();
  });

  it("holds no more bytes than it may, and takes any item when it holds none", async () => {
    const run = await freshRun();
    const budget = new MemoryBudget(1000);
    const log = await openRunLog(run.id, { ownerId: "a", budget });
    const first = log.append({ kind: "transition", payload: Buffer.alloc(5000) });
    await expect(log.append({ kind: "transition", payload: text("x") })).rejects.toMatchObject({ code: "overloaded" });
    await first;
    expect(log.bytesHeld).toBe(0);
    expect(await log.append({ kind: "transition", payload: text("x") })).toMatchObject({ offset: 1 });
    await log.close();
  });

  it("takes nothing for a run that is closed, and says so to who waits", async () => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a" });
    await log.append({ kind: "transition", payload: text("x") });
    await closeRun(run.id, new Date());
    await expect(log.append({ kind: "transition", payload: text("y") })).rejects.toMatchObject({ code: "run_closed" });
    expect(log.isOver).toBe(true);
    await expect(openRunLog(run.id, { ownerId: "a" })).rejects.toMatchObject({ code: "run_closed" });
    expect((await allItems(run.id)).map(textOf)).toEqual(["x"]);
  });

  it("keeps an item of 20 MB and 10,000 small ones", async () => {
    const run = await freshRun();
    const log = await openRunLog(run.id, { ownerId: "a" });
    const large = Buffer.alloc(20 * 1024 * 1024, "large");
    await log.append({ kind: "transition", payload: large });
    const small = Array.from({ length: 10_000 }, (_, n) =>
      log.append({ kind: "interaction", payload: text(`item ${n}`), producer: "p", seq: n }),
    );
    const offsets = (await Promise.all(small)).map(({ offset }) => offset);
    expect(offsets).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1));
    await log.append({ kind: "transition", payload: large });
    await log.close();
    const items = await allItems(run.id);
    expect(items.length).toBe(10_002);
    expect(items[0]?.payload.equals(large) && items[10_001]?.payload.equals(large)).toBe(true);
    expect(items.slice(1, -1).every((item, n) => textOf(item) === `item ${n}`)).toBe(true);
  });
});

describe("a run", () => {
  it("is made once, whoever asks first", async () => {
    const at = new Date("2026-01-01T00:00:00Z");
    const made = await Promise.all([1, 2, 3].map(() => ensureRun("tenant", "twice", at)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0]).toMatchObject({ status: "open", head: 0 });
    await expect(ensureRun("tenant", "../up", at)).rejects.toThrow();
  });

  it("is in the list of its tenant, newest first, and in nobody else's", async () => {
    for (const [index, name] of ["first", "second"].entries())
      await ensureRun("lister", name, new Date(Date.UTC(2026, 0, 1 + index)));
    const { items, total } = await listRunsOf(["lister"], { skip: 0, limit: 1 });
    expect([items.map(({ name }) => name), total]).toEqual([["second"], 2]);
    expect(await listRunsOf(["list"], { skip: 0, limit: 10 })).toEqual({ items: [], total: 0 });
  });
});
