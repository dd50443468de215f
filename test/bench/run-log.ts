import { randomUUID } from "node:crypto";
import { crc32c } from "../../functions/runs/crc32c.ts";
import { MemoryBudget } from "../../functions/runs/memory-budget.ts";
import { readRun } from "../../functions/runs/read-run.ts";
import { openRunLog, type RunLogLimits } from "../../functions/runs/run-log.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { startEmbeddedData } from "../support/embedded-data.ts";

const MiB = 1024 * 1024;

/** Appending to a run and reading it back, on the embedded cloud in this very process: a floor for the code, not a promise for AWS. */
export default async function runLog(): Promise<void> {
  const data = await startEmbeddedData();
  const block = Buffer.alloc(MiB, "crc");
  for (let n = 0; n < 50; n++) crc32c(block);
  const begun = performance.now();
  for (let n = 0; n < 200; n++) crc32c(block);
  console.log(`CRC-32C: ${Math.round(200 / ((performance.now() - begun) / 1000))} MiB/s`);
  const rows: Record<string, object> = {};
  for (const [size, items] of [
    [1024, 5000],
    [100 * 1024, 500],
    [MiB, 100],
  ] as const) {
    for (const ack of ["memory", "durable"] as const)
      for (const parallel of ack === "memory" ? [16] : [1, 16])
        rows[`${size / 1024} KiB, ${ack}, ${parallel} at once`] = await measure(size, items, ack, parallel, {});
  }
  rows["1 KiB, durable, 1 at once, always lingering"] = await measure(1024, 30, "durable", 1, { sealWhenIdle: false });
  console.table(rows);
  await data.stop();
}

async function measure(
  size: number,
  items: number,
  ack: "memory" | "durable",
  parallel: number,
  limits: Partial<RunLogLimits>,
): Promise<object> {
  const run = await ensureRun("bench", randomUUID(), new Date());
  let segments = 0;
  const log = await openRunLog(run.id, {
    ownerId: "bench",
    limits,
    budget: new MemoryBudget(256 * MiB),
    onCommit: () => {
      segments += 1;
    },
  });
  const payload = Buffer.alloc(size, "payload");
  const latencies: number[] = [];
  const count = parallel === 1 ? Math.min(items, 200) : items;
  let next = 0;
  const begun = performance.now();
  const worker = async () => {
    while (next < count) {
      next += 1;
      const sent = performance.now();
      await log.append({ kind: "transition", payload, ack });
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  await log.flush();
  const seconds = (performance.now() - begun) / 1000;
  await log.close();
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(100 * sorted[Math.floor(share * (sorted.length - 1))]!) / 100;
  return {
    "items/s": Math.round(count / seconds),
    "MiB/s": Math.round((count * size) / MiB / seconds),
    "p50 ms": at(0.5),
    "p99 ms": at(0.99),
    segments,
    "read MiB/s": await reading(run.id, count * size),
  };
}

async function reading(runId: string, bytes: number): Promise<number> {
  const begun = performance.now();
  const { items } = await readRun(runId, "earliest", { isLive: false });
  for await (const _ of items);
  return Math.round(bytes / MiB / ((performance.now() - begun) / 1000));
}
