import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { codesOf } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { repositoryOf, requireReadable } from "../sources/project-repository.ts";
import { checkedBranch } from "../sources/providers/branch-name.ts";
import { ScanRequest } from "./scan-request.ts";
import { startScan } from "./start-scan.ts";

export const scanRepository = operation(
  {
    method: "POST",
    path: "/projects/{id}/scan",
    summary: "Audit a branch of a project's repository, the default branch when none is named, with the caller's token",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    body: ScanRequest.prefault({}),
    success: z.object({ task_id: z.string(), status: z.literal("started") }),
    failures: [
      "project_not_found",
      "permission_denied",
      "project_in_recycle_bin",
      "project_not_repository",
      "repository_host_not_supported",
      "repository_url_invalid",
      "repository_branch_invalid",
      "rule_set_not_found",
      "prompt_template_not_found",
      ...codesOf("glob"),
      ...codesOf("path"),
    ],
    grants: {
      reads: ["project", "member", "ruleSet", "promptTemplate"],
      writes: ["task", "statistics"],
      checks: ["project"],
      scanMachine: ["start"],
    },
    idempotent: true,
  },
  async ({ params, body, caller, now }) => {
    const project = await authorise(caller, "scan", params.id);
    const repository = repositoryOf(project, body.branch_name ?? undefined);
    requireReadable(repository);
    const branch_name = checkedBranch(repository.branch);
    const subject = { taskType: "repository", source: null, repository } as const;
    const task = await startScan(project, caller.id, subject, { ...body, branch_name }, now());
    return { task_id: task.id, status: "started" as const };
  },
);
