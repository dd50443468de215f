import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation, Reply } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { downloadSeconds, requireStoredZip, zipDownloadUrl } from "./stored-zip-store.ts";

export const downloadZip = operation(
  {
    method: "GET",
    path: "/projects/{id}/zip/download",
    summary: "Redirect to the project's stored ZIP; the link works for five minutes",
    auth: "user",
    params: z.object({ id: Id }),
    status: 302,
    // For clients that do not follow redirects, or must not send their token along.
    success: z.object({ url: z.string(), expires_at: z.string() }),
    failures: ["project_not_found", "zip_not_stored"],
    // The link is signed with this function's own rights: it reaches what the function may read.
    grants: { reads: ["project", "member"], sources: { reads: ["zips/*"] } },
  },
  async ({ params, caller, now }) => {
    const project = await authorise(caller, "read", params.id);
    const zip = await requireStoredZip(project.id);
    const at = now();
    const url = await zipDownloadUrl(zip);
    const ends = new Date(at.getTime() + downloadSeconds * 1000).toISOString();
    return new Reply({ url, expires_at: ends }, { Location: url }, 302);
  },
);
