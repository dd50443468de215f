import { once } from "node:events";
import { connect as connectTcp, createServer, type Socket } from "node:net";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { actorAccess } from "../../containers/actor/actor-service.ts";
import { withoutTokens } from "../../containers/grpc/authentication.ts";
import { ByteBudget } from "../../containers/grpc/byte-budget.ts";
import { emfReporter, Metrics } from "../../containers/grpc/metrics.ts";
import { Quota } from "../../containers/grpc/quota.ts";
import { healthOf, watchHealth } from "./health-client.ts";
import { PlainClient } from "./plain-client.ts";
import { reflect } from "./reflection-client.ts";
import { serve, serveWith } from "./served.ts";

describe("health", () => {
  it("is told for the server and each service, to anyone", async () => {
    const { client } = await serve();
    for (const name of ["", "hil_serl.LearnerService", "hil_serl.ActorService"])
      expect([name, await healthOf(client, name)]).toEqual([name, "SERVING"]);
    expect(await healthOf(client, "hil_serl.Nobody")).toBe("NOT_FOUND");
  });

  it("can be watched: the state at once, then every change; SERVICE_UNKNOWN for a name nobody has", async () => {
    const { client, runs } = await serve();
    const watch = watchHealth(client, "hil_serl.ActorService");
    const unknown = watchHealth(client, "hil_serl.Nobody");
    expect(await watch.next()).toBe("SERVING");
    expect(await unknown.next()).toBe("SERVICE_UNKNOWN");
    runs.healthy = false;
    expect(await watch.next()).toBe("NOT_SERVING");
    expect(await healthOf(client, "")).toBe("NOT_SERVING");
    runs.healthy = true;
    expect(await watch.next()).toBe("SERVING");
    watch.cancel();
    unknown.cancel();
  });
});

describe("reflection", () => {
  it.each(["v1", "v1alpha"] as const)("%s lists the services and describes them", async (version) => {
    const { client } = await serve();
    const { services, file } = await reflect(client, version, "hil_serl.ActorService");
    expect(services).toEqual(expect.arrayContaining(["hil_serl.LearnerService", "hil_serl.ActorService"]));
    for (const name of ["StreamTransition", "SendParameters", "transition_bytes"]) expect(file).toContain(name);
  });

  it("can be switched off", async () => {
    const { client } = await serve({ GRPC_REFLECTION: "off" });
    for (const version of ["v1", "v1alpha"] as const)
      await expect(reflect(client, version, "hil_serl.ActorService")).rejects.toMatchObject({
        code: status.UNIMPLEMENTED,
      });
  });
});

