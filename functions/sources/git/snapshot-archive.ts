import type { ByteSource } from "../archive/byte-source.ts";
import { archiveLimits } from "../archive/limits.ts";
import { withTemporaryFile } from "../temporary-file.ts";
import { AppendFile } from "./append-file.ts";
import { type FetchProps, withObjects } from "./fetched-objects.ts";
import { tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { GitObject } from "./git-objects.ts";
import { type LeftOut, nothingLeftOut, type TreeWalk, topFolder, treeFiles } from "./tree-files.ts";
import type { UploadPack } from "./upload-pack.ts";
import { ZipWriter } from "./zip-writer.ts";

export interface SnapshotArchive {
  /** A ZIP with one top folder, as providers make them. The same commit gives the same bytes. */
  readonly archive: ByteSource;
  readonly leftOut: LeftOut;
}

/**
 * Fetches a commit and lends its archive. Pack, objects and archive have up to 500 MB each; the pack is gone before the archive is
 * written, so two of them are there at a time.
 */
export async function withSnapshotArchive<T>(
  uploadPack: UploadPack,
  commit: string,
  props: Omit<FetchProps, "contents">,
  use: (snapshot: SnapshotArchive) => Promise<T>,
): Promise<T> {
  return withObjects(uploadPack, commit, props, (objects) =>
    withTemporaryFile(async (handle) => {
      const file = new AppendFile(handle);
      const leftOut = nothingLeftOut();
      await writeArchive(new ZipWriter(file), { ...props, objects, commit, leftOut });
      return use({ archive: file.asSource(), leftOut });
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

interface StoredFile {
  readonly path: Buffer;
  readonly blob: GitObject;
}

/** All files before the first is written: a tree that unfolds to more than an archive may have costs no disk. */
async function filesWithinLimits(walk: TreeWalk): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  let bytes = 0;
  for await (const { path, oid } of treeFiles(walk)) {
    const blob = walk.objects.find(oid, "blob");
    files.push({ path, blob });
    // One blob may stand under many names.
    bytes += blob.bytes;
    if (files.length > archiveLimits.entries) throw tooLarge(walk.host, "files", archiveLimits.entries);
    if (bytes > gitLimits.contentBytes) throw tooLarge(walk.host, "bytes", gitLimits.contentBytes);
  }
  return files;
}
