import { kebab } from "./operations.ts";
import type { WorkflowTask } from "./platform/workflow-task.ts";
import { analyseChunk } from "./scans/workflow/analyse-chunk.ts";
import { closeScan } from "./scans/workflow/close-scan.ts";
import { concludeScan } from "./scans/workflow/conclude-scan.ts";
import { failScan } from "./scans/workflow/fail-scan.ts";
import { linkFindings } from "./scans/workflow/link-findings.ts";
import { planScan } from "./scans/workflow/plan-scan.ts";
import { sweepScans } from "./scans/workflow/sweep-scans.ts";

/** Every function that Step Functions or a rule invokes, by area. The file of `area.verbNoun` is functions/area/workflow/verb-noun.ts. */
export const workflowTasks = {
  scans: { planScan, analyseChunk, linkFindings, concludeScan, failScan, closeScan, sweepScans },
} as const satisfies Record<string, Record<string, WorkflowTask>>;

export interface ListedTask {
  readonly name: string;
  readonly area: string;
  readonly file: string;
  readonly task: WorkflowTask;
}

export const workflowTaskList: readonly ListedTask[] = Object.entries(workflowTasks).flatMap(([area, listed]) =>
  Object.entries(listed).map(([name, task]) => ({ name, area, file: kebab(name), task })),
);
