import { EventEmitter } from "node:events";
import { type Clock, pause } from "./clock.ts";

/** Readers in the process of the writer need not ask DynamoDB whether there is more. One listener for each waiting reader. */
const commits = new EventEmitter().setMaxListeners(0);

/** Says that a run has become longer, or has ended. */
export const announceHead = (runId: string): void => void commits.emit(runId);

/** Waits until a writer in this process announces, but no longer than `ms`: a writer elsewhere announces nothing here. */
export async function waitForHead(runId: string, ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  const woken = new AbortController();
  const wake = () => woken.abort();
  commits.once(runId, wake);
  try {
    await pause(clock, ms, signal ? AbortSignal.any([woken.signal, signal]) : woken.signal);
  } finally {
    commits.off(runId, wake);
  }
}
