import * as z from "zod";
import type { HostApi } from "./host-api.ts";
import type { RepositoryAddress } from "./repository-address.ts";

export interface HostedFile {
  readonly path: string;
  /** Null where the host does not say. */
  readonly bytes: number | null;
}

/** What differs between providers: where their API is and how its paths and answers look. */
export interface Dialect {
  readonly headers: Readonly<Record<string, string>>;
  credentials(token: string): Record<string, string>;
  /** Where the API of a repository's host is, and the segments that name the repository there. @throws SluiceError repository_url_invalid */
  locate(address: RepositoryAddress): { base: string; path: readonly string[] };
  defaultBranch(api: HostApi, path: readonly string[]): Promise<string | null>;
  branches(api: HostApi, path: readonly string[], page: number): Promise<{ items: string[]; more: boolean }>;
  /** @throws SluiceError repository_not_found for a missing branch too */
  branch(api: HostApi, path: readonly string[], name: string): Promise<{ name: string; commit: string }>;
  /** @returns `cut` when the host left files out that no further page will bring */
  tree(
    api: HostApi,
    path: readonly string[],
    commit: string,
    page: number,
  ): Promise<{ items: HostedFile[]; more: boolean; cut?: boolean }>;
  archivePath(path: readonly string[], commit: string): string;
}

/** A commit's name is part of further paths, so it is held to what one looks like. */
export const CommitId = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

/** Names and paths are shorter on every system; a host that sends longer ones is after our memory. */
const textMax = 4096;

/** The branches of a page as all three providers word them. */
export const Branches = z.array(z.object({ name: z.string().max(textMax) }));

/** An entry of a tree as all three providers word it. */
export const TreeEntry = z.object({
  path: z.string().max(textMax),
  type: z.string(),
  mode: z.string().optional(),
  size: z.number().int().nonnegative().nullish(),
});

const linkMode = "120000";

/** The files among the entries of a tree: neither folders nor submodules nor links. */
export const filesOf = (entries: readonly z.output<typeof TreeEntry>[]): HostedFile[] =>
  entries
    .filter(({ type, mode }) => type === "blob" && mode !== linkMode)
    .map(({ path, size }) => ({ path, bytes: size ?? null }));

export const encoded = (segments: readonly string[]): string => segments.map(encodeURIComponent).join("/");
