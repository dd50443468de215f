import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { codesOf } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { StoredZipView, storedZipView } from "./stored-zip.ts";
import { adoptArchive, readStoredZip } from "./stored-zip-store.ts";
import { deleteUpload, readUpload } from "./upload-store.ts";

export const finishZipUpload = operation(
  {
    method: "POST",
    path: "/projects/{id}/zip/uploads/{upload_id}/finish",
    summary: "Check an uploaded ZIP and make it the project's archive",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id, upload_id: Id }),
    success: StoredZipView,
    failures: [
      "project_not_found",
      "permission_denied",
      "project_in_recycle_bin",
      "upload_not_found",
      ...codesOf("zip"),
    ],
    grants: {
      reads: ["project", "member", "upload"],
      writes: ["project", "upload"],
      sources: { reads: ["quarantine/*"], writes: ["zips/*"], deletes: ["quarantine/*", "zips/*"] },
    },
    idempotent: true,
    // The whole archive is inflated to check it: more memory is more CPU and network.
    memoryMiB: 1769,
    timeoutSeconds: 28,
  },
  async ({ params, caller, language, now }) => {
    const project = await authorise(caller, "scan", params.id);
    // The answer to an earlier try was lost: the work is done.
    const stored = await readStoredZip(project.id);
    if (stored?.uploadId === params.upload_id) return storedZipView(stored, language);
    const upload = await readUpload(caller.id, project.id, params.upload_id, now());
    const zip = await adoptArchive(
      { projectId: project.id, ownerId: project.ownerId, filename: upload.filename },
      upload.id,
      now(),
    );
    await deleteUpload(upload.id);
    return storedZipView(zip, language);
  },
);
