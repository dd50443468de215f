import * as z from "zod";
import { Id, says, UploadedFile } from "../platform/contract.ts";
import { codesOf, SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { storeArchive } from "../sources/stored-zip-store.ts";
import { ScanRequest } from "./scan-request.ts";
import { acceptedConfig, startFailures, startScan, zipSubject } from "./start-scan.ts";

/** The options come as one form field that holds JSON. */
const ScanConfigField = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({
        code: "custom",
        ...says("应为包含扫描选项的 JSON 对象", "expected a JSON object of scan options"),
      });
      return z.NEVER;
    }
  })
  .pipe(ScanRequest);

export const scanUploadedZip = operation(
  {
    method: "POST",
    path: "/scan/upload-zip",
    summary: "Store a small ZIP for a project and audit it",
    auth: "user",
    scope: "scan",
    bodyType: "multipart",
    body: z.object({ project_id: Id, file: UploadedFile, scan_config: ScanConfigField.prefault("{}") }),
    success: z.object({ task_id: z.string(), status: z.literal("queued") }),
    failures: [...startFailures, "project_not_zip", ...codesOf("zip")],
    grants: {
      reads: ["project", "member", "ruleSet", "promptTemplate", "override"],
      writes: ["project", "task", "statistics"],
      sources: { writes: ["zips/*"], deletes: ["zips/*"] },
      scanMachine: ["start"],
    },
    idempotent: true,
    memoryMiB: 1024,
  },
  async ({ body, caller, now }) => {
    const project = await authorise(caller, "scan", body.project_id);
    if (project.sourceType !== "zip") throw new SluiceError("project_not_zip");
    const config = await acceptedConfig(caller.id, body.scan_config);
    const owner = { projectId: project.id, ownerId: project.ownerId, filename: body.file.filename };
    const zip = await storeArchive(owner, body.file.bytes, now());
    const task = await startScan(project, caller.id, zipSubject(zip), config, now());
    return { task_id: task.id, status: "queued" as const };
  },
);
