import { describe, expect, it } from "vitest";
import { SluiceError } from "../../functions/platform/errors.ts";
import { untilAvailable } from "../../functions/scans/until-available.ts";

const unavailable = (status: number) => new SluiceError("repository_unavailable", { host: "h", status });
const timeout = new SluiceError("outbound_timeout", { host: "h", seconds: 10 });

/** Runs a piece of work that fails with these, one after the other, each after `tryMs`, on a clock of its own. */
async function attempt(failures: readonly Error[], tryMs = 0, budgetMs = 400_000) {
  let at = 0;
  const pauses: number[] = [];
  const budgets: number[] = [];
  const work = async (leftMs: number) => {
    const failure = failures[budgets.push(leftMs) - 1];
    at += tryMs;
    if (failure) throw failure;
    return "done";
  };
  const pause = async (ms: number) => {
    pauses.push(ms);
    at += ms;
  };
  const outcome = await untilAvailable(work, budgetMs, { now: () => at, pause }).catch((error) => error);
  return { outcome, pauses, budgets };
}

describe("work that a host must answer for", () => {
  it.each([
    ["a proxy's 502", unavailable(502)],
    ["a 503", unavailable(503)],
    ["a proxy's 504", unavailable(504)],
    ["a time-out", timeout],
    ["a silence", new SluiceError("outbound_silent", { host: "h", seconds: 60 })],
  ])("is tried again after %s, after longer and longer pauses", async (_, error) => {
    expect(await attempt([error, error, error])).toMatchObject({ outcome: "done", pauses: [1000, 4000, 8000] });
  });

  it("fails with the last reason when nothing helps", async () => {
    const { outcome, budgets } = await attempt([timeout, timeout, timeout, unavailable(503), timeout]);
    expect(outcome).toMatchObject({ code: "repository_unavailable" });
    expect(budgets).toHaveLength(4);
  });

  it.each([
    ["the host's own failure", unavailable(500)],
    ["a refusal", new SluiceError("repository_unauthorised", { host: "h" })],
    ["a mistake of ours", new TypeError("x")],
  ])("is not tried again after %s", async (_, error) => {
    expect(await attempt([error])).toMatchObject({ outcome: error, pauses: [] });
  });

  it("shares one budget over all tries and gives up when too little is left", async () => {
    const { budgets, outcome } = await attempt([timeout, timeout, timeout], 150_000);
    expect(budgets).toEqual([400_000, 249_000, 95_000]);
    expect(outcome).toBe(timeout);
  });
});
