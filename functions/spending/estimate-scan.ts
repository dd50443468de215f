import { findUserConfig } from "../config/user-config-store.ts";
import { reviewPrompt } from "../engine/review/prompt.ts";
import { reviewable } from "../engine/review/units.ts";
import { Id } from "../platform/contract.ts";
import { codesOf } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import type { Project } from "../projects/project.ts";
import type { ScanInstructions } from "../scans/instructions.ts";
import { resolveInstructions } from "../scans/resolve-instructions.ts";
import { ScanRequest, scanConfig } from "../scans/scan-request.ts";
import type { ScanConfig } from "../scans/task.ts";
import { filesOfProject } from "../sources/project-files.ts";
import { providerGrants } from "../sources/project-repository.ts";
import { type Candidate, selectFiles } from "../sources/selection.ts";
import { requireStoredZip } from "../sources/stored-zip-store.ts";
import { capsFor } from "./caps.ts";
import { priceOf } from "./cost.ts";
import { estimate, ordinaryBytes } from "./estimate.ts";
import { monthOf } from "./reservation.ts";
import { ScanEstimateView, scanEstimateView } from "./scan-estimate.ts";
import { nothingCommitted } from "./spending.ts";
import { monthSpending, projectSpending } from "./spent.ts";

export const estimateScan = operation(
  {
    method: "POST",
    path: "/scan/estimate",
    summary:
      "Estimate what a scan would send to the caller's model and cost, before it starts; what earlier scans have reviewed costs nothing and is not taken off",
    auth: "user",
    scope: "scan",
    body: ScanRequest.extend({ project_id: Id }),
    success: ScanEstimateView,
    failures: [
      "project_not_found",
      "permission_denied",
      "project_in_recycle_bin",
      "project_not_repository",
      "zip_not_stored",
      "rule_set_not_found",
      "prompt_template_not_found",
      "secret_unreadable",
      ...codesOf("glob"),
      ...codesOf("path"),
      ...codesOf("repository"),
      ...codesOf("outbound"),
    ],
    grants: {
      ...providerGrants,
      reads: [...providerGrants.reads, "spending", "promptTemplate", "defaultTemplate", "ruleSet", "override"],
      sources: { reads: ["zips/*"] },
    },
    memoryMiB: 1024,
  },
  async ({ body, caller, now }) => {
    const project = await authorise(caller, "scan", body.project_id);
    const config = scanConfig(body);
    const instructions = await resolveInstructions({ config, createdBy: caller.id, ownerId: project.ownerId });
    const settings = await findUserConfig(caller.id);
    const files = await filesOf(project, caller.id, config, instructions);
    const price = instructions.model && priceOf(instructions.model, settings);
    return scanEstimateView({
      ...files.counts,
      projectId: project.id,
      model: instructions.model,
      price,
      concurrency: instructions.concurrency,
      estimate: estimate({
        sizes: files.sizes,
        frame: frameOf(instructions),
        outputTokensMax: instructions.model?.maxTokens ?? 0,
        price,
      }),
      caps: capsFor(settings, project, config),
      committed: {
        scan: nothingCommitted,
        project: (await projectSpending(project.id)).committed,
        month: (await monthSpending(caller.id, monthOf(now()))).committed,
      },
    });
  },
);

/** Chooses files as the plan of a scan does, and among them those that a model looks at. */
async function filesOf(project: Project, callerId: string, config: ScanConfig, instructions: ScanInstructions) {
  if (project.sourceType === "zip") await requireStoredZip(project.id);
  const { files, root, truncated } = await filesOfProject(project, callerId, config.branchName ?? undefined);
  const { filePaths, excludePatterns } = config;
  const { model, modelTrouble, filesMax } = instructions;
  const { accepted, skipped, missing } = selectFiles(files, {
    filePaths: filePaths ?? undefined,
    root,
    excludePatterns,
    maxFiles: filesMax ?? undefined,
  });
  const chosen = model ? accepted.filter(isReviewable) : [];
  return {
    sizes: chosen.map(({ bytes }) => bytes),
    counts: {
      files: accepted.length,
      skipped: skipped.length,
      filesToReview: chosen.length,
      warnings: {
        [modelTrouble ? "model_unusable" : "rules_only"]: model ? 0 : accepted.length,
        file_limit: skipped.filter(({ reason }) => reason === "over_file_limit").length,
        listing_incomplete: truncated ? files.length : 0,
        paths_not_found: missing.length,
        sizes_unknown: chosen.filter(({ bytes }) => bytes === null).length,
      },
    },
  };
}

/** Files of unknown size are judged as ordinary ones, by their names. */
const isReviewable = ({ path, bytes }: Candidate): boolean => reviewable(path, bytes ?? ordinaryBytes).review;

/** What a call sends beside the code. The key only shapes marks of fixed length. */
const frameOf = ({ review }: ScanInstructions) =>
  reviewPrompt(
    { path: "", language: "", startLine: 1, text: "", findings: [], functions: [], excerpts: [] },
    review,
    "",
  );
