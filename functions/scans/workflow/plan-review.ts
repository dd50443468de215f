import type { FileArtefact, SourceFile } from "../../engine/artefact.ts";
import type { Engine } from "../../engine/engine.ts";
import { lastLine, placeKey, withExcerpts } from "../../engine/review/excerpts.ts";
import type { Excerpt } from "../../engine/review/review.ts";
import type { SlicePlace } from "../../engine/review/slices.ts";
import { auditEngine } from "../../platform/audit-engine.ts";
import { environment } from "../../platform/environment.ts";
import { getJson, getObject, putJson, putObject } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { spread } from "../instructions.ts";
import { readInstructions } from "../instructions-store.ts";
import { type ChunkOfAttempt, readArtefacts } from "../kept-artefacts.ts";
import { filesOfChunk, type LinkedFindings } from "../plan.ts";
import { BatchBuilder, placesToShow, planFile } from "../review-plan.ts";
import type { BatchFiles, ReviewPlan } from "../review-result.ts";
import { scanKeys } from "../task.ts";
import { enterPhase, finishedChunks } from "../task-progress-store.ts";
import { Attempt } from "./plan-scan.ts";

export const planReview = workflowTask(
  {
    summary:
      "Cuts the files that a model looks at into units, with what the rules found there, and writes them as batches",
    input: Attempt,
    grants: { reads: ["task"], writes: ["task"], results: { reads: ["scans/*"], writes: ["scans/*"] } },
    memoryMiB: 1769,
    timeoutSeconds: 600,
  },
  async ({ task_id, attempt }, now) => {
    const bucket = environment().RESULTS_BUCKET;
    const keys = scanKeys(task_id, attempt);
    const linked = await getJson<LinkedFindings>({ bucket, key: keys.findings });
    const instructions = await readInstructions(task_id, attempt);
    if (!linked) throw new Error(`the findings of task ${task_id} are missing`);
    const { functions, batchUnits } = spread(instructions.concurrency);
    const findings = Map.groupBy(linked.findings, (finding) => finding.path);
    const engine = await auditEngine();
    const chunks = await finishedChunks(task_id, attempt);
    const filesOf = async (chunk: number) => filesOfChunk(await getObject({ bucket, key: keys.chunk(chunk) }));
    const artefactsIn = (chunk: number) => artefactsOf({ task_id, attempt, chunk });
    const excerpts = await excerptsIn(chunks, filesOf, artefactsIn, placesToShow(linked), engine);

    const batches: BatchFiles[] = [];
    const skipped: { path: string; reason: string }[] = [];
    const gathered = new BatchBuilder(batchUnits);
    let files = 0;
    const write = async () => {
      const taken = gathered.take();
      if (!taken) return;
      const batch = batches.length;
      const lines = taken.units.map((unit) => JSON.stringify(unit));
      await putObject(bucket, keys.reviewBatch(batch), lines.join("\n"), "application/x-ndjson");
      batches.push({ batch, files: taken.files });
    };
    for (const chunk of chunks) {
      const known = await artefactsIn(chunk);
      for (const file of await filesOf(chunk)) {
        const planned = planFile(file, findings.get(file.path) ?? [], (of, found) =>
          engine
            .unitsOf(of, found, known.get(of.path))
            .map((unit) => withExcerpts(unit, linked.slices ?? {}, excerpts)),
        );
        if (planned.units === null) {
          skipped.push({ path: planned.path, reason: planned.reason });
          continue;
        }
        files += 1;
        gathered.add(planned.path, planned.units);
        if (gathered.full) await write();
      }
    }
    await write();
    await putJson(bucket, keys.reviewPlan, { batches, skipped } satisfies ReviewPlan);
    await putJson(
      bucket,
      keys.reviewBatches,
      batches.map(({ batch }) => ({ batch })),
    );
    // What no model looks at is done with.
    await enterPhase(task_id, attempt, "review", now(), { filesToReview: files, scannedFiles: skipped.length });
    return { batches: batches.length, batches_key: keys.reviewBatches, functions };
  },
);

/** By path. */
const artefactsOf = async (chunk: ChunkOfAttempt): Promise<ReadonlyMap<string, FileArtefact>> =>
  new Map(((await readArtefacts(chunk))?.artefacts ?? []).map((artefact) => [artefact.coverage.path, artefact]));

/** Cuts the functions that units of other files show, before any unit is made: a caller may stand in a later chunk than what it calls. */
async function excerptsIn(
  chunks: readonly number[],
  filesOf: (chunk: number) => Promise<Iterable<SourceFile>>,
  artefactsIn: (chunk: number) => Promise<ReadonlyMap<string, FileArtefact>>,
  places: ReadonlyMap<string, readonly SlicePlace[]>,
  engine: Engine,
): Promise<Map<string, Excerpt>> {
  const excerpts = new Map<string, Excerpt>();
  for (const chunk of places.size > 0 ? chunks : []) {
    const known = await artefactsIn(chunk);
    for (const file of await filesOf(chunk)) {
      const wanted = places.get(file.path);
      for (const excerpt of wanted ? engine.excerptsOf(file, wanted, known.get(file.path)) : []) {
        excerpts.set(placeKey({ ...excerpt, endLine: lastLine(excerpt) }), excerpt);
      }
    }
  }
  return excerpts;
}
