import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { readStoredZip } from "./stored-zip-store.ts";

export const readZipInfo = operation(
  {
    method: "GET",
    path: "/projects/{id}/zip",
    summary: "Tell whether a project has a stored ZIP, and which",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({
      has_file: z.boolean(),
      original_filename: z.string().nullable(),
      file_size: z.number().nullable(),
      uploaded_at: z.string().nullable(),
      file_count: z.number().nullable(),
      sha256: z.string().nullable(),
    }),
    failures: ["project_not_found"],
    grants: { reads: ["project", "member"] },
  },
  async ({ params, caller }) => {
    const project = await authorise(caller, "read", params.id);
    const zip = await readStoredZip(project.id);
    return {
      has_file: zip !== null,
      original_filename: zip?.originalFilename ?? null,
      file_size: zip?.bytes ?? null,
      uploaded_at: zip?.uploadedAt ?? null,
      file_count: zip?.files ?? null,
      sha256: zip?.sha256 ?? null,
    };
  },
);
