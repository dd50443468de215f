import { once } from "node:events";
import { connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { healthOf, watchHealth } from "./health-client.ts";
import { PlainClient } from "./plain-client.ts";
import { serve } from "./served.ts";

const swift = { flush: 1000, streams: 1000, calls: 1000, leases: 1000, connections: 2000 };

describe("a drain", () => {
  it("ends streams with what there is, UNAVAILABLE and the offset to go on from", async () => {
    const { client, program, runs } = await serve();
    await client.send("SendTransition", { transition_bytes: Buffer.from("a") });
    const caughtUp = client.stream({ "x-hil-from": "earliest" });
    const idle = client.stream();
    await Promise.all([caughtUp.take(1), idle.began]);
    await program.drain(swift);
    for (const { ended } of [caughtUp, idle])
      expect(await ended).toMatchObject({ code: status.UNAVAILABLE, trailers: { "x-hil-next-offset": "1" } });
    expect(caughtUp.texts).toEqual(["a"]);
    expect(runs.closed).toBe(true);
  });

  it("answers the calls under way, refuses new ones and says at once that it does not serve", async () => {
    const { client, program, runs, port } = await serve();
    const gate = Promise.withResolvers<void>();
    runs.acknowledgement = gate.promise;
    const underWay = client.send("SendTransition", { transition_bytes: Buffer.from("a") });
    const watch = watchHealth(client, "");
    expect(await watch.next()).toBe("SERVING");
    while (runs.texts().length === 0) await new Promise(setImmediate);
    const drained = program.drain({ ...swift, calls: 10_000, leases: 10_000, connections: 10_000 });
    expect(await watch.next()).toBe("NOT_SERVING");
    const late = new PlainClient(port);
    expect((await late.send("SendTransition", {})).code).toBe(status.UNAVAILABLE);
    expect(await healthOf(late, "hil_serl.LearnerService")).toBe("NOT_SERVING");
    late.close();
    gate.resolve();
    expect((await underWay).code).toBe(status.OK);
    watch.cancel();
    await drained;
    expect(runs.texts()).toEqual(["a"]);
  });

  it("tells every client to go elsewhere", async () => {
    const { program, port } = await serve();
    const session = connect(`http://127.0.0.1:${port}`);
    await once(session, "remoteSettings");
    const goaway = once(session, "goaway");
    const drained = program.drain(swift);
    expect((await goaway)[0]).toBe(0);
    await drained;
  });

  it("answers UNAVAILABLE to calls that the log never answers, and to watchers of its health", async () => {
    const { client, program, runs } = await serve();
    runs.acknowledgement = new Promise(() => {});
    const call = client.send("SendTransition", {});
    const watch = watchHealth(client, "");
    await watch.next();
    while (runs.texts().length === 0) await new Promise(setImmediate);
    await program.drain({ flush: 10, streams: 20, calls: 30, leases: 1000, connections: 2000 });
    expect((await call).code).toBe(status.UNAVAILABLE);
    expect((await watch.ended).code).toBe(status.UNAVAILABLE);
  });

  it("is not held up by a reader that has stopped reading", async () => {
    const { client, port, program } = await serve();
    for (let index = 0; index < 20; index++)
      await client.send("SendTransition", { transition_bytes: Buffer.alloc(1024 * 1024) });
    const session = connect(`http://127.0.0.1:${port}`);
    const stalled = session.request({
      ":method": "POST",
      ":path": "/hil_serl.ActorService/StreamTransition",
      "content-type": "application/grpc",
      te: "trailers",
      "x-hil-from": "earliest",
    });
    stalled.pause();
    stalled.end(Buffer.alloc(5));
    await once(stalled, "response");
    await program.drain({ flush: 100, streams: 200, calls: 60_000, leases: 60_000, connections: 500 });
    session.destroy();
  });
});
