import { runMigrations } from "./database/workflow/run-migrations.ts";
import { kebab } from "./operations.ts";
import type { WorkflowTask } from "./platform/workflow-task.ts";
import { eraseProject } from "./projects/workflow/erase-project.ts";
import { recountStatistics } from "./projects/workflow/recount-statistics.ts";
import { sweepErasures } from "./projects/workflow/sweep-erasures.ts";
import { tendRuns } from "./runs/workflow/tend-runs.ts";
import { analyseChunk } from "./scans/workflow/analyse-chunk.ts";
import { closeScan } from "./scans/workflow/close-scan.ts";
import { concludeScan } from "./scans/workflow/conclude-scan.ts";
import { failScan } from "./scans/workflow/fail-scan.ts";
import { linkFindings } from "./scans/workflow/link-findings.ts";
import { planReview } from "./scans/workflow/plan-review.ts";
import { planScan } from "./scans/workflow/plan-scan.ts";
import { reviewBatch } from "./scans/workflow/review-batch.ts";
import { sweepScans } from "./scans/workflow/sweep-scans.ts";
import { createAdministrator } from "./users/workflow/create-administrator.ts";

/** Every function that no HTTP request calls: Step Functions, a rule or an operator does, by area. The file of `area.verbNoun` is functions/area/workflow/verb-noun.ts. */
export const workflowTasks = {
  scans: {
    planScan,
    analyseChunk,
    linkFindings,
    planReview,
    reviewBatch,
    concludeScan,
    failScan,
    closeScan,
    sweepScans,
  },
  projects: { eraseProject, sweepErasures, recountStatistics },
  runs: { tendRuns },
  users: { createAdministrator },
  database: { runMigrations },
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

/** @throws Error when the table has no such task: a typo in lib/ */
export function taskNamed(name: string): ListedTask {
  const found = workflowTaskList.find((listed) => listed.name === name);
  if (!found) throw new Error(`functions/workflow-tasks.ts has no task ${name}`);
  return found;
}
