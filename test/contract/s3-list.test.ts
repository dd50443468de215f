import {
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Permission } from "../../lib/local/service.ts";
import { type EmbeddedS3, startS3 } from "../support/embedded-s3.ts";

const Bucket = "list";
let embedded: EmbeddedS3;
let client: S3Client;

beforeAll(async () => {
  embedded = await startS3();
  client = embedded.client;
  await embedded.s3.ensureBucket({ name: Bucket, versioned: false });
});
afterAll(() => embedded.stop());

const list = (input: object) => client.send(new ListObjectsV2Command({ Bucket, ...input }));

/** All pages of a listing, entries and groups in the order of the pages. */
async function listAll(input: { MaxKeys?: number }, bucket = Bucket) {
  const keys: string[] = [];
  const groups: string[] = [];
  let page: ListObjectsV2CommandOutput | undefined;
  do {
    page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, ...input, ContinuationToken: page?.NextContinuationToken }),
    );
    const entries = (page.Contents?.length ?? 0) + (page.CommonPrefixes?.length ?? 0);
    expect(page.KeyCount).toBe(entries);
    expect(entries).toBeLessThanOrEqual(input.MaxKeys ?? 1000);
    // A page is full unless it is the last: a client may count on it.
    if (page.IsTruncated) expect(entries).toBe(input.MaxKeys ?? 1000);
    keys.push(...(page.Contents ?? []).map(({ Key }) => Key!));
    groups.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!));
  } while (page.IsTruncated);
  return { keys, groups };
}

/** What S3 documents, said in the plainest way. */
function model(stored: readonly string[], props: { Prefix: string; Delimiter: string; StartAfter: string }) {
  const bytes = (text: string) => Buffer.from(text);
  const sorted = [...new Set(stored)].sort((a, b) => bytes(a).compare(bytes(b)));
  const chosen = sorted.filter(
    (key) => key.startsWith(props.Prefix) && bytes(key).compare(bytes(props.StartAfter)) > 0,
  );
  const groupOf = (key: string) => {
    const at = props.Delimiter === "" ? -1 : key.indexOf(props.Delimiter, props.Prefix.length);
    return at < 0 ? null : key.slice(0, at + props.Delimiter.length);
  };
  const groups = chosen.map(groupOf).filter((group) => group !== null);
  return { keys: chosen.filter((key) => groupOf(key) === null), groups: [...new Set(groups)] };
}

describe("a list", () => {
  it("is what a model says, for any keys, prefix, delimiter, start and page size", async () => {
    const piece = fc.constantFrom("a", "b", "/", "//", "é", "文", "😀", "\uffee", " ", "+", "%", "&");
    const key = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
    const few = fc.array(piece, { maxLength: 2 }).map((pieces) => pieces.join(""));
    let bucket = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 30 }),
        fc.array(
          fc.record({
            Prefix: few,
            Delimiter: fc.constantFrom("", "/", "a", "//", "文"),
            StartAfter: fc.oneof(fc.constant(""), key),
            MaxKeys: fc.constantFrom(1, 2, 3, 1000),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        async (keys, queries) => {
          const name = `list-${bucket++}`;
          await embedded.s3.ensureBucket({ name, versioned: false });
          for (const Key of new Set(keys)) await client.send(new PutObjectCommand({ Bucket: name, Key, Body: "x" }));
          for (const query of queries) expect(await listAll(query, name)).toEqual(model(keys, query));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has a thousand entries a page at most, whatever is asked", async () => {
    const keys = Array.from({ length: 1005 }, (_, n) => `many/${String(n).padStart(4, "0")}`);
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
    const first = await list({ Prefix: "many/", MaxKeys: 5000 });
    expect(first).toMatchObject({ KeyCount: 1000, IsTruncated: true, MaxKeys: 1000 });
    const rest = await list({ Prefix: "many/", ContinuationToken: first.NextContinuationToken });
    expect(rest).toMatchObject({ KeyCount: 5, IsTruncated: false });
    expect([...first.Contents!, ...rest.Contents!].map(({ Key }) => Key)).toEqual(keys);
    expect(await list({ Delimiter: "/" })).toMatchObject({ KeyCount: 1, CommonPrefixes: [{ Prefix: "many/" }] });
    expect(await list({ MaxKeys: 0 })).toMatchObject({ KeyCount: 0, IsTruncated: false });
  });

  it("describes each object", async () => {
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: "described", Body: "abc" }));
    expect((await list({ Prefix: "described" })).Contents).toEqual([
      {
        Key: "described",
        ETag,
        Size: 3,
        StorageClass: "STANDARD",
        LastModified: embedded.now,
        ChecksumAlgorithm: ["CRC32"],
        ChecksumType: "FULL_OBJECT",
      },
    ]);
  });

  it("encodes keys for readers of XML when asked", async () => {
    const Key = "enc/a b+\u0001&é";
    await client.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
    const url = await getSignedUrl(client, new ListObjectsV2Command({ Bucket, Prefix: "enc/", EncodingType: "url" }));
    const document = await (await fetch(url)).text();
    expect(document).toContain(`<Key>enc/a%20b%2B%01%26%C3%A9</Key>`);
    expect(document).toContain("<EncodingType>url</EncodingType>");
    expect((await list({ Prefix: "enc/" })).Contents?.[0]?.Key).toBe(Key);
  });

  it.each([
    [{ ContinuationToken: "nonsense" }, "InvalidArgument"],
    [{ MaxKeys: -1 }, "InvalidArgument"],
    [{ EncodingType: "base64" }, "InvalidArgument"],
  ])("refuses %j", async (input, name) => {
    await expect(list(input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  it("is asked of IAM with its prefix", async () => {
    const asked: Permission[] = [];
    embedded.allows = (_, permission) => {
      asked.push(permission);
      return (permission.context?.["s3:prefix"] ?? "") === "u1/";
    };
    const tenant = embedded.clientAs("tenant");
    const send = (input: object) => tenant.send(new ListObjectsV2Command({ Bucket, ...input }));
    await send({ Prefix: "u1/", Delimiter: "/" });
    for (const wrong of [{}, { Prefix: "" }, { Prefix: "u2/" }]) {
      await expect(send(wrong)).rejects.toMatchObject({ name: "AccessDenied", $metadata: { httpStatusCode: 403 } });
    }
    expect(asked[0]).toEqual({
      action: "s3:ListBucket",
      resource: "arn:aws:s3:::list",
      context: { "s3:prefix": "u1/", "s3:delimiter": "/" },
    });
  });
});
