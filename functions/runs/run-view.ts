import * as z from "zod";
import type { Run } from "./run.ts";

const Counts = z.object({ transitions: z.number().int(), interactions: z.number().int() });

export const RunView = z.object({
  id: z.string(),
  name: z.string(),
  /** A user's id, or "anonymous" for what came without a token. */
  tenant: z.string(),
  status: z.enum(["open", "closed"]),
  /** The oldest offset that is kept. */
  first_offset: z.number().int(),
  /** The offset that the next item gets. */
  next_offset: z.number().int(),
  /** Since the run began, whatever is still kept of it. */
  items: Counts,
  /** Of the payloads of these items. */
  payload_bytes: Counts,
  /** Of what is kept. */
  stored_bytes: z.number().int(),
  retention: z.object({ age_seconds: z.number().int().nullable(), bytes: z.number().int().nullable() }),
  /** 0 before the first parameters. */
  parameter_version: z.number().int(),
  created_at: z.string(),
  closed_at: z.string().nullable(),
});
export type RunView = z.output<typeof RunView>;

/** A run as its owner sees it. Who writes it, and under which epoch, is nobody's business but the writers'. */
export const runView = (run: Run): z.input<typeof RunView> => ({
  id: run.id,
  name: run.name,
  tenant: run.tenant,
  status: run.status,
  first_offset: run.first,
  next_offset: run.head,
  items: { transitions: run.transitions, interactions: run.interactions },
  payload_bytes: { transitions: run.transitionBytes, interactions: run.interactionBytes },
  stored_bytes: run.storedBytes,
  retention: { age_seconds: run.retention.ageSeconds, bytes: run.retention.bytes },
  parameter_version: run.parameterVersion,
  created_at: run.createdAt,
  closed_at: run.closedAt,
});
