import type { Coverage, FileArtefact } from "../../engine/artefact.ts";
import { auditEngine } from "../../platform/audit-engine.ts";
import { environment } from "../../platform/environment.ts";
import { getJson, putJson } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { readInstructions } from "../instructions-store.ts";
import { readArtefacts } from "../kept-artefacts.ts";
import type { LinkedFindings, Plan } from "../plan.ts";
import { scanKeys } from "../task.ts";
import { enterPhase, finishedChunks } from "../task-progress-store.ts";
import { Attempt } from "./plan-scan.ts";

/** What was found in a file of which not all could be followed; a reason of its own comes first. */
const partly = (coverage: Coverage): Coverage =>
  coverage.status === "analysed" ? { ...coverage, status: "partial", reason: "link_budget" } : coverage;

export const linkFindings = workflowTask(
  {
    summary: "Joins the files' artefacts, follows values across files, and merges the findings",
    input: Attempt,
    grants: { reads: ["task"], writes: ["task"], results: { reads: ["scans/*"], writes: ["scans/*"] } },
    memoryMiB: 3008,
    timeoutSeconds: 600,
  },
  async ({ task_id, attempt }, now) => {
    await enterPhase(task_id, attempt, "linking", now());
    const bucket = environment().RESULTS_BUCKET;
    const keys = scanKeys(task_id, attempt);
    const plan = await getJson<Plan>({ bucket, key: keys.plan });
    if (!plan) throw new Error(`the plan of task ${task_id} is missing`);
    const { categoriesOff, model } = await readInstructions(task_id, attempt);
    const artefacts: FileArtefact[] = [];
    for (const chunk of await finishedChunks(task_id, attempt)) {
      artefacts.push(...((await readArtefacts({ task_id, attempt, chunk }))?.artefacts ?? []));
    }
    const analysed = new Set(artefacts.map((artefact) => artefact.coverage.path));
    const engine = await auditEngine();
    const entangled = new Set<string>();
    const findings = engine.link(artefacts, { categoriesOff, onEntangled: (path) => entangled.add(path) });
    const linked: LinkedFindings = {
      engine: engine.version,
      findings,
      coverage: artefacts.map(({ coverage }) => (entangled.has(coverage.path) ? partly(coverage) : coverage)),
      unfinished: plan.accepted.filter((path) => !analysed.has(path)),
      ...(model && { slices: engine.slicesOf(findings, artefacts) }),
    };
    await putJson(bucket, keys.findings, linked);
  },
);
