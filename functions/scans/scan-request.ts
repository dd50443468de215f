import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { Budget } from "../projects/project.ts";
import type { ScanConfig } from "./task.ts";

/** What every kind of scan can be asked for. */
export const ScanRequest = z.object({
  file_paths: z.array(z.string().min(1).max(4096)).max(100_000).nullish(),
  full_scan: z.boolean().default(true),
  exclude_patterns: z.array(z.string()).nullish(),
  branch_name: z.string().max(255).nullish(),
  rule_set_id: Id.nullish(),
  prompt_template_id: Id.nullish(),
  /** Most that the scan may spend on models; the caps of settings and project count besides. */
  ...Budget.shape,
});
export type ScanRequest = z.output<typeof ScanRequest>;

export const scanConfig = (request: ScanRequest): ScanConfig => ({
  filePaths: request.file_paths?.length ? request.file_paths : null,
  fullScan: request.full_scan,
  excludePatterns: request.exclude_patterns ?? [],
  branchName: request.branch_name ?? null,
  ruleSetId: request.rule_set_id ?? null,
  promptTemplateId: request.prompt_template_id ?? null,
  budgetTokens: request.budget_tokens ?? null,
  budgetUsd: request.budget_usd ?? null,
});

/** Of the paths of a selection, in UTF-8. They lie in the task's item, which may have 400 KB, and a page of tasks shows many of them. */
const selectionBytesMax = 200_000;

/** @throws SluiceError path_selection_too_large */
export function requireStorable({ filePaths }: Pick<ScanConfig, "filePaths">): void {
  const paths = filePaths ?? [];
  const bytes = paths.reduce((sum, path) => sum + Buffer.byteLength(path), 0);
  if (bytes > selectionBytesMax)
    throw new SluiceError("path_selection_too_large", { count: paths.length, limit: selectionBytesMax });
}
