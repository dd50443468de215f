import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { Agent } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "objects";
let embedded: EmbeddedS3;
let client: S3Client;

beforeAll(async () => {
  embedded = await startS3();
  client = embedded.client;
  await embedded.s3.ensureBucket({ name: Bucket, versioned: false });
});
afterAll(() => embedded.stop());

const put = (
  Key: string,
  Body: PutObjectCommandInput["Body"],
  more: Partial<PutObjectCommandInput> = {},
): Promise<PutObjectCommandOutput> => client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const head = (Key: string) => client.send(new HeadObjectCommand({ Bucket, Key }));
const get = async (Key: string, more: Partial<GetObjectCommandInput> = {}) => {
  const answer = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return { ...answer, bytes: await buffer(answer.Body as Readable) };
};
const rejected = (name: string, httpStatusCode: number) => ({ name, $metadata: { httpStatusCode } });
const md5 = (bytes: Buffer | string) => createHash("md5").update(bytes).digest("hex");

describe("an object", () => {
  it("comes back with its bytes, entity tag and headers", async () => {
    const answer = await put("report.json", "{}", {
      ContentType: "application/json",
      CacheControl: "no-store",
      ContentDisposition: "attachment",
      ContentEncoding: "identity",
      ContentLanguage: "zh",
      Metadata: { task: "t1", note: "a b" },
    });
    expect(answer).toMatchObject({ ETag: `"${md5("{}")}"`, ServerSideEncryption: "AES256" });
    expect(answer).not.toHaveProperty("VersionId");
    const back = await get("report.json");
    expect(back.bytes.toString()).toBe("{}");
    expect(back).toMatchObject({
      ETag: `"${md5("{}")}"`,
      ContentLength: 2,
      ContentType: "application/json",
      CacheControl: "no-store",
      ContentDisposition: "attachment",
      ContentEncoding: "identity",
      ContentLanguage: "zh",
      AcceptRanges: "bytes",
      Metadata: { task: "t1", note: "a b" },
    });
    expect(back.LastModified).toEqual(new Date(Math.floor(embedded.now.getTime() / 1000) * 1000));
    expect(await head("report.json")).toMatchObject({ ContentLength: 2, Metadata: { task: "t1", note: "a b" } });
  });

  it("can be empty", async () => {
    await put("empty", "");
    expect((await get("empty")).bytes).toHaveLength(0);
    expect(await head("empty")).toMatchObject({ ContentLength: 0, ETag: `"${md5("")}"` });
  });

  it("is replaced as a whole, and its old bytes leave the disk", async () => {
    await put("replaced", randomBytes(1000));
    const before = await filesOnDisk();
    await put("replaced", "new", { ContentType: "text/plain" });
    expect(await get("replaced")).toMatchObject({ ContentType: "text/plain", Metadata: {} });
    expect(await filesOnDisk()).toBe(before);
    await client.send(new DeleteObjectCommand({ Bucket, Key: "replaced" }));
    expect(await filesOnDisk()).toBe(before - 1);
  });

  it("stays readable to the end for who began before it was replaced", async () => {
    const bytes = randomBytes(8 * 1024 * 1024);
    await put("reading", bytes);
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: "reading" }));
    await put("reading", "other");
    await client.send(new DeleteObjectCommand({ Bucket, Key: "reading" }));
    expect((await buffer(Body as Readable)).equals(bytes)).toBe(true);
  });

  it("is let go of when its reader goes away in the middle", async () => {
    await put("left", randomBytes(32 * 1024 * 1024));
    const before = await filesOnDisk();
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: "left" }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: "left" }));
    expect(await filesOnDisk()).toBe(before);
    (Body as Readable).destroy();
    await expect.poll(filesOnDisk, { timeout: 20_000 }).toBe(before - 1);
  });

  it.each([
    "plain.txt",
    "a/b/c",
    "a//b",
    "/leading",
    "trailing/",
    "../../etc/passwd",
    "a/./b/../c",
    "with space + plus & amp = ? # %41",
    "文件/ünïcode/😀",
    "quote\"'<>`",
    "tab\tnewline\nreturn\rnul\u0000bell\u0007",
    "a".repeat(1024),
  ])("may be called %j", async (Key) => {
    await put(Key, Key);
    expect((await get(Key)).bytes.toString()).toBe(Key);
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
    await expect(get(Key)).rejects.toMatchObject(rejected("NoSuchKey", 404));
  });

  it("may not have a key of more than 1,024 bytes", async () => {
    await expect(put("ü".repeat(513), "x")).rejects.toMatchObject(rejected("KeyTooLongError", 400));
  });

  it("may not have more than 2 KB of metadata", async () => {
    await expect(put("meta", "x", { Metadata: { a: "x".repeat(2048) } })).rejects.toMatchObject(
      rejected("MetadataTooLarge", 400),
    );
  });

  it("is deleted without complaint when it is not there", async () => {
    expect((await client.send(new DeleteObjectCommand({ Bucket, Key: "never" }))).$metadata.httpStatusCode).toBe(204);
  });

  it("outlives a restart", async () => {
    await put("durable", "kept", { Metadata: { a: "1" } });
    await embedded.restart();
    const back = await get("durable");
    expect([back.bytes.toString(), back.Metadata]).toEqual(["kept", { a: "1" }]);
  });

  it("shows the encryption that was asked for", async () => {
    const SSEKMSKeyId = "arn:aws:kms:us-east-1:000000000000:key/k1";
    const encryption = { ServerSideEncryption: "aws:kms", SSEKMSKeyId, BucketKeyEnabled: true } as const;
    expect(await put("kms", "x", encryption)).toMatchObject(encryption);
    expect(await head("kms")).toMatchObject(encryption);
  });

  it("is announced once it is there", async () => {
    const seen = new Promise((resolve) =>
      embedded.s3.onObjectCreated((event) => (event.key === "told" ? resolve(event) : undefined)),
    );
    await put("told", "four");
    expect(await seen).toEqual({ bucket: Bucket, key: "told", size: 4, etag: md5("four") });
  });
});

