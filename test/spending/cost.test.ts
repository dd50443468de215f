import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../functions/config/user-config.ts";
import type { ModelRequest } from "../../functions/llm/model.ts";
import { capsFor } from "../../functions/spending/caps.ts";
import { believable, costOf, priceOf, tokensOf, usdOf, worstCase } from "../../functions/spending/cost.ts";
import { monthOf } from "../../functions/spending/reservation.ts";
import { spendingView } from "../../functions/spending/spending.ts";

describe("a cost", () => {
  it.each([
    [{ inputTokens: 1_000_000, outputTokens: 0 }, { inputUsd: 0.15, outputUsd: 0.6 }, 150_000],
    [{ inputTokens: 30, outputTokens: 0 }, { inputUsd: 0.1, outputUsd: 0.6 }, 3],
    [{ inputTokens: 1, outputTokens: 0 }, { inputUsd: 0.15, outputUsd: 0.6 }, 1],
    [{ inputTokens: 3, outputTokens: 7 }, { inputUsd: 2.5, outputUsd: 10 }, 78],
    [{ inputTokens: 2_000, outputTokens: 600 }, { inputUsd: 3, outputUsd: 15 }, 15_000],
    [{ inputTokens: 5_000, outputTokens: 5_000 }, { inputUsd: 0, outputUsd: 0 }, 0],
    [
      { inputTokens: 1_000_000_000, outputTokens: 1_000_000_000 },
      { inputUsd: 1000, outputUsd: 1000 },
      2_000_000_000_000,
    ],
  ])("of %o at %o is %i micro-dollars", (usage, price, micros) => {
    expect(costOf(usage, price).micros).toBe(micros);
  });

  it("is unknown without a price, and its tokens are not", () => {
    expect(costOf({ inputTokens: 3, outputTokens: 4 }, null)).toEqual({
      inputTokens: 3,
      outputTokens: 4,
      micros: null,
    });
  });

  it("is whole, never less than its parts make, and never above the worst case of fewer tokens", () => {
    const tokens = fc.integer({ min: 0, max: 10_000_000 });
    const dollars = fc.double({ min: 0, max: 1000, noNaN: true });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        tokens,
        dollars,
        dollars,
        (input, output, more, longer, inputUsd, outputUsd) => {
          const price = { inputUsd, outputUsd };
          const real = costOf({ inputTokens: input, outputTokens: output }, price).micros as number;
          const worst = costOf({ inputTokens: input + more, outputTokens: output + longer }, price).micros as number;
          const exact = input * inputUsd + output * outputUsd;
          expect(Number.isInteger(real)).toBe(true);
          expect(real).toBeGreaterThanOrEqual(exact * (1 - 1e-11));
          expect(real).toBeLessThanOrEqual(exact * (1 + 1e-11) + 1);
          expect(worst).toBeGreaterThanOrEqual(real);
        },
      ),
    );
  });
});

describe("the worst case of a call", () => {
  const request = (content: string): ModelRequest => ({
    system: "s",
    messages: [{ role: "user", content }],
    schema: { a: 1 },
  });

  it("takes every byte of every text for a token, and the whole limit of the answer", () => {
    const { inputTokens, outputTokens } = worstCase(request("审计🙂"), 4096, null);
    const frame = worstCase({ system: "", messages: [] }, 0, null).inputTokens;
    expect(inputTokens - frame).toBe(1 + 6 + 4 + '{"a":1}'.length);
    expect(frame).toBeGreaterThanOrEqual(700);
    expect(outputTokens).toBe(4096);
  });
});

describe("the usage that a provider tells", () => {
  it.each([
    [{ inputTokens: 0, outputTokens: 0 }, true],
    [{ inputTokens: 120_000, outputTokens: 8_000 }, true],
    [{ inputTokens: -1, outputTokens: 8 }, false],
    [{ inputTokens: 1.5, outputTokens: 8 }, false],
    [{ inputTokens: Number.NaN, outputTokens: 8 }, false],
    [{ inputTokens: 8, outputTokens: Number.POSITIVE_INFINITY }, false],
    [{ inputTokens: 8, outputTokens: 1e15 }, false],
    [{ inputTokens: "8" as never, outputTokens: 8 }, false],
  ])("%o is believed: %s", (usage, believed) => {
    expect(believable(usage)).toEqual(believed ? usage : null);
  });
});

