import * as z from "zod";
import { Id } from "../platform/contract.ts";
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
