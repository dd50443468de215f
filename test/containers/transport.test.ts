import { once } from "node:events";
import { connect, constants, type IncomingHttpHeaders } from "node:http2";
import { status } from "@grpc/grpc-js";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { actorAccess } from "../../containers/actor/actor-service.ts";
import { withoutTokens } from "../../containers/grpc/authentication.ts";
import { MessageReader } from "../../containers/grpc/message-reader.ts";
import { RequestMetadata } from "../../containers/grpc/request-metadata.ts";
import { framed } from "../../containers/grpc/response-wire.ts";
import { RpcError } from "../../containers/grpc/rpc-error.ts";
import { timeoutMilliseconds } from "../../containers/grpc/timeout-header.ts";
import { serve, serveWith } from "./served.ts";

const path = "/hil_serl.LearnerService/SendTransition";
const sent = framed(Buffer.from("0a0161", "hex"));

/** A connection without any gRPC library. */
async function connected(port: number) {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  const open = (headers: object = {}) =>
    session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
  /** Headers and trailers of the answer to a body. */
  const call = async (body: Buffer, headers: object = {}): Promise<IncomingHttpHeaders> => {
    const stream = open(headers);
    let trailers: IncomingHttpHeaders = {};
    stream.on("trailers", (given) => {
      trailers = given;
    });
    stream.end(body);
    const [answer] = await once(stream, "response");
    await once(stream.resume(), "close");
    return { ...answer, ...trailers };
  };
  return { session, open, call };
}

describe("a request", () => {
  it("that is no gRPC is 415, whatever its path", async () => {
    const { call } = await connected((await serve()).port);
    for (const headers of [{ "content-type": "application/json" }, { "content-type": "application/grpcx" }])
      expect((await call(sent, headers))[":status"]).toBe(415);
    expect((await call(sent, { "content-type": "application/grpc+proto" }))["grpc-status"]).toBe("0");
  });

  it("for what nobody has is UNIMPLEMENTED, and its name comes back readable", async () => {
    const { call } = await connected((await serve()).port);
    const answer = await call(sent, { ":path": "/nobody/50%é" });
    expect(answer).toMatchObject({ ":status": 200, "grpc-status": "12" });
    expect(decodeURIComponent(String(answer["grpc-message"]))).toContain("there is no method /nobody/50%");
  });

  it.each([
    ["no message", Buffer.alloc(0), status.UNIMPLEMENTED],
    ["two messages", Buffer.concat([sent, sent]), status.UNIMPLEMENTED],
    ["a message that is cut short", sent.subarray(0, -1), status.INTERNAL],
    ["a prefix that is none", Buffer.from([2, 0, 0, 0, 0]), status.INTERNAL],
  ])("with %s is refused, and nothing is stored", async (_, body, code) => {
    const { port, runs } = await serve();
    const { call } = await connected(port);
    expect((await call(body))["grpc-status"]).toBe(String(code));
    expect(runs.texts()).toEqual([]);
    expect((await call(sent))["grpc-status"]).toBe("0");
  });

  it("is ended by its own deadline, also when the caller forgets it", async () => {
    const { port, runs } = await serve();
    runs.acknowledgement = new Promise(() => {});
    const { call } = await connected(port);
    expect((await call(sent, { "grpc-timeout": "20m" }))["grpc-status"]).toBe(String(status.DEADLINE_EXCEEDED));
    expect((await call(sent, { "grpc-timeout": "20" }))["grpc-status"]).toBe(String(status.INTERNAL));
  });

  it("with a deadline that cannot be read is not waited for when the server goes down", async () => {
    const { gate, port } = await serveWith({ access: actorAccess, authenticate: withoutTokens });
    const { call } = await connected(port);
    const answer = await call(sent, { ":path": "/hil_serl.ActorService/SendParameters", "grpc-timeout": "soon" });
    expect(answer["grpc-status"]).toBe(String(status.INTERNAL));
    expect(await gate.idle(5_000)).toBe(true);
  });

  it("that is cancelled, at whatever moment, ends nothing but itself", async () => {
    const { port, client, program } = await serve();
    const { open, session } = await connected(port);
    for (let n = 0; n < 200; n++) {
      const stream = open({ ":path": n % 2 ? path : "/hil_serl.ActorService/StreamTransition" });
      stream.on("error", () => {});
      stream.write(sent.subarray(0, n % 9));
      if (n % 3 === 0) stream.end();
      if (n % 5 === 0) await new Promise((resolve) => session.ping(resolve));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    session.destroy();
    expect((await client.send("SendTransition", {})).code).toBe(status.OK);
    // The server hears of the connection's end a little later; what it held would never go.
    const metrics = async () => await (await fetch(`http://127.0.0.1:${program.metricsPort}/metrics`)).text();
    while (!(await metrics()).includes("hil_in_flight_bytes 0\n"));
  });
});

describe("messages in bytes", () => {
  it("are found however they are cut", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (all, cuts) => {
        const bytes = Buffer.concat(all.map((message) => framed(Buffer.from(message))));
        const found: string[] = [];
        const reader = new MessageReader(100, (message) => found.push(Buffer.concat(message).toString("hex")));
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const end = at + (cuts[n % cuts.length] as number);
          reader.read(bytes.subarray(at, end));
          at = end;
        }
        expect(found).toEqual(all.map((message) => Buffer.from(message).toString("hex")));
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  it("stay in the pieces that they came in, unless those are small", () => {
    const found: number[][] = [];
    const reader = new MessageReader(1_000_000, (message) => found.push(message.map(({ length }) => length)));
    const message = framed(Buffer.alloc(100_000));
    for (const step of [65_536, 1000, 100_005])
      for (let at = 0; at < message.length; at += step) reader.read(message.subarray(at, at + step));
    expect(found).toEqual([[65_531, 34_469], [100_000], [100_000]]);
  });

  it("are refused by the prefix when they are too large", () => {
    const reader = new MessageReader(10, () => {});
    expect(() => reader.read(Buffer.from([0, 0, 0, 0, 11]))).toThrow(RpcError);
  });
});

describe("headers of a call", () => {
  it.each([
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3000],
    ["4m", 4],
    ["5u", 1],
    ["1n", 1],
    ["99999999H", 99_999_999 * 3_600_000],
    ["", null],
    ["S", null],
    ["-1S", null],
    ["1.5S", null],
    ["100000000S", null],
    ["1s", null],
  ])("grpc-timeout %j is %j", (header, milliseconds) => {
    expect(timeoutMilliseconds(header)).toBe(milliseconds);
  });

  it("that end in -bin are bytes, padded or not, one or several", () => {
    const metadata = new RequestMetadata({ "trace-bin": "AAEC, /w", name: "a, b" });
    expect(metadata.get("trace-bin")).toEqual([Buffer.from([0, 1, 2]), Buffer.from([255])]);
    expect(metadata.get("name")).toEqual(["a, b"]);
    expect(metadata.get("other")).toEqual([]);
  });
});
