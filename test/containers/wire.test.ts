import { once } from "node:events";
import { connect, constants } from "node:http2";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { status } from "@grpc/grpc-js";
import { describe, expect, it, vi } from "vitest";
import { RpcError, retryAfter } from "../../containers/grpc/rpc-error.ts";
import { connectionWindowBytes, streamWindowBytes } from "../../containers/grpc/server.ts";
import { PlainClient } from "./plain-client.ts";
import { serve } from "./served.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const mebi = 1024 * 1024;
const noRetry = { "grpc-retry-pushback-ms": "-1" };

describe("the four calls", () => {
  it("of a client that sends no metadata at all go to the run default", async () => {
    const { client, runs } = await serve();
    const first = await client.send("SendTransition", { transition_bytes: Buffer.from("t") });
    expect(first).toMatchObject({ code: status.OK, trailers: { "x-hil-offset": "0", "x-hil-durable": "1" } });
    const second = await client.send("SendInteractionMessage", { interaction_message_bytes: Buffer.from("i") });
    expect(second).toMatchObject({ code: status.OK, trailers: { "x-hil-offset": "1" } });
    const third = await client.send("SendParameters", { parameter_bytes: Buffer.from("p") });
    expect(third).toMatchObject({ code: status.OK, trailers: { "x-hil-param-version": "1" } });
    expect(runs.texts()).toEqual(["t", "i"]);
    const kinds = runs.run({ tenant: "anonymous", name: "default" }).items.map(({ kind }) => kind);
    expect(kinds).toEqual(["transition", "interaction"]);
  });

  it("have paths that are case-sensitive", async () => {
    const { client } = await serve();
    for (const path of ["/hil_serl.LearnerService/sendTransition", "/hil_serl.learnerservice/SendTransition", "/x"])
      expect((await client.unary(path, Buffer.alloc(0))).code).toBe(status.UNIMPLEMENTED);
  });

  it("empty messages have empty payloads, and are valid", async () => {
    const { client, runs } = await serve();
    for (const method of ["SendTransition", "SendInteractionMessage", "SendParameters"] as const)
      expect((await client.send(method, {})).code).toBe(status.OK);
    expect(runs.texts()).toEqual(["", ""]);
  });
});

describe("a message", () => {
  it("that is none is INVALID_ARGUMENT, and the connection goes on", async () => {
    const { client, runs } = await serve();
    for (const method of ["SendTransition", "SendInteractionMessage", "SendParameters"] as const)
      expect(await client.send(method, Buffer.from([0x0a, 0x05, 0x61]))).toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: "the message cannot be read: the message is cut short",
      });
    expect((await client.send("SendTransition", { transition_bytes: Buffer.from("x") })).code).toBe(status.OK);
    const stream = client.stream({}, Buffer.from([0xff]));
    expect(await stream.ended).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(runs.texts()).toEqual(["x"]);
  });

  it("of unknown fields and other wire types is read as protobuf reads it", async () => {
    const { client, runs } = await serve();
    await client.send("SendTransition", Buffer.from("1801080109000000000000000012000a01610a0162", "hex"));
    expect(runs.texts()).toEqual(["b"]);
  });

  it("of the limit is taken, of one byte more is refused for good", async () => {
    const { client, runs } = await serve({ GRPC_MESSAGE_MIB: "1" });
    const message = (bytes: number) =>
      Buffer.concat([Buffer.from("0a", "hex"), lengthOf(bytes - 4), Buffer.alloc(bytes - 4)]);
    expect(message(mebi).length).toBe(mebi);
    expect((await client.send("SendTransition", message(mebi))).code).toBe(status.OK);
    expect(await client.send("SendTransition", message(mebi + 1))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: `Received message larger than max (${mebi + 1} vs ${mebi})`,
      trailers: noRetry,
    });
    expect(runs.texts()).toHaveLength(1);
  });

  it("over the limit is refused by its first five bytes, and its sender is told to stop", async () => {
    const { port } = await serve({ GRPC_MESSAGE_MIB: "1" });
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request(headersOf("SendTransition"), { endStream: false });
    stream.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]));
    const [answer] = await once(stream, "response");
    expect(answer).toMatchObject({ "grpc-status": "8", "grpc-retry-pushback-ms": "-1" });
    await once(stream.resume(), "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    session.close();
  });

  it("of gzip is taken, advertised, and answered without", async () => {
    const { client, runs, port } = await serve();
    const compressing = { "grpc-internal-encoding-request": "gzip" };
    const payload = Buffer.from("much the same ".repeat(100));
    const answer = await client.send("SendTransition", { transition_bytes: payload }, compressing);
    expect(answer.code).toBe(status.OK);
    expect(runs.texts()).toEqual([payload.toString()]);
    const frame = frameOf(gzipSync(Buffer.from("0a0161", "hex")), 1);
    const raw = await rawCall(port, frame, { "grpc-encoding": "gzip" });
    expect(raw.headers["grpc-accept-encoding"]).toContain("gzip");
    expect(raw.headers["grpc-accept-encoding"]).toContain("identity");
    expect(raw.headers["grpc-encoding"]).toBe("identity");
    expect(raw.body.toString("hex")).toBe("0000000000");
    expect(raw.trailers["grpc-status"]).toBe("0");
    expect(runs.texts()[1]).toBe("a");
  });

  it("that grows beyond the limit when decompressed is refused for good", async () => {
    const { port, runs } = await serve({ GRPC_MESSAGE_MIB: "1" });
    const bomb = frameOf(gzipSync(Buffer.alloc(64 * mebi)), 1);
    const { headers } = await rawCall(port, bomb, { "grpc-encoding": "gzip" });
    expect(headers).toMatchObject({ "grpc-status": "8", "grpc-retry-pushback-ms": "-1" });
    expect(runs.texts()).toEqual([]);
  });

  it.each([
    ["broken gzip", "gzip", 1, status.INTERNAL],
    ["an encoding that nobody knows", "br", 1, status.UNIMPLEMENTED],
    ["a compressed flag without an encoding", "identity", 1, status.INTERNAL],
  ] as const)("with %s is refused, and the connection goes on", async (_, encoding, flag, code) => {
    const { port, client } = await serve();
    const { headers } = await rawCall(port, frameOf(Buffer.from("no gzip"), flag), { "grpc-encoding": encoding });
    expect(headers["grpc-status"]).toBe(String(code));
    expect((await client.send("SendTransition", {})).code).toBe(status.OK);
  });

  it("too large a hundred times costs no memory", async () => {
    const { port } = await serve({ GRPC_MESSAGE_MIB: "1" });
    const message = Buffer.alloc(2 * mebi);
    const refused = async (calls: number) => {
      const client = new PlainClient(port);
      for (let call = 0; call < calls; call++)
        expect((await client.send("SendTransition", message)).code).toBe(status.RESOURCE_EXHAUSTED);
      client.close();
    };
    const held = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    await refused(10);
    const before = held();
    await refused(100);
    // The client's own copies go with its connection, which closes in the background: we wait for that, and what
    // the server held would never go. The messages had two hundred times as much.
    await vi.waitFor(() => expect(held() - before).toBeLessThan(mebi), { timeout: 20_000 });
  });
});

