import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { deleteObject, putJson, putStream } from "../platform/object-store.ts";
import { keys, table } from "../platform/table.ts";
import { type ByteSource, slices } from "./archive/byte-source.ts";
import { buildManifest, type Manifest } from "./archive/manifest.ts";
import type { Head } from "./providers/repository-host.ts";
import type { Repository } from "./repository.ts";
import { type RepositoryRef, RepositorySnapshot } from "./repository-snapshot.ts";
import { zipKeys } from "./stored-zip.ts";

/**
 * Brings the newest commit of a branch into the bucket, checked as an upload is. A commit that is there already is not downloaded again,
 * but its branch is always asked for, with the rights of whoever scans now. Safe to repeat.
 * @throws SluiceError repository_*, outbound_*, zip_*
 */
export async function fetchSnapshot(
  projectId: string,
  ref: RepositoryRef,
  repository: Pick<Repository, "head" | "archive">,
  at: Date,
): Promise<RepositorySnapshot> {
  const head = await repository.head(ref.branch);
  const kept = await findSnapshotOf(projectId, ref, head);
  if (kept) return kept;
  const fetched = await repository.archive(head, async (archive, findLeftOut) => {
    const manifest = await buildManifest(archive);
    const place = await storeArchive(projectId, archive, manifest);
    return { ...place, leftOut: await findLeftOut(manifest.files) };
  });
  const { type, url } = ref;
  const snapshot = { projectId, type, url, commit: head.commit, ...fetched, fetchedAt: at.toISOString() };
  await replaceSnapshot(snapshot);
  return snapshot;
}

async function storeArchive(projectId: string, archive: ByteSource, manifest: Manifest) {
  const bucket = environment().SOURCES_BUCKET;
  const key = zipKeys.archive(projectId, manifest.archiveSha256);
  const manifestKey = zipKeys.manifest(projectId, manifest.archiveSha256);
  const chunks = slices(archive, 0, archive.size);
  const { versionId } = await putStream(bucket, key, chunks, archive.size, "application/zip");
  await putJson(bucket, manifestKey, manifest);
  return { key, versionId, bytes: archive.size, manifestKey };
}

/** What is stored of exactly this commit of this repository, or null. */
export async function findSnapshotOf(
  projectId: string,
  { url, type }: RepositoryRef,
  { commit }: Head,
): Promise<RepositorySnapshot | null> {
  const Key = keys.repositorySnapshot(projectId);
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true });
  const { Item } = await table.send(get);
  const kept = Item ? RepositorySnapshot.parse(Item) : null;
  return kept?.commit === commit && kept.url === url && kept.type === type ? kept : null;
}

async function replaceSnapshot(snapshot: RepositorySnapshot): Promise<void> {
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.repositorySnapshot(snapshot.projectId), v: 1, ...snapshot },
    ReturnValues: "ALL_OLD",
  });
  const { Attributes } = await table.send(put);
  // A delete marker: the bucket keeps the version for a while, so a scan of the former commit finishes undisturbed.
  if (Attributes && Attributes.key !== snapshot.key)
    await deleteObject({ bucket: environment().SOURCES_BUCKET, key: Attributes.key as string });
}
