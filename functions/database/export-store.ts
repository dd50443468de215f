import { GetObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { v7 as uuid } from "uuid";
import { contentDisposition } from "../platform/content-disposition.ts";
import { environment } from "../platform/environment.ts";
import { deletePrefix, putObject, s3 } from "../platform/object-store.ts";

/** Whoever gets hold of the link needs no token. A download that has begun by then still finishes. */
const linkSeconds = 300;

const folderOf = (userId: string): string => `exports/database/${userId}/`;

/** Stores an export that no answer can hold, for a day at most: a lifecycle rule of the bucket removes it. @returns a link to it */
export async function storeExport(userId: string, content: Buffer, filename: string): Promise<string> {
  const key = `${folderOf(userId)}${uuid()}.json`;
  const stored = await putObject(environment().RESULTS_BUCKET, key, content, "application/json");
  const get = new GetObjectCommand({
    Bucket: stored.bucket,
    Key: stored.key,
    VersionId: stored.versionId,
    ResponseContentType: "application/json; charset=utf-8",
    ResponseContentDisposition: contentDisposition(filename, "export.json"),
    ResponseCacheControl: "private, no-store",
  });
  return getSignedUrl(s3, get, { expiresIn: linkSeconds });
}

/** Deletes what is left of a user's exports, for good. */
export const forgetExports = (userId: string): Promise<void> =>
  deletePrefix(environment().RESULTS_BUCKET, folderOf(userId));
