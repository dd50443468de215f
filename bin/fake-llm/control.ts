import * as z from "zod";
import { type FaultKind, faultKinds } from "./faults.ts";

/** What other processes can do to a running scripted model. */
export interface Controlled {
  readonly counts: unknown;
  setFault(kind: FaultKind | null): void;
  setLatency(ms: number): void;
  holdUntil(calls: number): void;
  reset(): void;
}

const Fault = z.object({ kind: z.enum(faultKinds).nullable() });
const Latency = z.object({ ms: z.number().min(0).max(600_000) });

const Hold = z.object({ calls: z.int().min(0).max(10_000) });

export type Control = (model: Controlled, body: unknown) => unknown;

const controls: Readonly<Record<string, Control>> = {
  "GET /_calls": (model) => model.counts,
  "POST /_fault": (model, body) => model.setFault(Fault.parse(body).kind),
  "POST /_latency": (model, body) => model.setLatency(Latency.parse(body).ms),
  "POST /_hold": (model, body) => model.holdUntil(Hold.parse(body).calls),
  "POST /_reset": (model) => model.reset(),
};

/** The control that a request names; undefined when it is none. */
export const controlOf = (method: string, path: string): Control | undefined => controls[`${method} ${path}`];
