import type { Checksum } from "./checksums.ts";

/** Bytes of an object: one blob, or one for each part of a multipart upload. */
export interface Piece {
  readonly blob: string;
  /** Part number, 1 for an object that was put in one go. */
  readonly number: number;
  readonly size: number;
}

/** What is known of an object before it has a place in its bucket. */
export interface NewVersion {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  /** With its quotes, as it stands in headers. */
  readonly etag: string;
  readonly modified: Date;
  /** Response headers that came with the object: content type, x-amz-meta-*, encryption, storage class. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksum: Checksum | null;
}

/** A version of an object, or a delete marker, which has neither bytes nor headers. */
export interface Version extends NewVersion {
  /** Grows with each write; the order of a key's versions. */
  readonly sequence: number;
  /** "null" where the bucket is not versioned. */
  readonly id: string;
  readonly isDeleteMarker: boolean;
  readonly isLatest: boolean;
}

/** A version as it stands in the table. */
export interface VersionRow {
  sequence: number;
  bucket: string;
  key: Uint8Array;
  id: string;
  marker: number;
  superseded: number | null;
  size: number;
  etag: string;
  modified: number;
  headers: string;
  checksum: string | null;
}

export function versionOf(row: VersionRow | undefined): Version | undefined {
  return (
    row && {
      sequence: row.sequence,
      bucket: row.bucket,
      key: Buffer.from(row.key).toString("utf8"),
      id: row.id,
      isDeleteMarker: row.marker === 1,
      isLatest: row.superseded === null,
      size: row.size,
      etag: row.etag,
      modified: new Date(row.modified),
      headers: JSON.parse(row.headers),
      checksum: row.checksum === null ? null : JSON.parse(row.checksum),
    }
  );
}
