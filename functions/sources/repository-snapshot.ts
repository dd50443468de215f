import * as z from "zod";
import { RepositoryType } from "../projects/project.ts";

/** Which branch of which repository a scan was asked to look at; the project may name another one by the time it runs. */
export const RepositoryRef = z.object({ type: RepositoryType, url: z.string(), branch: z.string() });
export type RepositoryRef = z.infer<typeof RepositoryRef>;

/** What of a repository is not in the archive of it that was scanned. */
export const LeftOut = z.object({
  /** Files that the host lists and its archive lacks: `export-ignore` in .gitattributes hides them. */
  paths: z.array(z.string()),
  count: z.number().int(),
  /** True when the host does not list all files, so that nobody knows what else is missing. */
  listingIncomplete: z.boolean(),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** The last commit that was fetched for a project, stored as an upload is. */
export const RepositorySnapshot = z.object({
  projectId: z.uuid(),
  url: z.string(),
  type: RepositoryType,
  commit: z.string(),
  key: z.string(),
  versionId: z.string().optional(),
  bytes: z.number().int(),
  manifestKey: z.string(),
  leftOut: LeftOut,
  fetchedAt: z.iso.datetime(),
});
export type RepositorySnapshot = z.infer<typeof RepositorySnapshot>;

/** The item must stay far below DynamoDB's 400 KB. */
const pathsKeptMax = 50;
const pathLengthMax = 1024;

/** Compares what the host lists with what its archive holds. `listed` is null when the host would not list at all. */
export function leftOutOf(
  listed: { readonly items: readonly { readonly path: string }[]; readonly truncated: boolean } | null,
  archived: readonly { readonly path: string }[],
): LeftOut {
  const present = new Set(archived.map(({ path }) => path));
  const missing = (listed?.items ?? []).map(({ path }) => path).filter((path) => !present.has(path));
  return {
    paths: missing.slice(0, pathsKeptMax).map((path) => path.slice(0, pathLengthMax)),
    count: missing.length,
    listingIncomplete: listed === null || listed.truncated,
  };
}
