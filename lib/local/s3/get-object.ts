import type { ServerResponse } from "node:http";
import { setHeaders } from "./answer.ts";
import { checkReadConditions } from "./conditions.ts";
import { findVersion, readPermissions } from "./find-version.ts";
import { checksumHeaders, versionHeaders } from "./object-headers.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import type { Store } from "./store.ts";
import type { Piece, Version } from "./version.ts";

/** Bytes of an object to answer with, both ends included; `end` is `start - 1` when there are none. */
interface Slice {
  readonly start: number;
  readonly end: number;
  /** Whether the client asked for a part: then the answer is 206. */
  readonly isPartial: boolean;
}

/** GetObject and HeadObject. */
export async function getObject(request: S3Request, store: Store): Promise<void> {
  const { response } = request.call;
  const isHead = request.call.request.method === "HEAD";
  const wanted = { bucket: request.bucket.name, key: request.key, versionId: request.query.get("versionId") };
  await request.authorise(isHead ? "HeadObject" : "GetObject", readPermissions(store, wanted));
  const version = findVersion(store, wanted, request.call);
  const pieces = store.objects.pieces(version);
  const release = store.blobs.hold(pieces.map((piece) => piece.blob));
  try {
    checkReadConditions(request.headers, version);
    const slice = sliceOf(request, version, pieces);
    setHeaders(response, headersOf(request, version, pieces, slice));
    response.writeHead(slice.isPartial ? 206 : 200);
    if (isHead) response.end();
    else await send(response, bytesOf(store, pieces, slice));
  } finally {
    await release();
  }
}

/**
 * Sends bytes as fast as the client takes them, and stops when it has gone. By hand, because a pipeline makes so many
 * objects for each answer that the memory of the process doubled under many small reads.
 */
async function send(response: ServerResponse, source: AsyncIterable<Buffer>): Promise<void> {
  for await (const bytes of source) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/** The bytes of pieces laid end to end, from `start` to `end`. */
export async function* bytesOf(store: Store, pieces: readonly Piece[], slice: { start: number; end: number }) {
  let offset = 0;
  for (const piece of pieces) {
    const from = Math.max(slice.start - offset, 0);
    const to = Math.min(slice.end - offset, piece.size - 1);
    if (from <= to) yield* store.blobs.read(piece.blob, from, to);
    offset += piece.size;
  }
}

function headersOf(request: S3Request, version: Version, pieces: readonly Piece[], slice: Slice) {
  const withChecksum = request.header("x-amz-checksum-mode")?.toUpperCase() === "ENABLED" && !slice.isPartial;
  return {
    ...version.headers,
    ...overrides(request),
    "accept-ranges": "bytes",
    etag: version.etag,
    "last-modified": version.modified.toUTCString(),
    "content-length": slice.end - slice.start + 1,
    "content-range": slice.isPartial ? `bytes ${slice.start}-${slice.end}/${version.size}` : undefined,
    "x-amz-mp-parts-count": request.query.has("partNumber") && isMultipart(version) ? pieces.length : undefined,
    ...versionHeaders(request.bucket, version),
    ...(withChecksum && checksumHeaders(version.checksum)),
  };
}

const isMultipart = (version: Version) => version.etag.includes("-");

/** response-content-type and its like let a signed link choose how a browser takes the object. */
function overrides(request: S3Request): Record<string, string> {
  const names = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = request.query.get(`response-${name}`);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** @throws S3Error InvalidRange, InvalidPartNumber, InvalidRequest */
function sliceOf(request: S3Request, version: Version, pieces: readonly Piece[]): Slice {
  const range = request.header("range");
  const number = request.integer("partNumber", 1, 10_000);
  if (number !== undefined) {
    if (range !== undefined) {
      throw new S3Error("InvalidRequest", {
        message: "Cannot specify both Range header and partNumber query parameter",
      });
    }
    return partSlice(number, version, pieces);
  }
  return (range === undefined ? null : rangeSlice(range, version.size)) ?? whole(version);
}

const whole = (version: Version): Slice => ({ start: 0, end: version.size - 1, isPartial: false });

/** Part numbers may have gaps in an upload; readers count the parts that are there. */
function partSlice(number: number, version: Version, pieces: readonly Piece[]): Slice {
  const piece = pieces[number - 1];
  if (!piece) throw new S3Error("InvalidPartNumber");
  if (!isMultipart(version) && version.size === 0) return whole(version);
  const start = pieces.slice(0, number - 1).reduce((sum, { size }) => sum + size, 0);
  return { start, end: start + piece.size - 1, isPartial: true };
}

/** S3 serves one range; a header it cannot read, or with several ranges, is ignored. Null means the whole object. */
function rangeSlice(header: string, size: number): Slice | null {
  const parts = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  const [first, last] = [parts?.[1] ?? "", parts?.[2] ?? ""];
  if (first === "" && last === "") return null;
  if (first !== "" && last !== "" && Number(first) > Number(last)) return null;
  const start = first === "" ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end, isPartial: true };
  throw new S3Error("InvalidRange", {
    fields: { RangeRequested: header, ActualObjectSize: size },
    headers: { "content-range": `bytes */${size}` },
  });
}
