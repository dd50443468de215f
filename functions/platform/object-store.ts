import { Readable } from "node:stream";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from "@aws-sdk/client-s3";

/**
 * One client for the life of the function. From 2 MB on the SDK would ask S3 whether it wants the body, each time on a connection of its own: two or
 * three round trips and a handshake, for no more than that a refusal would come sooner.
 */
export const s3 = new S3Client({ expectContinueHeader: false });

/** An object at one moment of its life: with the version id it stays the same bytes, whoever writes the key again. */
export interface ObjectVersion {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

const address = ({ bucket, key, versionId }: ObjectVersion) => ({ Bucket: bucket, Key: key, VersionId: versionId });

/** Stores a small object. @returns the version written */
export async function putObject(
  bucket: string,
  key: string,
  body: Buffer | string,
  contentType = "application/octet-stream",
) {
  const { VersionId } = await s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: contentType }),
  );
  return { bucket, key, versionId: VersionId };
}

/** Stores an object as it comes, so that its size is not bounded by memory. @param bytes exactly what `chunks` yield in all */
export async function putStream(
  bucket: string,
  key: string,
  chunks: AsyncIterable<Buffer>,
  bytes: number,
  contentType: string,
): Promise<ObjectVersion> {
  const Body = Readable.from(chunks, { objectMode: false });
  const { VersionId } = await s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength: bytes, ContentType: contentType }),
  );
  return { bucket, key, versionId: VersionId };
}

export const putJson = (bucket: string, key: string, value: unknown) =>
  putObject(bucket, key, JSON.stringify(value), "application/json");

/** Reads a whole object that is known to be small. @returns null when it is not there: 403 too, as for headObject */
export async function getObject(object: ObjectVersion): Promise<Buffer | null> {
  try {
    const { Body } = await s3.send(new GetObjectCommand(address(object)));
    return Buffer.from(await (Body as NonNullable<typeof Body>).transformToByteArray());
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** S3 tells nobody without the right to list that a key is not there. */
const isMissing = (error: unknown): boolean => {
  const status = (error as S3ServiceException).$metadata?.httpStatusCode;
  return status === 404 || status === 403;
};

/** Reads a JSON object that we wrote ourselves. @returns null when it is not there */
export async function getJson<T>(object: ObjectVersion): Promise<T | null> {
  const bytes = await getObject(object);
  return bytes && (JSON.parse(bytes.toString("utf8")) as T);
}

/** Size and current version of an object. @returns null when it is not there: 403 too, which is how S3 answers those who may not list */
export async function headObject(
  object: ObjectVersion,
): Promise<{ bytes: number; versionId: string | undefined } | null> {
  try {
    const head = await s3.send(new HeadObjectCommand(address(object)));
    return { bytes: head.ContentLength ?? 0, versionId: head.VersionId };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Copies one version to another key without moving the bytes through this function. @returns the version written */
export async function copyObject(from: ObjectVersion, key: string): Promise<ObjectVersion> {
  const source = `${from.bucket}/${encodeURIComponent(from.key)}${from.versionId ? `?versionId=${from.versionId}` : ""}`;
  const { VersionId } = await s3.send(new CopyObjectCommand({ Bucket: from.bucket, Key: key, CopySource: source }));
  return { bucket: from.bucket, key, versionId: VersionId };
}

/** Deletes a key; with a version id, that version for good. Deleting what is not there is no error. */
export async function deleteObject(object: ObjectVersion): Promise<void> {
  await s3.send(new DeleteObjectCommand(address(object)));
}

/**
 * Deletes every version of every object below a prefix, for good.
 * @throws Error when S3 keeps one; what was deleted by then stays deleted
 */
export async function deletePrefix(bucket: string, prefix: string): Promise<void> {
  for (;;) {
    // Always the first page: what it names is gone when the next one is asked for.
    const page = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix }));
    const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
    if (found.length === 0) return;
    await deleteVersions(
      bucket,
      found.map(({ Key = "", VersionId }) => ({ bucket, key: Key, ...(VersionId && { versionId: VersionId }) })),
    );
  }
}

/** Deletes up to a thousand versions of objects of one bucket, for good. @throws Error when S3 keeps one */
export async function deleteVersions(bucket: string, versions: readonly ObjectVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const Objects = versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId }));
  const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }));
  if (Errors.length > 0) throw new Error(`S3 kept ${Errors.length} objects, ${Errors[0]?.Key}: ${Errors[0]?.Code}`);
}
