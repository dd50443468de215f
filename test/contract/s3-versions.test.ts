import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "versions";
let embedded: EmbeddedS3;
let client: S3Client;

beforeAll(async () => {
  embedded = await startS3();
  client = embedded.client;
  await embedded.s3.ensureBucket({ name: Bucket, versioned: true });
});
afterAll(() => embedded.stop());

const put = async (Key: string, Body: string, bucket = Bucket) =>
  (await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }))).VersionId!;
const get = async (Key: string, VersionId?: string, bucket = Bucket) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }));
  return text(Body as Readable);
};
const remove = (Key: string, VersionId?: string, bucket = Bucket) =>
  client.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId }));
const versions = (input: object = {}, bucket = Bucket) =>
  client.send(new ListObjectVersionsCommand({ Bucket: bucket, ...input }));
const rejected = (name: string, httpStatusCode: number) => ({ name, $metadata: { httpStatusCode } });

describe("a versioned bucket", () => {
  it("keeps what was replaced", async () => {
    const [first, second] = [await put("kept", "1"), await put("kept", "2")];
    expect(await get("kept")).toBe("2");
    expect(await get("kept", first)).toBe("1");
    expect(first).not.toBe(second);
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: "kept" }))).toMatchObject({ VersionId: second });
  });

  it("hides what was deleted behind a marker, and shows it again without", async () => {
    const version = await put("hidden", "1");
    const { VersionId: marker, DeleteMarker } = await remove("hidden");
    expect(DeleteMarker).toBe(true);
    const error = await get("hidden").catch((caught) => caught);
    expect(error).toMatchObject(rejected("NoSuchKey", 404));
    expect(error.$response.headers).toMatchObject({ "x-amz-delete-marker": "true", "x-amz-version-id": marker });
    expect((await client.send(new ListObjectsV2Command({ Bucket, Prefix: "hidden" }))).KeyCount).toBe(0);
    expect(await get("hidden", version)).toBe("1");
    const reading = await get("hidden", marker).catch((caught) => caught);
    expect(reading).toMatchObject(rejected("MethodNotAllowed", 405));
    expect(reading.$response.headers).toMatchObject({ "x-amz-delete-marker": "true", allow: "DELETE" });
    expect(await remove("hidden", marker)).toMatchObject({ DeleteMarker: true, VersionId: marker });
    expect(await get("hidden")).toBe("1");
  });

  it("removes one version for good; the one before becomes current", async () => {
    const [first, second, third] = [await put("history", "1"), await put("history", "2"), await put("history", "3")];
    await remove("history", third);
    expect(await get("history")).toBe("2");
    await remove("history", first);
    await remove("history", second);
    await expect(get("history")).rejects.toMatchObject(rejected("NoSuchKey", 404));
    await expect(get("history", second)).rejects.toMatchObject(rejected("NoSuchVersion", 404));
  });

  it("copies an older version", async () => {
    const first = await put("original", "1");
    await put("original", "2");
    const copy = new CopyObjectCommand({ Bucket, Key: "copied", CopySource: `${Bucket}/original?versionId=${first}` });
    expect(await client.send(copy)).toMatchObject({ CopySourceVersionId: first });
    expect(await get("copied")).toBe("1");
  });

  it("lets a conditional put follow a delete marker", async () => {
    await put("again", "1");
    await remove("again");
    await client.send(new PutObjectCommand({ Bucket, Key: "again", Body: "2", IfNoneMatch: "*" }));
    expect(await get("again")).toBe("2");
  });

  it.each(["nonsense", "x".repeat(32), ""])("knows no version id %j", async (VersionId) => {
    await put("id", "1");
    await expect(get("id", VersionId)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  it("tells listeners which version is new", async () => {
    const seen = new Promise((resolve) =>
      embedded.s3.onObjectCreated((event) => (event.key === "told" ? resolve(event.versionId) : undefined)),
    );
    expect(await put("told", "x")).toBe(await seen);
  });
});

describe("a list of versions", () => {
  const name = "listed";
  const keys = ["a", "a/1", "a/2", "b", "b/1"];

  beforeAll(async () => {
    await embedded.s3.ensureBucket({ name, versioned: true });
    for (const key of keys) for (const body of ["1", "2"]) await put(key, body, name);
    await remove("a/1", undefined, name);
  });

  const all = async (input: object) => {
    const found: string[] = [];
    let page: ListObjectVersionsCommandOutput | undefined;
    do {
      page = await versions(
        { ...input, KeyMarker: page?.NextKeyMarker, VersionIdMarker: page?.NextVersionIdMarker },
        name,
      );
      const entries = [
        ...(page.Versions ?? []).map((one) => [
          one.Key!,
          one.VersionId!,
          `${one.Key} ${one.Size}${one.IsLatest ? " latest" : ""}`,
        ]),
        ...(page.DeleteMarkers ?? []).map((one) => [
          one.Key!,
          one.VersionId!,
          `${one.Key} marker${one.IsLatest ? " latest" : ""}`,
        ]),
      ].sort(([a, v], [b, w]) => (a === b ? (v! < w! ? 1 : -1) : a! < b! ? -1 : 1));
      found.push(
        ...entries.map(([, , entry]) => entry!),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => `${Prefix}*`),
      );
    } while (page.IsTruncated);
    return found;
  };
  const expected = [
    ...["a 1 latest", "a 1"],
    ...["a/1 marker latest", "a/1 1", "a/1 1"],
    ...["a/2 1 latest", "a/2 1"],
    ...["b 1 latest", "b 1"],
    ...["b/1 1 latest", "b/1 1"],
  ];

  it.each([1, 2, 3, 1000])("shows each one once, the newest of a key first, %i at a time", async (MaxKeys) => {
    expect(await all({ MaxKeys })).toEqual(expected);
  });

  it.each([1, 2, 1000])("groups by a delimiter, %i at a time", async (MaxKeys) => {
    expect((await all({ Delimiter: "/", MaxKeys })).sort()).toEqual([
      "a 1",
      "a 1 latest",
      "a/*",
      "b 1",
      "b 1 latest",
      "b/*",
    ]);
  });

  it("can be emptied page by page, though the markers are deleted on the way", async () => {
    for (let page = await versions({ MaxKeys: 2 }, name), pages = 0; ; pages++) {
      const Objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key, VersionId }) => ({
        Key: Key!,
        VersionId,
      }));
      await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects } }));
      if (!page.IsTruncated || pages > 20) break;
      page = await versions(
        { MaxKeys: 2, KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker },
        name,
      );
    }
    expect(await versions({}, name)).not.toHaveProperty("Versions");
  });
});

