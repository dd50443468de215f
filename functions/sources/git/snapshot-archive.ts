import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ByteSource } from "../archive/byte-source.ts";
import { archiveLimits } from "../archive/limits.ts";
import { AppendFile } from "./append-file.ts";
import { type Deadline, tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import { GitObjects } from "./git-objects.ts";
import { receivePack } from "./receive-pack.ts";
import { type LeftOut, type TreeFile, type TreeWalk, topFolder, treeFiles } from "./tree-files.ts";
import { unpack } from "./unpack.ts";
import type { UploadPack } from "./upload-pack.ts";
import { ZipWriter } from "./zip-writer.ts";

export interface SnapshotArchive {
  /** A ZIP with one top folder, as providers make them. The same commit gives the same bytes. */
  readonly archive: ByteSource;
  readonly leftOut: LeftOut;
}

/**
 * Fetches a commit into temporary files, lends its archive and removes everything whatever happens. Pack, objects and archive have up to
 * 500 MB each; the pack is gone before the archive is written, so ephemeral storage of 1 GB and a bit is enough.
 */
export async function withSnapshotArchive<T>(
  uploadPack: UploadPack,
  commit: string,
  { host, deadline }: { readonly host: string; readonly deadline: Deadline },
  use: (snapshot: SnapshotArchive) => Promise<T>,
): Promise<T> {
  const format = uploadPack.objectFormat;
  return withFolder(async (folder) =>
    withFile(folder, "objects", async (content) => {
      const objects = new GitObjects(content, format, host);
      await withFile(folder, "pack", async (pack) => {
        await uploadPack.fetch(commit, (chunks) => receivePack(chunks, pack, format, host));
        await unpack({ pack, into: objects, format, host, deadline });
      });
      return withFile(folder, "archive.zip", async (file) => {
        const leftOut = { symbolicLinks: 0, submodules: 0, specialModes: 0, names: 0 };
        await writeArchive(new ZipWriter(file), { objects, commit, host, deadline, leftOut });
        return use({ archive: file.asSource(), leftOut });
      });
    }),
  );
}

async function writeArchive(zip: ZipWriter, walk: TreeWalk): Promise<void> {
  const top = Buffer.from(topFolder);
  for (const { path, blob } of await filesWithinLimits(walk)) {
    walk.deadline.check();
    await zip.add(Buffer.concat([top, path]), await walk.objects.read(blob));
  }
  await zip.end();
}

/** All files before the first is written: a tree that unfolds to more than an archive may have costs no disk. */
async function filesWithinLimits(walk: TreeWalk): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  let bytes = 0;
  for await (const file of treeFiles(walk)) {
    files.push(file);
    // One blob may stand under many names.
    bytes += file.blob.bytes;
    if (files.length > archiveLimits.entries) throw tooLarge(walk.host, "files", archiveLimits.entries);
    if (bytes > gitLimits.contentBytes) throw tooLarge(walk.host, "bytes", gitLimits.contentBytes);
  }
  return files;
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "repository-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The file is gone with `use`, not only with its folder. */
async function withFile<T>(folder: string, name: string, use: (file: AppendFile) => Promise<T>): Promise<T> {
  const path = join(folder, name);
  const handle: FileHandle = await open(path, "wx+", 0o600);
  try {
    return await use(new AppendFile(handle));
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}
