import type { Permission, RestCall } from "../service.ts";
import { bucketArn, objectArn } from "./bucket.ts";
import { kmsPermissions } from "./object-headers.ts";
import { S3Error } from "./s3-error.ts";
import type { Store } from "./store.ts";
import type { Version } from "./version.ts";
import { sequenceOf } from "./version-id.ts";

/** An object to read, by a request or as the source of a copy. */
export interface Wanted {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string | null;
}

/**
 * What reading an object takes: the object itself, and its key where it is encrypted under one.
 * @throws S3Error InvalidArgument when the version id is none
 */
export function readPermissions(store: Store, wanted: Wanted): Permission[] {
  const { bucket, key, versionId } = wanted;
  if (versionId !== null) checkVersionId(versionId);
  const headers = lookUp(store, wanted)?.headers ?? {};
  return [
    { action: versionId === null ? "s3:GetObject" : "s3:GetObjectVersion", resource: objectArn(bucket, key) },
    ...kmsPermissions(["kms:Decrypt"], headers, bucket, key),
  ];
}

/**
 * The version to read. To be called after IAM has agreed, and in the same tick as `BlobStore.hold`.
 * @throws S3Error NoSuchKey, NoSuchVersion, MethodNotAllowed (a delete marker has nothing to read); AccessDenied in place
 * of the first two when the caller may not list the bucket and so may not know what is in it
 */
export function findVersion(store: Store, wanted: Wanted, call: RestCall): Version {
  const { bucket, key, versionId } = wanted;
  const found = lookUp(store, wanted);
  if (found && !found.isDeleteMarker) return found;
  const markerHeaders: Record<string, string> = found
    ? { "x-amz-delete-marker": "true", "x-amz-version-id": found.id }
    : {};
  if (found && versionId !== null) {
    throw new S3Error("MethodNotAllowed", {
      fields: { Method: call.request.method ?? "", ResourceType: "DeleteMarker" },
      headers: { ...markerHeaders, allow: "DELETE", "last-modified": found.modified.toUTCString() },
    });
  }
  const list: Permission = { action: "s3:ListBucket", resource: bucketArn(bucket) };
  if (!call.allows(call.caller, list)) {
    throw new S3Error("AccessDenied", {
      message: `User: ${call.caller?.arn} is not authorized to perform: ${list.action} on resource: ${list.resource}`,
    });
  }
  if (versionId === null) throw new S3Error("NoSuchKey", { fields: { Key: key }, headers: markerHeaders });
  throw new S3Error("NoSuchVersion", { fields: { Key: key, VersionId: versionId } });
}

/** @throws S3Error InvalidArgument */
export function checkVersionId(id: string): void {
  if (id === "null" || sequenceOf(id) !== null) return;
  throw new S3Error("InvalidArgument", {
    message: "Invalid version id specified",
    fields: { ArgumentName: "versionId", ArgumentValue: id },
  });
}

const lookUp = (store: Store, { bucket, key, versionId }: Wanted) =>
  versionId === null ? store.objects.latest(bucket, key) : store.objects.version(bucket, key, versionId);