describe("versioning that is turned off", () => {
  const name = "suspended";

  it("keeps the versions and writes over the one called null", async () => {
    await embedded.s3.ensureBucket({ name, versioned: false });
    await put("x", "before", name);
    await embedded.s3.ensureBucket({ name, versioned: true });
    const version = await put("x", "during", name);
    await embedded.s3.ensureBucket({ name, versioned: false });
    expect(await put("x", "after", name)).toBe("null");
    expect(await get("x", "null", name)).toBe("after");
    expect(await get("x", version, name)).toBe("during");
    expect(await remove("x", undefined, name)).toMatchObject({ DeleteMarker: true, VersionId: "null" });
    await expect(get("x", undefined, name)).rejects.toMatchObject(rejected("NoSuchKey", 404));
    const { Versions, DeleteMarkers } = await versions({}, name);
    expect([Versions?.map(({ VersionId }) => VersionId), DeleteMarkers?.length]).toEqual([[version], 1]);
  });
});

describe("lifecycle rules", () => {
  const name = "lifecycle";
  const day = 24 * 3600 * 1000;
  const later = async (days: number) => {
    embedded.now = new Date(embedded.now.getTime() + days * day);
    await embedded.s3.sweep();
  };
  const keys = async (bucket: string) =>
    ((await client.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(({ Key }) => Key);

  it("expire objects under a prefix, the midnight after their days", async () => {
    embedded.now = new Date("2026-11-21T08:30:00Z");
    await embedded.s3.ensureBucket({
      name: "plain",
      versioned: false,
      lifecycle: [{ prefix: "tmp/", expirationDays: 2 }],
    });
    for (const key of ["tmp/1", "keep/1", "tmp"]) await put(key, "x", "plain");
    await later(2);
    expect(await keys("plain")).toEqual(["keep/1", "tmp", "tmp/1"]);
    await later(1);
    expect(await keys("plain")).toEqual(["keep/1", "tmp"]);
  });

  it("put a marker over an expired version, drop superseded ones, then the lone marker", async () => {
    embedded.now = new Date("2026-11-21T08:30:00Z");
    await embedded.s3.ensureBucket({
      name,
      versioned: true,
      lifecycle: [{ expirationDays: 10, noncurrentDays: 5, expiredObjectDeleteMarker: true }],
    });
    await put("x", "1", name);
    await put("x", "2", name);
    await later(4);
    expect((await versions({}, name)).Versions).toHaveLength(2);
    await later(2);
    expect((await versions({}, name)).Versions).toMatchObject([{ IsLatest: true }]);
    await later(5);
    expect(await versions({}, name)).toMatchObject({
      Versions: [{ IsLatest: false }],
      DeleteMarkers: [{ IsLatest: true }],
    });
    await later(6);
    const rest = await versions({}, name);
    expect([rest.Versions, rest.DeleteMarkers]).toEqual([undefined, undefined]);
  });
});