describe("metrics", () => {
  it("agree with what a client has counted itself", async () => {
    const { client, program } = await serve();
    const payload = Buffer.alloc(1000);
    for (let call = 0; call < 5; call++) await client.send("SendTransition", { transition_bytes: payload });
    await client.send("SendTransition", Buffer.from([0xff]));
    const identity = { "x-hil-producer": "arm", "x-hil-seq": "1" };
    for (let call = 0; call < 2; call++) await client.send("SendInteractionMessage", {}, identity);
    const stream = client.stream({ "x-hil-from": "earliest" });
    await stream.take(6);
    const text = await scrape(program.metricsPort);
    const learner = 'method="/hil_serl.LearnerService';
    expect(text).toContain(`hil_calls_total{${learner}/SendTransition",code="OK"} 5\n`);
    expect(text).toContain(`hil_calls_total{${learner}/SendTransition",code="INVALID_ARGUMENT"} 1\n`);
    expect(text).toContain(`hil_calls_total{${learner}/SendInteractionMessage",code="OK"} 2\n`);
    // Five bytes of gRPC and three of protobuf go with each payload, and six bytes are the malformed one.
    expect(text).toContain(`hil_received_bytes_total{${learner}/SendTransition"} ${5 * 1008 + 6}\n`);
    expect(text).toContain("hil_duplicates_total 1\n");
    // The request of the stream that is open: an empty message.
    expect(text).toContain("hil_in_flight_bytes 5\n");
    expect(text).toContain('hil_open_calls{method="/hil_serl.ActorService/StreamTransition"} 1\n');
    expect(text).toMatch(/hil_append_seconds_count\{acknowledgement="durable"\} 7\n/);
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
    stream.call.cancel();
  });

  it("are served at one address only", async () => {
    const { program } = await serve();
    expect((await fetch(`http://127.0.0.1:${program.metricsPort}/`)).status).toBe(404);
    const post = await fetch(`http://127.0.0.1:${program.metricsPort}/metrics`, { method: "POST" });
    expect(post.status).toBe(404);
  });

  it("become lines for CloudWatch, with what came on since the last one", async () => {
    const metrics = new Metrics(new ByteBudget(1));
    const report = emfReporter(metrics, "learner");
    const at = new Date("2026-03-01T00:00:00Z");
    metrics.callBegan("m");
    metrics.callEnded("m", status.OK);
    metrics.callBegan("m");
    metrics.callEnded("m", status.INTERNAL);
    metrics.received("m", 10);
    const first = JSON.parse(await report(at));
    expect(first).toMatchObject({ service: "learner", Calls: 2, FailedCalls: 1, ReceivedBytes: 10, OpenCalls: 0 });
    const [directive] = first._aws.CloudWatchMetrics;
    expect(first._aws.Timestamp).toBe(at.getTime());
    expect(directive).toMatchObject({ Namespace: "Sluice/ActorLearner", Dimensions: [["service"]] });
    metrics.received("m", 5);
    expect(JSON.parse(await report(at))).toMatchObject({ Calls: 0, FailedCalls: 0, ReceivedBytes: 5 });
  });
});

describe("a dead peer", () => {
  it("loses its stream when it stops answering, and costs nothing more", async () => {
    const times = { keepaliveMilliseconds: 20, keepaliveTimeoutMilliseconds: 20 };
    const { gate, port } = await serveWith({ access: actorAccess, authenticate: withoutTokens }, times);
    // In between is a line that goes silent: nothing is closed, and nothing arrives any more.
    const sockets: Socket[] = [];
    const line = createServer((near) => {
      const far = connectTcp(port, "127.0.0.1");
      near.pipe(far);
      far.pipe(near);
      sockets.push(near, far);
      for (const socket of [near, far]) socket.on("error", () => {});
    }).listen(0, "127.0.0.1");
    await once(line, "listening");
    const client = new PlainClient((line.address() as { port: number }).port);
    const stream = client.stream();
    await stream.began;
    expect(gate.busyCalls).toBe(1);
    for (const socket of sockets) socket.unpipe().pause();
    expect(await gate.idle(10_000)).toBe(true);
    client.close();
    for (const socket of sockets) socket.destroy();
    line.close();
  });
});

describe("a quota", () => {
  it("lets as many calls through as a second's share, then says how long to wait", () => {
    const quota = new Quota({ callsPerSecond: 10 });
    for (let call = 0; call < 10; call++) expect(quota.admit("a", 0)).toBe(0);
    expect(quota.admit("a", 0)).toBeCloseTo(100);
    expect(quota.admit("b", 0)).toBe(0);
    expect(quota.admit("a", 99)).toBeGreaterThan(0);
    expect(quota.admit("a", 100)).toBe(0);
  });

  it("takes bytes when they have arrived, and waits until they are paid for", () => {
    const quota = new Quota({ bytesPerSecond: 1000 });
    expect(quota.admit("a", 0)).toBe(0);
    quota.charge("a", 3000, 0);
    expect(quota.admit("a", 0)).toBeCloseTo(2001);
    expect(quota.admit("a", 2001)).toBe(0);
  });

  it("saves nothing up beyond a second's share, and is never in the way unless it is set", () => {
    const quota = new Quota({ callsPerSecond: 2 });
    expect([0, 1, 2].map(() => quota.admit("a", 60_000) === 0)).toEqual([true, true, false]);
    const open = new Quota({});
    for (let call = 0; call < 1000; call++) expect(open.admit("a", 0)).toBe(0);
  });
});

const scrape = async (port: number | undefined) => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
