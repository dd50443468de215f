import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { requireStoredZip } from "../sources/stored-zip-store.ts";
import { ScanRequest } from "./scan-request.ts";
import { acceptedConfig, startFailures, startGrants, startScan, zipSubject } from "./start-scan.ts";

export const scanStoredZip = operation(
  {
    method: "POST",
    path: "/scan/scan-stored-zip",
    summary: "Audit the ZIP that a project keeps",
    auth: "user",
    scope: "scan",
    query: z.object({ project_id: Id }),
    body: ScanRequest.prefault({}),
    success: z.object({ task_id: z.string(), status: z.literal("queued") }),
    failures: [...startFailures, "project_not_zip", "zip_not_stored"],
    grants: startGrants,
    idempotent: true,
  },
  async ({ query, body, caller, now }) => {
    const project = await authorise(caller, "scan", query.project_id);
    if (project.sourceType !== "zip") throw new SluiceError("project_not_zip");
    const zip = await requireStoredZip(project.id);
    const config = await acceptedConfig(caller.id, body);
    const task = await startScan(project, caller.id, zipSubject(zip), config, now());
    return { task_id: task.id, status: "queued" as const };
  },
);
