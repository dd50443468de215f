import { type Appended, openRunLog } from "../../functions/runs/run-log.ts";

/** A program that a test forks and kills: it appends numbered items, several at a time, and tells of each acknowledgement. */
export interface Acknowledged extends Appended {
  readonly seq: number;
}

export const itemText = (seq: number): string => `item ${seq}`;

const atOnce = 8;

if (import.meta.main) process.once("message", (runId: string) => void run(runId));

async function run(runId: string): Promise<void> {
  const log = await openRunLog(runId, { ownerId: "killed" });
  for (let seq = 1; ; seq += atOnce) {
    const batch = Array.from({ length: atOnce }, async (_, n) => {
      const item = {
        kind: "transition" as const,
        payload: Buffer.from(itemText(seq + n)),
        producer: "p",
        seq: seq + n,
      };
      // Every fourth is acknowledged from memory.
      const answer = await log.append({ ...item, ack: n % 4 === 3 ? "memory" : "durable" });
      process.send?.({ seq: seq + n, ...answer } satisfies Acknowledged);
    });
    await Promise.all(batch);
  }
}