describe("receive windows", () => {
  it("are announced to every client as they are documented", async () => {
    const { port } = await serve();
    const session = connect(`http://127.0.0.1:${port}`);
    const [settings] = await once(session, "remoteSettings");
    expect(settings).toMatchObject({ initialWindowSize: streamWindowBytes, maxConcurrentStreams: 1000 });
    // The connection's own window is raised by WINDOW_UPDATE, which comes right behind; a ping is answered after it.
    await new Promise((resolve) => session.ping(resolve));
    expect(session.state.remoteWindowSize).toBe(connectionWindowBytes);
    session.close();
  });
});

describe("metadata", () => {
  it("goes to the log", async () => {
    const { client, runs } = await serve();
    const answer = await client.send(
      "SendTransition",
      { transition_bytes: Buffer.from("x") },
      {
        "x-hil-run": "run-7",
        "x-hil-producer": "arm.1",
        "x-hil-seq": "12",
        "x-hil-idempotency-key": "k/1",
        "x-hil-ack": "memory",
        "x-hil-crc32c": "0000ABCD",
      },
    );
    expect(answer).toMatchObject({ code: status.OK, trailers: { "x-hil-durable": "0" } });
    expect(runs.run({ tenant: "anonymous", name: "run-7" }).items[0]).toMatchObject({
      producer: "arm.1",
      sequence: 12,
      idempotencyKey: "k/1",
      acknowledgement: "memory",
      crc32c: 0xabcd,
    });
  });

  it("of a repeated item is answered with the first offset", async () => {
    const { client } = await serve();
    const again = () => client.send("SendTransition", {}, { "x-hil-producer": "arm", "x-hil-seq": "1" });
    expect((await again()).trailers["x-hil-duplicate"]).toBeUndefined();
    expect((await again()).trailers).toMatchObject({ "x-hil-duplicate": "1", "x-hil-offset": "0" });
  });

  it.each([
    ["x-hil-run", ""],
    ["x-hil-run", "../other"],
    ["x-hil-run", "x".repeat(129)],
    ["x-hil-producer", "-"],
    ["x-hil-seq", "-1"],
    ["x-hil-seq", "9007199254740992"],
    ["x-hil-idempotency-key", "a b"],
    ["x-hil-ack", "Durable"],
    ["x-hil-crc32c", "123"],
    ["x-hil-from", "offset:"],
    ["x-hil-from", "latest"],
    ["x-hil-from", "offset:9999999999999999"],
    ["x-hil-sequence", "1"],
  ])("%s: %j is INVALID_ARGUMENT naming the key", async (key, value) => {
    const { client, runs } = await serve();
    const answer = await client.send("SendTransition", {}, { "x-hil-producer": "arm", [key]: value });
    expect(answer.code).toBe(status.INVALID_ARGUMENT);
    expect(answer.details).toContain(key);
    expect(runs.texts()).toEqual([]);
  });

  it("x-hil-seq without a producer is INVALID_ARGUMENT", async () => {
    const { client } = await serve();
    const answer = await client.send("SendTransition", {}, { "x-hil-seq": "1" });
    expect(answer).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining("x-hil-producer") });
  });
});

