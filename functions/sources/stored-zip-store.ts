import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { v7 as uuid } from "uuid";
import { contentDisposition } from "../platform/content-disposition.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import {
  copyObject,
  deleteObject,
  getJson,
  headObject,
  type ObjectVersion,
  putJson,
  putObject,
  s3,
} from "../platform/object-store.ts";
import { keys, table } from "../platform/table.ts";
import { bufferSource } from "./archive/byte-source.ts";
import { archiveLimits } from "./archive/limits.ts";
import { buildManifest, type Manifest } from "./archive/manifest.ts";
import { objectSource } from "./object-source.ts";
import { displayName, StoredZip, zipKeys } from "./stored-zip.ts";

/** @returns what the project keeps, or null */
export async function readStoredZip(projectId: string): Promise<StoredZip | null> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.storedZip(projectId),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  return Item ? StoredZip.parse(Item) : null;
}

/** @throws SluiceError zip_not_stored */
export async function requireStoredZip(projectId: string): Promise<StoredZip> {
  const zip = await readStoredZip(projectId);
  if (!zip) throw new SluiceError("zip_not_stored");
  return zip;
}

export async function readManifest(zip: StoredZip): Promise<Manifest> {
  const manifest = await getJson<Manifest>({ bucket: environment().SOURCES_BUCKET, key: zip.manifestKey });
  if (!manifest) throw new Error(`the manifest ${zip.manifestKey} is missing`);
  return manifest;
}

/** Whose archive it is and what they call it. */
export interface ArchiveOwner {
  readonly projectId: string;
  readonly ownerId: string;
  readonly filename: string;
}

/**
 * Checks an archive that came with the request and stores it in place of the project's former one. The record is the commit point:
 * nothing points at the objects before it is written, and a refused archive leaves nothing behind.
 * @throws SluiceError zip_name_expected, any zip_* code of the archive check
 */
export async function storeArchive(owner: ArchiveOwner, bytes: Buffer, at: Date): Promise<StoredZip> {
  requireZipName(owner.filename);
  const manifest = await buildManifest(bufferSource(bytes));
  const key = zipKeys.archive(owner.projectId, uuid());
  const archive = await putObject(environment().SOURCES_BUCKET, key, bytes, "application/zip");
  return commit(owner, manifest, archive, null, at);
}

/**
 * The same for an archive that the client has sent to quarantine. The version is pinned first, so what is checked is what is kept even if
 * the client uploads again meanwhile.
 * @throws SluiceError upload_not_found, zip_too_large, any zip_* code of the archive check
 */
export async function adoptArchive(owner: ArchiveOwner, uploadId: string, at: Date): Promise<StoredZip> {
  const landed = { bucket: environment().SOURCES_BUCKET, key: zipKeys.quarantine(owner.projectId, uploadId) };
  const head = await headObject(landed);
  if (!head) throw new SluiceError("upload_not_found");
  const pinned = { ...landed, versionId: head.versionId };
  try {
    if (head.bytes > archiveLimits.archiveBytes) throw new SluiceError("payload_too_large", { limit: "500 MB" });
    const manifest = await buildManifest(objectSource(pinned, head.bytes));
    const archive = await copyObject(pinned, zipKeys.archive(owner.projectId, uuid()));
    const zip = await commit(owner, manifest, archive, uploadId, at);
    await deleteObject(pinned);
    return zip;
  } catch (error) {
    if (error instanceof SluiceError) await deleteObject(pinned);
    throw error;
  }
}

async function commit(
  owner: ArchiveOwner,
  manifest: Manifest,
  archive: ObjectVersion,
  uploadId: string | null,
  at: Date,
): Promise<StoredZip> {
  const manifestKey = zipKeys.manifest(owner.projectId, manifest.archiveSha256);
  await putJson(archive.bucket, manifestKey, manifest);
  const zip: StoredZip = {
    projectId: owner.projectId,
    ownerId: owner.ownerId,
    originalFilename: displayName(owner.filename),
    bytes: manifest.archiveBytes,
    sha256: manifest.archiveSha256,
    files: manifest.files.length,
    key: archive.key,
    versionId: archive.versionId,
    manifestKey,
    uploadId,
    uploadedAt: at.toISOString(),
  };
  const former = await readStoredZip(zip.projectId);
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.storedZip(zip.projectId), v: 1, ...zip },
    ReturnValues: "ALL_OLD",
  });
  const { Attributes } = await table.send(put);
  // One that came in between is in the answer, and ours is when the SDK had to ask twice.
  const named = new Set([former?.key, Attributes?.key as string | undefined]);
  for (const key of named) if (key && key !== zip.key) await removeArchive(key);
  return zip;
}

/**
 * For an archive that no record names any more. Without a version this is a delete marker: the bucket keeps noncurrent versions for a
 * while, so a scan that is running reads its own to the end.
 */
const removeArchive = (key: string): Promise<void> => deleteObject({ bucket: environment().SOURCES_BUCKET, key });

/** A link to the archive lives no longer: whoever gets hold of it needs no token. A download that has begun by then still finishes. */
export const downloadSeconds = 300;

/** A presigned link to exactly the archive that the record names, saved under the name the user gave it. */
export function zipDownloadUrl(zip: StoredZip): Promise<string> {
  const get = new GetObjectCommand({
    Bucket: environment().SOURCES_BUCKET,
    Key: zip.key,
    VersionId: zip.versionId,
    ResponseContentType: "application/zip",
    ResponseContentDisposition: contentDisposition(zip.originalFilename, "archive.zip"),
    ResponseCacheControl: "private, no-store",
  });
  return getSignedUrl(s3, get, { expiresIn: downloadSeconds });
}

/**
 * Takes the project's archive away; with none there it does nothing. The record goes first: what it points at must be there as long as it
 * is. Objects that a crash leaves behind in between are out of reach and go when the project is deleted permanently.
 */
export async function removeStoredZip(projectId: string): Promise<void> {
  const zip = await readStoredZip(projectId);
  if (!zip) return;
  const remove = new DeleteCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.storedZip(projectId),
    ConditionExpression: "#key = :key",
    ExpressionAttributeNames: { "#key": "key" },
    ExpressionAttributeValues: { ":key": zip.key },
  });
  // It fails when somebody was faster, or we were and the answer was lost: no record names this archive in either case.
  await table.send(remove).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
  // The manifest, names and hashes, stays for scans that are not planned yet and goes when the project does.
  await removeArchive(zip.key);
}

/** @throws SluiceError zip_name_expected */
export function requireZipName(filename: string): void {
  if (!/\.zip$/i.test(filename)) throw new SluiceError("zip_name_expected");
}
