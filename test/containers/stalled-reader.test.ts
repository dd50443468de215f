import { once } from "node:events";
import { connect } from "node:http2";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { outletBytesMax } from "../../containers/grpc/handlers.ts";
import { anonymousTenant } from "../../functions/runs/run.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { freePort } from "../../lib/local/tasks.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { PlainClient } from "./plain-client.ts";
import { ServedProcess } from "./served-process.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const mebi = 1024 * 1024;
const itemBytes = 2 * mebi;
const itemsOfRound = 24;
/** 48 MiB each go past the reader that does not read; `SLUICE_STALL_ROUNDS=450` is some ten minutes. */
const rounds = Number(process.env.SLUICE_STALL_ROUNDS ?? 3);
/** What Node lets garbage outside its heap grow to before it collects, and some more; what goes past is more than twice as much. */
const noise = 64 * mebi;

it(`a reader that has stopped costs its cap and no more, however much comes (${rounds * 48} MiB)`, async () => {
  const name = "stalled";
  const { id } = await ensureRun(anonymousTenant, name, new Date());
  const log = await openRunLog(id, { ownerId: "a" });
  const metricsPort = await freePort(0, "the test");
  const actor = await ServedProcess.start("actor", { METRICS_PORT: String(metricsPort) });
  const metric = async (line: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(
      text
        .split("\n")
        .find((one) => one.startsWith(line))
        ?.split(" ")
        .at(-1),
    );
  };

  const session = connect(`http://127.0.0.1:${actor.port}`, { settings: { initialWindowSize: 65_535 } });
  onTestFinished(() => session.destroy());
  const stalled = session.request({
    ":method": "POST",
    ":path": "/hil_serl.ActorService/StreamTransition",
    "content-type": "application/grpc",
    te: "trailers",
    "x-hil-run": name,
    "x-hil-from": "earliest",
  });
  stalled.pause();
  stalled.end(Buffer.alloc(5));
  await once(stalled, "response");
  const client = new PlainClient(actor.port);
  onTestFinished(() => client.close());

  /** Appends a round and lets somebody else read it, so that the stalled one had the time to get it too. */
  const round = async (): Promise<number> => {
    const stream = client.stream({ "x-hil-run": name });
    await stream.began;
    for (let n = 0; n < itemsOfRound; n++)
      await log.append({ kind: "transition", payload: Buffer.alloc(itemBytes, n) });
    await stream.take(itemsOfRound);
    stream.call.cancel();
    await stream.ended;
    return await metric("process_resident_memory_bytes");
  };
  const before = await round();
  let after = before;
  for (let n = 0; n < rounds; n++) after = await round();
  console.log(`RSS ${Math.round(before / mebi)} MiB, after ${rounds} rounds ${Math.round(after / mebi)} MiB`);
  expect(after - before).toBeLessThan(noise);
  const sent = await metric('hil_sent_bytes_total{method="/hil_serl.ActorService/StreamTransition"}');
  expect(sent - (rounds + 1) * itemsOfRound * itemBytes).toBeLessThan(outletBytesMax + itemBytes);
  await log.close();
}, 900_000);
