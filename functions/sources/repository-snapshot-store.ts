import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { isSluiceError } from "../platform/errors.ts";
import { deleteObject, putJson, putStream } from "../platform/object-store.ts";
import { keys, table } from "../platform/table.ts";
import { type ByteSource, slices } from "./archive/byte-source.ts";
import { buildManifest, type Manifest } from "./archive/manifest.ts";
import type { Head } from "./providers/repository-host.ts";
import { leftOutOf, type RepositoryRef, RepositorySnapshot } from "./repository-snapshot.ts";
import { zipKeys } from "./stored-zip.ts";

/** What a scan asks of a repository. */
export interface FetchedRepository {
  head(branch: string): Promise<Head>;
  files(head: Head): Promise<{ readonly items: readonly { readonly path: string }[]; readonly truncated: boolean }>;
  archive<T>(head: Head, use: (archive: ByteSource) => Promise<T>): Promise<T>;
}

/**
 * Brings the newest commit of a branch into the bucket, checked as an upload is. A commit that is there already is not downloaded again,
 * but its branch is always asked for, with the rights of whoever scans now. Safe to repeat.
 * @throws SluiceError repository_*, outbound_*, zip_*
 */
export async function fetchSnapshot(
  projectId: string,
  ref: RepositoryRef,
  repository: FetchedRepository,
  at: Date,
): Promise<RepositorySnapshot> {
  const head = await repository.head(ref.branch);
  const kept = await findSnapshotOf(projectId, ref, head);
  if (kept) return kept;
  const stored = await repository.archive(head, async (archive) => {
    const manifest = await buildManifest(archive);
    return { manifest, ...(await storeArchive(projectId, archive, manifest)) };
  });
  // The archive may lack files, and its author decides which. A host that will not list them costs a warning, not the scan.
  const listed = await repository.files(head).catch((error) => {
    if (!isSluiceError(error)) throw error;
    return null;
  });
  const { manifest, ...place } = stored;
  const { type, url } = ref;
  const leftOut = leftOutOf(listed, manifest.files);
  const snapshot = { projectId, type, url, commit: head.commit, ...place, leftOut, fetchedAt: at.toISOString() };
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
