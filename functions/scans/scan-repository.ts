import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { repositoryOf, requireReadable } from "../sources/project-repository.ts";
import { checkedBranch } from "../sources/providers/branch-name.ts";
import { ScanRequest } from "./scan-request.ts";
import { acceptedConfig, startFailures, startGrants, startScan } from "./start-scan.ts";

export const scanRepository = operation(
  {
    method: "POST",
    path: "/projects/{id}/scan",
    summary:
      "Audit a branch of a project's repository, the default branch when none is named, with the caller's token or SSH key",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    body: ScanRequest.prefault({}),
    success: z.object({ task_id: z.string(), status: z.literal("started") }),
    failures: [...startFailures, "project_not_repository", "repository_url_invalid", "repository_branch_invalid"],
    grants: startGrants,
    idempotent: true,
  },
  async ({ params, body, caller, now }) => {
    const project = await authorise(caller, "scan", params.id);
    const repository = repositoryOf(project, body.branch_name ?? undefined);
    requireReadable(repository);
    const branch_name = checkedBranch(repository.branch);
    const subject = { taskType: "repository", source: null, repository } as const;
    const config = await acceptedConfig(caller.id, { ...body, branch_name });
    const task = await startScan(project, caller.id, subject, config, now());
    return { task_id: task.id, status: "started" as const };
  },
);
