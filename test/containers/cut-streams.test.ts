import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ByteBudget } from "../../containers/grpc/byte-budget.ts";
import { Metrics } from "../../containers/grpc/metrics.ts";
import { StoredRuns } from "../../containers/grpc/stored-runs.ts";
import { applyRetention } from "../../functions/runs/retention.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { closeRun, setRetention } from "../../functions/runs/run-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { randomFrom } from "../support/kill-points.ts";
import { cuttingLine } from "./cutting-line.ts";
import { PlainClient } from "./plain-client.ts";
import { serve } from "./served.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

/** Both services on the durable log. */
const served = () => {
  const metrics = new Metrics(new ByteBudget(1024 * 1024));
  return serve({}, new StoredRuns({ ownerId: "cut", bytesMax: 64 * 1024 * 1024, metrics }));
};

/** `SLUICE_CUTS=1000` cuts as often as the design asks for. */
const cutsWanted = Number(process.env.SLUICE_CUTS ?? 30);
const seed = Number(process.env.SLUICE_CUT_SEED ?? Date.now() % 100_000);

describe("a stream whose connection is cut again and again", () => {
  it(`loses nothing and repeats nothing when it goes on where it was (${cutsWanted} cuts)`, async () => {
    console.log(`cuts: SLUICE_CUT_SEED=${seed}`);
    const random = randomFrom(seed);
    const { client, port } = await served();
    const run = { "x-hil-run": `cut-${seed}` };
    const line = await cuttingLine(port, (connection) =>
      connection < cutsWanted ? 300 + random() * 2500 : Number.POSITIVE_INFINITY,
    );
    onTestFinished(() => line.close());
    let sent = 0;
    const send = async () => {
      const transition_bytes = Buffer.from(`${sent}`.padEnd(random() * 800, "."));
      expect((await client.send("SendTransition", { transition_bytes }, run)).code).toBe(status.OK);
      sent += 1;
    };
    for (let n = 0; n < 20; n++) await send();

    const received: string[] = [];
    for (let from = "earliest", isOver = false; !isOver; from = `offset:${received.length}`) {
      const reader = new PlainClient(line.port);
      const stream = reader.stream({ ...run, "x-hil-from": from });
      // While it reads, more comes; when it has been cut often enough, the run ends.
      for (let n = 0; n < 5 && line.cuts < cutsWanted; n++) await send();
      if (line.cuts >= cutsWanted) await closeRun(runIdOf(anonymousTenant, run["x-hil-run"]), new Date());
      const { code } = await stream.ended;
      received.push(...stream.texts.map((text) => text.replace(/\.*$/, "")));
      reader.close();
      isOver = code === status.OK;
    }
    expect(line.cuts).toBe(cutsWanted);
    expect(received).toEqual(Array.from({ length: sent }, (_, n) => `${n}`));
  }, 600_000);
});

describe("a stream that begins where nothing is", () => {
  it.each([
    ["below what retention has left", "offset:1", "4"],
    ["beyond the next offset", "offset:7", "4"],
  ])("%s is refused and told the first offset that is there", async (where, from, first) => {
    const { client } = await served();
    const run = { "x-hil-run": where.replaceAll(" ", "-") };
    for (let n = 0; n < 6; n++)
      await client.send(
        "SendTransition",
        { transition_bytes: Buffer.alloc(100) },
        { ...run, "x-hil-seq": `${n}`, "x-hil-producer": "p" },
      );
    const id = runIdOf(anonymousTenant, run["x-hil-run"]);
    await setRetention(id, { ageSeconds: null, bytes: 500 });
    expect(await applyRetention(id, new Date())).toBe(4);
    const { code, trailers } = await client.stream({ ...run, "x-hil-from": from }).ended;
    expect([code, trailers["x-hil-first-offset"]]).toEqual([status.OUT_OF_RANGE, first]);
    const kept = client.stream({ ...run, "x-hil-from": "offset:4" });
    await kept.take(2);
    kept.call.cancel();
  });

  it("falls behind what is kept while it waits, and is told so", async () => {
    const { client } = await served();
    const run = { "x-hil-run": "overtaken" };
    const big = Buffer.alloc(3 * 1024 * 1024);
    for (let n = 0; n < 6; n++) await client.send("SendTransition", { transition_bytes: big }, run);
    const stream = client.stream({ ...run, "x-hil-from": "earliest" });
    // It stops reading with some of it in the windows and buffers in between, and the rest goes.
    stream.call.pause();
    await stream.began;
    const id = runIdOf(anonymousTenant, run["x-hil-run"]);
    await setRetention(id, { ageSeconds: null, bytes: 1 });
    await applyRetention(id, new Date());
    for (let n = 0; n < 12; n++) await client.send("SendTransition", { transition_bytes: big }, run);
    await applyRetention(id, new Date());
    stream.call.resume();
    expect((await stream.ended).code).toBe(status.OUT_OF_RANGE);
  });
});
