import { errorFields, log } from "../../functions/platform/log.ts";
import type { CallGate } from "./call-gate.ts";
import type { Metrics } from "./metrics.ts";
import type { Runs } from "./runs.ts";
import type { RunningServer } from "./server.ts";

/** Milliseconds after the start by which each phase is over. Fargate kills 120 s after SIGTERM, and the last phase leaves a margin. */
export const timetable = { flush: 5_000, streams: 10_000, calls: 60_000, leases: 90_000, connections: 95_000 } as const;
/** Longest wait for answers on their way, when everything else is done. */
const trailersMilliseconds = 5_000;
export type Timetable = Readonly<Record<keyof typeof timetable, number>>;

export interface Drained {
  readonly server: RunningServer;
  readonly gate: CallGate;
  readonly runs: Runs;
  readonly metrics: Metrics;
  readonly timetable?: Timetable;
}

/**
 * Takes a server down so that every caller gets an answer and a successor finds nothing half done. New calls are refused from the first instant on,
 * but health checks, which say so.
 */
export async function drain({ server, gate, runs, metrics, timetable: times = timetable }: Drained): Promise<void> {
  const began = performance.now();
  const left = (phase: keyof Timetable) => Math.max(0, Math.ceil(times[phase] - (performance.now() - began)));
  const phaseOver = (phase: string) => metrics.drainSeconds.set({ phase }, (performance.now() - began) / 1000);
  server.setServing(false);
  gate.drain();
  server.sendGoaway();
  log("info", "drain began", { count: gate.busyCalls });
  await within(left("flush"), "pending items not flushed in time", runs.flush());
  phaseOver("flush");
  // Streams have heard of it and end once they have sent what there is; those that still wait for slow readers are told to end where they are.
  if (!(await gate.idle(left("streams")))) gate.askAllToEnd();
  phaseOver("streams");
  await gate.idle(left("calls"));
  gate.refuseAll();
  phaseOver("calls");
  await within(left("leases"), "leases not given back in time", runs.close());
  phaseOver("leases");
  // What was answered last is still on its way out; readers that have stopped reading will never get it.
  await server.connectionsClosed(Math.min(left("connections"), trailersMilliseconds));
  log("info", "drain ended", { milliseconds: Math.round(performance.now() - began) });
}

/** Waits no longer than this. A phase that fails or takes too long must not take the others' time. */
async function within(milliseconds: number, complaint: string, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error("timed out")), milliseconds);
  await Promise.race([work, late.promise])
    .catch((error) => log("error", complaint, errorFields(error)))
    .finally(() => clearTimeout(timer));
}
