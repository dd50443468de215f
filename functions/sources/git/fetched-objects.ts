import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppendFile } from "./append-file.ts";
import type { Deadline } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import { GitObjects } from "./git-objects.ts";
import { receivePack } from "./receive-pack.ts";
import { unpack } from "./unpack.ts";
import type { UploadPack } from "./upload-pack.ts";

export interface FetchProps {
  readonly host: string;
  readonly deadline: Deadline;
  /** False where only names are wanted: contents then come from servers that cannot leave them out, and may have less. @default true */
  readonly contents?: boolean;
}

/**
 * Fetches a commit without history and lends its objects, and places for more files. Everything lies in temporary files and is removed
 * whatever happens; the pack is gone before `use` begins.
 */
export async function withObjects<T>(
  uploadPack: UploadPack,
  commit: string,
  { host, deadline, contents = true }: FetchProps,
  use: (objects: GitObjects, folder: string) => Promise<T>,
): Promise<T> {
  const format = uploadPack.objectFormat;
  const packMax = contents ? gitLimits.packBytes : gitLimits.listingBytes;
  const contentMax = contents ? gitLimits.contentBytes : gitLimits.listingBytes;
  return withFolder((folder) =>
    withFile(folder, "objects", async (file) => {
      const objects = new GitObjects(file, format, host, contentMax);
      await withFile(folder, "pack", async (pack) => {
        await uploadPack.fetch(commit, (chunks) => receivePack(chunks, pack, format, host, packMax), { contents });
        await unpack({ pack, into: objects, format, host, deadline });
      });
      return use(objects, folder);
    }),
  );
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "repository-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lends a new file; it is gone with `use`, not only with its folder. */
export async function withFile<T>(folder: string, name: string, use: (file: AppendFile) => Promise<T>): Promise<T> {
  const path = join(folder, name);
  const handle: FileHandle = await open(path, "wx+", 0o600);
  try {
    return await use(new AppendFile(handle));
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}