describe("several deletions", () => {
  it("are done in one request, missing keys among them", async () => {
    const keys = ["d1", "d2 <&>", "d3/文"];
    for (const key of keys) await put(key, "x");
    const Objects = [...keys, "missing"].map((Key) => ({ Key }));
    const answer = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(answer.Deleted?.map(({ Key }) => Key)).toEqual([...keys, "missing"]);
    expect(answer.Errors).toBeUndefined();
    for (const key of keys) await expect(head(key)).rejects.toMatchObject(rejected("NotFound", 404));
  });

  it("say nothing when asked to be quiet", async () => {
    const answer = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "x" }], Quiet: true } }),
    );
    expect(answer.Deleted).toBeUndefined();
  });

  it("are at most a thousand", async () => {
    const Objects = Array.from({ length: 1001 }, (_, n) => ({ Key: `k${n}` }));
    await expect(client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))).rejects.toMatchObject(
      rejected("MalformedXML", 400),
    );
  });

  it("leave alone what the caller may not delete, and say so", async () => {
    await put("mine", "x");
    await put("theirs", "x");
    embedded.allows = (_, { resource }) => resource.endsWith("/mine");
    const other = embedded.clientAs("deleter");
    const answer = await other.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "mine" }, { Key: "theirs" }] } }),
    );
    expect(answer.Deleted?.map(({ Key }) => Key)).toEqual(["mine"]);
    expect(answer.Errors).toMatchObject([{ Key: "theirs", Code: "AccessDenied" }]);
    expect(await head("theirs")).toBeDefined();
  });
});

