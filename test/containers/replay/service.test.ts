import { randomUUID } from "node:crypto";
import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ByteBudget } from "../../../containers/grpc/byte-budget.ts";
import { Metrics } from "../../../containers/grpc/metrics.ts";
import { StoredRuns } from "../../../containers/grpc/stored-runs.ts";
import type { TokenScope } from "../../../functions/platform/contract.ts";
import { newApiToken, newSecret } from "../../../functions/tokens/api-token.ts";
import { createApiToken } from "../../../functions/tokens/api-token-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../../support/embedded-data.ts";
import { storedUser } from "../../support/stored-user.ts";
import { ask, type Message, open } from "../extension-client.ts";
import type { PlainClient } from "../plain-client.ts";
import { serve } from "../served.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

async function started(environment: Record<string, string> = {}) {
  const runs = new StoredRuns({ ownerId: randomUUID(), bytesMax: 1e8, metrics: new Metrics(new ByteBudget(1)) });
  const served = await serve(environment, runs);
  onTestFinished(() => runs.close());
  return served;
}

async function send(client: PlainClient, run: string, payloads: readonly (string | Buffer)[]): Promise<void> {
  for (const payload of payloads)
    await client.send("SendTransition", { transition_bytes: Buffer.from(payload) }, { "x-hil-run": run });
}

const samplesOf = (batches: readonly Message[]): Message[] => batches.flatMap(({ samples }) => samples);

