import { once } from "node:events";
import { connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import { requireRun } from "../../functions/runs/run-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { PlainClient } from "./plain-client.ts";
import { ServedProcess } from "./served-process.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

function client(process: ServedProcess): PlainClient {
  const made = new PlainClient(process.port);
  onTestFinished(() => made.close());
  return made;
}

const item = (text: string) => ({ transition_bytes: Buffer.from(text) });

describe("the two programs", () => {
  it("keep what was acknowledged when the learner is killed, and the actor serves it", async () => {
    const metadata = { "x-hil-run": "killed" };
    const learner = await ServedProcess.start("learner");
    const sender = client(learner);
    const numbered = (seq: number) => ({ ...metadata, "x-hil-producer": "arm", "x-hil-seq": String(seq) });
    for (const seq of [1, 2, 3]) {
      const { code, trailers } = await sender.send("SendTransition", item(`item ${seq}`), numbered(seq));
      expect([code, trailers["x-hil-durable"]]).toEqual([status.OK, "1"]);
    }
    expect(await learner.end("SIGKILL")).toBeNull();

    const actor = await ServedProcess.start("actor");
    const stream = client(actor).stream({ ...metadata, "x-hil-from": "earliest" });
    await stream.take(3);
    expect(stream.texts).toEqual(["item 1", "item 2", "item 3"]);

    // The successor takes the run over; what is sent again is not kept again.
    const successor = await ServedProcess.start("learner");
    const again = await untilTaken(() => client(successor).send("SendTransition", item("item 3"), numbered(3)));
    expect(again.trailers).toMatchObject({ "x-hil-duplicate": "1", "x-hil-offset": "2" });
    await client(successor).send("SendInteractionMessage", { interaction_message_bytes: Buffer.from("end") }, metadata);
    await stream.take(4);
    expect(stream.texts.at(-1)).toBe("[end]");
    stream.call.cancel();
  });

  it("go down when they are told to: streams say where to go on, and the run is free for a successor", async () => {
    const learner = await ServedProcess.start("learner");
    const actor = await ServedProcess.start("actor");
    const stream = client(actor).stream({ "x-hil-run": "drained" });
    await stream.began;
    await client(learner).send("SendTransition", item("a"), { "x-hil-run": "drained", "x-hil-ack": "memory" });
    expect(await learner.end("SIGTERM")).toBe(0);
    // What may have been only in memory has been stored on the way down.
    expect((await requireRun(runIdOf(anonymousTenant, "drained"))).head).toBe(1);
    await stream.take(1);
    expect(await actor.end("SIGTERM")).toBe(0);
    expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE, trailers: { "x-hil-next-offset": "1" } });
    const successor = await ServedProcess.start("learner");
    const next = await client(successor).send("SendTransition", item("b"), { "x-hil-run": "drained" });
    expect(next).toMatchObject({ code: status.OK, trailers: { "x-hil-offset": "1" } });
  });

  it("take parameters, the newest wins", async () => {
    const actor = await ServedProcess.start("actor");
    const learner = client(actor);
    for (const version of ["1", "2"]) {
      const { code, trailers } = await learner.send("SendParameters", { parameter_bytes: Buffer.alloc(100) });
      expect([code, trailers["x-hil-param-version"]]).toEqual([status.OK, version]);
    }
  });

  it.each([
    [{ "x-hil-crc32c": "00000000" }, status.INVALID_ARGUMENT],
    [{ "x-hil-idempotency-key": "used" }, status.ALREADY_EXISTS],
  ])("answer %j with the log's refusal", async (metadata, code) => {
    const learner = client(await ServedProcess.start("learner"));
    const used = { "x-hil-run": "refused", "x-hil-idempotency-key": "used" };
    expect((await untilTaken(() => learner.send("SendTransition", item("first"), used))).code).toBe(status.OK);
    const refused = await learner.send("SendTransition", item("other"), { "x-hil-run": "refused", ...metadata });
    expect(refused.code).toBe(code);
  });

  it("end at once at the second signal", async () => {
    const learner = await ServedProcess.start("learner");
    const session = connect(`http://127.0.0.1:${learner.port}`).on("error", () => {});
    // A message that is never whole is a call under way, which a drain waits for.
    const path = "/hil_serl.LearnerService/SendTransition";
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
    const stream = session.request(headers, { endStream: false }).on("error", () => {});
    stream.write(Buffer.alloc(5, 1));
    await new Promise((resolve) => session.ping(resolve));
    const goaway = once(session, "goaway");
    learner.signal("SIGTERM");
    await goaway;
    expect(await learner.end("SIGTERM")).toBe(1);
    session.destroy();
  });

  it("do not start in plaintext where others can connect, and say what to set", async () => {
    const started = ServedProcess.start("learner", { GRPC_HOST: "0.0.0.0" });
    await expect(started).rejects.toThrow(/exit 2: The learner cannot start: .*\n {2}GRPC_PLAINTEXT: beyond loopback/);
  });

  it("do not start without the table, and say which variable is missing", async () => {
    const started = ServedProcess.start("learner", { TABLE_NAME: "" });
    await expect(started).rejects.toThrow(/exit 2: The learner cannot start: [\s\S]*TABLE_NAME/);
  });
});

/** Sends again while the lease of a writer that was killed has not run out, as clients that retry do. */
async function untilTaken<T extends { code: number }>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await send();
    if (answer.code !== status.UNAVAILABLE) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
