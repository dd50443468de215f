import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { isRunError } from "../../functions/runs/run-error.ts";
import { type NewItem, openRunLog, type RunLog } from "../../functions/runs/run-log.ts";
import { verifyRun } from "../../functions/runs/verify-run.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { allItems, freshRun, hurryingClock, textOf } from "./runs.ts";

process.env.AWS_MAX_ATTEMPTS = "1";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

/** What happens to a log. Producers number their items one by one and send one until it is acknowledged, as real ones do. */
type Step =
  | { readonly do: "send"; readonly producers: readonly number[]; readonly ack: "durable" | "memory" }
  | { readonly do: "sendKeyed"; readonly keys: readonly number[] }
  | { readonly do: "repeat"; readonly which: number }
  | { readonly do: "otherBytes"; readonly which: number }
  | { readonly do: "restart" }
  | { readonly do: "crash" }
  | { readonly do: "break"; readonly inCalls: number; readonly calls: number; readonly after: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      producers: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
      ack: fc.constantFrom("durable" as const, "memory" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("sendKeyed" as const),
      keys: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat" as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("otherBytes" as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("break" as const),
      inCalls: fc.nat(8),
      calls: fc.integer({ min: 1, max: 6 }),
      after: fc.boolean(),
    }),
  },
);

type Item = NewItem & { readonly payload: Buffer };

/** The log and what has been promised about it. */
class Model {
  readonly runId: string;
  #log: RunLog;
  /** Owners of crashed lives: still there, and shut out. */
  readonly #crashed: RunLog[] = [];
  /** What was acknowledged as durable, by its text: the offset that was said. */
  readonly durable = new Map<string, number>();
  readonly sent = new Map<string, Item>();
  readonly #next = [1, 1, 1, 1];

  constructor(runId: string, log: RunLog) {
    this.runId = runId;
    this.#log = log;
  }

  async run(one: Step): Promise<void> {
    if (one.do === "send") await Promise.all(one.producers.map((producer) => this.#send(producer, one.ack)));
    else if (one.do === "sendKeyed") await Promise.all(one.keys.map((key) => this.#deliver(keyed(key))));
    else if (one.do === "restart") await this.#restart();
    else if (one.do === "crash") await this.#crash();
    else if (one.do === "break") breakCalls(one);
    else await this.#again(one);
  }

  async #send(producer: number, ack: "durable" | "memory"): Promise<void> {
    const seq = this.#next[producer]!;
    this.#next[producer] = seq + 1;
    await this.#deliver({ ...numbered(producer, seq), ack });
  }

  /** Sends until it is acknowledged, and holds the answer to what was said before. */
  async #deliver(item: Item): Promise<void> {
    const text = textOf(item);
    this.sent.set(text, item);
    const before = this.durable.get(text);
    const answer = await this.#insist(() => this.#log.append(item));
    if (before !== undefined) expect(answer).toEqual({ offset: before, duplicate: true, durable: true });
    if (answer.durable) this.durable.set(text, answer.offset as number);
  }

  async #again(one: { do: "repeat" | "otherBytes"; which: number }): Promise<void> {
    const texts = [...this.durable.keys()];
    const item = this.sent.get(texts[one.which % texts.length] ?? "");
    if (!item) return;
    if (one.do === "repeat") return this.#deliver({ ...item, ack: "durable" });
    const other = { ...item, payload: Buffer.from("something else") };
    await expect(this.#insist(() => this.#log.append(other))).rejects.toMatchObject({ code: "already_exists" });
  }

  async #insist<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (isRunError(error) && error.code !== "unavailable") throw error;
        await this.#log.whenOpen();
      }
    }
  }

  async #restart(): Promise<void> {
    // What was only in memory may be lost with an error, and is then.
    await this.#log.close().catch((error) => expect(error).toMatchObject({ code: "unavailable" }));
    this.#log = await this.#insist(() => open(this.runId));
  }

  /** Nothing is said to the old life: whatever it still does from now on must not matter. */
  async #crash(): Promise<void> {
    this.#crashed.push(this.#log);
    this.#log = await this.#insist(() => open(this.runId));
  }

  async end(): Promise<void> {
    data.gateway.planFault = () => undefined;
    await this.#insist(() => this.#log.flush());
    await this.#log.close();
    for (const log of this.#crashed) await log.close().catch(() => {});
  }
}

const numbered = (producer: number, seq: number): Item => ({
  kind: "transition",
  payload: Buffer.from(`p${producer}:${seq}`),
  producer: `p${producer}`,
  seq,
});
const keyed = (key: number): Item => ({
  kind: "interaction",
  payload: Buffer.from(`key ${key}`),
  idempotencyKey: `k${key}`,
});
const open = (runId: string) =>
  openRunLog(runId, { ownerId: "same", clock: hurryingClock(), limits: { triesMax: 2, segmentItems: 3 } });

function breakCalls({ inCalls, calls, after }: { inCalls: number; calls: number; after: boolean }): void {
  const error = new AwsError("InternalServerError", "Internal", 500);
  let number = 0;
  data.gateway.planFault = () => {
    number += 1;
    return number > inCalls && number <= inCalls + calls ? { when: after ? "after" : "before", error } : undefined;
  };
}

it("holds exactly what was acknowledged, once, where it was said to be, in each producer's order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { id } = await freshRun();
      const model = new Model(id, await open(id));
      for (const one of steps) await model.run(one);
      await model.end();

      const items = await allItems(id);
      const texts = items.map(textOf);
      expect(items.map(({ offset }) => offset)).toEqual(items.map((_, index) => index));
      for (const [text, offset] of model.durable) expect(texts[offset]).toBe(text);
      // Nothing twice, nothing that nobody sent.
      expect(new Set(texts).size).toBe(texts.length);
      for (const text of texts) expect(model.sent.has(text)).toBe(true);
      for (const producer of ["p0", "p1", "p2", "p3"]) {
        const seqs = items.filter((one) => one.producer === producer).map((one) => Number(textOf(one).split(":")[1]));
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      }
      expect(await verifyRun(id)).toMatchObject({ items: items.length, defects: [] });
    }),
    { numRuns: Number(process.env.SLUICE_MODEL_RUNS ?? 15) },
  );
});
