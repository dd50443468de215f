import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AwsError, type Permission } from "../../lib/local/service.ts";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "guarded";
const keyArn = "arn:aws:kms:us-east-1:000000000000:key/k1";
const object = (key: string, bucket = Bucket) => `arn:aws:s3:::${bucket}/${key}`;
const bucketArn = `arn:aws:s3:::${Bucket}`;

let embedded: EmbeddedS3;
let tenant: S3Client;
let asked: Permission[];
let denied: (permission: Permission) => boolean;
let VersionId: string;
let UploadId: string;

beforeAll(async () => {
  embedded = await startS3();
  await embedded.s3.ensureBucket({ name: Bucket, versioned: true });
  await embedded.s3.ensureBucket({ name: "encrypted", versioned: false, kmsKeyArn: keyArn, bucketKeyEnabled: true });
  tenant = embedded.clientAs("tenant");
  embedded.allows = (_, permission) => {
    asked.push(permission);
    return !denied(permission);
  };
});
afterAll(() => embedded.stop());

beforeEach(async () => {
  asked = [];
  denied = () => false;
  VersionId = (await embedded.client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x" }))).VersionId!;
  UploadId = (await embedded.client.send(new CreateMultipartUploadCommand({ Bucket, Key: "k" }))).UploadId!;
});

const pairs = () => asked.map(({ action, resource }) => `${action} ${resource}`);

type Send = () => Promise<unknown>;
const Key = "k";
const operations: [name: string, send: Send, permissions: string[]][] = [
  ["PutObject", () => tenant.send(new PutObjectCommand({ Bucket, Key, Body: "x" })), [`s3:PutObject ${object(Key)}`]],
  [
    "PutObject, If-Match",
    () => tenant.send(new PutObjectCommand({ Bucket, Key, Body: "x", IfMatch: "*" })),
    [`s3:PutObject ${object(Key)}`, `s3:GetObject ${object(Key)}`],
  ],
  ["GetObject", () => tenant.send(new GetObjectCommand({ Bucket, Key })), [`s3:GetObject ${object(Key)}`]],
  [
    "GetObject of a version",
    () => tenant.send(new GetObjectCommand({ Bucket, Key, VersionId })),
    [`s3:GetObjectVersion ${object(Key)}`],
  ],
  ["HeadObject", () => tenant.send(new HeadObjectCommand({ Bucket, Key })), [`s3:GetObject ${object(Key)}`]],
  ["DeleteObject", () => tenant.send(new DeleteObjectCommand({ Bucket, Key })), [`s3:DeleteObject ${object(Key)}`]],
  [
    "DeleteObject of a version",
    () => tenant.send(new DeleteObjectCommand({ Bucket, Key, VersionId })),
    [`s3:DeleteObjectVersion ${object(Key)}`],
  ],
  [
    "CopyObject",
    () => tenant.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource: `${Bucket}/k` })),
    [`s3:GetObject ${object(Key)}`, `s3:PutObject ${object("copy")}`],
  ],
  [
    "CopyObject of a version",
    () => tenant.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource: `${Bucket}/k?versionId=${VersionId}` })),
    [`s3:GetObjectVersion ${object(Key)}`, `s3:PutObject ${object("copy")}`],
  ],
  ["HeadBucket", () => tenant.send(new HeadBucketCommand({ Bucket })), [`s3:ListBucket ${bucketArn}`]],
  ["ListObjectsV2", () => tenant.send(new ListObjectsV2Command({ Bucket })), [`s3:ListBucket ${bucketArn}`]],
  [
    "ListObjectVersions",
    () => tenant.send(new ListObjectVersionsCommand({ Bucket })),
    [`s3:ListBucketVersions ${bucketArn}`],
  ],
  [
    "CreateMultipartUpload",
    () => tenant.send(new CreateMultipartUploadCommand({ Bucket, Key })),
    [`s3:PutObject ${object(Key)}`],
  ],
  [
    "UploadPart",
    () => tenant.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: "x" })),
    [`s3:PutObject ${object(Key)}`],
  ],
  [
    "ListParts",
    () => tenant.send(new ListPartsCommand({ Bucket, Key, UploadId })),
    [`s3:ListMultipartUploadParts ${object(Key)}`],
  ],
  [
    "AbortMultipartUpload",
    () => tenant.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
    [`s3:AbortMultipartUpload ${object(Key)}`],
  ],
];

