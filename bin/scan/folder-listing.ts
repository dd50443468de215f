import { lstat, readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { archiveLimits } from "../../functions/sources/archive/limits.ts";
import type { ManifestFile } from "../../functions/sources/archive/manifest.ts";
import { compileExclusions } from "../../functions/sources/exclusions.ts";
import { isSupported } from "../../functions/sources/language.ts";
import { cleanPath } from "../../functions/sources/normalise-path.ts";
import { selectFiles } from "../../functions/sources/selection.ts";
import { CannotScan, reasonOf } from "./cannot-scan.ts";

export interface FolderListing {
  /** What a scan would read, relative to the folder with "/", in code-unit order. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Files met on the way, those to scan included; what lies in excluded folders is not counted, nobody went there. */
  readonly seen: number;
  /** Files that would be scanned but for a name that no archive may hold. */
  readonly unpackable: readonly string[];
}

/** File system calls at a time; Node's thread pool runs four, more only queue. */
const parallel = 64;

/**
 * Finds what a scan of the folder would read, by the same rules as the service. Excluded folders are not entered, symbolic links and
 * special files are passed over.
 * @param leaveOut absolute paths of files and folders that are no part of the code: the result of an earlier run, our own data folder
 * @throws CannotScan file_unreadable, SluiceError glob_*
 */
export async function listFolder(
  root: string,
  exclude: readonly string[],
  leaveOut: readonly string[],
): Promise<FolderListing> {
  const isClosed = closedFolders(exclude);
  const found: string[] = [];
  let level = [""];
  while (level.length > 0) {
    const below: string[] = [];
    await eachOf(level, async (folder) => {
      for (const entry of await readFolder(root, folder)) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (leaveOut.includes(join(root, path))) continue;
        if (entry.isDirectory()) below.push(path);
        else if (entry.isFile()) found.push(path);
      }
    });
    level = below.filter((folder) => !isClosed(folder));
  }

  const packable: string[] = [];
  const unpackable: string[] = [];
  for (const path of found) if (isSupported(path)) (isPackable(path) ? packable : unpackable).push(path);
  const measured: ManifestFile[] = [];
  await eachOf(packable, async (path) => {
    const { size } = await lstat(join(root, path)).catch(unreadable(path));
    // Content is looked at by the service only; the rules for path and size are all that can be decided here.
    measured.push({ path, bytes: size, sha256: "", index: -1, binary: false });
  });
  measured.sort(byPath);
  const { accepted } = selectFiles(measured, { excludePatterns: exclude });
  return { files: accepted, seen: found.length, unpackable: unpackable.sort() };
}

/**
 * Which folders need not be entered, because all below them is excluded. That is certain for the built-in folder names and for patterns that
 * spell a folder out; what other patterns exclude is decided file by file.
 */
function closedFolders(exclude: readonly string[]): (folder: string) => boolean {
  const builtIn = compileExclusions([]);
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const pattern of exclude) {
    const spelled = pattern.replace(/^(?:\.\/)+/, "").replace(/\/(?:\*\*)?$/, "");
    if (/[*?[\]{}]/.test(spelled)) continue;
    if (spelled.includes("/") || pattern.endsWith("/**")) paths.add(spelled.replace(/^\/+/, ""));
    else names.add(spelled);
  }
  return (folder) =>
    paths.has(folder) || names.has(folder.slice(folder.lastIndexOf("/") + 1)) || builtIn([`${folder}/-`])[0] !== null;
}

/** Names that the service would refuse the whole archive for, or read as another path: better to leave the one file out and say so. */
function isPackable(path: string): boolean {
  const cleaned = cleanPath(path);
  const fits = Buffer.byteLength(path) <= archiveLimits.nameBytes - 64 && path.split("/").length < archiveLimits.depth;
  // U+FFFD stands where the name was not UTF-8; such a file cannot even be opened by this name.
  return "path" in cleaned && cleaned.path === path && fits && path.isWellFormed() && !path.includes("\ufffd");
}

const readFolder = (root: string, folder: string) =>
  readdir(join(root, folder.replaceAll("/", sep)), { withFileTypes: true }).catch(unreadable(folder || "."));

/** For `.catch()`: an audit that left out what it could not read would look better than the code is. */
export const unreadable =
  (path: string) =>
  (error: unknown): never => {
    throw new CannotScan("file_unreadable", { path, reason: reasonOf(error) }, error);
  };

async function eachOf<T>(items: readonly T[], visit: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await visit(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, lane));
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
