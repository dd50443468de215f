import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { s3 } from "../platform/object-store.ts";
import { keys, table } from "../platform/table.ts";
import { archiveLimits } from "./archive/limits.ts";
import { zipKeys } from "./stored-zip.ts";
import { Upload, uploadFormSeconds } from "./upload.ts";

export async function createUpload(upload: Upload): Promise<void> {
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.upload(upload.id), v: 1, ...upload },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await table.send(put);
}

/** @throws SluiceError upload_not_found: unknown, expired, or of somebody else */
export async function readUpload(ownerId: string, projectId: string, id: string, at: Date): Promise<Upload> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.upload(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  const upload = Item && Upload.parse(Item);
  const alive =
    upload && upload.ownerId === ownerId && upload.projectId === projectId && upload.expiresAt > at.getTime() / 1000;
  if (!alive) throw new SluiceError("upload_not_found");
  return upload;
}

export async function deleteUpload(id: string): Promise<void> {
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.upload(id) }));
}

/** The form a client sends its file with. Key, size and type are fixed by the signature; the client chooses none of them. */
export function uploadForm(upload: Upload): Promise<{ url: string; fields: Record<string, string> }> {
  return createPresignedPost(s3, {
    Bucket: environment().SOURCES_BUCKET,
    Key: zipKeys.quarantine(upload.projectId, upload.id),
    Conditions: [["content-length-range", 22, archiveLimits.archiveBytes]], // 22 bytes is the empty archive
    Fields: { "Content-Type": "application/zip" },
    Expires: uploadFormSeconds,
  });
}
