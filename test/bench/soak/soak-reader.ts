import { setTimeout } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { PlainClient } from "../../containers/plain-client.ts";
import { nameOfItem } from "./soak-item.ts";
import { isOutcomeUnknown } from "./unknown-outcome.ts";

/**
 * Reads a run from its beginning until it is closed, over a line that breaks, and goes on each time where it was.
 * @returns the names of the items as they came
 */
export async function readToEnd(run: string, port: number, random: () => number): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const client = new PlainClient(port);
    const stream = client.stream({
      "x-hil-run": run,
      "x-hil-from": names.length === 0 ? "earliest" : `offset:${names.length}`,
    });
    // Some readers go away by themselves.
    const leaving = random() < 0.2 ? globalThis.setTimeout(() => stream.call.cancel(), random() * 2000) : undefined;
    const ending = await stream.ended;
    clearTimeout(leaving);
    client.close();
    for (const { transition, interaction_message: message } of stream.items)
      names.push(nameOfItem((transition?.transition_bytes ?? message?.interaction_message_bytes) as Buffer));
    if (ending.code === status.OK) return names;
    if (!isOutcomeUnknown(ending))
      throw new Error(`a reader of ${run} was told ${status[ending.code]}: ${ending.details}`);
    await setTimeout(random() * 100);
  }
}