describe("a range", () => {
  const bytes = Buffer.from("0123456789");
  beforeAll(async () => void (await put("digits", bytes)));

  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=-20", "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
    ["bytes=9-9", "9", "bytes 9-9/10"],
  ])("%s is %s", async (Range, text, ContentRange) => {
    const part = await get("digits", { Range });
    expect(part.bytes.toString()).toBe(text);
    expect(part).toMatchObject({ ContentRange, ContentLength: text.length, $metadata: { httpStatusCode: 206 } });
    // A checksum of the whole would not fit the part.
    expect(part.ChecksumCRC32).toBeUndefined();
  });

  it.each(["bytes=3-1", "bytes=a-b", "bytes=0-1,4-5", "lines=1-2", "bytes=-"])(
    "%s is no range: the whole object comes",
    async (Range) => {
      expect(await get("digits", { Range })).toMatchObject({ ContentLength: 10, $metadata: { httpStatusCode: 200 } });
    },
  );

  it.each(["bytes=10-", "bytes=10-12", "bytes=-0"])("%s cannot be satisfied", async (Range) => {
    const error = await get("digits", { Range }).catch((caught) => caught);
    expect(error).toMatchObject({ ...rejected("InvalidRange", 416), ActualObjectSize: "10", RangeRequested: Range });
    expect(error.$response.headers["content-range"]).toBe("bytes */10");
  });

  it("of an empty object cannot be satisfied", async () => {
    await put("nothing", "");
    await expect(get("nothing", { Range: "bytes=0-1" })).rejects.toMatchObject(rejected("InvalidRange", 416));
  });
});

describe("a condition on a read", () => {
  let etag: string;
  const hour = 3600 * 1000;
  beforeAll(async () => {
    etag = (await put("conditional", "v1")).ETag!;
  });

  it.each([
    ["If-Match with its entity tag", () => ({ IfMatch: etag })],
    ["If-Match with *", () => ({ IfMatch: "*" })],
    ["If-None-Match with another", () => ({ IfNoneMatch: '"other"' })],
    ["If-Modified-Since before it", () => ({ IfModifiedSince: new Date(embedded.now.getTime() - hour) })],
    ["If-Unmodified-Since after it", () => ({ IfUnmodifiedSince: new Date(embedded.now.getTime() + hour) })],
    ["a tag that fits over a date that does not", () => ({ IfMatch: etag, IfUnmodifiedSince: new Date(0) })],
  ])("passes: %s", async (_, condition) => {
    expect((await get("conditional", condition())).bytes.toString()).toBe("v1");
  });

  it.each([
    ["If-Match with another entity tag", () => ({ IfMatch: '"other"' }), 412],
    ["If-Unmodified-Since before it", () => ({ IfUnmodifiedSince: new Date(0) }), 412],
    ["If-None-Match with its entity tag", () => ({ IfNoneMatch: etag }), 304],
    ["If-None-Match with a list", () => ({ IfNoneMatch: `"x", ${etag}` }), 304],
    ["If-Modified-Since now", () => ({ IfModifiedSince: new Date(embedded.now.getTime() + 1000) }), 304],
    ["a tag that fits over a date that does not", () => ({ IfNoneMatch: etag, IfModifiedSince: new Date(0) }), 304],
  ])("stops it: %s", async (_, condition, httpStatusCode) => {
    await expect(get("conditional", condition())).rejects.toMatchObject({ $metadata: { httpStatusCode } });
  });

  it("that finds nothing new tells the entity tag and has no body", async () => {
    const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: "conditional" }));
    const answer = await fetch(url, { headers: { "if-none-match": etag } });
    expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([304, etag, ""]);
  });
});

