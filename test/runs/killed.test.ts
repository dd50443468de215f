import { fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Acknowledged, itemText } from "./appending-process.ts";
import { allItems, freshRun, textOf } from "./runs.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

/** Lets a process append until it has acknowledged so many, and kills it there and then. */
async function killAfter(runId: string, acknowledgements: number): Promise<Acknowledged[]> {
  const child = fork(new URL("./appending-process.ts", import.meta.url), { execArgv: [] });
  const acknowledged: Acknowledged[] = [];
  child.on("message", (one: Acknowledged) => {
    acknowledged.push(one);
    if (acknowledged.length === acknowledgements) child.kill("SIGKILL");
  });
  child.send(runId);
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");
  return acknowledged;
}

it.each([1, 7, 60, 200])("loses no durable item when its process is killed right after answer %d", async (answers) => {
  const run = await freshRun();
  const acknowledged = await killAfter(run.id, answers);
  const log = await openRunLog(run.id, { ownerId: "killed" });
  const before = (await allItems(run.id)).map(textOf);
  for (const { seq, offset, durable } of acknowledged)
    if (durable) expect(before[offset as number]).toBe(itemText(seq));
  // Its producer sends everything again that it has sent, and some more: the log has each once and in order.
  const last = Math.max(...acknowledged.map(({ seq }) => seq)) + 10;
  for (let seq = 1; seq <= last; seq++)
    await log.append({ kind: "transition", payload: Buffer.from(itemText(seq)), producer: "p", seq });
  await log.close();
  const after = (await allItems(run.id)).map(textOf);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThanOrEqual(last);
  expect(after).toEqual(after.map((_, index) => itemText(index + 1)));
  expect(await verifyRun(run.id)).toMatchObject({ defects: [] });
});
