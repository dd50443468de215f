import { createHash } from "node:crypto";
import type { FaultKind } from "./faults.ts";

/** One request to the scripted model, as the provider would see it. */
export interface Call {
  readonly provider: string;
  /** Empty while unknown: when the request was not understood. */
  readonly model: string;
  /** The file that was shown, when the prompt names one. */
  readonly path: string | null;
  readonly fault: FaultKind | null;
  /** The beginning of the SHA-256 of the key that came along, to tell keys apart without having them; null without a key. */
  readonly keyHash: string | null;
  /** Calls in flight when this one began, itself included. */
  readonly inFlight: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while in flight. */
  readonly endedAt: number | null;
  /** Null while unanswered; it stays null when the client went away first. */
  readonly status: number | null;
  /** The request as it came; null unless bodies are kept. */
  readonly body: string | null;
}

export type OpenCall = { -readonly [Field in keyof Call]: Call[Field] };

/** Beyond so many the older half is forgotten; the counts go on. */
const keptMax = 100_000;

export const keyHashOf = (key: string | null): string | null =>
  key === null ? null : createHash("sha256").update(key).digest("hex").slice(0, 16);

/** The calls so far, the oldest first. */
export class CallLog {
  #calls: OpenCall[] = [];
  #count = 0;
  #inFlight = 0;
  #inFlightMax = 0;

  get calls(): readonly Call[] {
    return this.#calls;
  }

  get counts() {
    return { count: this.#count, in_flight: this.#inFlight, max_in_flight: this.#inFlightMax };
  }

  begin(provider: string, key: string | null): OpenCall {
    this.#count++;
    this.#inFlight++;
    this.#inFlightMax = Math.max(this.#inFlightMax, this.#inFlight);
    const call: OpenCall = {
      provider,
      model: "",
      path: null,
      fault: null,
      keyHash: keyHashOf(key),
      inFlight: this.#inFlight,
      startedAt: Date.now(),
      endedAt: null,
      status: null,
      body: null,
    };
    if (this.#calls.length === keptMax) this.#calls = this.#calls.slice(keptMax / 2);
    this.#calls.push(call);
    return call;
  }

  /** May be said twice; the first counts. */
  end(call: OpenCall): void {
    if (call.endedAt !== null) return;
    call.endedAt = Date.now();
    this.#inFlight--;
  }

  /** Forgets all; calls still in flight stay counted as such until they end. */
  reset(): void {
    this.#calls = [];
    this.#count = 0;
    this.#inFlightMax = this.#inFlight;
  }
}
