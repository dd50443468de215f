import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ModelUsage } from "../../functions/llm/model.ts";
import { environment } from "../../functions/platform/environment.ts";
import { isSluiceError } from "../../functions/platform/errors.ts";
import { table } from "../../functions/platform/table.ts";
import { changeTask } from "../../functions/scans/task-store.ts";
import type { Caps, Level } from "../../functions/spending/caps.ts";
import { costOf, tokensOf } from "../../functions/spending/cost.ts";
import { GroupCommit } from "../../functions/spending/group-commit.ts";
import type { Call, Reservation } from "../../functions/spending/reservation.ts";
import { spendingView } from "../../functions/spending/spending.ts";
import { reserve, settle } from "../../functions/spending/spending-store.ts";
import { monthSpending, scanSpending } from "../../functions/spending/spent.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aCall, at, noCaps, price, runningScan } from "./running-scan.ts";

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});

afterAll(() => data.stop());

afterEach(() => {
  data.gateway.planFault = () => undefined;
});

/** As many functions as a test wants to spread its calls over; each makes its own transactions. */
const functions = (count: number) => Array.from({ length: count }, () => new GroupCommit());

/** What became of each of many reserves: a reservation, or the code it was refused with. */
const outcomes = (calls: readonly Call[], through: readonly GroupCommit[]) =>
  Promise.all(
    calls.map((call, index) =>
      reserve(call, at, through[index % through.length]).catch((error) => {
        if (isSluiceError(error)) return error;
        throw error;
      }),
    ),
  );

const isReservation = (outcome: unknown): outcome is Reservation => !(outcome instanceof Error);

/** Everything in the partitions of one scan's levels, read apart from the store. */
async function itemsOf({ userId, scan }: Pick<Call, "userId" | "scan">): Promise<Record<string, unknown>[]> {
  const ids = [`U#${userId}`, ...(scan ? [`T#${scan.taskId}`, `P#${scan.projectId}`] : [])];
  const partitions = ids.map(async (id) => {
    const { Items = [] } = await table.send(
      new QueryCommand({
        TableName: environment().TABLE_NAME,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": `SPEND#${id}` },
      }),
    );
    return Items;
  });
  return (await Promise.all(partitions)).flat();
}

/** What is committed at a level, straight from its item. */
async function committed(of: Pick<Call, "userId" | "scan">, level: Level) {
  const prefix = { scan: "SPEND#T#", project: "SPEND#P#", month: "SPEND#U#" }[level];
  const item = (await itemsOf(of)).find(
    ({ pk, sk }) => `${pk}`.startsWith(prefix) && /^(TOTAL|\d{4}-\d\d)$/.test(`${sk}`),
  );
  return { tokens: (item?.committedTokens ?? 0) as number, micros: (item?.committedMicros ?? 0) as number };
}

const capped = (level: Level, cap: Partial<Caps[Level]>): Caps => ({
  ...noCaps,
  [level]: { ...noCaps[level], ...cap },
});