describe("a condition on a write", () => {
  it("lets If-None-Match: * make an object and not replace one", async () => {
    await put("once", "1", { IfNoneMatch: "*" });
    await expect(put("once", "2", { IfNoneMatch: "*" })).rejects.toMatchObject(rejected("PreconditionFailed", 412));
    expect((await get("once")).bytes.toString()).toBe("1");
  });

  it("lets If-Match replace the version that is known, and no other", async () => {
    const { ETag } = await put("swap", "1");
    await put("swap", "2", { IfMatch: ETag! });
    await expect(put("swap", "3", { IfMatch: ETag! })).rejects.toMatchObject(rejected("PreconditionFailed", 412));
    await expect(put("gone", "3", { IfMatch: ETag! })).rejects.toMatchObject(rejected("NoSuchKey", 404));
    expect((await get("swap")).bytes.toString()).toBe("2");
  });

  it("guards a deletion", async () => {
    await put("guarded", "1");
    const remove = (IfMatch: string) => client.send(new DeleteObjectCommand({ Bucket, Key: "guarded", IfMatch }));
    await expect(remove('"other"')).rejects.toMatchObject(rejected("PreconditionFailed", 412));
    await remove(`"${md5("1")}"`);
    await expect(head("guarded")).rejects.toMatchObject(rejected("NotFound", 404));
  });

  it("has one winner among concurrent writers, and leaves no bytes of the others", async () => {
    const before = await filesOnDisk();
    const bodies = Array.from({ length: 20 }, (_, n) => Buffer.alloc(200_000, n));
    const outcomes = await Promise.allSettled(bodies.map((body) => put("race", body, { IfNoneMatch: "*" })));
    const winners = outcomes.flatMap((outcome, n) => (outcome.status === "fulfilled" ? [n] : []));
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject(rejected("PreconditionFailed", 412));
    }
    expect((await get("race")).bytes.equals(bodies[winners[0]!]!)).toBe(true);
    expect(await filesOnDisk()).toBe(before + 1);
  });
});

describe("checksums", () => {
  // "123456789" has a known checksum in every catalogue of CRCs.
  const known = {
    CRC32: "cbf43926",
    CRC32C: "e3069283",
    CRC64NVME: "ae8b14860a799888",
    SHA1: createHash("sha1").update("123456789").digest("hex"),
    SHA256: createHash("sha256").update("123456789").digest("hex"),
  } as const;
  const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");

  it.each(Object.entries(known))("of kind %s are verified and come back", async (algorithm, hex) => {
    const member = `Checksum${algorithm}`;
    const answer = await put("sum", "123456789", { ChecksumAlgorithm: algorithm as "CRC32" });
    expect(answer).toMatchObject({ [member]: base64(hex), ChecksumType: "FULL_OBJECT" });
    expect(await get("sum")).toMatchObject({ [member]: base64(hex), ChecksumType: "FULL_OBJECT" });
    await expect(put("sum", "123456780", { [member]: base64(hex) })).rejects.toMatchObject(rejected("BadDigest", 400));
    expect((await get("sum")).bytes.toString()).toBe("123456789");
  });

  it.each(Object.entries(known))(
    "of kind %s are verified in a trailer after a streamed body",
    async (algorithm, hex) => {
      const body = () => Readable.from([Buffer.from("12345"), Buffer.from("6789")]);
      const answer = await put("trailer", body(), { ContentLength: 9, ChecksumAlgorithm: algorithm as "CRC32" });
      expect(answer).toMatchObject({ [`Checksum${algorithm}`]: base64(hex), ETag: `"${md5("123456789")}"` });
      expect(await get("trailer")).toMatchObject({ ContentLength: 9 });
      expect((await head("trailer")).ContentEncoding).toBeUndefined();
    },
  );

  it("are made by S3 itself when the client sends none", async () => {
    const plain = embedded.clientAs("operator", { requestChecksumCalculation: "WHEN_REQUIRED" });
    await plain.send(new PutObjectCommand({ Bucket, Key: "unsummed", Body: "123456789" }));
    expect(await get("unsummed")).toMatchObject({ ChecksumCRC64NVME: base64(known.CRC64NVME) });
  });

  it("are not told to who does not ask", async () => {
    await put("quiet", "x");
    const plain = embedded.clientAs("operator", { responseChecksumValidation: "WHEN_REQUIRED" });
    expect((await plain.send(new HeadObjectCommand({ Bucket, Key: "quiet" }))).ChecksumCRC32).toBeUndefined();
  });

  it.each([
    ["of the wrong length", { ChecksumCRC32: "AAAA" }, "InvalidRequest"],
    ["of two kinds", { ChecksumCRC32: "AAAAAA==", ChecksumCRC32C: "AAAAAA==" }, "InvalidRequest"],
    ["that is another Content-MD5", { ContentMD5: Buffer.alloc(16).toString("base64") }, "BadDigest"],
    ["that cannot be a Content-MD5", { ContentMD5: "x" }, "InvalidDigest"],
  ])("%s are refused", async (_, more, name) => {
    await expect(put("bad", "123456789", more)).rejects.toMatchObject(rejected(name, 400));
    await expect(head("bad")).rejects.toMatchObject(rejected("NotFound", 404));
  });
});

