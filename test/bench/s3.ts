import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { startS3Process } from "../support/s3-process.ts";

const MiB = 1024 * 1024;
const Bucket = "bench";

/** Latency and throughput of the embedded S3 in a process of its own, through the SDK, and the memory it takes. */
export default async function s3(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-s3-"));
  const server = await startS3Process(folder);
  await server.ensureBucket(Bucket, true);
  const idleMiB = await server.maxRssMiB();
  const { client } = server;
  const body = Buffer.alloc(4096, "x");
  const put = (Key: string, Body: Buffer) => client.send(new PutObjectCommand({ Bucket, Key, Body }));
  const get = async (Key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    let bytes = 0;
    for await (const piece of Body as Readable) bytes += (piece as Buffer).length;
    return bytes;
  };
  await measure(200, 1, (n) => put(`warm${n}`, body));

  console.table({
    "put 4 KiB, one at a time": await measure(1000, 1, (n) => put(`k${n}`, body)),
    "put 4 KiB, eight at a time": await measure(2000, 8, (n) => put(`k${n}`, body)),
    "get 4 KiB, one at a time": await measure(1000, 1, (n) => get(`k${n}`)),
    "get 4 KiB, eight at a time": await measure(2000, 8, (n) => get(`k${n}`)),
    "list 1,000 of 2,200": await measure(50, 1, () => client.send(new ListObjectsV2Command({ Bucket }))),
    "delete (marker)": await measure(500, 1, (n) => client.send(new DeleteObjectCommand({ Bucket, Key: `k${n}` }))),
  });
  const size = 200;
  const streamed = Readable.from(
    (function* () {
      for (let n = 0; n < size; n++) yield Buffer.alloc(MiB, n);
    })(),
  );
  console.table({
    [`put ${size} MiB, streamed`]: await throughput(size, () =>
      client.send(new PutObjectCommand({ Bucket, Key: "large", Body: streamed, ContentLength: size * MiB })),
    ),
    [`get ${size} MiB`]: await throughput(size, () => get("large")),
  });
  console.log(
    `memory of the process: ${idleMiB.toFixed(0)} MiB at the start, at most ${(await server.maxRssMiB()).toFixed(0)} MiB`,
  );
  await server.kill();
  await rm(folder, { recursive: true });
}

async function measure(times: number, parallel: number, work: (n: number) => Promise<unknown>) {
  const latencies: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < times) {
      const begun = performance.now();
      await work(next++);
      latencies.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: parallel }, worker));
  const seconds = (performance.now() - begun) / 1000;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))]!);
  return { "per second": Math.round(times / seconds), "p50 ms": at(0.5), "p99 ms": at(0.99) };
}

async function throughput(sizeMiB: number, work: () => Promise<unknown>) {
  const begun = performance.now();
  await work();
  return { "MiB per second": Math.round(sizeMiB / ((performance.now() - begun) / 1000)) };
}

const round = (value: number) => Math.round(value * 100) / 100;
