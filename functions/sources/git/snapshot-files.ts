import { archiveLimits } from "../archive/limits.ts";
import type { HostedFile } from "../providers/dialect.ts";
import type { Listing } from "../providers/host-api.ts";
import { type FetchProps, withObjects } from "./fetched-objects.ts";
import { nothingLeftOut, pathText, treeFiles } from "./tree-files.ts";
import type { UploadPack } from "./upload-pack.ts";

/**
 * Lists the files of a commit, in the order and by the names that its archive has. Most hosts send the trees alone for it, and then nobody
 * knows sizes; others send all.
 * @throws SluiceError repository_too_large for a repository that a host sends whole and that is larger than `gitLimits.listingBytes`
 */
export async function snapshotFiles(
  uploadPack: UploadPack,
  commit: string,
  props: Omit<FetchProps, "contents">,
): Promise<Listing<HostedFile>> {
  return withObjects(uploadPack, commit, { ...props, contents: false }, async (objects) => {
    const items: HostedFile[] = [];
    for await (const { path, oid } of treeFiles({ ...props, objects, commit, leftOut: nothingLeftOut() })) {
      if (items.length === archiveLimits.entries) return { items, truncated: true };
      items.push({ path: pathText(path), bytes: objects.any(oid)?.bytes ?? null });
    }
    return { items, truncated: false };
  });
}
