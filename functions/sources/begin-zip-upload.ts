import { v7 as uuid } from "uuid";
import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { archiveLimits } from "./archive/limits.ts";
import { requireZipName } from "./stored-zip-store.ts";
import { type Upload, uploadFormSeconds, uploadSeconds } from "./upload.ts";
import { createUpload, uploadForm } from "./upload-store.ts";

export const beginZipUpload = operation(
  {
    method: "POST",
    path: "/projects/{id}/zip/uploads",
    summary: "Announce a ZIP of up to 500 MB; the answer is the form to send it to S3 with",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    body: z.object({ filename: z.string().min(1).max(1024) }),
    success: z.object({
      upload_id: z.string(),
      url: z.string(),
      /** Sent as they are, before the part named "file". */
      fields: z.record(z.string(), z.string()),
      expires_at: z.string(),
      max_bytes: z.number(),
    }),
    failures: [
      "project_not_found",
      "permission_denied",
      "project_in_recycle_bin",
      "project_not_zip",
      "zip_name_expected",
    ],
    // The form is signed with this function's own rights: what it may not write, the form cannot either.
    grants: { reads: ["project", "member"], writes: ["upload"], sources: { writes: ["quarantine/*"] } },
    idempotent: true,
  },
  async ({ params, body, caller, now }) => {
    const project = await authorise(caller, "scan", params.id);
    if (project.sourceType !== "zip") throw new SluiceError("project_not_zip");
    requireZipName(body.filename);
    const at = now();
    const upload: Upload = {
      id: uuid(),
      projectId: project.id,
      ownerId: caller.id,
      filename: body.filename,
      createdAt: at.toISOString(),
      expiresAt: Math.floor(at.getTime() / 1000) + uploadSeconds,
    };
    await createUpload(upload);
    const form = await uploadForm(upload);
    const formEnds = new Date(at.getTime() + uploadFormSeconds * 1000).toISOString();
    return { upload_id: upload.id, ...form, expires_at: formEnds, max_bytes: archiveLimits.archiveBytes };
  },
);
