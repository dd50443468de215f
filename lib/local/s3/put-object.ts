import { answerEmpty } from "./answer.ts";
import { checkWriteConditions } from "./conditions.ts";
import {
  checksumHeaders,
  encryptionOf,
  headersToKeep,
  isKmsEncrypted,
  kmsPermissions,
  versionHeaders,
} from "./object-headers.ts";
import { putBytesMax, receiveBody } from "./receive-body.ts";
import type { S3Request } from "./s3-request.ts";
import { commit, type Store, writeBlob } from "./store.ts";

/** PutObject: streams the body to the disk, then makes it the latest version of its key. */
export async function putObject(request: S3Request, store: Store): Promise<void> {
  const { bucket, key } = request;
  const headers = headersToKeep(request.headers, bucket);
  await request.authorise("PutObject", [
    ...writePermissions(request),
    ...kmsPermissions(["kms:GenerateDataKey"], headers, bucket.name, key),
  ]);
  const { blob, received } = await writeBlob(store, (sink) =>
    receiveBody(request, sink, { bytesMax: putBytesMax, isEncrypted: isKmsEncrypted(headers) }),
  );
  const { etag, size, checksum } = received;
  const { added } = await commit(store, [blob], () => {
    checkWriteConditions(request.headers, store.objects.latest(bucket.name, key), key);
    const version = { bucket: bucket.name, key, size, etag, modified: store.now(), headers, checksum };
    return store.objects.add(version, [{ blob, number: 1, size }]);
  });
  answerEmpty(request.call.response, 200, {
    etag,
    ...versionHeaders(bucket, added),
    ...checksumHeaders(checksum),
    ...encryptionOf(headers),
  });
}

/** S3 lets nobody compare with what they may not read. */
export const writePermissions = (request: S3Request) => [
  request.permission("s3:PutObject"),
  ...(request.header("if-match") === undefined ? [] : [request.permission("s3:GetObject")]),
];
