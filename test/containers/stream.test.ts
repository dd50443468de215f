import { once } from "node:events";
import { connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { outletBytesMax } from "../../containers/grpc/handlers.ts";
import { PlainClient } from "./plain-client.ts";
import { serve } from "./served.ts";

const run = { tenant: "anonymous", name: "default" };
const transition = (text: string) => ({ transition_bytes: Buffer.from(text) });
const message = (text: string) => ({ interaction_message_bytes: Buffer.from(text) });

describe("StreamTransition", () => {
  it("yields every item in order, each as the one member of its kind, empty ones too", async () => {
    const { client, runs } = await serve();
    await client.send("SendTransition", transition("a"));
    await client.send("SendInteractionMessage", message("b"));
    await client.send("SendTransition", transition(""));
    await client.send("SendInteractionMessage", message(""));
    await runs.close(run);
    const stream = client.stream({ "x-hil-from": "earliest" });
    expect(await stream.began).toMatchObject({ "x-hil-first-offset": "0" });
    expect(await stream.ended).toMatchObject({ code: status.OK, trailers: { "x-hil-next-offset": "4" } });
    expect(stream.texts).toEqual(["a", "[b]", "", "[]"]);
    expect(stream.items.map(({ data }) => data)).toEqual([
      "transition",
      "interaction_message",
      "transition",
      "interaction_message",
    ]);
  });

  it("begins now when nothing else is asked for: with what comes after its initial metadata", async () => {
    const { client } = await serve();
    await client.send("SendTransition", transition("before"));
    const stream = client.stream();
    expect(await stream.began).toMatchObject({ "x-hil-first-offset": "1" });
    await client.send("SendTransition", transition("after"));
    await stream.take(1);
    expect(stream.texts).toEqual(["after"]);
    stream.call.cancel();
    expect((await stream.ended).code).toBe(status.CANCELLED);
  });

  it("goes on from an offset, without loss or repetition however often the connection is cut", async () => {
    const { client, runs, port } = await serve();
    const sent = Array.from({ length: 60 }, (_, index) => `item ${index}`);
    for (const text of sent) await client.send("SendTransition", transition(text));
    await runs.close(run);
    const received: string[] = [];
    for (let code = -1; code !== status.OK; ) {
      const reader = new PlainClient(port);
      const stream = reader.stream({ "x-hil-from": `offset:${received.length}` });
      const wanted = Math.min(7, sent.length - received.length);
      await stream.take(wanted);
      // What is under way when the connection goes is asked for again.
      if (wanted === 7) reader.close();
      if (wanted === 7) stream.call.cancel();
      code = (await stream.ended).code;
      received.push(...stream.texts);
      reader.close();
    }
    expect(received).toEqual(sent);
  });

  it("beyond the head is OUT_OF_RANGE", async () => {
    const { client } = await serve();
    expect((await client.stream({ "x-hil-from": "offset:1" }).ended).code).toBe(status.OUT_OF_RANGE);
    expect((await client.stream({ "x-hil-from": "offset:0" }).began)["x-hil-first-offset"]).toBe("0");
  });

  it("gives every reader a full copy", async () => {
    const { client, port } = await serve();
    const readers = Array.from({ length: 16 }, () => new PlainClient(port));
    const streams = readers.map((reader) => reader.stream());
    await Promise.all(streams.map(({ began }) => began));
    for (const text of ["a", "b", "c"]) await client.send("SendTransition", transition(text));
    await Promise.all(streams.map((stream) => stream.take(3)));
    for (const { texts } of streams) expect(texts).toEqual(["a", "b", "c"]);
    for (const reader of readers) reader.close();
  });

  it("holds no more than its cap for a reader that has stopped, and slows nobody", async () => {
    const { client, runs, port, program } = await serve();
    const megabyte = Buffer.alloc(1024 * 1024);
    const items = 40;
    const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 65_535 } });
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
    for (let index = 0; index < items; index++)
      expect((await client.send("SendTransition", { transition_bytes: megabyte })).code).toBe(status.OK);
    // Another reader gets all of it, so what the stalled one was sent by then is as much as it would ever be.
    const stream = client.stream({ "x-hil-from": "earliest" });
    await stream.take(items);
    const text = await (await fetch(`http://127.0.0.1:${program.metricsPort}/metrics`)).text();
    const sent = Number(/hil_sent_bytes_total\{method="[^"]*StreamTransition"\} (\d+)/.exec(text)?.[1]);
    // grpc-js counts a message when it passes it on to HTTP/2, one at a time.
    expect(sent - items * megabyte.length).toBeLessThan(outletBytesMax);
    expect(runs.texts()).toHaveLength(items);
    session.destroy();
  });
});
