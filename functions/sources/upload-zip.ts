import * as z from "zod";
import { Id, UploadedFile } from "../platform/contract.ts";
import { codesOf, SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { StoredZipView, storedZipView } from "./stored-zip.ts";
import { storeArchive } from "./stored-zip-store.ts";

export const uploadZip = operation(
  {
    method: "POST",
    path: "/projects/{id}/zip",
    summary: "Store a small ZIP for a project (up to about 4 MB; larger ones by a direct upload)",
    auth: "user",
    scope: "scan",
    params: z.object({ id: Id }),
    bodyType: "multipart",
    body: z.object({ file: UploadedFile }),
    success: StoredZipView,
    failures: [
      "project_not_found",
      "permission_denied",
      "project_in_recycle_bin",
      "project_not_zip",
      ...codesOf("zip"),
    ],
    grants: {
      reads: ["project", "member"],
      writes: ["project"],
      sources: { writes: ["zips/*"], deletes: ["zips/*"] },
    },
    idempotent: true,
    memoryMiB: 1024,
  },
  async ({ params, body, caller, language, now }) => {
    const project = await authorise(caller, "scan", params.id);
    if (project.sourceType !== "zip") throw new SluiceError("project_not_zip");
    const owner = { projectId: project.id, ownerId: project.ownerId, filename: body.file.filename };
    return storedZipView(await storeArchive(owner, body.file.bytes, now()), language);
  },
);
