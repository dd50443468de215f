import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "multipart";
const MiB = 1024 * 1024;
let embedded: EmbeddedS3;
let client: S3Client;

beforeAll(async () => {
  embedded = await startS3();
  client = embedded.client;
  await embedded.s3.ensureBucket({ name: Bucket, versioned: false, lifecycle: [{ abortMultipartDays: 1 }] });
});
afterAll(() => embedded.stop());

const start = async (Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}) =>
  (await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))).UploadId!;
const part = async (
  Key: string,
  UploadId: string,
  PartNumber: number,
  Body: Buffer,
  more = {},
): Promise<CompletedPart> => {
  const { $metadata, ServerSideEncryption, ...answer } = await client.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...more }),
  );
  return { PartNumber, ...answer };
};
const complete = (Key: string, UploadId: string, Parts: CompletedPart[], more = {}) =>
  client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more }));
const get = async (Key: string, more: Partial<GetObjectCommandInput> = {}) => {
  const answer = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return { ...answer, bytes: await buffer(answer.Body as Readable) };
};
const rejected = (name: string, httpStatusCode = 400) => ({ name, $metadata: { httpStatusCode } });
const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest();

describe("a multipart upload", () => {
  const bodies = [randomBytes(5 * MiB), randomBytes(5 * MiB + 3), randomBytes(10)];
  const whole = Buffer.concat(bodies);

  it("makes one object of its parts, sent in any order", async () => {
    const id = await start("joined", { ContentType: "application/zip", Metadata: { a: "1" } });
    const parts = [
      await part("joined", id, 7, bodies[2]!),
      await part("joined", id, 1, bodies[0]!),
      await part("joined", id, 3, bodies[1]!),
    ];
    await expect(get("joined")).rejects.toMatchObject(rejected("NoSuchKey", 404));
    const answer = await complete(
      "joined",
      id,
      parts.sort((a, b) => a.PartNumber! - b.PartNumber!),
    );
    const ETag = `"${md5(Buffer.concat(bodies.map(md5))).toString("hex")}-3"`;
    expect(answer).toMatchObject({ Bucket, Key: "joined", ETag, ChecksumType: "FULL_OBJECT" });
    const back = await get("joined");
    expect(back.bytes.equals(whole)).toBe(true);
    expect(back).toMatchObject({ ETag, ContentType: "application/zip", Metadata: { a: "1" } });
  });

  it.each([
    [5 * MiB - 2, 5 * MiB + 2],
    [0, 0],
    [10 * MiB, 10 * MiB + 12],
    [5 * MiB, 10 * MiB + 2],
  ])("is read across its parts: bytes %i to %i", async (from, to) => {
    const { bytes, ContentRange } = await get("joined", { Range: `bytes=${from}-${to}` });
    expect(bytes.equals(whole.subarray(from, to + 1))).toBe(true);
    expect(ContentRange).toBe(`bytes ${from}-${to}/${whole.length}`);
  });

  it("is read part by part", async () => {
    for (const [index, body] of bodies.entries()) {
      const answer = await get("joined", { PartNumber: index + 1 });
      expect(answer.bytes.equals(body)).toBe(true);
      expect(answer).toMatchObject({ PartsCount: 3, $metadata: { httpStatusCode: 206 } });
    }
    await expect(get("joined", { PartNumber: 4 })).rejects.toMatchObject({ $metadata: { httpStatusCode: 416 } });
  });

  it("is copied with its parts and checksum", async () => {
    await client.send(new CopyObjectCommand({ Bucket, Key: "joined-copy", CopySource: `${Bucket}/joined` }));
    const [copy, original] = [await get("joined-copy"), await get("joined")];
    expect(copy.bytes.equals(whole)).toBe(true);
    expect([copy.ETag, copy.ChecksumCRC64NVME]).toEqual([original.ETag, original.ChecksumCRC64NVME]);
  });

  it("takes the last of the bodies sent for a part, and drops parts left out", async () => {
    const before = await filesOnDisk();
    const id = await start("last");
    await part("last", id, 1, Buffer.from("old"));
    const kept = await part("last", id, 1, Buffer.from("new"));
    await part("last", id, 2, Buffer.from("left out"));
    await complete("last", id, [kept]);
    expect((await get("last")).bytes.toString()).toBe("new");
    expect(await filesOnDisk()).toBe(before + 1);
  });

  it("answers a repeated completion as it did the first, and does it once", async () => {
    const id = await start("twice");
    const parts = [await part("twice", id, 1, Buffer.from("x"))];
    const first = await complete("twice", id, parts);
    await client.send(new PutObjectCommand({ Bucket, Key: "twice", Body: "newer" }));
    await embedded.restart();
    const again = await complete("twice", id, parts);
    expect([again.ETag, again.ChecksumCRC64NVME]).toEqual([first.ETag, first.ChecksumCRC64NVME]);
    expect((await get("twice")).bytes.toString()).toBe("newer");
  });

  it("survives a restart half-way", async () => {
    const id = await start("resumed");
    const first = await part("resumed", id, 1, bodies[0]!);
    await embedded.restart();
    await complete("resumed", id, [first, await part("resumed", id, 2, Buffer.from("end"))]);
    expect((await get("resumed")).bytes.equals(Buffer.concat([bodies[0]!, Buffer.from("end")]))).toBe(true);
  });

  it("completes under a condition, and stays open when it does not hold", async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: "taken", Body: "x" }));
    const id = await start("taken");
    const parts = [await part("taken", id, 1, Buffer.from("y"))];
    await expect(complete("taken", id, parts, { IfNoneMatch: "*" })).rejects.toMatchObject(
      rejected("PreconditionFailed", 412),
    );
    await complete("taken", id, parts, { IfMatch: `"${md5(Buffer.from("x")).toString("hex")}"` });
    expect((await get("taken")).bytes.toString()).toBe("y");
  });
});