describe("a hundred calls at once", () => {
  it("get through exactly as many as the cap admits, at every level, in tokens and in money", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Level>("scan", "project", "month"),
        fc.constantFrom("tokens", "micros"),
        fc.integer({ min: 0, max: 110 }),
        fc.integer({ min: 0, max: 999 }),
        fc.constantFrom(1, 7, 100),
        async (level, unit, fitting, rest, spread) => {
          const scan = await runningScan();
          const call = aCall(scan);
          const one = unit === "tokens" ? tokensOf(call.worst) : (call.worst.micros as number);
          const caps = capped(level, { [unit]: fitting * one + rest });
          const results = await outcomes(
            Array.from({ length: 100 }, () => ({ ...call, caps })),
            functions(spread),
          );
          const through = results.filter(isReservation);
          expect(through).toHaveLength(Math.min(fitting, 100));
          for (const refused of results.filter((result) => !isReservation(result)))
            expect(refused).toMatchObject({ code: "budget_exhausted", fields: { level } });
          const each: Level[] = ["scan", "project", "month"];
          for (const booked of each)
            expect(await committed(scan, booked)).toEqual({
              tokens: through.length * 1000,
              micros: through.length * 6800,
            });
        },
      ),
      { numRuns: 8 },
    );
  });

  it("stay under all caps while others are settled, and what is left is never more than the smallest call", async () => {
    const size = fc.record({
      inputTokens: fc.integer({ min: 1, max: 900 }),
      outputTokens: fc.integer({ min: 1, max: 900 }),
    });
    const cap = fc.integer({ min: 1000, max: 60_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 100, maxLength: 100 }), cap, cap, cap, async (sizes, a, b, c) => {
        const scan = await runningScan();
        const caps: Caps = {
          scan: { tokens: a, micros: null },
          project: { tokens: b, micros: null },
          month: { tokens: c, micros: null },
        };
        const calls = sizes.map((usage) => aCall({ ...scan, caps, worst: costOf(usage, price) }));
        const spread = functions(10);
        const done = await Promise.all(
          calls.map(async (call, index) => {
            const [result] = await outcomes([call], [spread[index % 10] as GroupCommit]);
            if (!isReservation(result) || index % 2 === 0) return result;
            // Half of each is used.
            await settle(result, half(call.worst), spread[index % 10]);
            return result;
          }),
        );
        const spent = await scanSpending(scan.scan.taskId);
        const open = calls.filter((_, index) => isReservation(done[index]) && index % 2 === 0);
        const used = calls.filter((_, index) => isReservation(done[index]) && index % 2 === 1);
        const expected =
          sum(open.map(({ worst }) => tokensOf(worst))) + sum(used.map(({ worst }) => tokensOf(half(worst))));
        for (const level of ["scan", "project", "month"] as const)
          expect((await committed(scan, level)).tokens).toBe(expected);
        expect(expected).toBeLessThanOrEqual(Math.min(a, b, c));
        expect(sum(spent.models.map(tokensOf))).toBe(sum(used.map(({ worst }) => tokensOf(half(worst)))));
      }),
      { numRuns: 4 },
    );
  });

  it("all end well while seven in ten of their transactions lose against another one", async () => {
    const scan = await runningScan();
    let sent = 0;
    let lost = 0;
    data.gateway.planFault = ({ operation }) => {
      if (operation !== "TransactWriteItems") return undefined;
      sent += 1;
      // Knuth's multiplicative hash scatters what one after the other would be in step.
      if ((Math.imul(sent, 2_654_435_761) >>> 0) % 10 >= 7) return undefined;
      lost += 1;
      return { when: "before", error: conflict() };
    };
    const through = functions(10);
    const caps = capped("scan", { tokens: 100_000 });
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const reservation = await reserve(aCall({ ...scan, caps }), at, through[index % 10]);
        await settle(reservation, { inputTokens: 3, outputTokens: 4 }, through[index % 10]);
      }),
    );
    expect(lost).toBeGreaterThan(20);
    // Calls of one function go together: far fewer transactions than the 200 bookings.
    expect(sent - lost).toBeLessThanOrEqual(100);
    for (const level of ["scan", "project", "month"] as const) expect((await committed(scan, level)).tokens).toBe(700);
  });
});

