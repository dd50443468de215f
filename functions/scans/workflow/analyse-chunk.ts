import * as z from "zod";
import type { FileArtefact } from "../../engine/artefact.ts";
import { auditEngine } from "../../platform/audit-engine.ts";
import { environment } from "../../platform/environment.ts";
import { SluiceError } from "../../platform/errors.ts";
import { log } from "../../platform/log.ts";
import { getObject } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { readInstructions } from "../instructions-store.ts";
import { ChunkOfAttempt, KnownArtefacts, writeArtefacts } from "../kept-artefacts.ts";
import { filesOfChunk } from "../plan.ts";
import { scanKeys } from "../task.ts";
import { recordChunk } from "../task-progress-store.ts";
import { findTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

export const analyseChunk = workflowTask(
  {
    summary: "Parses the files of one chunk and runs the rules over each, unless that was done before",
    input: Attempt.extend({ chunk: z.number().int().min(0), earlier: z.array(ChunkOfAttempt) }),
    grants: { reads: ["task"], writes: ["task"], results: { reads: ["scans/*"], writes: ["scans/*"] } },
    // One vCPU. The engine stays under 512 MB; the rest is the runtime and the chunk itself.
    memoryMiB: 1769,
    timeoutSeconds: 300,
  },
  async ({ task_id, attempt, chunk, earlier }, now) => {
    const task = await findTask(task_id);
    if (task?.status !== "running" || task.attempt !== attempt) throw new SluiceError("task_superseded");
    const keys = scanKeys(task_id, attempt);
    const bytes = await getObject({ bucket: environment().RESULTS_BUCKET, key: keys.chunk(chunk) });
    const { patterns, codes } = await readInstructions(task_id, attempt);
    const engine = await auditEngine();
    const artefacts: FileArtefact[] = [];
    const known = await KnownArtefacts.of(earlier, engine, { patterns, codes });
    for (const file of filesOfChunk(bytes))
      artefacts.push(known.find(file) ?? (await engine.analyse(file, { patterns, codes })));
    logFailures(task_id, chunk, artefacts);
    await writeArtefacts({ task_id, attempt, chunk }, engine, { patterns, codes }, artefacts);
    const sum = (of: (artefact: FileArtefact) => number) =>
      artefacts.reduce((total, artefact) => total + of(artefact), 0);
    await recordChunk(
      task_id,
      attempt,
      {
        chunk,
        files: artefacts.length,
        lines: sum((artefact) => artefact.coverage.lines),
        findings: sum((artefact) => artefact.candidates.length),
      },
      task.model === null ? artefacts.length : 0,
      now(),
    );
  },
);

/** An engine that fails on a file is a defect of ours: the task names the file, the log says how often and why. */
function logFailures(task: string, chunk: number, artefacts: readonly FileArtefact[]): void {
  const failed = artefacts.filter((artefact) => artefact.coverage.status === "failed");
  for (const [code, files] of Map.groupBy(failed, (artefact) => artefact.coverage.reason ?? "unknown")) {
    log("error", "files not analysed", { task, chunk, code, count: files.length });
  }
}
