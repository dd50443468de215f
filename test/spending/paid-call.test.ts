import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type ModelAnswer,
  ModelFailure,
  type ModelRequest,
  type ModelSettings,
  type ModelUsage,
} from "../../functions/llm/model.ts";
import { changeTask } from "../../functions/scans/task-store.ts";
import { worstCase } from "../../functions/spending/cost.ts";
import { type Budget, paidCall } from "../../functions/spending/paid-call.ts";
import { readMySpending } from "../../functions/spending/read-my-spending.ts";
import { type SpendingView, spendingView } from "../../functions/spending/spending.ts";
import { scanSpending } from "../../functions/spending/spent.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { at, noCaps, price, runningScan } from "./running-scan.ts";

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});

afterAll(() => data.stop());

afterEach(() => {
  data.gateway.planFault = () => undefined;
});

const settings: ModelSettings = {
  provider: "openai",
  model: "gpt-5",
  baseUrl: "https://api.openai.com/v1",
  apiKey: "sk-CANARY-0123456789",
  timeoutMs: 1000,
  temperature: 0,
  maxTokens: 500,
  headers: {},
};
const request: ModelRequest = { system: "s", messages: [{ role: "user", content: "code" }] };
const worst = worstCase(request, settings.maxTokens, price);
const worstTokens = worst.inputTokens + worst.outputTokens;

const answered = (usage: ModelUsage | null): ModelAnswer => ({ text: "ok", usage, finish: "stop", model: "gpt-5" });

/** One call for a scan of its own, by a model that does what the test says. */
async function call(ask: () => Promise<ModelAnswer>, caps = noCaps) {
  const scan = await runningScan();
  const budget: Budget = { ...scan, price, caps };
  const answer = paidCall(budget, settings, request, ask, () => at);
  const spent = async (): Promise<SpendingView> => spendingView(await scanSpending(scan.scan.taskId));
  return { scan, answer, spent };
}

describe("a call that is paid for", () => {
  it("answers as the model does and books what the provider counts", async () => {
    const { answer, spent } = await call(async () => answered({ inputTokens: 20, outputTokens: 30 }));
    expect(await answer).toMatchObject({ text: "ok" });
    expect(await spent()).toMatchObject({
      calls: 1,
      input_tokens: 20,
      output_tokens: 30,
      cost_usd: 0.00034,
      reserved_tokens: 0,
    });
  });

  it("has its worst case set aside while the model is asked", async () => {
    const scan = await runningScan();
    let seen: SpendingView | undefined;
    const ask = async () => {
      seen = spendingView(await scanSpending(scan.scan.taskId));
      return answered(null);
    };
    await paidCall({ ...scan, price, caps: noCaps }, settings, request, ask, () => at);
    expect(seen).toMatchObject({ calls: 0, reserved_tokens: worstTokens });
  });

  it.each([
    ["nothing for a refused key", new ModelFailure("auth_invalid_key", { status: 401 }), 0],
    ["nothing for a rate limit", new ModelFailure("rate_limit", { status: 429 }), 0],
    ["the worst case when time ran out", new ModelFailure("timeout", { maybeCharged: true }), worstTokens],
    ["the worst case for an error that nobody foresaw", new TypeError("?"), worstTokens],
  ])("books %s, and passes the failure on", async (_, failure, tokens) => {
    const { answer, spent } = await call(() => Promise.reject(failure));
    await expect(answer).rejects.toBe(failure);
    expect(await spent()).toMatchObject({ calls: 1, tokens, reserved_tokens: 0 });
  });

  it("is not made when it does not fit, or when its scan has ended", async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return answered(null);
    };
    const full = await call(ask, { ...noCaps, scan: { tokens: worstTokens - 1, micros: null } });
    await expect(full.answer).rejects.toMatchObject({ code: "budget_exhausted" });
    const scan = await runningScan();
    const set = { status: "cancelled", completedAt: at.toISOString() } as const;
    await changeTask(scan.scan.taskId, { from: ["running"], attempt: 1, set });
    const cancelled = paidCall({ ...scan, price, caps: noCaps }, settings, request, ask, () => at);
    await expect(cancelled).rejects.toMatchObject({ code: "task_superseded" });
    expect(asked).toBe(0);
  });

  it("keeps its answer when booking fails, and the worst case stays set aside", async () => {
    const { answer, spent } = await call(async () => {
      const error = new AwsError("InternalServerError", "Try again.", 500);
      data.gateway.planFault = () => ({ when: "before", error });
      return answered({ inputTokens: 1, outputTokens: 1 });
    });
    expect(await answer).toMatchObject({ text: "ok" });
    data.gateway.planFault = () => undefined;
    expect(await spent()).toMatchObject({ calls: 0, reserved_tokens: worstTokens });
  });
});

describe("GET /config/spending", () => {
  const ask = async (userId: string, month?: string) => {
    const { contract, handle } = readMySpending;
    const query = contract.query?.parse({ month });
    const answer = await handle({ query, caller: { id: userId }, now: () => at } as never);
    return (contract.success as unknown as { parse(value: unknown): unknown }).parse(answer);
  };

  it("shows a user's own month per model beside the caps, and nobody else's", async () => {
    const userId = uuid();
    const budget: Budget = { userId, scan: null, price, caps: noCaps };
    await paidCall(
      budget,
      settings,
      request,
      async () => answered({ inputTokens: 5, outputTokens: 1 }),
      () => at,
    );
    expect(await ask(userId)).toMatchObject({
      month: "2026-11",
      tokens: 6,
      cost_usd: 0.00002,
      models: [{ provider: "openai", model: "gpt-5", calls: 1 }],
      caps: { scan: { tokens: 20_000_000, usd: null }, month: { tokens: null, usd: null } },
    });
    expect(await ask(userId, "2026-10")).toMatchObject({ month: "2026-10", calls: 0, tokens: 0, models: [] });
    expect(await ask(uuid())).toMatchObject({ calls: 0, tokens: 0, reserved_tokens: 0 });
  });
});