describe("a reservation", () => {
  it("is refused, and nothing written, when the call alone is larger than the cap", async () => {
    const scan = await runningScan();
    const call = aCall({ ...scan, caps: capped("project", { tokens: 999 }) });
    await expect(reserve(call, at)).rejects.toMatchObject({ code: "budget_exhausted", fields: { level: "project" } });
    expect(await itemsOf(scan)).toEqual([]);
  });

  it("names the narrowest of several levels that are used up", async () => {
    const scan = await runningScan();
    const caps: Caps = {
      scan: { tokens: 1500, micros: null },
      project: { tokens: 1500, micros: null },
      month: { tokens: 1500, micros: null },
    };
    await reserve(aCall({ ...scan, caps }), at);
    await expect(reserve(aCall({ ...scan, caps }), at)).rejects.toMatchObject({ fields: { level: "scan" } });
  });

  it("goes by the caps of its moment: a raised one admits, a lowered one refuses", async () => {
    const scan = await runningScan();
    const under = (tokens: number) => reserve(aCall({ ...scan, caps: capped("project", { tokens }) }), at);
    await under(1000);
    await expect(under(1999)).rejects.toMatchObject({ code: "budget_exhausted" });
    await under(2000);
    await expect(under(1500)).rejects.toMatchObject({ code: "budget_exhausted" });
    await under(3000);
  });

  it("is refused once the task was cancelled, even with its budget at an end", async () => {
    const scan = await runningScan();
    const set = { status: "cancelled", completedAt: at.toISOString() } as const;
    const call = aCall({ ...scan, caps: capped("scan", { tokens: 1000 }) });
    await reserve(call, at);
    await changeTask(scan.scan.taskId, { from: ["running"], attempt: 1, set });
    await expect(reserve(call, at)).rejects.toMatchObject({ code: "task_superseded" });
    await expect(reserve({ ...call, caps: noCaps }, at)).rejects.toMatchObject({ code: "task_superseded" });
    expect(await committed(scan, "month")).toMatchObject({ tokens: 1000 });
  });

  it("is refused to an attempt that another one has replaced", async () => {
    const { userId, scan } = await runningScan();
    await expect(reserve(aCall({ userId, scan: { ...scan, attempt: 2 } }), at)).rejects.toMatchObject({
      code: "task_superseded",
    });
  });

  it("needs no task and no project for an instant analysis", async () => {
    const userId = uuid();
    const reservation = await reserve(aCall({ userId, scan: null, caps: capped("month", { tokens: 1000 }) }), at);
    await expect(
      reserve(aCall({ userId, scan: null, caps: capped("month", { tokens: 1000 }) }), at),
    ).rejects.toMatchObject({
      fields: { level: "month" },
    });
    await settle(reservation, { inputTokens: 10, outputTokens: 5 });
    expect(await committed({ userId, scan: null }, "month")).toEqual({ tokens: 15, micros: 70 });
  });

  it("of a model without a price is refused where only money is capped, and counted in tokens elsewhere", async () => {
    const scan = await runningScan();
    const unpriced = { ...scan, price: null, worst: costOf({ inputTokens: 400, outputTokens: 600 }, null) };
    await expect(reserve(aCall({ ...unpriced, caps: capped("month", { micros: 1 }) }), at)).rejects.toMatchObject({
      code: "budget_needs_token_cap",
      fields: { level: "month" },
    });
    const both = capped("month", { micros: 1, tokens: 1500 });
    await settle(await reserve(aCall({ ...unpriced, caps: both }), at), null);
    await expect(reserve(aCall({ ...unpriced, caps: both }), at)).rejects.toMatchObject({ code: "budget_exhausted" });
    const [model] = (await scanSpending(scan.scan.taskId)).models;
    expect(model).toMatchObject({ calls: 1, unpricedCalls: 1, micros: 0 });
    expect(spendingView(await scanSpending(scan.scan.taskId))).toMatchObject({ cost_usd: null, tokens: 1000 });
  });
});