describe("ReplayService", () => {
  it("samples in batches, the same ones for the same seed, and says which seed it took", async () => {
    const { client } = await started();
    await send(client, "arm", ["a", "b", "c"]);
    await client.send("SendInteractionMessage", {}, { "x-hil-run": "arm" });
    const options = { runs: ["arm"], kind: "ITEM_KIND_TRANSITION" };
    const request = { options, selector: "SELECTOR_UNIFORM", batch_size: 4, max_samples: 10 };
    const first = open(client, "ReplayService/Sample", request);
    const seed = Number((await first.began)["x-hil-seed"]);
    expect(await first.ended).toMatchObject({ code: status.OK });
    expect(first.items.map(({ samples, is_end_of_batch }) => [samples.length, is_end_of_batch])).toEqual([
      [4, true],
      [4, true],
      [2, true],
    ]);
    for (const sample of samplesOf(first.items)) {
      expect(sample).toMatchObject({ run: "arm", kind: "ITEM_KIND_TRANSITION", probability: 1 / 3, table_size: 3 });
      expect(String(sample.payload)).toBe(["a", "b", "c"][sample.offset]);
    }
    const again = open(client, "ReplayService/Sample", { ...request, seed });
    await again.ended;
    expect(again.items).toEqual(first.items);
  });

  it("begins with the run of the metadata, sees what comes, and ends a FIFO when the run is closed", async () => {
    const { client } = await started();
    const values = { "x-hil-run": "live" };
    const stream = open(client, "ReplayService/Sample", { table: "queue", selector: "SELECTOR_FIFO" }, { values });
    await stream.began;
    await send(client, "live", ["1", "2"]);
    await stream.take(2);
    await send(client, "live", ["3"]);
    await ask(client, "RunService/CloseRun", { name: "live" });
    expect((await stream.ended).code).toBe(status.OK);
    expect(samplesOf(stream.items).map(({ payload }) => String(payload))).toEqual(["1", "2", "3"]);
  });

  it("keeps samples waiting as its limiter says, until the deadline or until items have come", async () => {
    const { client } = await started();
    const rate_limiter = { samples_per_insert: 1, min_size: 2, error_buffer: 1 };
    const request = { table: "slow", options: { runs: ["slow"], rate_limiter } };
    await send(client, "slow", ["1"]);
    const early = open(client, "ReplayService/Sample", request, { deadline: Date.now() + 500 });
    expect((await early.ended).code).toBe(status.DEADLINE_EXCEEDED);
    expect(early.items).toEqual([]);
    const patient = open(client, "ReplayService/Sample", { ...request, max_samples: 2 });
    await send(client, "slow", ["2", "3"]);
    expect((await patient.ended).code).toBe(status.OK);
    const { tables } = (await ask(client, "ReplayService/Info")).answer;
    const [table] = tables.filter(({ name }: Message) => name === "slow");
    expect(table).toMatchObject({ size: 3, waiting_items: 0, inserts: 3, samples: 2, samplers: 0 });
    expect(table.options).toMatchObject({ runs: ["slow"], rate_limiter, priority_exponent: 1 });
  });

  it("samples by priorities that were sent", async () => {
    const { client } = await started();
    await send(client, "ranked", ["a", "b", "c"]);
    const request = { options: { runs: ["ranked"] }, selector: "SELECTOR_PRIORITISED", max_samples: 20, seed: 1 };
    await open(client, "ReplayService/Sample", request).ended;
    const updates = [
      { run: "ranked", offset: 0, priority: 0 },
      { run: "ranked", offset: 2, priority: 0 },
      { run: "ranked", offset: 9, priority: 1 },
    ];
    const { answer } = await ask(client, "ReplayService/UpdatePriorities", { updates });
    expect(answer).toEqual({ updated: 2, ignored: 1 });
    const stream = open(client, "ReplayService/Sample", request);
    await stream.ended;
    expect(new Set(samplesOf(stream.items).map(({ payload }) => String(payload)))).toEqual(new Set(["b"]));
  });

  it("goes on in another server from a checkpoint", async () => {
    const before = await started();
    await send(before.client, "moved", ["1", "2", "3", "4", "5", "6"]);
    const rate_limiter = { samples_per_insert: 1, min_size: 1, error_buffer: 2 };
    const request = { table: "t", options: { runs: ["moved"], rate_limiter } };
    await open(before.client, "ReplayService/Sample", { ...request, max_samples: 2 }).ended;
    const { answer: checkpoint } = await ask(before.client, "ReplayService/Checkpoint", { table: "t" });
    expect(checkpoint).toEqual({ offsets: [{ run: "moved", next_offset: 5 }], inserts: 5, samples: 2 });
    const after = await started();
    await open(after.client, "ReplayService/Sample", { ...request, max_samples: 1, resume: checkpoint }).ended;
    expect((await ask(after.client, "ReplayService/Checkpoint", { table: "t" })).answer).toEqual({
      offsets: [{ run: "moved", next_offset: 6 }],
      inserts: 6,
      samples: 3,
    });
  });

  it("ends a message before it is too large for most clients", async () => {
    const { client } = await started();
    await send(
      client,
      "large",
      Array.from({ length: 6 }, () => Buffer.alloc(1024 * 1024)),
    );
    const request = { options: { runs: ["large"] }, selector: "SELECTOR_FIFO", batch_size: 6, max_samples: 6 };
    const stream = open(client, "ReplayService/Sample", { ...request, table: "large" });
    await stream.ended;
    const sizes = stream.items.map(({ samples, is_end_of_batch }) => [samples.length, is_end_of_batch]);
    expect(sizes).toEqual([
      [3, false],
      [3, true],
    ]);
  });

  it("ends when the server goes down", async () => {
    const { client, program } = await started();
    const stream = open(client, "ReplayService/Sample", { options: { runs: ["empty"] } });
    await stream.began;
    await program.drain({ flush: 1000, streams: 5000, calls: 5000, leases: 1000, connections: 2000 });
    expect((await stream.ended).code).toBe(status.UNAVAILABLE);
  });

  it.each<[string, object, status]>([
    ["another table of the same name", { table: "taken", options: { runs: ["b"] } }, status.FAILED_PRECONDITION],
    ["a name that is none", { table: "a/b" }, status.INVALID_ARGUMENT],
    ["a kind that nobody knows", { options: { kind: 7 } }, status.INVALID_ARGUMENT],
    ["a selector that nobody knows", { selector: 9 }, status.INVALID_ARGUMENT],
    ["a run twice", { options: { runs: ["a", "a"] } }, status.INVALID_ARGUMENT],
    ["too large a batch", { batch_size: 10_001 }, status.INVALID_ARGUMENT],
    [
      "a limiter without room",
      { options: { rate_limiter: { samples_per_insert: 3, min_size: 1, error_buffer: 2 } } },
      status.INVALID_ARGUMENT,
    ],
  ])("refuses %s", async (_, request, code) => {
    const { client } = await started();
    await send(client, "a", ["1"]);
    await open(client, "ReplayService/Sample", { table: "taken", options: { runs: ["a"] }, max_samples: 1 }).ended;
    expect((await open(client, "ReplayService/Sample", request).ended).code).toBe(code);
  });

  it("is for the caller's own runs and tables, and asks for the scope that fits", async () => {
    const { client } = await started({ GRPC_AUTHENTICATION: "on" });
    const valuesOf = async (scope: TokenScope) => {
      const secret = newSecret();
      const user = await storedUser();
      await createApiToken(newApiToken({ name: "x", scope, expiresInDays: 1 }, secret, user, new Date()));
      return { authorization: `Bearer ${secret}` };
    };
    const [mine, theirs] = [await valuesOf("all"), await valuesOf("reader")];
    await client.send("SendTransition", { transition_bytes: Buffer.from("mine") }, mine);
    expect((await open(client, "ReplayService/Sample", { max_samples: 1 }, { values: mine }).ended).code).toBe(
      status.OK,
    );
    const foreign = open(
      client,
      "ReplayService/Sample",
      { max_samples: 1 },
      { values: theirs, deadline: Date.now() + 300 },
    );
    expect((await foreign.ended).code).toBe(status.DEADLINE_EXCEEDED);
    expect(foreign.items).toEqual([]);
    expect((await ask(client, "ReplayService/Info", {}, theirs)).answer.tables).toHaveLength(1);
    expect((await ask(client, "ReplayService/Checkpoint", { table: "none" }, theirs)).code).toBe(status.NOT_FOUND);
    const codes = [
      await ask(client, "ReplayService/UpdatePriorities", {}, theirs),
      await ask(client, "ReplayService/Info", {}, await valuesOf("producer")),
      await ask(client, "ReplayService/Info"),
    ].map(({ code }) => code);
    expect(codes).toEqual([status.PERMISSION_DENIED, status.PERMISSION_DENIED, status.UNAUTHENTICATED]);
  });
});