describe("its parts", () => {
  it("are listed, page by page", async () => {
    const id = await start("parts");
    for (const number of [1, 2, 5]) await part("parts", id, number, Buffer.from("x".repeat(number)));
    const list = (more: object) => client.send(new ListPartsCommand({ Bucket, Key: "parts", UploadId: id, ...more }));
    const first = await list({ MaxParts: 2 });
    expect(first).toMatchObject({
      IsTruncated: true,
      NextPartNumberMarker: "2",
      Parts: [{ PartNumber: 1, Size: 1 }, { PartNumber: 2 }],
    });
    expect(await list({ PartNumberMarker: first.NextPartNumberMarker })).toMatchObject({
      IsTruncated: false,
      Parts: [{ PartNumber: 5, Size: 5, ETag: `"${md5(Buffer.from("xxxxx")).toString("hex")}"` }],
    });
  });

  it.each([
    ["in another order", (parts: CompletedPart[]) => parts.reverse(), "InvalidPartOrder"],
    ["twice", (parts: CompletedPart[]) => [parts[0]!, parts[0]!], "InvalidPartOrder"],
    ["with another entity tag", (parts: CompletedPart[]) => [{ ...parts[0]!, ETag: '"x"' }], "InvalidPart"],
    ["that were never sent", (parts: CompletedPart[]) => [...parts, { PartNumber: 9, ETag: '"x"' }], "InvalidPart"],
    ["too small, but for the last", (parts: CompletedPart[]) => parts, "EntityTooSmall"],
    ["not at all", () => [], "MalformedXML"],
  ])("cannot be joined %s", async (_, change, name) => {
    const id = await start("wrong");
    const parts = [await part("wrong", id, 1, Buffer.from("a")), await part("wrong", id, 2, Buffer.from("b"))];
    await expect(complete("wrong", id, change(parts))).rejects.toMatchObject(rejected(name));
    await expect(get("wrong")).rejects.toMatchObject(rejected("NoSuchKey", 404));
  });

  it.each([0, 10_001])("cannot have the number %i", async (number) => {
    const id = await start("number");
    await expect(part("number", id, number, Buffer.from("x"))).rejects.toMatchObject(rejected("InvalidArgument"));
  });
});

