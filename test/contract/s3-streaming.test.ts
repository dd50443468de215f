import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Process, startS3Process } from "../support/s3-process.ts";

const MiB = 1024 * 1024;
const sizeMiB = 200;
/** Far less than a body, far more than buffers and garbage need. */
const growthMaxMiB = 100;
const Bucket = "streaming";
let folder: string;
let server: S3Process;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "s3-streaming-"));
  server = await startS3Process(folder);
  await server.ensureBucket(Bucket, false);
});
afterAll(async () => {
  await server.kill();
  await rm(folder, { recursive: true });
});

/** The same pseudo-random MiB after MiB, each one different. */
function* body(): Generator<Buffer> {
  const piece = createHash("shake256", { outputLength: MiB }).update("seed").digest();
  for (let n = 0; n < sizeMiB; n++) {
    piece.writeUInt32BE(n);
    yield Buffer.from(piece);
  }
}

const md5 = createHash("md5");
for (const piece of body()) md5.update(piece);
const ETag = `"${md5.digest("hex")}"`;

/** Runs something and returns by how much the server's memory grew at most. */
async function growthMiB(work: () => Promise<unknown>): Promise<number> {
  const before = await server.maxRssMiB();
  await work();
  return (await server.maxRssMiB()) - before;
}

describe(`a body of ${sizeMiB} MiB`, () => {
  it("is put in a stream", async () => {
    const grown = await growthMiB(async () => {
      const put = new PutObjectCommand({
        Bucket,
        Key: "put",
        Body: Readable.from(body()),
        ContentLength: sizeMiB * MiB,
      });
      expect(await server.client.send(put)).toMatchObject({ ETag });
    });
    expect(grown).toBeLessThan(growthMaxMiB);
  });

  it("is posted in a form", async () => {
    const conditions = [["content-length-range", 0, 500 * MiB]] as ["content-length-range", number, number][];
    const { url, fields } = await createPresignedPost(server.client, { Bucket, Key: "posted", Conditions: conditions });
    const grown = await growthMiB(async () => {
      const answer = await fetch(url, formOf(fields));
      expect([answer.status, answer.headers.get("etag")]).toEqual([204, ETag]);
    });
    expect(grown).toBeLessThan(growthMaxMiB);
    expect(await server.client.send(new HeadObjectCommand({ Bucket, Key: "posted" }))).toMatchObject({
      ContentLength: sizeMiB * MiB,
    });
  });

  it("is read in a stream, by a client that takes its time", async () => {
    const grown = await growthMiB(async () => {
      const { Body } = await server.client.send(new GetObjectCommand({ Bucket, Key: "put" }));
      const hash = createHash("md5");
      for await (const piece of Body as Readable) {
        hash.update(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(`"${hash.digest("hex")}"`).toBe(ETag);
    });
    expect(grown).toBeLessThan(growthMaxMiB);
  });
});

/** A form written by hand: `FormData` would hold the file in memory. */
function formOf(fields: Record<string, string>): RequestInit & { duplex: "half" } {
  const boundary = "----form";
  async function* parts() {
    for (const [name, value] of Object.entries(fields)) {
      yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
    }
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n`);
    yield* body();
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  return { method: "POST", headers, body: ReadableStream.from(parts()) as never, duplex: "half" };
}
