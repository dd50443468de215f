import { withTemporaryFile } from "../temporary-file.ts";
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
 * Fetches a commit without history and lends its objects, which lie in a temporary file. The pack is gone before `use` begins.
 */
export async function withObjects<T>(
  uploadPack: UploadPack,
  commit: string,
  { host, deadline, contents = true }: FetchProps,
  use: (objects: GitObjects) => Promise<T>,
): Promise<T> {
  const format = uploadPack.objectFormat;
  const packMax = contents ? gitLimits.packBytes : gitLimits.listingBytes;
  const contentMax = contents ? gitLimits.contentBytes : gitLimits.listingBytes;
  return withTemporaryFile(async (contentFile) => {
    const objects = new GitObjects(new AppendFile(contentFile), format, host, contentMax);
    await withTemporaryFile(async (packFile) => {
      const pack = new AppendFile(packFile);
      await uploadPack.fetch(commit, (chunks) => receivePack(chunks, pack, format, host, packMax), { contents });
      await unpack({ pack, into: objects, format, host, deadline });
    });
    return use(objects);
  });
}
