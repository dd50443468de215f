import * as z from "zod";
import { Id, page, says } from "../platform/contract.ts";
import { codesOf } from "../platform/errors.ts";
import { operation, Reply } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { filesOfProject } from "./project-files.ts";
import { providerGrants } from "./project-repository.ts";
import { selectFiles } from "./selection.ts";

/** Front ends ask for all files at once; 20,000 rows of this shape stay within a function's 6 MB answer. */
const filesMax = 20_000;

const ExcludePatterns = z
  .string()
  .max(20_000)
  .transform((text, context) => {
    try {
      return JSON.parse(text.trim() || "[]") as unknown;
    } catch {
      context.addIssue({
        code: "custom",
        ...says("应为由排除模式组成的 JSON 数组", "expected a JSON array of glob patterns"),
      });
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
    failures: [
      "project_not_found",
      "project_not_repository",
      "secret_unreadable",
      ...codesOf("glob"),
      ...codesOf("repository"),
      ...codesOf("outbound"),
    ],
    grants: { ...providerGrants, sources: { reads: ["zips/*"] } },
    memoryMiB: 1024,
  },
  async ({ params, query, caller }) => {
    const project = await authorise(caller, "read", params.id);
    const { files, truncated } = await filesOfProject(project, caller.id, query.branch);
    const { accepted } = selectFiles(files, { excludePatterns: query.exclude_patterns });
    const rows = accepted.slice(query.skip, query.skip + query.limit);
    return new Reply(
      // Front ends add sizes up: 0 where a provider tells none.
      rows.map(({ path, bytes }) => ({ path, size: bytes ?? 0 })),
      { "X-Total-Count": String(accepted.length), ...(truncated && { "X-List-Truncated": "true" }) },
    );
  },
);
