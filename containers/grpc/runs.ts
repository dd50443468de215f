import type { Payload } from "../../functions/runs/payload.ts";
import type { ReaderLag } from "../../functions/runs/reader-lag.ts";
import type { ItemKind } from "../../functions/runs/run.ts";

/** A run of one tenant: a user's id, or the tenant of those who call without a token. */
export interface RunName {
  readonly tenant: string;
  readonly name: string;
}

export interface NewItem {
  readonly kind: ItemKind;
  readonly payload: Payload;
  readonly producer?: string;
  readonly sequence?: number;
  readonly idempotencyKey?: string;
  /** Of the payload, as the producer says. */
  readonly crc32c?: number;
  readonly acknowledgement: "durable" | "memory";
}

export interface Appended {
  /** Undefined for a repeat of an item that retention has taken away meanwhile. */
  readonly offset?: number;
  /** The item was there already; `offset` is that of the first. */
  readonly duplicate: boolean;
  readonly durable: boolean;
}

export interface RunItem {
  readonly offset: number;
  readonly kind: ItemKind;
  readonly payload: Buffer;
}

export interface Feed {
  /** Offset of the first item to come. */
  readonly first: number;
  /**
   * Items without gaps, as many at a time as are there; ends when the run is closed and all were delivered, or when the signal aborts.
   * Feeds at the same place have the same arrays, so what is made of one can be kept by it.
   */
  readonly stretches: AsyncIterable<readonly RunItem[]>;
}

/** What the two services need of the durable log. Every refusal is an RpcError; anything else thrown is a fault of ours. */
export interface Runs {
  append(run: RunName, item: NewItem): Promise<Appended>;
  /** Offset of the next item to come. */
  head(run: RunName): Promise<number>;
  /** What a reader has not got yet. @param next offset that it gets next */
  lag(run: RunName, next: number): Promise<ReaderLag>;
  read(run: RunName, from: "now" | "earliest" | number, signal: AbortSignal): Promise<Feed>;
  /** Keeps parameters as the newest of the run. @returns their version */
  storeParameters(run: RunName, payload: Buffer): Promise<number>;
  /** False while writes have been failing for some time. */
  isHealthy(): boolean;
  /** Seals and commits what is pending. */
  flush(): Promise<void>;
  /** Lets go of everything that a successor needs. */
  close(): Promise<void>;
}