describe("the price of a model", () => {
  const own = (llmInputPrice?: number, llmOutputPrice?: number) =>
    ({ llmConfig: { llmInputPrice, llmOutputPrice } }) as never;

  it("is that of the list, unless the user enters one or both of its parts", () => {
    const listed = priceOf({ provider: "openai", model: "gpt-4o-mini" }, null);
    expect(listed).toEqual({ inputUsd: 0.15, outputUsd: 0.6 });
    expect(priceOf({ provider: "openai", model: "gpt-4o-mini" }, own(0.1))).toEqual({ inputUsd: 0.1, outputUsd: 0.6 });
    expect(priceOf({ provider: "openai", model: "gpt-4o-mini" }, own(0, 0))).toEqual({ inputUsd: 0, outputUsd: 0 });
  });

  it("is unknown when only one part of it is known", () => {
    expect(priceOf({ provider: "openai_compatible", model: "mine" }, own(1))).toBeNull();
    expect(priceOf({ provider: "openai_compatible", model: "mine" }, own(1, 2))).toEqual({ inputUsd: 1, outputUsd: 2 });
    expect(priceOf({ provider: "openai_compatible", model: "mine" }, null)).toBeNull();
  });

  it("is nothing for models on one's own machine", () => {
    expect(priceOf({ provider: "ollama", model: "anything" }, null)).toEqual({ inputUsd: 0, outputUsd: 0 });
  });
});

describe("the caps of a call", () => {
  const config = (otherConfig: object) => ({ otherConfig: otherConfig as never });

  it("are those of the defaults where nobody says anything", () => {
    const { scanTokenCap } = defaultSettings.otherConfig;
    expect(capsFor(null, null, null)).toEqual({
      scan: { tokens: scanTokenCap, micros: null },
      project: { tokens: null, micros: null },
      month: { tokens: null, micros: null },
    });
  });

  it("come from settings, project and scan; 0 in the settings means no limit", () => {
    const settings = config({ scanTokenCap: 0, scanCostCap: 2.5, monthTokenCap: 1000, monthCostCap: 0.000001 });
    const project = { budgetTokens: 7, budgetUsd: null };
    expect(capsFor(settings, project, { budgetTokens: null, budgetUsd: null })).toEqual({
      scan: { tokens: null, micros: 2_500_000 },
      project: { tokens: 7, micros: null },
      month: { tokens: 1000, micros: 1 },
    });
  });

  it("of a scan are what it asks for, at most what the settings allow", () => {
    const settings = config({ scanTokenCap: 1000, scanCostCap: 0 });
    const scan = (budgetTokens: number | null, budgetUsd: number | null) =>
      capsFor(settings, null, { budgetTokens, budgetUsd }).scan;
    expect(scan(10, 1)).toEqual({ tokens: 10, micros: 1_000_000 });
    expect(scan(5000, null)).toEqual({ tokens: 1000, micros: null });
  });
});

describe("the month that pays", () => {
  it.each([
    ["2026-11-30T23:59:59.999Z", "2026-11"],
    ["2026-12-01T00:00:00.000Z", "2026-12"],
    ["2028-02-29T12:00:00.000Z", "2028-02"],
    ["2026-12-01T00:30:00.000+01:00", "2026-11"],
  ])("of %s is %s, in UTC", (at, month) => {
    expect(monthOf(new Date(at))).toBe(month);
  });
});

describe("a report", () => {
  const model = {
    provider: "openai",
    model: "a",
    calls: 2,
    inputTokens: 10,
    outputTokens: 5,
    micros: 7,
    unpricedCalls: 0,
    unmeteredCalls: 1,
  };

  it("adds its models up, and shows what is set aside beside them", () => {
    const unpriced = { ...model, model: "b", calls: 1, micros: 0, unpricedCalls: 1, unmeteredCalls: 0 };
    const view = spendingView({ committed: { committedTokens: 40, committedMicros: 9 }, models: [model, unpriced] });
    expect(view).toMatchObject({
      calls: 3,
      input_tokens: 20,
      output_tokens: 10,
      tokens: 30,
      cost_usd: usdOf(7),
      reserved_tokens: 10,
      reserved_usd: usdOf(2),
    });
    expect(view).toMatchObject({ unpriced_calls: 1, unmetered_calls: 1 });
    expect(view.models.map(({ cost_usd }) => cost_usd)).toEqual([usdOf(7), null]);
    expect(tokensOf(model)).toBe(15);
  });

  it("of nothing costs nothing", () => {
    expect(spendingView({ committed: { committedTokens: 0, committedMicros: 0 }, models: [] })).toMatchObject({
      calls: 0,
      cost_usd: 0,
      models: [],
    });
  });
});
