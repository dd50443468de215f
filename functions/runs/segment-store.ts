import { Readable } from "node:stream";
import {
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { DirectCalls } from "../platform/direct-calls.ts";
import { environment } from "../platform/environment.ts";
import { copyObject, type ObjectVersion, s3 } from "../platform/object-store.ts";
import { keys, padded, table } from "../platform/table.ts";
import type { SegmentBody } from "./segment.ts";

/** What the index knows of one segment. */
export const SegmentEntry = z.object({
  first: z.number().int(),
  count: z.number().int(),
  /** Size of the object. */
  bytes: z.number().int(),
  /** The writer that stored the object; part of its key. */
  epoch: z.number().int(),
  /** Names the object of a segment that was put together of several; part of its key. Empty for what a writer has stored. */
  revision: z.string().default(""),
  transitions: z.number().int(),
  interactions: z.number().int(),
  /** When its oldest and newest items arrived, in milliseconds since 1970. */
  firstTime: z.number(),
  lastTime: z.number(),
  /** Whose sequence entries belong to it, each with the highest number: they go when it goes. */
  sequences: z.array(z.object({ producer: z.string(), last: z.number() })),
});
export type SegmentEntry = z.infer<typeof SegmentEntry>;

/** What names the object of a segment. */
export type SegmentName = Pick<SegmentEntry, "first" | "epoch"> & { readonly revision?: string };

/** A call of S3 that takes longer is lost; even 256 MiB take less. The SDK itself would wait for ever. */
const callMsMax = 60_000;
const deadline = () => ({ abortSignal: AbortSignal.timeout(callMsMax) });

const folder = (runId: string) => `runs/${runId}/segments/`;

/**
 * Where a segment lies. The writer's epoch is part of the key, so that no two writers ever write the same one: a late upload of a writer
 * that was shut out lies beside the log and is in nobody's way.
 */
const keyOf = (runId: string, { first, epoch, revision = "" }: SegmentName) =>
  `${folder(runId)}${padded(first)}.${String(epoch).padStart(10, "0")}${revision && `.${revision}`}`;

function nameOf(runId: string, key: string): Required<SegmentName> | null {
  const [first, epoch, revision = ""] = key.slice(folder(runId).length).split(".");
  const name = { first: Number(first), epoch: Number(epoch), revision };
  return Number.isSafeInteger(name.first) && Number.isSafeInteger(name.epoch) ? name : null;
}

/** Segments go the short way once the SDK has stored one. */
const direct = new DirectCalls<{ Bucket?: string; Key?: string }>(s3, ({ Bucket, Key }) =>
  Bucket && Key ? { place: Bucket, path: `/${Key}` } : null,
);

/** Stores a segment, once. Safe to repeat: each writer makes each of its segments once, so what is there already is ours. */
export async function putSegment(
  runId: string,
  segment: SegmentName & { readonly body: Buffer | SegmentBody },
): Promise<void> {
  const Bucket = environment().RESULTS_BUCKET;
  const Key = keyOf(runId, segment);
  if (!Buffer.isBuffer(segment.body) && (await putDirectly(Bucket, Key, segment.body))) return;
  const put = new PutObjectCommand({
    Bucket,
    Key,
    ...(Buffer.isBuffer(segment.body) ? { Body: segment.body } : inPieces(segment.body)),
    ContentType: contentType,
    IfNoneMatch: "*",
  });
  withoutBodyDigest(put);
  try {
    await s3.send(put, deadline());
  } catch (error) {
    if (!(error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412)) throw error;
  }
}

const contentType = "application/octet-stream";
const unsignedBody = "UNSIGNED-PAYLOAD";

const putDirectly = (bucket: string, key: string, { pieces, bytes, crc32 }: SegmentBody): Promise<boolean> =>
  direct.send(bucket, {
    method: "PUT",
    path: `/${key}`,
    headers: {
      "content-type": contentType,
      "if-none-match": "*",
      "x-amz-checksum-crc32": checksumText(crc32),
      "x-amz-content-sha256": unsignedBody,
    },
    contentSha256: unsignedBody,
    body: pieces,
    bytes,
  });

/** S3 checks what it has by the checksum of what we were sent; the SDK would compute another one over all of it. */
function inPieces({ pieces, bytes, crc32 }: SegmentBody) {
  return {
    Body: pieces.length === 1 ? pieces[0] : Readable.from(pieces, { objectMode: false }),
    ContentLength: bytes,
    ChecksumCRC32: checksumText(crc32),
  };
}

function checksumText(crc32: number): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32);
  return checksum.toString("base64");
}

/**
 * Leaves the SHA-256 of the body out of the signature, as S3 allows: 8 MiB of it cost more than storing them, and the CRC-32 that is sent
 * along, the record's own and TLS tell a damaged body too.
 */
function withoutBodyDigest(put: PutObjectCommand): void {
  put.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = unsignedBody;
      return next(args);
    },
    { step: "build", name: "withoutBodyDigest" },
  );
}

