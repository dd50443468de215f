import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ObjectCreated } from "../../lib/local/s3/created-events.ts";
import type { Step } from "../../lib/local/s3/store.ts";
import { S3 } from "../../lib/local/s3.ts";
import { startGateway } from "../support/gateway.ts";
import { startS3Process } from "../support/s3-process.ts";

const Bucket = "crash";
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "s3-crash-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Opens the store in this process: before a crash, which costs less than another process that gets things ready, and after it. */
async function withStore<T>(look: (client: S3Client, s3: S3) => Promise<T>): Promise<T> {
  const s3 = new S3({ folder });
  await s3.open();
  const gateway = await startGateway({ rest: { s3 } });
  const client = new S3Client(gateway.operator);
  try {
    return await look(client, s3);
  } finally {
    client.destroy();
    await gateway.stop();
    await s3.close();
  }
}

const put = (client: S3Client, Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (client: S3Client, Key: string) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return text(Body as Readable);
};
const getOrNull = (client: S3Client, Key: string) =>
  get(client, Key).catch((error) => (error.name === "NoSuchKey" ? null : Promise.reject(error)));
const filesOnDisk = async () =>
  (await readdir(join(folder, "blobs"), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    .length;

/** Each write changes "x" from "old" to "new"; `steps` are those it passes, `readies` what it needs beforehand. */
const writes: {
  name: string;
  steps: Step[];
  ready?: (client: S3Client) => Promise<unknown>;
  write: (client: S3Client, ready: unknown) => Promise<unknown>;
  after: string | null;
}[] = [
  {
    name: "a put",
    steps: ["received", "sealed", "committed", "cleaned"],
    write: (client) => put(client, "x", "new"),
    after: "new",
  },
  {
    name: "a copy",
    steps: ["sealed", "committed", "cleaned"],
    ready: (client) => put(client, "source", "new"),
    write: (client) => client.send(new CopyObjectCommand({ Bucket, Key: "x", CopySource: `${Bucket}/source` })),
    after: "new",
  },
  {
    name: "a completed multipart upload",
    steps: ["committed", "cleaned"],
    ready: async (client) => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: "x" }));
      const part = { Bucket, Key: "x", UploadId, PartNumber: 1 };
      const { ETag } = await client.send(new UploadPartCommand({ ...part, Body: "new" }));
      await client.send(new UploadPartCommand({ ...part, PartNumber: 2, Body: "left out" }));
      return { UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    },
    write: (client, ready) =>
      client.send(new CompleteMultipartUploadCommand({ Bucket, Key: "x", ...(ready as object) } as never)),
    after: "new",
  },
  {
    name: "a deletion",
    steps: ["committed", "cleaned"],
    write: (client) => client.send(new DeleteObjectCommand({ Bucket, Key: "x" })),
    after: null,
  },
];
const cases = writes.flatMap((write) =>
  [false, true].flatMap((versioned) => write.steps.map((step) => ({ ...write, versioned, step }))),
);

describe("a process that dies", () => {
  it.each(cases)("in $name (versioned: $versioned), $step, leaves the old or the new and nothing else", async (one) => {
    const ready = await withStore(async (client, s3) => {
      await s3.ensureBucket({ name: Bucket, versioned: one.versioned });
      await put(client, "x", "old");
      return one.ready?.(client);
    });

    const dying = await startS3Process(folder, one.step);
    await expect(one.write(dying.client, ready)).rejects.toThrow();
    await dying.kill();

    const isDone = one.step === "committed" || one.step === "cleaned";
    await withStore(async (client) => {
      expect(await getOrNull(client, "x")).toBe(isDone ? one.after : "old");
      // Every file belongs to a version: the crash left no orphan behind, and no version without its bytes.
      const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
      expect(await filesOnDisk()).toBe(Versions.length);
      if (one.versioned && isDone)
        expect(Versions.filter(({ Key }) => Key === "x")).toHaveLength(one.after === null ? 1 : 2);
      await put(client, "x", "newer");
      expect(await get(client, "x")).toBe("newer");
    });
  });

  it("in the middle of much has kept all that it acknowledged, and the rest whole or not at all", async () => {
    const server = await startS3Process(folder);
    await server.ensureBucket(Bucket, false);
    const bodyOf = (n: number) => String(n).repeat(20_000);
    const acknowledged: number[] = [];
    let killed: Promise<void> | undefined;
    await Promise.allSettled(
      Array.from({ length: 120 }, async (_, n) => {
        await put(server.client, `k${n}`, bodyOf(n));
        acknowledged.push(n);
        if (acknowledged.length === 40) killed = server.kill();
      }),
    );
    await killed;
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    await withStore(async (client) => {
      for (let n = 0; n < 120; n++) {
        const found = await getOrNull(client, `k${n}`);
        if (acknowledged.includes(n) || found !== null) expect(found === bodyOf(n), `k${n}`).toBe(true);
      }
    });
  });

  it("before it told of a new object tells after the next start, and then no more", async () => {
    await withStore(async (client, s3) => {
      // Without a listener nobody would miss an event.
      s3.onObjectCreated(() => {});
      await s3.ensureBucket({ name: Bucket, versioned: true });
      await put(client, "told", "x");
    });
    const dying = await startS3Process(folder, "committed");
    await expect(put(dying.client, "untold", "1234")).rejects.toThrow();
    await dying.kill();

    const heard = (s3: S3, key: string) =>
      new Promise<ObjectCreated>((resolve) =>
        s3.onObjectCreated((event) => (event.key === key ? resolve(event) : undefined)),
      );
    await withStore(async (_, s3) => {
      expect(await heard(s3, "untold")).toMatchObject({ bucket: Bucket, size: 4, versionId: expect.any(String) });
    });
    await withStore(async (client, s3) => {
      const keys: string[] = [];
      s3.onObjectCreated(({ key }) => void keys.push(key));
      const next = heard(s3, "next");
      await put(client, "next", "x");
      await next;
      expect(keys).toEqual(["next"]);
    });
  });
});

describe("a second process", () => {
  it("cannot open the store that another one has", async () => {
    const first = await startS3Process(folder);
    await expect(new S3({ folder }).open()).rejects.toThrow(/in use/);
    await first.kill();
    await withStore(async () => {});
  });
});