describe("a settlement", () => {
  it("counts once, however often and from wherever it comes", async () => {
    const scan = await runningScan();
    const reservation = await reserve(aCall(scan), at);
    const usage = { inputTokens: 300, outputTokens: 100 };
    await Promise.all(Array.from({ length: 20 }, () => settle(reservation, usage)));
    await settle(JSON.parse(JSON.stringify(reservation)), { inputTokens: 1, outputTokens: 1 });
    await settle(reservation, null);
    for (const level of ["scan", "project", "month"] as const)
      expect(await committed(scan, level)).toEqual({ tokens: 400, micros: 1600 });
    expect(spendingView(await scanSpending(scan.scan.taskId))).toMatchObject({
      calls: 1,
      tokens: 400,
      cost_usd: 0.0016,
    });
  });

  it.each<[string, ModelUsage | null, { tokens: number; micros: number }, number]>([
    ["the real usage", { inputTokens: 400, outputTokens: 0 }, { tokens: 400, micros: 800 }, 0],
    ["the worst case when the provider tells none", null, { tokens: 1000, micros: 6800 }, 1],
    [
      "more than the worst case when the provider tells more",
      { inputTokens: 5000, outputTokens: 600 },
      { tokens: 5600, micros: 16_000 },
      0,
    ],
    ["nothing for a call that did no work", { inputTokens: 0, outputTokens: 0 }, { tokens: 0, micros: 0 }, 0],
    [
      "the worst case for usage that cannot be true",
      { inputTokens: -1e9, outputTokens: 0 },
      { tokens: 1000, micros: 6800 },
      1,
    ],
    [
      "the worst case for usage that is no number",
      { inputTokens: Number.NaN, outputTokens: 1 },
      { tokens: 1000, micros: 6800 },
      1,
    ],
  ])("books %s", async (_, usage, expected, unmetered) => {
    const scan = await runningScan();
    await settle(await reserve(aCall(scan), at), usage);
    for (const level of ["scan", "project", "month"] as const) expect(await committed(scan, level)).toEqual(expected);
    const spent = spendingView(await scanSpending(scan.scan.taskId));
    expect(spent).toMatchObject({
      calls: 1,
      tokens: expected.tokens,
      cost_usd: expected.micros / 1e6,
      reserved_tokens: 0,
    });
    expect(spent.unmetered_calls).toBe(unmetered);
  });

  it("above the worst case ends the scan's budget", async () => {
    const scan = await runningScan();
    const caps = capped("scan", { tokens: 3000 });
    await settle(await reserve(aCall({ ...scan, caps }), at), { inputTokens: 2500, outputTokens: 600 });
    await expect(reserve(aCall({ ...scan, caps }), at)).rejects.toMatchObject({ code: "budget_exhausted" });
  });

  it("gives back what was set aside too much, for the next call", async () => {
    const scan = await runningScan();
    const caps = capped("scan", { tokens: 1100 });
    const first = await reserve(aCall({ ...scan, caps }), at);
    await expect(reserve(aCall({ ...scan, caps }), at)).rejects.toMatchObject({ code: "budget_exhausted" });
    await settle(first, { inputTokens: 60, outputTokens: 40 });
    await reserve(aCall({ ...scan, caps }), at);
  });

  it("is booked in the month that reserved it, and the next month begins at nothing, in UTC", async () => {
    const scan = await runningScan();
    const caps = capped("month", { tokens: 1000 });
    const late = new Date("2026-11-30T23:59:59.999Z");
    const first = await reserve(aCall({ ...scan, caps }), late);
    const second = await reserve(aCall({ ...scan, caps }), new Date(late.getTime() + 1));
    await settle(first, { inputTokens: 1, outputTokens: 1 });
    expect(spendingView(await monthSpending(scan.userId, "2026-11"))).toMatchObject({ tokens: 2, reserved_tokens: 0 });
    expect(spendingView(await monthSpending(scan.userId, "2026-12"))).toMatchObject({
      tokens: 0,
      reserved_tokens: 1000,
    });
    await settle(second, null);
    expect(spendingView(await scanSpending(scan.scan.taskId))).toMatchObject({ calls: 2, tokens: 1002 });
  });

  it("is told apart by model, and nothing but open reservations stays beside the figures", async () => {
    const scan = await runningScan();
    for (const model of ["b", "a", "b"])
      await settle(await reserve(aCall({ ...scan, model }), at), { inputTokens: 1, outputTokens: 2 });
    await reserve(aCall({ ...scan, model: "c" }), at);
    const spent = spendingView(await scanSpending(scan.scan.taskId));
    expect(spent.models.map(({ model, calls, cost_usd }) => [model, calls, cost_usd])).toEqual([
      ["a", 1, 0.000022],
      ["b", 2, 0.000044],
    ]);
    expect(spent).toMatchObject({ calls: 3, reserved_tokens: 1000, reserved_usd: 0.0068 });
    const open = (await itemsOf(scan)).filter(({ sk }) => `${sk}`.startsWith("CALL#"));
    expect(open).toHaveLength(1);
    expect(open[0]).toMatchObject({ model: "c", expiresAt: at.getTime() / 1000 + 30 * 86_400 });
  });
});

