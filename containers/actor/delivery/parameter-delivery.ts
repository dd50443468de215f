import { randomUUID } from "node:crypto";
import { status } from "@grpc/grpc-js";
import { isSluiceError } from "../../../functions/platform/errors.ts";
import { errorFields, log } from "../../../functions/platform/log.ts";
import {
  actorsOf,
  allActors,
  type Claim,
  claimActor,
  findActor,
  noteDelivered,
  noteFailure,
} from "../../../functions/runs/actor-registry.ts";
import { type Clock, pause, systemClock } from "../../../functions/runs/clock.ts";
import { findParameters, readParameters } from "../../../functions/runs/parameter-store.ts";
import { findRun } from "../../../functions/runs/run-store.ts";
import { type AddressPolicy, connected, connectToActor, sendParameters } from "./actor-address.ts";
import { Slots } from "./slots.ts";

export interface DeliveryOptions {
  readonly policy: AddressPolicy;
  /** Ends all deliveries; another process goes on with them. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Between tries that fail. @default 1 s, twice as long each time, up to 30 s */
  readonly backoffMilliseconds?: { readonly min: number; readonly max: number };
}

const backoff = { min: 1000, max: 30_000 };
const connectMilliseconds = 5000;
/** 64 MiB over a line of 10 Mbit/s. */
const sendMilliseconds = 60_000;
/** What a process that has died holds up an actor. */
const claimMilliseconds = connectMilliseconds + sendMilliseconds + 10_000;
/** Each has the parameters in memory. */
const deliveriesAtOnce = 4;
/** How often it is looked what processes that have died have left undone. */
const sweepMilliseconds = 60_000;

/**
 * Brings the newest parameters of runs to the actors that are registered for them, until each has taken them. One process at a time tries an
 * actor, and it takes what is newest when it does: superseded versions are never sent, and an actor never gets an older one behind a newer.
 * An actor may get a version twice, when its answer or the note of it was lost.
 */
export class ParameterDelivery {
  readonly #options: Required<DeliveryOptions>;
  readonly #claimant = randomUUID();
  readonly #slots = new Slots(deliveriesAtOnce);
  /** Actors that are being tried here. */
  readonly #under = new Map<string, Promise<void>>();
  /** Those that were asked for meanwhile: their last look may have been too early. */
  readonly #again = new Set<string>();

  constructor(options: DeliveryOptions) {
    this.#options = { clock: systemClock, backoffMilliseconds: backoff, ...options };
  }

  /** Takes up what is undone, now and every minute, until the signal aborts. */
  start(): void {
    const sweep = () => void this.sweep().catch(complain);
    const timer = setInterval(sweep, sweepMilliseconds);
    timer.unref();
    this.#options.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
    sweep();
  }

  /** Looks for actors of all runs that lack the newest parameters. */
  async sweep(): Promise<void> {
    let runId = "";
    let newest = 0;
    for await (const actor of allActors()) {
      if (this.#options.signal.aborted) return;
      if (actor.runId !== runId) newest = (await findRun(actor.runId))?.parameterVersion ?? 0;
      runId = actor.runId;
      if (actor.deliveredVersion < newest) this.deliver(runId, actor.address);
    }
  }

  /** There are new parameters. Returns at once: who has sent them waits for no actor. */
  parametersCame(runId: string): void {
    actorsOf(runId).then((actors) => {
      for (const { address } of actors) this.deliver(runId, address);
    }, complain);
  }

  /** Brings the newest parameters to one actor; returns at once. */
  deliver(runId: string, address: string): void {
    const key = `${runId}#${address}`;
    if (this.#options.signal.aborted) return;
    if (this.#under.has(key)) {
      this.#again.add(key);
      return;
    }
    const work = this.#untilDelivered({ runId, address, claimant: this.#claimant })
      .catch(complain)
      .finally(() => {
        this.#under.delete(key);
        if (this.#again.delete(key)) this.deliver(runId, address);
      });
    this.#under.set(key, work);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under.values());
  }

  async #untilDelivered(claim: Claim): Promise<void> {
    const { signal, clock, backoffMilliseconds } = this.#options;
    for (let inVain = 0; !signal.aborted; ) {
      const [run, actor] = await Promise.all([findRun(claim.runId), findActor(claim.runId, claim.address)]);
      if (!run || !actor || actor.deliveredVersion >= run.parameterVersion) return;
      const { min, max } = backoffMilliseconds;
      const isDelivered = await this.#try(claim, run.name);
      inVain = isDelivered ? 0 : inVain + 1;
      // Spread, so that actors that went down together are not all tried at once.
      const wait = Math.min(max, min * 2 ** (inVain - 1)) * (0.5 + Math.random() / 2);
      if (!isDelivered) await pause(clock, wait, signal);
    }
  }

  /** @returns false when it is to be tried again later */
  async #try(claim: Claim, run: string): Promise<boolean> {
    const { clock } = this.#options;
    if (!(await claimActor(claim, clock.now(), clock.now() + claimMilliseconds))) return false;
    try {
      const version = await this.#send(claim, run);
      await noteDelivered(claim, version, new Date(clock.now()));
      return true;
    } catch (error) {
      await noteFailure(claim, failureOf(error));
      return false;
    }
  }

  /** @returns the version that the actor has taken */
  async #send({ runId, address }: Claim, run: string): Promise<number> {
    const { policy, signal } = this.#options;
    const client = await connectToActor(address, policy);
    try {
      // Before anything is read: an actor that is down costs next to nothing.
      await connected(client, new Date(Date.now() + connectMilliseconds));
      return await this.#slots.within(async () => {
        const { version, payload } = await newestOf(runId);
        const deadline = new Date(Date.now() + sendMilliseconds);
        await sendParameters(client, { run, version, payload }, { deadline, signal });
        return version;
      });
    } finally {
      client.close();
    }
  }
}

/** As new as can be: versions that came while the actor could not be reached are passed over. */
async function newestOf(runId: string): Promise<{ version: number; payload: Buffer }> {
  const version = (await findRun(runId))?.parameterVersion ?? 0;
  const parameters = await findParameters(runId, version);
  const payload = parameters && (await readParameters(parameters));
  if (!payload) throw new Error(`parameters ${version} of the run ${runId} are gone`);
  return { version, payload };
}

/** For the owner to see. Texts of errors can hold what a host has sent; codes are ours to show. */
function failureOf(error: unknown): string {
  if (isSluiceError(error)) return error.code;
  const { code } = error as { code?: unknown };
  if (typeof code === "number") return status[code] ?? "UNKNOWN";
  return typeof code === "string" ? code : "UNAVAILABLE";
}

const complain = (error: unknown): void => log("error", "parameters not brought to actors", errorFields(error));