describe("IAM", () => {
  it.each(operations)("is asked by %s", async (_, send, permissions) => {
    await send();
    expect(pairs()).toEqual(permissions);
  });

  it.each(
    operations.flatMap(([name, send, permissions]) =>
      permissions.map((permission) => [permission, name, send] as const),
    ),
  )("that denies %s stops %s, and nothing changes", async (permission, _, send) => {
    const before = await embedded.client.send(new ListObjectVersionsCommand({ Bucket }));
    denied = ({ action, resource }) => `${action} ${resource}` === permission;
    await expect(send()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    const after = await embedded.client.send(new ListObjectVersionsCommand({ Bucket }));
    expect(after.Versions).toEqual(before.Versions);
  });

  it("is asked by CompleteMultipartUpload", async () => {
    const { ETag } = await tenant.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: "x" }));
    const complete = new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
    });
    asked = [];
    denied = () => true;
    await expect(tenant.send(complete)).rejects.toMatchObject({ name: "AccessDenied" });
    denied = () => false;
    asked = [];
    await tenant.send(complete);
    expect(pairs()).toEqual([`s3:PutObject ${object(Key)}`]);
  });

  it("is asked for each object and version of DeleteObjects", async () => {
    const Objects = [{ Key: "a" }, { Key: "k", VersionId }];
    await tenant.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(new Set(pairs())).toEqual(
      new Set([`s3:DeleteObject ${object("a")}`, `s3:DeleteObjectVersion ${object("k")}`]),
    );
  });

  it.each([
    ["GetObject", (Key: string) => tenant.send(new GetObjectCommand({ Bucket, Key })), "NoSuchKey", "AccessDenied"],
    ["HeadObject", (Key: string) => tenant.send(new HeadObjectCommand({ Bucket, Key })), "NotFound", "Unknown"],
    [
      "CopyObject",
      (Key: string) => tenant.send(new CopyObjectCommand({ Bucket, Key: "to", CopySource: `${Bucket}/${Key}` })),
      "NoSuchKey",
      "AccessDenied",
    ],
  ])("lets %s say that a key is missing only to who may list the bucket", async (_, send, name, hiddenName) => {
    await expect(send("missing")).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 404 } });
    denied = ({ action }) => action === "s3:ListBucket";
    await expect(send("missing")).rejects.toMatchObject({ name: hiddenName, $metadata: { httpStatusCode: 403 } });
    expect(await send("k")).toBeDefined();
  });

  it("is asked for the key of an encrypted bucket too, as S3 asks in its caller's name", async () => {
    const context = {
      "kms:ViaService": "s3.us-east-1.amazonaws.com",
      "kms:EncryptionContext:aws:s3:arn": "arn:aws:s3:::encrypted",
    };
    const input = { Bucket: "encrypted", Key: "secret" };
    const put = await tenant.send(new PutObjectCommand({ ...input, Body: "x" }));
    expect(put).toMatchObject({ ServerSideEncryption: "aws:kms", SSEKMSKeyId: keyArn, BucketKeyEnabled: true });
    expect(asked).toContainEqual({ action: "kms:GenerateDataKey", resource: keyArn, context });
    asked = [];
    expect(await tenant.send(new GetObjectCommand(input))).toMatchObject({ SSEKMSKeyId: keyArn });
    expect(asked).toContainEqual({ action: "kms:Decrypt", resource: keyArn, context });
    denied = ({ action }) => action.startsWith("kms:");
    await expect(tenant.send(new GetObjectCommand(input))).rejects.toMatchObject({ name: "AccessDenied" });
    await expect(tenant.send(new PutObjectCommand({ ...input, Body: "y" }))).rejects.toMatchObject({
      name: "AccessDenied",
    });
  });

  it("gives an object in an encrypted bucket an entity tag that says nothing of its bytes, and still holds it to its MD5", async () => {
    const input = { Bucket: "encrypted", Key: "tagged", Body: "x" };
    const tags = [await tenant.send(new PutObjectCommand(input)), await tenant.send(new PutObjectCommand(input))];
    expect(new Set(tags.map(({ ETag }) => ETag)).size).toBe(2);
    for (const { ETag } of tags) expect(ETag).toMatch(/^"[0-9a-f]{32}"$/);
    const ContentMD5 = createHash("md5").update("y").digest("base64");
    await expect(tenant.send(new PutObjectCommand({ ...input, ContentMD5 }))).rejects.toMatchObject({
      name: "BadDigest",
    });
    const back = await tenant.send(new GetObjectCommand({ Bucket: "encrypted", Key: "tagged" }));
    expect(back.ETag).toBe(tags[1]?.ETag);
  });
});

describe("a fault at the gateway", () => {
  const put = (Key: string) => embedded.client.send(new PutObjectCommand({ Bucket, Key, Body: "x", IfNoneMatch: "*" }));
  const exists = async (Prefix: string) =>
    (await embedded.client.send(new ListObjectsV2Command({ Bucket, Prefix }))).KeyCount === 1;
  const slowDown = new AwsError("SlowDown", "Please reduce your request rate.", 503);

  it.each([
    ["before", slowDown, { name: "SlowDown", $metadata: { httpStatusCode: 503 } }, false],
    ["before", "cut", { code: "ECONNRESET" }, false],
    ["after", "cut", { code: "ECONNRESET" }, true],
  ] as const)("%s a put (%s) reaches the client, and the object is there or not", async (when, error, seen, isDone) => {
    const key = `fault-${when}-${error}`;
    embedded.cloud.gateway.planFault = ({ operation }) => (operation === "PutObject" ? { when, error } : undefined);
    const outcome = put(key);
    await expect(outcome).rejects.toMatchObject(seen);
    embedded.cloud.gateway.planFault = () => undefined;
    expect(await exists(key)).toBe(isDone);
  });
});