describe("faults", () => {
  const faults = {
    "before it took effect": { when: "before", error: new AwsError("InternalServerError", "Try again.", 500) },
    "after it took effect": { when: "after", error: new AwsError("InternalServerError", "Try again.", 500) },
    "with the connection cut, before": { when: "before", error: "cut" },
    "with the connection cut, after": { when: "after", error: "cut" },
  } as const;
  /** The SDK tries three times. */
  const patience = { "once, so that the SDK mends it": 1, "on every try of the SDK": 3 };

  const cases = Object.keys(faults).flatMap((kind) => Object.keys(patience).map((times) => [kind, times] as const));

  it.each(cases)(
    "at every call of a scan, %s, %s: never over the cap, never under what was spent",
    async (kind, times) => {
      for (let broken = 1; broken <= 8; broken++) {
        const scan = await runningScan();
        const caps = capped("scan", { tokens: 2500 });
        let seen = 0;
        data.gateway.planFault = ({ operation }) => {
          if (operation !== "TransactWriteItems") return undefined;
          seen += 1;
          const first = broken;
          const last = broken + patience[times as keyof typeof patience] - 1;
          return seen >= first && seen <= last ? faults[kind as keyof typeof faults] : undefined;
        };
        let spent = 0;
        // Four calls one after the other, each of which uses 700 tokens if it is made at all.
        for (let call = 0; call < 4; call++) {
          const reservation = await reserve(aCall({ ...scan, caps }), at).catch(() => null);
          if (!reservation) continue;
          spent += 700;
          const usage = { inputTokens: 300, outputTokens: 400 };
          // Who settles tries again after an error, once.
          await settle(reservation, usage).catch(() => settle(reservation, usage));
        }
        data.gateway.planFault = () => undefined;
        for (const level of ["scan", "project", "month"] as const) {
          const { tokens } = await committed(scan, level);
          expect({ broken, level, tokens, enough: tokens >= spent, under: tokens <= 2500 }).toMatchObject({
            enough: true,
            under: true,
          });
        }
        const report = spendingView(await scanSpending(scan.scan.taskId));
        expect(report.tokens).toBe(spent);
        expect(report.tokens + report.reserved_tokens).toBe((await committed(scan, "scan")).tokens);
      }
    },
  );

  it.each(cases)(
    "at every transaction of calls that wait together, %s, %s: as one after the other",
    async (kind, times) => {
      for (let broken = 1; broken <= 4; broken++) {
        const scan = await runningScan();
        const caps = capped("scan", { tokens: 6500 });
        let seen = 0;
        data.gateway.planFault = ({ operation }) => {
          if (operation !== "TransactWriteItems") return undefined;
          seen += 1;
          const last = broken + patience[times as keyof typeof patience] - 1;
          return seen >= broken && seen <= last ? faults[kind as keyof typeof faults] : undefined;
        };
        const [commits] = functions(1);
        let spent = 0;
        // Ten workers, each with one call; six fit at a time.
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            const reservation = await reserve(aCall({ ...scan, caps }), at, commits).catch(() => null);
            if (!reservation) return;
            spent += 700;
            const usage = { inputTokens: 300, outputTokens: 400 };
            await settle(reservation, usage, commits).catch(() => settle(reservation, usage, commits));
          }),
        );
        data.gateway.planFault = () => undefined;
        for (const level of ["scan", "project", "month"] as const) {
          const { tokens } = await committed(scan, level);
          expect({ broken, level, enough: tokens >= spent, under: tokens <= 6500 }).toMatchObject({
            enough: true,
            under: true,
          });
        }
        const report = spendingView(await scanSpending(scan.scan.taskId));
        expect(report.tokens).toBe(spent);
        expect(report.tokens + report.reserved_tokens).toBe((await committed(scan, "scan")).tokens);
        expect(spent).toBeGreaterThanOrEqual(5 * 700);
      }
    },
  );

  it("leave the worst case of a call committed when its function dies before it settles", async () => {
    const scan = await runningScan();
    const caps = capped("scan", { tokens: 2500 });
    await reserve(aCall({ ...scan, caps }), at);
    await reserve(aCall({ ...scan, caps }), at);
    await expect(reserve(aCall({ ...scan, caps }), at)).rejects.toMatchObject({ code: "budget_exhausted" });
    expect(spendingView(await scanSpending(scan.scan.taskId))).toMatchObject({
      calls: 0,
      tokens: 0,
      reserved_tokens: 2000,
    });
  });
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const half = ({ inputTokens, outputTokens }: ModelUsage): ModelUsage => ({
  inputTokens: Math.floor(inputTokens / 2),
  outputTokens: Math.floor(outputTokens / 2),
});

const conflict = () =>
  new AwsError("TransactionCanceledException", "Transaction cancelled", 400, {
    CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
  });