describe("a call", () => {
  it("that ends before its message is whole leaves nothing behind", async () => {
    const { port, runs, client } = await serve();
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request(headersOf("SendTransition"), { endStream: false });
    stream.write(frameOf(Buffer.from("0a0161", "hex"), 0).subarray(0, 7));
    await new Promise((resolve) => session.ping(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, "close");
    expect((await client.send("SendTransition", { transition_bytes: Buffer.from("b") })).code).toBe(status.OK);
    expect(runs.texts()).toEqual(["b"]);
    session.close();
  });

  it("past its deadline is DEADLINE_EXCEEDED, and what was appended before stays", async () => {
    const { client, runs } = await serve();
    runs.acknowledgement = new Promise(() => {});
    const deadline = new Date(Date.now() + 100);
    expect((await client.send("SendTransition", {}, {}, deadline)).code).toBe(status.DEADLINE_EXCEEDED);
    expect(runs.texts()).toHaveLength(1);
  });

  it("that the log refuses ends with the log's reason", async () => {
    const { client, runs } = await serve();
    runs.failure = new RpcError(status.UNAVAILABLE, "the table is away", retryAfter(250));
    expect(await client.send("SendTransition", {})).toMatchObject({
      code: status.UNAVAILABLE,
      details: "the table is away",
      trailers: { "grpc-retry-pushback-ms": "250" },
    });
  });

  it("in which we fail is INTERNAL and tells nothing of us", async () => {
    const { client, runs } = await serve();
    runs.failure = new Error("secret of ours");
    expect(await client.send("SendTransition", {})).toMatchObject({
      code: status.INTERNAL,
      details: "something went wrong on our side",
    });
  });
});

describe("limits of all calls together", () => {
  it("beyond the bytes held at once are UNAVAILABLE with a time to wait, and nothing acknowledged is lost", async () => {
    const { client, runs, program } = await serve({ GRPC_IN_FLIGHT_MIB: "4" });
    const gate = Promise.withResolvers<void>();
    runs.acknowledgement = gate.promise;
    const payload = Buffer.alloc(mebi);
    const calls = Array.from({ length: 12 }, () => client.send("SendTransition", { transition_bytes: payload }));
    // Three fit. The others are refused while those wait for the log.
    const refused = Promise.withResolvers<void>();
    let count = 0;
    for (const call of calls)
      call.then(({ code, trailers }) => {
        if (code !== status.UNAVAILABLE) return;
        expect(Number(trailers["grpc-retry-pushback-ms"])).toBeGreaterThan(0);
        if (++count === 9) refused.resolve();
      });
    await refused.promise;
    gate.resolve();
    const endings = await Promise.all(calls);
    const taken = endings.filter(({ code }) => code === status.OK).length;
    expect(taken).toBeGreaterThan(0);
    expect(endings.filter(({ code }) => code === status.UNAVAILABLE)).toHaveLength(12 - taken);
    expect(runs.texts()).toHaveLength(taken);
    // All was given back: the budget takes calls again.
    expect((await client.send("SendTransition", { transition_bytes: payload })).code).toBe(status.OK);
    const text = await (await fetch(`http://127.0.0.1:${program.metricsPort}/metrics`)).text();
    expect(text).toContain("hil_in_flight_bytes 0\n");
  });

  it("beyond a caller's share are RESOURCE_EXHAUSTED with a time to wait", async () => {
    const { client } = await serve({ GRPC_QUOTA_CALLS_PER_SECOND: "5" });
    const endings = await Promise.all(Array.from({ length: 50 }, () => client.send("SendTransition", {})));
    const refused = endings.filter(({ code }) => code === status.RESOURCE_EXHAUSTED);
    expect(refused.length).toBeGreaterThan(0);
    expect(endings.filter(({ code }) => code === status.OK).length).toBe(50 - refused.length);
    for (const { trailers } of refused) expect(Number(trailers["grpc-retry-pushback-ms"])).toBeGreaterThan(0);
  });
});

function lengthOf(bytes: number): Buffer {
  return Buffer.from([(bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14]);
}

const headersOf = (method: string) => ({
  ":method": "POST",
  ":path": `/hil_serl.LearnerService/${method}`,
  "content-type": "application/grpc",
  te: "trailers",
});

function frameOf(message: Buffer, flag: number): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A call without any gRPC library. */
async function rawCall(port: number, frame: Buffer, more: Record<string, string>) {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ...headersOf("SendTransition"), ...more }, { endStream: false });
  const trailers = once(stream, "trailers").catch(() => [{}]);
  const response = once(stream, "response");
  stream.end(frame);
  const [headers] = await response;
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  session.close();
  if (headers["grpc-status"]) return { headers, body: Buffer.concat(parts), trailers: {} as Record<string, string> };
  return { headers, body: Buffer.concat(parts), trailers: (await trailers)[0] as Record<string, string> };
}
