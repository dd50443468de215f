import { crc32c } from "../../functions/runs/crc32c.ts";
import type { RunItemPage } from "../../functions/runs/list-run-items.ts";
import type { RunView } from "../../functions/runs/run-view.ts";
import type { LogClient } from "./log-client.ts";

/** What is wrong with some offsets. */
export interface Defect {
  readonly from_offset: number;
  readonly to_offset: number;
  readonly problem: "damaged" | "missing" | "checksum" | "size";
}

/** What `verify` found besides. */
export interface Verification {
  readonly id: string;
  readonly name: string;
  readonly first_offset: number;
  readonly next_offset: number;
  readonly transitions: number;
  readonly interactions: number;
  readonly payload_bytes: number;
  /** Items that are too large for the API: the service has compared their checksums, this program could not. */
  readonly checked_by_service_only: number;
  readonly defects: number;
}

/**
 * Reads what a run keeps by now: every offset has to come once and in order, every payload with its size and checksum. The service checks
 * each record against its own checksum when it reads it; here the bytes are checked again after their way.
 * @param onDefect told at once, as there may be many
 */
export async function verify(
  client: LogClient,
  run: RunView,
  onDefect: (defect: Defect) => Promise<void>,
): Promise<Verification> {
  const { id, name, first_offset, next_offset } = run;
  const sum = { transitions: 0, interactions: 0, payload_bytes: 0, checked_by_service_only: 0, defects: 0 };
  let next = first_offset;
  const report = (defect: Defect) => {
    sum.defects += 1;
    return onDefect(defect);
  };
  for await (const page of client.pages(id, { from: first_offset, to: next_offset, data: true })) {
    for (const item of page.items) {
      if (item.offset !== next) await report({ from_offset: next, to_offset: item.offset, problem: "missing" });
      const problem = problemOf(item);
      if (problem) await report({ from_offset: item.offset, to_offset: item.offset + 1, problem });
      next = item.offset + 1;
      sum[item.kind === "transition" ? "transitions" : "interactions"] += 1;
      sum.payload_bytes += item.bytes;
      if (item.payload === null) sum.checked_by_service_only += 1;
    }
    if (page.damaged) {
      await report({ ...page.damaged, problem: "damaged" });
      next = page.damaged.to_offset;
    }
    if (page.next_offset !== next) await report({ from_offset: next, to_offset: page.next_offset, problem: "missing" });
    next = page.next_offset;
  }
  return { id, name, first_offset, next_offset, ...sum };
}

function problemOf({ payload, bytes, crc32c: crc }: RunItemPage["items"][number]): Defect["problem"] | null {
  if (payload === null) return null;
  const received = Buffer.from(payload, "base64");
  if (received.length !== bytes) return "size";
  return crc32c(received) === crc ? null : "checksum";
}
