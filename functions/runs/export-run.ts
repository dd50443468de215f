import * as z from "zod";
import { Id, says } from "../platform/contract.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { putJson, putObject } from "../platform/object-store.ts";
import { operation } from "../platform/operation.ts";
import { padded } from "../platform/table.ts";
import { authoriseRun } from "./authorise-run.ts";
import { cutSegment } from "./cut-segment.ts";
import type { Run } from "./run.ts";
import { findRun } from "./run-store.ts";
import { copySegment, type SegmentEntry, segmentAt, segmentsFrom } from "./segment-store.ts";

/** Leaves time for the manifest before the function is stopped. */
const copyMilliseconds = 15_000;
const copiesAtOnce = 8;

const ExportRequest = z
  .object({
    /** Of the answer before, to go on with the same export. */
    stamp: z.string().regex(/^\d{8}T\d{9}Z$/),
    from: z.number().int().min(0),
  })
  .partial()
  .extend({ segments_max: z.number().int().min(1).max(1000).default(1000) })
  .refine(({ stamp, from }) => (stamp === undefined) === (from === undefined), {
    ...says("stamp 和 from 必须同时给出", "stamp and from go together"),
  })
  .default({ segments_max: 1000 });

/**
 * Copies immutable segments, each under a key that says where it begins, and then writes what was copied into a manifest of its own. So a
 * call can be repeated, and a run of any length is exported by as many calls as it takes.
 */
export const exportRun = operation(
  {
    method: "POST",
    path: "/runs/{id}/export",
    summary:
      "Copy a run's segments below exports/ of the results bucket; call again with stamp and next_offset until complete",
    auth: "user",
    scope: "learner",
    params: z.object({ id: Id }),
    body: ExportRequest,
    success: z.object({
      bucket: z.string(),
      prefix: z.string(),
      manifest: z.string(),
      stamp: z.string(),
      from: z.number().int(),
      next_offset: z.number().int(),
      segments: z.number().int(),
      bytes: z.number().int(),
      /** True when the export has reached the end that the run had at this call. */
      complete: z.boolean(),
    }),
    failures: ["run_not_found", "run_offset_not_kept"],
    grants: { reads: ["run"], results: { reads: ["runs/*"], writes: ["exports/runs/*"] } },
  },
  async ({ params, body, caller, now }) => {
    const run = await authoriseRun(caller, params.id);
    const startedAt = now();
    const stamp = body.stamp ?? startedAt.toISOString().replace(/[-:.]/g, "");
    const from = body.from ?? run.first;
    const refused = (first: number) => new SluiceError("run_offset_not_kept", { offset: from, first, next: run.head });
    if (from < run.first || from > run.head) throw refused(run.first);
    const prefix = `exports/runs/${run.id}/${stamp}/`;
    const copied: SegmentEntry[] = [];
    let next = from;
    while (next < run.head && copied.length < body.segments_max) {
      if (now().getTime() - startedAt.getTime() > copyMilliseconds) break;
      const some = Math.min(copiesAtOnce, body.segments_max - copied.length);
      const entries = await entriesFrom(run, next, some);
      // Retention was faster.
      if (entries.length === 0) throw refused((await findRun(run.id))?.first ?? run.first);
      const from = next;
      copied.push(...(await Promise.all(entries.map((entry) => copyFrom(run.id, entry, from, prefix)))));
      next = (entries.at(-1) as SegmentEntry).first + (entries.at(-1) as SegmentEntry).count;
    }
    const bucket = environment().RESULTS_BUCKET;
    const manifest = `${prefix}manifest-${padded(from)}.json`;
    const complete = next === run.head;
    const part = { run: { id: run.id, name: run.name }, from, next_offset: next, complete };
    await putJson(bucket, manifest, { ...part, segments: copied.map(manifestEntry) });
    const bytes = copied.reduce((sum, entry) => sum + entry.bytes, 0);
    return { bucket, prefix, manifest, stamp, from, next_offset: next, segments: copied.length, bytes, complete };
  },
);

/** The segments that follow on an offset without a gap; the first of them may begin before it, as compaction puts segments together. */
async function entriesFrom({ id, head }: Run, from: number, limit: number): Promise<SegmentEntry[]> {
  const holding = await segmentAt(id, from);
  if (!holding || holding.first + holding.count <= from) return [];
  const entries = [holding];
  for (const entry of await segmentsFrom(id, from + 1, limit - 1, head)) {
    const last = entries.at(-1) as SegmentEntry;
    if (entry.first !== last.first + last.count) break;
    entries.push(entry);
  }
  return entries;
}

/** Copies what of a segment lies at an offset or behind it. @returns what was copied */
async function copyFrom(runId: string, entry: SegmentEntry, from: number, prefix: string): Promise<SegmentEntry> {
  if (entry.first >= from) {
    await copySegment(runId, entry, `${prefix}${segmentName(entry)}`);
    return entry;
  }
  const cut = await cutSegment(runId, entry, from);
  await putObject(environment().RESULTS_BUCKET, `${prefix}${segmentName(cut.entry)}`, cut.body);
  return cut.entry;
}

const segmentName = ({ first }: SegmentEntry): string => `segments/${padded(first)}`;

const manifestEntry = (entry: SegmentEntry) => ({
  key: segmentName(entry),
  first_offset: entry.first,
  count: entry.count,
  transitions: entry.transitions,
  interactions: entry.interactions,
  bytes: entry.bytes,
  first_time: new Date(entry.firstTime).toISOString(),
  last_time: new Date(entry.lastTime).toISOString(),
});
