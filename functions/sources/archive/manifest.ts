import { createHash } from "node:crypto";
import { type ByteSource, blockSource, slices } from "./byte-source.ts";
import { checkArchive } from "./check-archive.ts";
import { readEntries } from "./read-entries.ts";
import { requireSecondOpinion } from "./second-opinion.ts";

/** A file of the project as lists, scans and the agent know it. */
export interface ManifestFile {
  /** Relative to the project, that is, without `root`. */
  path: string;
  bytes: number;
  /** Of the content, in hex. */
  sha256: string;
  /** Which entry of the archive it is. */
  index: number;
  binary: boolean;
}

/** Everything that is read of an archive after its upload; nobody opens the archive to learn what is in it. */
export interface Manifest {
  version: 1;
  archiveSha256: string;
  archiveBytes: number;
  /** The single top folder that was taken off every path, or "". */
  root: string;
  /** Sorted by path, so the same tree gives the same list however it was packed. */
  files: ManifestFile[];
}

/** Where the Finder puts the resource forks of the real files, beside the folder that was packed. */
const resourceForks = "__MACOSX/";

/**
 * Checks an archive, reads every entry of it to the end and lists its files. Nothing of a refused archive is to be stored.
 * Memory is bounded (16 MiB of blocks and the list); time is that of reading the archive three times and inflating it once.
 * @throws SluiceError zip_* (422) naming the entry and the reason; errors of the source pass unchanged
 */
export async function buildManifest(source: ByteSource): Promise<Manifest> {
  const entries = await checkArchive(source);
  await requireSecondOpinion(source, entries);
  const files: ManifestFile[] = [];
  for await (const { entry, sha256, binary } of readEntries(source, entries, { keepBytesMax: 0 })) {
    if (entry.directory || entry.path.startsWith(resourceForks)) continue;
    files.push({ path: entry.path, bytes: entry.bytes, sha256, index: entry.index, binary });
  }
  const root = singleTopFolder(files.map((file) => file.path));
  for (const file of files) file.path = file.path.slice(root === "" ? 0 : root.length + 1);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { version: 1, archiveSha256: await sha256Of(source), archiveBytes: source.size, root, files };
}

/** Archives of a repository or of a packed folder have one folder on top that is no part of the project's paths. */
function singleTopFolder(paths: readonly string[]): string {
  const first = paths[0];
  if (first === undefined || !first.includes("/")) return "";
  const top = first.slice(0, first.indexOf("/") + 1);
  return paths.every((path) => path.startsWith(top)) ? top.slice(0, -1) : "";
}

async function sha256Of(source: ByteSource): Promise<string> {
  const hash = createHash("sha256");
  for await (const slice of slices(blockSource(source), 0, source.size)) hash.update(slice);
  return hash.digest("hex");
}