describe("a copy", () => {
  const copy = (Key: string, CopySource: string, more = {}) =>
    client.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));

  it("takes bytes and headers along", async () => {
    await put("from /ü", "bytes", { ContentType: "text/x", Metadata: { a: "1" } });
    const answer = await copy("to", `${Bucket}/${encodeURIComponent("from /ü")}`);
    expect(answer.CopyObjectResult).toMatchObject({ ETag: `"${md5("bytes")}"` });
    const back = await get("to");
    expect([back.bytes.toString(), back.ContentType, back.Metadata]).toEqual(["bytes", "text/x", { a: "1" }]);
  });

  it("can have headers of its own, and outlives its source", async () => {
    await put("source", "bytes", { Metadata: { a: "1" } });
    await copy("target", `/${Bucket}/source`, {
      MetadataDirective: "REPLACE",
      Metadata: { b: "2" },
      ContentType: "text/y",
    });
    await client.send(new DeleteObjectCommand({ Bucket, Key: "source" }));
    const back = await get("target");
    expect([back.bytes.toString(), back.ContentType, back.Metadata]).toEqual(["bytes", "text/y", { b: "2" }]);
  });

  it.each([
    ["a source that is not there", "absent", {}, "NoSuchKey", 404],
    ["a source that is not as expected", "is", { CopySourceIfMatch: '"other"' }, "PreconditionFailed", 412],
    ["a source that is as before", "is", { CopySourceIfNoneMatch: `"${md5("x")}"` }, "PreconditionFailed", 412],
  ])("is refused for %s", async (_, key, more, name, status) => {
    await put("is", "x");
    await expect(copy("to", `${Bucket}/${key}`, more)).rejects.toMatchObject(rejected(name, status));
  });

  it("onto itself has to change something", async () => {
    await put("same", "x");
    await expect(copy("same", `${Bucket}/same`)).rejects.toMatchObject(rejected("InvalidRequest", 400));
    await copy("same", `${Bucket}/same`, { MetadataDirective: "REPLACE", Metadata: { touched: "1" } });
    expect(await head("same")).toMatchObject({ Metadata: { touched: "1" } });
  });

  it("takes no source outside of any bucket", async () => {
    await expect(copy("to", "nobucket/x")).rejects.toMatchObject(rejected("NoSuchBucket", 404));
  });
});

