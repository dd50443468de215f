import { open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Archive } from "./audit.ts";
import { CannotScan, reasonOf } from "./cannot-scan.ts";
import { type FolderListing, listFolder } from "./folder-listing.ts";
import type { ScanOptions } from "./options.ts";
import { packFolder } from "./pack-folder.ts";
import { printable } from "./printable.ts";
import type { Progress } from "./progress.ts";
import type { ScanResult } from "./result.ts";

export interface SourceArchive extends Archive {
  readonly kind: ScanResult["scanned"]["kind"];
  readonly name: string;
  /** Files met in the folder; null for a ZIP, whose files the service counts. */
  readonly files: number | null;
  readonly unpackable: readonly string[];
}

/**
 * The archive to send: the ZIP file itself, or the folder packed into the work folder.
 * @throws CannotScan when there is nothing to scan or it cannot be read; SluiceError glob_*
 */
export async function sourceArchive(
  { target, exclude, out }: ScanOptions,
  folders: { readonly workFolder: string; readonly dataFolder: string },
  progress: Progress,
  signal: AbortSignal,
): Promise<SourceArchive> {
  const unreadable = (error: unknown): never => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") throw new CannotScan("target_not_found", { path: target }, error);
    throw new CannotScan("target_unreadable", { path: target, reason: reasonOf(error) }, error);
  };
  // The user named the target: that it is a link is fine. Its own name counts, "." has none.
  const path = await realpath(target).catch(unreadable);
  const kind = await stat(path).catch(unreadable);
  if (kind.isDirectory()) {
    const name = basename(path) || "root";
    const notCode = [await realpath(folders.dataFolder), ...(out === null ? [] : [await realPathOf(out)])];
    const listing = await listFolder(path, exclude, notCode);
    const file = await packed(path, listing, folders.workFolder, progress, signal);
    const { seen: files, unpackable } = listing;
    return { kind: "folder", name, project: projectName(name), file, files, unpackable };
  }
  if (!kind.isFile()) throw new CannotScan("target_special", { path: target });
  if (!(await beginsLikeZip(path).catch(unreadable))) throw new CannotScan("not_a_zip", { path: target });
  const name = basename(path);
  return {
    kind: "zip",
    name,
    project: projectName(name.replace(/\.zip$/i, "")),
    file: path,
    files: null,
    unpackable: [],
  };
}

async function packed(
  root: string,
  { files, seen }: FolderListing,
  workFolder: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  if (seen === 0) throw new CannotScan("folder_empty", { path: root });
  if (files.length === 0) throw new CannotScan("folder_unscannable", { path: root, files: seen });
  progress.stage("packing", { files: files.length });
  const archive = join(workFolder, "source.zip");
  await packFolder(root, files, archive, (done) => progress.advance(done, files.length), signal);
  return archive;
}

/** Of a file that need not be there yet. */
const realPathOf = async (file: string): Promise<string> => join(await realpath(dirname(file)), basename(file));

/** A first entry, or the end record of an archive without any; the rest is for the service to judge. */
async function beginsLikeZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const start = buffer.subarray(0, bytesRead).toString("latin1");
    return start === "PK\u0003\u0004" || start === "PK\u0005\u0006";
  } finally {
    await file.close();
  }
}

/** The longest name that a project may have. */
const projectNameMax = 200;

const projectName = (name: string): string =>
  printable(name).trim().slice(0, projectNameMax).toWellFormed().trim() || "source";
