import { compileExclusions } from "./exclusions.ts";
import { isSupported } from "./language.ts";
import { normalisePath } from "./normalise-path.ts";

/** Files above this are not scanned (200 KiB): what is larger is generated or data, hardly ever written by people. */
export const sourceBytesMax = 204_800;

/** What a request says about the files it wants. */
export interface Selection {
  /** Only these; none or an empty list means all. Compared in normal form, so `src\a.js` is `src/a.js`. */
  filePaths?: readonly string[];
  /** The single top folder that was taken off the paths of an archive: who looks into their ZIP sees paths that begin with it. */
  root?: string;
  /** On top of the built-in exclusions. */
  excludePatterns?: readonly string[];
  /** Cuts the list of accepted files; 0 means no limit. Files that were asked for by name are not counted against it. */
  maxFiles?: number;
}

export type SkipReason =
  | "excluded"
  | "not_selected"
  | "unsupported_type"
  | "too_large"
  | "binary"
  | "empty"
  | "over_file_limit";

/** What deciding needs to know of a file; the files of a manifest have it, and so does a provider's list. */
export interface Candidate {
  path: string;
  /** Null where nobody says; such a file is judged when it is read. */
  bytes: number | null;
  binary: boolean;
}

/** `excludedBy` names the pattern or built-in rule of a file whose reason is "excluded". */
export interface SkippedFile {
  readonly path: string;
  readonly reason: SkipReason;
  readonly excludedBy?: string;
}

export interface SelectedFiles<F extends Candidate> {
  accepted: F[];
  /** Every other file, with the first reason that applies. */
  skipped: SkippedFile[];
  /** Paths asked for that the project does not have, in normal form. */
  missing: string[];
}

/**
 * Decides which files a list shows, a scan reads and the agent may see: one function for all, so they agree.
 * A file that was asked for by name is still skipped when an exclusion matches it.
 * @throws path_not_allowed for a path that leads out of the project, glob_* for patterns
 */
export function selectFiles<F extends Candidate>(files: readonly F[], selection: Selection): SelectedFiles<F> {
  const existing = new Set(files.map((file) => file.path));
  const top = selection.root ? `${selection.root}/` : "";
  const known = (path: string) =>
    !existing.has(path) && existing.has(path.slice(top.length)) && path.startsWith(top) ? path.slice(top.length) : path;
  const wanted = new Set(selection.filePaths?.map(normalisePath).map(known));
  const chosen = wanted.size > 0;
  const excluded = compileExclusions(selection.excludePatterns ?? [])(files.map((file) => file.path));
  const filesMax = chosen || !selection.maxFiles ? Number.POSITIVE_INFINITY : selection.maxFiles;
  const accepted: F[] = [];
  const skipped: SelectedFiles<F>["skipped"] = [];
  for (const [index, file] of files.entries()) {
    const excludedBy = excluded[index] ?? null;
    const { path } = file;
    if (chosen && !wanted.has(path)) skipped.push({ path, reason: "not_selected" });
    else if (excludedBy !== null) skipped.push({ path, reason: "excluded", excludedBy });
    else {
      const reason = unscannable(file) ?? (accepted.length >= filesMax ? "over_file_limit" : undefined);
      if (reason === undefined) accepted.push(file);
      else skipped.push({ path, reason });
    }
  }
  return { accepted, skipped, missing: [...wanted].filter((path) => !existing.has(path)) };
}

function unscannable(file: Candidate): SkipReason | undefined {
  if (!isSupported(file.path)) return "unsupported_type";
  if (file.bytes === 0) return "empty";
  if (file.bytes !== null && file.bytes > sourceBytesMax) return "too_large";
  return file.binary ? "binary" : undefined;
}