/** Writes a small object of no meaning: whoever could not write finds out whether it works again. @throws errors of S3 */
export async function probeWrites(runId: string): Promise<void> {
  const Key = `runs/${runId}/probe`;
  await s3.send(new PutObjectCommand({ Bucket: environment().RESULTS_BUCKET, Key, Body: "probe" }), deadline());
}

/**
 * Bytes of a segment.
 * @param range first and last byte; the whole without it
 * @returns null when the object is gone: also when S3 says 403, as it does to those who may read and not list
 */
export async function getSegment(
  runId: string,
  entry: SegmentName,
  range?: { from: number; to: number },
): Promise<Buffer | null> {
  const Range = range && `bytes=${range.from}-${range.to}`;
  const get = new GetObjectCommand({ Bucket: environment().RESULTS_BUCKET, Key: keyOf(runId, entry), Range });
  try {
    const { Body } = await s3.send(get, deadline());
    return Buffer.from(await (Body as NonNullable<typeof Body>).transformToByteArray());
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status === 404 || status === 403) return null;
    // Shorter than the index says: damaged, as the reader will find.
    if (status === 416) return Buffer.alloc(0);
    throw error;
  }
}

/** Copies a segment to a key of the same bucket, without moving its bytes through this function. */
export async function copySegment(runId: string, entry: SegmentName, key: string): Promise<void> {
  await copyObject({ bucket: environment().RESULTS_BUCKET, key: keyOf(runId, entry) }, key);
}

/** First offsets and writers of the objects from an offset on, in order. */
export async function* storedSegments(runId: string, from: number): AsyncGenerator<{ first: number; epoch: number }> {
  // The key of a segment goes on behind the offset, so it sorts after this.
  let StartAfter = `${folder(runId)}${padded(from)}`;
  for (;;) {
    const list = new ListObjectsV2Command({
      Bucket: environment().RESULTS_BUCKET,
      Prefix: folder(runId),
      StartAfter,
    });
    const { Contents = [], IsTruncated } = await s3.send(list, deadline());
    for (const { Key = "" } of Contents) {
      const name = nameOf(runId, Key);
      if (name) yield name;
      StartAfter = Key;
    }
    if (!IsTruncated) return;
  }
}

/** An object below a run's segments, in one of its versions. */
export interface StoredVersion {
  readonly name: Required<SegmentName>;
  readonly object: ObjectVersion;
  readonly storedAt: Date;
  /** Neither deleted nor replaced. */
  readonly isCurrent: boolean;
}

/** All versions of all objects that hold segments, in order of their first offsets, a page of up to a thousand at a time. */
export async function* storedVersions(runId: string): AsyncGenerator<StoredVersion[]> {
  const bucket = environment().RESULTS_BUCKET;
  let marker: { KeyMarker?: string; VersionIdMarker?: string } = {};
  for (;;) {
    const list = new ListObjectVersionsCommand({ Bucket: bucket, Prefix: folder(runId), ...marker });
    const page = await s3.send(list, deadline());
    const current = new Set((page.Versions ?? []).filter(({ IsLatest }) => IsLatest));
    yield [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].flatMap((version) => {
      const { Key: key = "", VersionId: versionId, LastModified: storedAt } = version;
      const name = nameOf(runId, key);
      if (!name || !storedAt) return [];
      return [
        { name, object: { bucket, key, ...(versionId && { versionId }) }, storedAt, isCurrent: current.has(version) },
      ];
    });
    if (!page.IsTruncated) return;
    marker = {
      ...(page.NextKeyMarker && { KeyMarker: page.NextKeyMarker }),
      ...(page.NextVersionIdMarker && { VersionIdMarker: page.NextVersionIdMarker }),
    };
  }
}

/** The segment that holds an offset, or the last one that begins before it. @returns null when there is none */
export async function segmentAt(runId: string, offset: number): Promise<SegmentEntry | null> {
  const [entry] = await query(runId, { from: 0, to: offset, limit: 1, newestFirst: true });
  return entry ?? null;
}

/** The segments of a run from the newest on, page by page as they are taken. @param head they begin before this */
export async function* newestSegments(runId: string, head: number): AsyncGenerator<SegmentEntry> {
  for (let before = head; before > 0; ) {
    const entries = await query(runId, { from: 0, to: before - 1, limit: newestAtOnce, newestFirst: true });
    yield* entries;
    before = entries.at(-1)?.first ?? 0;
  }
}

/** Up to `limit` segments that begin at `from` or later and before `before`, in order. */
export const segmentsFrom = (runId: string, from: number, limit: number, before = Number.MAX_SAFE_INTEGER) =>
  before <= from ? Promise.resolve([]) : query(runId, { from, to: before - 1, limit, newestFirst: false });

const newestAtOnce = 500;

async function query(
  runId: string,
  { from, to, limit, newestFirst }: { from: number; to: number; limit: number; newestFirst: boolean },
): Promise<SegmentEntry[]> {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: environment().TABLE_NAME,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: {
        ":pk": keys.run(runId).pk,
        ":from": keys.runSegment(runId, from).sk,
        ":to": keys.runSegment(runId, to).sk,
      },
      ScanIndexForward: !newestFirst,
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => SegmentEntry.parse(item));
}