describe("an upload that is given up", () => {
  const gone = async (Key: string, id: string) => {
    await expect(part(Key, id, 1, Buffer.from("x"))).rejects.toMatchObject(rejected("NoSuchUpload", 404));
    await expect(complete(Key, id, [{ PartNumber: 1, ETag: '"x"' }])).rejects.toMatchObject(
      rejected("NoSuchUpload", 404),
    );
  };

  it("leaves no bytes behind", async () => {
    const before = await filesOnDisk();
    const id = await start("aborted");
    await part("aborted", id, 1, Buffer.from("x"));
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key: "aborted", UploadId: id }));
    expect(await filesOnDisk()).toBe(before);
    await gone("aborted", id);
  });

  it("belongs to its key and to no other", async () => {
    const id = await start("own");
    await gone("other", id);
  });

  it("is dropped by its lifecycle rule", async () => {
    const before = await filesOnDisk();
    const id = await start("forgotten");
    await part("forgotten", id, 1, Buffer.from("x"));
    await embedded.s3.sweep();
    expect(await filesOnDisk()).toBe(before + 1);
    embedded.now = new Date(embedded.now.getTime() + 2 * 24 * 3600 * 1000);
    await embedded.s3.sweep();
    await gone("forgotten", id);
  });
});

describe("checksums of a multipart upload", () => {
  const bodies = [randomBytes(5 * MiB), Buffer.from("end")];
  const whole = Buffer.concat(bodies);
  const crc = (bytes: Buffer) => {
    const out = Buffer.alloc(4);
    out.writeUInt32BE(crc32(bytes));
    return out;
  };

  it("are of the parts' checksums when composite", async () => {
    const id = await start("composite", { ChecksumAlgorithm: "SHA256" });
    const parts: CompletedPart[] = [];
    for (const [index, body] of bodies.entries())
      parts.push(await part("composite", id, index + 1, body, { ChecksumAlgorithm: "SHA256" }));
    const sums = bodies.map((body) => createHash("sha256").update(body).digest());
    const ChecksumSHA256 = `${createHash("sha256").update(Buffer.concat(sums)).digest("base64")}-2`;
    expect(await complete("composite", id, parts)).toMatchObject({ ChecksumSHA256, ChecksumType: "COMPOSITE" });
    expect(await get("composite")).toMatchObject({ ChecksumSHA256, ChecksumType: "COMPOSITE" });
  });

  it("are of all the bytes when of the full object, without reading them again", async () => {
    const id = await start("full", { ChecksumAlgorithm: "CRC32", ChecksumType: "FULL_OBJECT" });
    const parts: CompletedPart[] = [];
    for (const [index, body] of bodies.entries()) parts.push(await part("full", id, index + 1, body));
    const ChecksumCRC32 = crc(whole).toString("base64");
    await expect(complete("full", id, parts, { ChecksumCRC32: "AAAAAA==" })).rejects.toMatchObject(
      rejected("BadDigest"),
    );
    await expect(complete("full", id, parts, { MpuObjectSize: 1 })).rejects.toMatchObject(rejected("InvalidRequest"));
    const more = { ChecksumCRC32, MpuObjectSize: whole.length };
    expect(await complete("full", id, parts, more)).toMatchObject({ ChecksumCRC32, ChecksumType: "FULL_OBJECT" });
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: "full", ChecksumMode: "ENABLED" }))).toMatchObject({
      ChecksumCRC32,
    });
  });

  it("have to be of the kind that was announced", async () => {
    const id = await start("kind", { ChecksumAlgorithm: "SHA256" });
    const Body = Buffer.from("x");
    await expect(part("kind", id, 1, Body, { ChecksumAlgorithm: "CRC32" })).rejects.toMatchObject(
      rejected("InvalidRequest"),
    );
    const { ChecksumSHA256, ...without } = await part("kind", id, 1, Body, { ChecksumAlgorithm: "SHA256" });
    await expect(complete("kind", id, [without])).rejects.toMatchObject(rejected("InvalidRequest"));
    await expect(
      complete("kind", id, [{ ...without, ChecksumSHA256: ChecksumSHA256!.replace(/^./, "!") }]),
    ).rejects.toMatchObject(rejected("InvalidPart"));
    await expect(start("kind", { ChecksumAlgorithm: "SHA256", ChecksumType: "FULL_OBJECT" })).rejects.toMatchObject(
      rejected("InvalidRequest"),
    );
  });
});

async function filesOnDisk(): Promise<number> {
  const names = await readdir(join(embedded.folder, "blobs"), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).length;
}
