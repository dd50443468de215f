import * as z from "zod";
import { Id, page } from "../platform/contract.ts";
import { codesOf, SluiceError } from "../platform/errors.ts";
import { listReply, operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { selectFiles } from "./selection.ts";
import { readManifest, readStoredZip } from "./stored-zip-store.ts";

/** Front ends ask for all files at once; 20,000 rows of this shape stay within a function's 6 MB answer. */
const filesMax = 20_000;

const ExcludePatterns = z
  .string()
  .max(20_000)
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: "custom", message: "expected a JSON array of glob patterns" });
      return z.NEVER;
    }
  })
  .pipe(z.array(z.string()));

export const listProjectFiles = operation(
  {
    method: "GET",
    path: "/projects/{id}/files",
    summary: "List the files of a project that a scan would cover",
    auth: "user",
    params: z.object({ id: Id }),
    query: page(filesMax).extend({
      branch: z.string().max(255).optional(),
      exclude_patterns: ExcludePatterns.optional(),
    }),
    success: z.array(z.object({ path: z.string(), size: z.number() })),
    failures: ["project_not_found", "project_not_zip", ...codesOf("glob")],
    grants: { reads: ["project", "member"], sources: { reads: ["zips/*"] } },
    memoryMiB: 1024,
  },
  async ({ params, query, caller }) => {
    const project = await authorise(caller, "read", params.id);
    if (project.sourceType !== "zip") throw new SluiceError("project_not_zip");
    const zip = await readStoredZip(project.id);
    if (!zip) return listReply([], 0);
    const { files } = await readManifest(zip);
    const { accepted } = selectFiles(files, { excludePatterns: query.exclude_patterns });
    const rows = accepted.slice(query.skip, query.skip + query.limit);
    return listReply(
      rows.map(({ path, bytes }) => ({ path, size: bytes })),
      accepted.length,
    );
  },
);
