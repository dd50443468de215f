import type { Permission } from "../service.ts";
import { answerEmpty, answerXml } from "./answer.ts";
import { objectArn } from "./bucket.ts";
import { checkWriteConditions } from "./conditions.ts";
import { checkVersionId } from "./find-version.ts";
import { receiveText } from "./receive-body.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import { commit, type Store } from "./store.ts";
import { parseXml, textOf, type XmlChildren } from "./xml.ts";

interface Target {
  readonly key: string;
  readonly versionId: string | null;
}

/** What came of one deletion. `versionId` is that of the delete marker made, or of the version removed. */
interface Deletion {
  readonly freed: string[];
  readonly versionId?: string;
  readonly isDeleteMarker: boolean;
}

/** DeleteObject. A missing key is a success, as everywhere in S3. */
export async function deleteObject(request: S3Request, store: Store): Promise<void> {
  const { bucket, key } = request;
  const target = { key, versionId: request.query.get("versionId") };
  if (target.versionId !== null) checkVersionId(target.versionId);
  await request.authorise("DeleteObject", [permissionFor(bucket.name, target)]);
  const deletion = await commit(store, [], () => {
    if (request.header("if-match") !== undefined) {
      checkWriteConditions(request.headers, store.objects.latest(bucket.name, key), key);
    }
    return deleteOne(request, store, target);
  });
  answerEmpty(request.call.response, 204, {
    "x-amz-version-id": deletion.versionId,
    "x-amz-delete-marker": deletion.isDeleteMarker ? "true" : undefined,
  });
}

/** DeleteObjects: up to 1,000 keys in one go, each with its own answer. */
export async function deleteObjects(request: S3Request, store: Store): Promise<void> {
  requireIntegrityHeader(request);
  const { targets, isQuiet } = parseDelete(await receiveText(request, { bytesMax: documentBytesMax }));
  const bucket = request.bucket.name;
  const { call } = request;
  const isAllowed = (target: Target) => call.allows(call.caller, permissionFor(bucket, target));
  await request.authorise(
    "DeleteObjects",
    targets.filter(isAllowed).map((target) => permissionFor(bucket, target)),
  );
  const done = await commit(store, [], () => {
    const outcomes = targets.map((target) => ({
      target,
      outcome: isAllowed(target) ? attempt(request, store, target) : denied,
    }));
    return { outcomes, freed: outcomes.flatMap(({ outcome }) => ("freed" in outcome ? outcome.freed : [])) };
  });
  answerXml(call.response, "DeleteResult", {
    Deleted: isQuiet
      ? []
      : done.outcomes.flatMap(({ target, outcome }) => ("freed" in outcome ? [deleted(target, outcome)] : [])),
    Error: done.outcomes.flatMap(({ target, outcome }) => ("code" in outcome ? [failed(target, outcome)] : [])),
  });
}

/** The largest document of 1,000 keys of 1,024 bytes, every byte written as a reference. */
const documentBytesMax = 8 * 1024 * 1024;
const targetsMax = 1000;

const denied = new S3Error("AccessDenied");

const permissionFor = (bucket: string, { key, versionId }: Target): Permission => ({
  action: versionId === null ? "s3:DeleteObject" : "s3:DeleteObjectVersion",
  resource: objectArn(bucket, key),
});

function attempt(request: S3Request, store: Store, target: Target): Deletion | S3Error {
  try {
    if (target.versionId !== null) checkVersionId(target.versionId);
    return deleteOne(request, store, target);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
}

function deleteOne({ bucket }: S3Request, store: Store, { key, versionId }: Target): Deletion {
  if (versionId !== null) {
    const version = store.objects.version(bucket.name, key, versionId);
    const freed = version ? store.objects.remove(version) : [];
    return { freed, versionId, isDeleteMarker: version?.isDeleteMarker ?? false };
  }
  if (bucket.versioning === "Off") {
    const version = store.objects.latest(bucket.name, key);
    return { freed: version ? store.objects.remove(version) : [], isDeleteMarker: false };
  }
  const { marker, freed } = store.objects.addMarker(bucket.name, key, store.now());
  return { freed, versionId: marker.id, isDeleteMarker: true };
}

function deleted({ key, versionId }: Target, outcome: Deletion): XmlChildren {
  return {
    Key: key,
    VersionId: versionId ?? undefined,
    DeleteMarker: outcome.isDeleteMarker || undefined,
    DeleteMarkerVersionId: outcome.isDeleteMarker ? outcome.versionId : undefined,
  };
}

const failed = ({ key, versionId }: Target, error: S3Error): XmlChildren => ({
  Key: key,
  VersionId: versionId ?? undefined,
  Code: error.code,
  Message: error.message,
});

/** A flipped bit must not delete the wrong object; S3 insists on a digest of this document. */
function requireIntegrityHeader(request: S3Request): void {
  const names = [...request.headers.keys()];
  if (names.some((name) => name === "content-md5" || name === "x-amz-trailer" || /^x-amz-checksum-/.test(name))) return;
  throw new S3Error("InvalidRequest", { message: "Missing required header for this request: Content-MD5" });
}

/** @throws S3Error MalformedXML */
function parseDelete(text: string): { targets: Target[]; isQuiet: boolean } {
  const root = parseXml(text);
  const objects = root?.children.filter((child) => child.name === "Object") ?? [];
  if (root?.name !== "Delete" || objects.length === 0 || objects.length > targetsMax) throw new S3Error("MalformedXML");
  const targets = objects.map((object) => {
    const key = textOf(object, "Key");
    if (!key) throw new S3Error("MalformedXML");
    return { key, versionId: textOf(object, "VersionId") || null };
  });
  return { targets, isQuiet: textOf(root, "Quiet") === "true" };
}