describe("a request", () => {
  it("for a bucket that is not there says so", async () => {
    const command = new PutObjectCommand({ Bucket: "none", Key: "x", Body: "" });
    await expect(client.send(command)).rejects.toMatchObject({ ...rejected("NoSuchBucket", 404), BucketName: "none" });
    await expect(client.send(new HeadBucketCommand({ Bucket: "none" }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 404 },
    });
    expect((await client.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe("us-east-1");
  });

  it("without a signature is denied, in S3's own words", async () => {
    const answer = await fetch(`${embedded.cloud.endpoint}/${Bucket}/x`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "application/xml"]);
    expect(await answer.text()).toMatch(
      /^<\?xml .*\n<Error><Code>AccessDenied<\/Code><Message>Access Denied<\/Message>.*<RequestId>[0-9A-F]{16}</,
    );
  });

  it("for a part of an object that is not embedded is refused, not misread", async () => {
    await expect(client.send(new GetObjectAclCommand({ Bucket, Key: "x" }))).rejects.toMatchObject(
      rejected("NotImplemented", 501),
    );
    await expect(put("x", "", { Tagging: "a=b" })).rejects.toMatchObject(rejected("NotImplemented", 501));
    await expect(put("x", "", { ACL: "public-read" })).rejects.toMatchObject(
      rejected("AccessControlListNotSupported", 400),
    );
    await expect(put("x", "", { ExpectedBucketOwner: "123456789012" })).rejects.toMatchObject(
      rejected("AccessDenied", 403),
    );
  });

  it.each([
    ["GET", "/objects/%ff", 400, "InvalidURI"],
    ["GET", "/objects/%zz", 400, "InvalidURI"],
    ["GET", "http://127.0.0.1/objects/x", 400, undefined],
    ["GET", "//objects/x", 403, "AccessDenied"],
    ["GET", "/", 403, "AccessDenied"],
    ["PATCH", "/objects/x", 405, "MethodNotAllowed"],
    ["PUT", "/objects", 501, "NotImplemented"],
    ["GET", "/objects?acl", 501, "NotImplemented"],
    ["OPTIONS", "/objects/x", 400, "InvalidRequest"],
  ])("%s %s is answered with %i", async (method, target, status, code) => {
    const socket = connect(Number(new URL(embedded.cloud.endpoint).port), "127.0.0.1");
    socket.end(`${method} ${target} HTTP/1.1\r\nHost: s3\r\nConnection: close\r\n\r\n`);
    const answer = (await buffer(socket)).toString();
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (code) expect(answer).toContain(`<Code>${code}</Code>`);
  });

  it("whose body is not the one that was signed stores nothing", async () => {
    const tampering = embedded.clientAs("operator");
    tampering.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body: Buffer.from("evil!") });
        return next(args);
      },
      // After signing, before sending.
      { step: "finalizeRequest", priority: "low" },
    );
    tampering.config.requestChecksumCalculation = async () => "WHEN_REQUIRED";
    const command = new PutObjectCommand({ Bucket, Key: "tampered", Body: "hello" });
    await expect(tampering.send(command)).rejects.toMatchObject(rejected("XAmzContentSHA256Mismatch", 400));
    await expect(head("tampered")).rejects.toMatchObject(rejected("NotFound", 404));
  });

  it.each([
    ["before its body is read", { "x-amz-object-lock-mode": "GOVERNANCE" }, "NotImplemented"],
    [
      "in the middle of its body",
      { "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x-amz-decoded-content-length": "5" },
      "IncompleteBody",
    ],
  ])("refused %s leaves its connection fit for the next one", async (_, headers, name) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sending = embedded.clientAs("operator", { requestHandler: { httpAgent: agent } });
    sending.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: object }).headers, headers);
        return next(args);
      },
      { step: "build", priority: "low" },
    );
    const command = () =>
      sending.send(new PutObjectCommand({ Bucket, Key: "refused", Body: randomBytes(8 * 1024 * 1024) }));
    // With one connection at most, a second answer says that the first body is out of the way.
    for (const _turn of [1, 2]) await expect(command()).rejects.toMatchObject({ name });
    agent.destroy();
  });

  it("that breaks off in the middle stores nothing and leaves nothing", async () => {
    const before = await filesOnDisk();
    const url = new URL(await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: "broken" })));
    const socket = connect(Number(url.port), "127.0.0.1");
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 1000\r\n\r\n`);
    socket.write(Buffer.alloc(500));
    await expect.poll(filesOnDisk, { timeout: 20_000 }).toBe(before + 1);
    socket.destroy();
    await expect.poll(filesOnDisk, { timeout: 20_000 }).toBe(before);
    await expect(head("broken")).rejects.toMatchObject(rejected("NotFound", 404));
  });
});

async function filesOnDisk(): Promise<number> {
  const names = await readdir(join(embedded.folder, "blobs"), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).length;
}
