import { randomUUID } from "node:crypto";
import { DeleteObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ByteBudget } from "../../containers/grpc/byte-budget.ts";
import { Metrics } from "../../containers/grpc/metrics.ts";
import { StoredRuns } from "../../containers/grpc/stored-runs.ts";
import { s3 } from "../../functions/platform/object-store.ts";
import { Group } from "../../functions/runs/group.ts";
import { changeGroup } from "../../functions/runs/group-store.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { closeRun } from "../../functions/runs/run-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type OpenedStream, PlainClient } from "./plain-client.ts";
import { serve } from "./served.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

async function started() {
  const runs = new StoredRuns({ ownerId: randomUUID(), bytesMax: 1e8, metrics: new Metrics(new ByteBudget(1)) });
  const served = await serve({}, runs);
  onTestFinished(() => runs.close());
  return served;
}

type Started = Awaited<ReturnType<typeof started>>;

async function send({ client }: Started, run: string, from: number, to: number): Promise<string[]> {
  const texts = Array.from({ length: to - from }, (_, index) => `item ${from + index}`);
  const sent = texts.map((text, index) =>
    client.send(
      "SendTransition",
      { transition_bytes: Buffer.from(text) },
      { "x-hil-run": run, "x-hil-producer": "p", "x-hil-seq": String(from + index) },
    ),
  );
  for (const { code } of await Promise.all(sent)) expect(code).toBe(status.OK);
  return texts;
}

/** A member with a connection of its own. */
function join({ port }: Started, run: string, more: Record<string, string> = { "x-hil-from": "earliest" }) {
  const client = new PlainClient(port);
  onTestFinished(() => client.close());
  return { client, stream: client.stream({ "x-hil-run": run, "x-hil-group": "g", ...more }) };
}

const groupOf = async (run: string): Promise<Group> =>
  (
    await changeGroup(
      runIdOf(anonymousTenant, run),
      "g",
      () => 0,
      (group) => ({ group }),
    )
  ).group;
const close = (run: string) => closeRun(runIdOf(anonymousTenant, run), new Date());
const sorted = (...streams: OpenedStream[]) => streams.flatMap(({ texts }) => texts).toSorted(byNumber);
const byNumber = (a: string, b: string) => Number(a.split(" ")[1]) - Number(b.split(" ")[1]);

describe("streams of one group", () => {
  it("share the items: each goes to one of them, and all end when the run is closed and delivered", async () => {
    const served = await started();
    const texts = await send(served, "shared", 0, 40);
    const streams = [1, 2, 3].map(() => join(served, "shared").stream);
    await Promise.all(streams.map(({ began }) => began));
    texts.push(...(await send(served, "shared", 40, 100)));
    await close("shared");
    for (const { ended } of streams) expect((await ended).code).toBe(status.OK);
    expect(sorted(...streams)).toEqual(texts);
    expect(await groupOf("shared")).toEqual({ next: 100, ranges: [] });
  });

  it("are apart from other groups and from streams without one", async () => {
    const served = await started();
    const texts = await send(served, "apart", 0, 10);
    await close("apart");
    const others: Record<string, string>[] = [{}, { "x-hil-group": "h" }, { "x-hil-group": "i" }];
    const streams = others.map((more) =>
      served.client.stream({ "x-hil-run": "apart", "x-hil-from": "earliest", ...more }),
    );
    for (const stream of streams) {
      expect((await stream.ended).code).toBe(status.OK);
      expect(stream.texts).toEqual(texts);
    }
  });

  it("begin where the first of them wanted to, and go on in another server where all of them have ended", async () => {
    const before = await started();
    await send(before, "moved", 0, 10);
    const first = join(before, "moved", { "x-hil-from": "offset:4" }).stream;
    await first.take(6);
    await before.program.drain({ flush: 1000, streams: 5000, calls: 5000, leases: 1000, connections: 2000 });
    expect((await first.ended).code).toBe(status.UNAVAILABLE);
    const after = await started();
    await send(after, "moved", 10, 15);
    const second = join(after, "moved").stream;
    await close("moved");
    expect((await second.ended).code).toBe(status.OK);
    expect([...first.texts, ...second.texts]).toEqual(Array.from({ length: 11 }, (_, index) => `item ${index + 4}`));
  });

  it("take over what a member has not got that is cut off", async () => {
    const served = await started();
    const texts = await send(served, "cut", 0, 64);
    const got = new Set<string>();
    // One after the other is cut in the midst of what it was given.
    for (let cut = 0; cut < 5; cut++) {
      const { client, stream } = join(served, "cut");
      await stream.take(1);
      client.close();
      stream.call.cancel();
      await stream.ended;
      for (const text of stream.texts) got.add(text);
    }
    const rest = join(served, "cut").stream;
    await close("cut");
    expect((await rest.ended).code).toBe(status.OK);
    for (const text of rest.texts) got.add(text);
    expect([...got].toSorted(byNumber)).toEqual(texts);
  });

  it("take over what the server of a member had when it died, and nothing before", async () => {
    const served = await started();
    const texts = await send(served, "died", 0, 10);
    const id = runIdOf(anonymousTenant, "died");
    const until = Date.now() + 400;
    const range = { from: 2, to: 5, claimant: "gone", until };
    await changeGroup(
      id,
      "g",
      () => 0,
      () => ({ group: Group.parse({ next: 5, ranges: [range] }) }),
    );
    const { stream } = join(served, "died");
    const came = new Map<string, number>();
    stream.call.on("data", () => void came.set(stream.texts.at(-1) as string, Date.now()));
    await close("died");
    expect((await stream.ended).code).toBe(status.OK);
    // When the rest comes depends on the machine; what the other one had comes no sooner than its time is up.
    expect(stream.texts.toSorted(byNumber)).toEqual(texts.slice(2));
    for (const text of texts.slice(2, 5)) expect(came.get(text)).toBeGreaterThanOrEqual(until);
  });

  it("are told once of a damaged item, and go on behind it", async () => {
    const served = await started();
    await send(served, "damaged", 0, 3);
    const id = runIdOf(anonymousTenant, "damaged");
    const Bucket = "sluice-test-results";
    const list = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `runs/${id}/segments/` }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: list.Contents![0]!.Key }));
    await close("damaged");
    let lost = 0;
    const texts: string[] = [];
    for (let code: status | null = null; code !== status.OK; ) {
      const { stream } = join(served, "damaged");
      code = (await stream.ended).code;
      texts.push(...stream.texts);
      if (code !== status.OK) expect(code).toBe(status.DATA_LOSS);
      if (code !== status.OK) lost += 1;
    }
    expect(lost).toBeGreaterThan(0);
    expect(lost + texts.length).toBe(3);
  });

  it("with a name that is none are INVALID_ARGUMENT", async () => {
    const served = await started();
    const { ended } = served.client.stream({ "x-hil-group": "a/b" });
    expect((await ended).code).toBe(status.INVALID_ARGUMENT);
  });
});
