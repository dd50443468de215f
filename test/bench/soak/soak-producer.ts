import { setTimeout } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { encodePayload } from "../../../containers/grpc/codec.ts";
import { type Ending, PlainClient } from "../../containers/plain-client.ts";
import { soakItem } from "./soak-item.ts";
import { isOutcomeUnknown } from "./unknown-outcome.ts";

export interface ProducerPlan {
  readonly name: string;
  readonly run: string;
  /** How the log tells its items from repeats: by number or by key. */
  readonly by: "number" | "key";
  /** Items under way at once. */
  readonly atOnce: number;
  readonly port: number;
  readonly random: () => number;
}

/** What producers were told, of all of them together. */
export class Promises {
  /** The offset of each item that was acknowledged, by name and run. */
  readonly acknowledged = new Map<string, Map<string, number>>();
  /** Items that were refused for good: too late for their producer's order. */
  readonly refused = new Set<string>();
  /** Answers by status. */
  readonly answers: Record<string, number> = {};

  ofRun(run: string): Map<string, number> {
    const known = this.acknowledged.get(run) ?? new Map<string, number>();
    this.acknowledged.set(run, known);
    return known;
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** Sends items one after the other, each until it is acknowledged or refused, and changes its mind about some calls, until it is told to stop. */
export async function produce(plan: ProducerPlan, promises: Promises, stop: AbortSignal): Promise<void> {
  const { random } = plan;
  const client = new PlainClient(plan.port, undefined, {
    "grpc.initial_reconnect_backoff_ms": 50,
    "grpc.max_reconnect_backoff_ms": 500,
  });
  let next = 1;
  const worker = async () => {
    while (!stop.aborted) {
      const number = next++;
      // Most are small; few are what a camera sends.
      const bytes = Math.floor(random() < 0.02 ? random() * 400_000 : 40 + random() * 2000);
      await deliver(client, plan, number, bytes, promises);
      await setTimeout(random() * 40);
    }
  };
  try {
    await Promise.all(Array.from({ length: plan.atOnce }, worker));
  } finally {
    client.close();
  }
}

async function deliver(client: PlainClient, plan: ProducerPlan, number: number, bytes: number, promises: Promises) {
  const { run, name: producer, by, random } = plan;
  const name = `${producer}:${number}`;
  const identity: Record<string, string> =
    by === "key" ? { "x-hil-idempotency-key": name } : { "x-hil-producer": producer, "x-hil-seq": String(number) };
  const method = by === "key" ? "SendInteractionMessage" : "SendTransition";
  const message = encodePayload(soakItem(name, bytes));
  for (;;) {
    const ending = await send(client, method, message, { "x-hil-run": run, ...identity }, random);
    const { code, details, trailers } = ending;
    promises.answers[status[code] as string] = (promises.answers[status[code] as string] ?? 0) + 1;
    if (code === status.OK) return void promises.ofRun(run).set(name, Number(trailers["x-hil-offset"]));
    if (code === status.ABORTED) return void promises.refused.add(name);
    if (!isOutcomeUnknown(ending)) throw new Error(`${name} was answered ${status[code]}: ${details}`);
    await setTimeout(20 + random() * 80);
  }
}

/** Some calls are cancelled, some given little time, most wait. */
async function send(
  client: PlainClient,
  method: string,
  message: Buffer,
  metadata: Record<string, string>,
  random: () => number,
): Promise<Ending> {
  const mood = random();
  const canceller = new AbortController();
  const deadline = Date.now() + (mood < 0.05 ? random() * 40 : 20_000);
  const cancelling = mood > 0.95 ? globalThis.setTimeout(() => canceller.abort(), random() * 40) : undefined;
  const path = `/hil_serl.LearnerService/${method}`;
  const ending = await client.unary(path, message, metadata, new Date(deadline), canceller.signal);
  clearTimeout(cancelling);
  return ending;
}
