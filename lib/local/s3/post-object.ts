import { sign } from "../../../functions/platform/signed-headers.ts";
import type { Caller } from "../service.ts";
import { equal } from "../sigv4.ts";
import { answerEmpty, answerXml, setHeaders } from "./answer.ts";
import { announcedChecksum, BodyDigests, type Received } from "./body-digests.ts";
import { objectArn } from "./bucket.ts";
import {
  checksumHeaders,
  encryptionOf,
  headersToKeep,
  isKmsEncrypted,
  kmsPermissions,
  versionHeaders,
} from "./object-headers.ts";
import { type PostForm, readPostForm } from "./post-form.ts";
import { applyPolicy, type LengthRange } from "./post-policy.ts";
import { putBytesMax } from "./receive-body.ts";
import { S3Error } from "./s3-error.ts";
import { checkKey, type S3Request } from "./s3-request.ts";
import { commit, type Store, writeBlob } from "./store.ts";
import type { Version } from "./version.ts";

/**
 * The upload of a browser's form. The request itself is unsigned: the policy in the form is, and whoever signed it has to
 * be allowed to put the object. https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
 */
export async function postObject(request: S3Request, store: Store): Promise<void> {
  const form = await readPostForm(request.call.request);
  const bucket = request.bucket;
  const fields = expandedFields(form, bucket.name);
  const caller = signerOf(fields, request);
  const range = applyPolicy(fields.get("policy")!, fields, store.now(), putBytesMax);
  const key = fields.get("key") ?? "";
  if (key === "")
    throw invalidField(
      "key",
      "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.",
    );
  if (fields.has("tagging")) throw new S3Error("NotImplemented", { fields: { Header: "tagging" } });
  checkKey(key);
  const headers = headersToKeep(fields, bucket);
  await request.call.authorise(caller, "PostObject", [
    { action: "s3:PutObject", resource: objectArn(bucket.name, key) },
    ...kmsPermissions(["kms:GenerateDataKey"], headers, bucket.name, key),
  ]);
  const { blob, received } = await writeBlob(store, (sink) =>
    receiveFile(form, fields, range, isKmsEncrypted(headers), sink),
  );
  const { size, etag, checksum } = received;
  const { added } = await commit(store, [blob], () => {
    const version = { bucket: bucket.name, key, size, etag, modified: store.now(), headers, checksum };
    return store.objects.add(version, [{ blob, number: 1, size }]);
  });
  answer(request, fields, added);
}

/** "${filename}" stands for the name of the user's file, in any field and before the policy is applied. */
function expandedFields(form: PostForm, bucket: string): Map<string, string> {
  const fileName = form.fileName.replace(/^.*[/\\]/s, "");
  const fields = new Map(
    [...form.fields].map(([name, value]) => [name, value.replace(/\$\{filename\}/g, () => fileName)]),
  );
  const named = fields.get("bucket");
  if (named !== undefined && named !== bucket)
    throw invalidField("bucket", "The bucket of the form is not that of the URL.");
  return fields.set("bucket", bucket);
}

/** @throws S3Error AccessDenied (unsigned), InvalidAccessKeyId, InvalidToken, SignatureDoesNotMatch */
function signerOf(fields: ReadonlyMap<string, string>, request: S3Request): Caller {
  const [policy, signature] = [fields.get("policy"), fields.get("x-amz-signature")];
  if (policy === undefined || signature === undefined) throw new S3Error("AccessDenied");
  if (fields.get("x-amz-algorithm") !== "AWS4-HMAC-SHA256") {
    throw invalidField("x-amz-algorithm", 'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  }
  const [accessKeyId = "", ...scope] = (fields.get("x-amz-credential") ?? "").split("/");
  const day = fields.get("x-amz-date")?.slice(0, 8);
  if (scope.length !== 4 || scope[0] !== day || scope[2] !== "s3" || scope[3] !== "aws4_request") {
    throw invalidField(
      "x-amz-credential",
      "The Credential is mal-formed; expecting <your-access-key>/YYYYMMDD/REGION/SERVICE/aws4_request.",
    );
  }
  const caller = request.call.callerOf(accessKeyId);
  if (!caller) throw new S3Error("InvalidAccessKeyId");
  if (fields.get("x-amz-security-token") !== caller.sessionToken) throw new S3Error("InvalidToken");
  if (!equal(sign(caller.secretAccessKey, scope.join("/"), policy), signature))
    throw new S3Error("SignatureDoesNotMatch");
  return caller;
}

/** @throws S3Error EntityTooLarge as soon as the file is, EntityTooSmall */
async function receiveFile(
  form: PostForm,
  fields: ReadonlyMap<string, string>,
  { min, max }: LengthRange,
  isEncrypted: boolean,
  sink: (bytes: Buffer) => Promise<void>,
): Promise<Received> {
  const digests = new BodyDigests({ headers: fields, announced: announcedChecksum(fields), isEncrypted });
  for await (const bytes of form.file) {
    digests.update(bytes);
    if (digests.size > max) {
      throw new S3Error("EntityTooLarge", { fields: { ProposedSize: digests.size, MaxSizeAllowed: max } });
    }
    await sink(bytes);
  }
  if (digests.size < min) {
    throw new S3Error("EntityTooSmall", { fields: { ProposedSize: digests.size, MinSizeAllowed: min } });
  }
  return digests.finish();
}

function answer(request: S3Request, fields: ReadonlyMap<string, string>, version: Version): void {
  const { response } = request.call;
  const { bucket, key, etag } = version;
  const location = `http://${request.call.request.headers.host}/${bucket}/${encodeURIComponent(key)}`;
  setHeaders(response, {
    etag,
    location,
    ...versionHeaders(request.bucket, version),
    ...checksumHeaders(version.checksum),
    ...encryptionOf(version.headers),
  });
  const redirect = URL.parse(fields.get("success_action_redirect") ?? "");
  const status = fields.get("success_action_status");
  if (redirect && /^https?:$/.test(redirect.protocol)) {
    for (const [name, value] of Object.entries({ bucket, key, etag })) redirect.searchParams.set(name, value);
    answerEmpty(response, 303, { location: redirect.href });
  } else if (status === "201") {
    answerXml(response, "PostResponse", { Location: location, Bucket: bucket, Key: key, ETag: etag }, 201);
  } else answerEmpty(response, status === "200" ? 200 : 204);
}

const invalidField = (name: string, message: string) =>
  new S3Error("InvalidArgument", { message, fields: { ArgumentName: name } });
