import * as z from "zod";
import { RunName, runIdOf } from "./run-name.ts";

/** Who the runs of callers without a token belong to: a learner on loopback takes everybody. */
export const anonymousTenant = "anonymous";

/** What a log holds; the number is the one of its records. */
export const ItemKind = { transition: 1, interaction: 2 } as const;
export type ItemKind = keyof typeof ItemKind;

/** When items go: those older than an age, and the oldest beyond a size. Null keeps them. */
export const Retention = z.object({
  ageSeconds: z.number().int().min(60).nullable(),
  bytes: z.number().int().min(1).nullable(),
});
export type Retention = z.infer<typeof Retention>;

/** Everything is kept until somebody says otherwise: experience is what the run is for. */
export const keepEverything: Retention = { ageSeconds: null, bytes: null };

const Count = z.number().int().min(0);

/** One log of items with gapless offsets, and the parameters that came of it. */
export const Run = z.object({
  id: z.uuid(),
  /** A user's id, or `anonymousTenant`. */
  tenant: z.string(),
  name: RunName,
  status: z.enum(["open", "closed"]),
  /** The oldest offset that is kept. */
  first: Count,
  /** The offset that the next item gets. */
  head: Count,
  /** Goes up with each writer. Only the newest may commit: this is what keeps an old one out. */
  epoch: Count,
  /** The writer of the newest segment. */
  headEpoch: Count,
  /** Items since the run began, and the bytes of their payloads. */
  transitions: Count,
  transitionBytes: Count,
  interactions: Count,
  interactionBytes: Count,
  /** Bytes of the segments that are kept. */
  storedBytes: Count,
  retention: Retention,
  /** Goes up whenever stored segments are taken away or put together, which is conditional on it: two who do so never work on one another. */
  layout: Count.default(0),
  /** Version of the newest parameters; 0 before the first. */
  parameterVersion: Count,
  createdAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable(),
});
export type Run = z.infer<typeof Run>;

/** A run as it begins. */
export const newRun = (tenant: string, name: string, at: Date): Run => ({
  id: runIdOf(tenant, name),
  tenant,
  name: RunName.parse(name),
  status: "open",
  first: 0,
  head: 0,
  epoch: 0,
  headEpoch: 0,
  transitions: 0,
  transitionBytes: 0,
  interactions: 0,
  interactionBytes: 0,
  storedBytes: 0,
  retention: keepEverything,
  layout: 0,
  parameterVersion: 0,
  createdAt: at.toISOString(),
  closedAt: null,
});
