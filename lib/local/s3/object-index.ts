import type { Bucket, BucketProps } from "./bucket.ts";
import type { Database } from "./database.ts";
import { type NewVersion, type Piece, type Version, type VersionRow, versionOf } from "./version.ts";
import { versionId } from "./version-id.ts";

/** Where a listing stands: at `key`, below the version with that sequence. */
export interface Cursor {
  readonly key: Buffer;
  readonly below: number;
}

export interface Scan {
  readonly bucket: string;
  readonly from: Cursor;
  /** First key that is out of range; null for no end. */
  readonly to: Buffer | null;
  readonly currentOnly: boolean;
  readonly limit: number;
}

/** Index of the buckets and of every version of every object. Keys are bytes, because S3 lists them in byte order. */
export const objectSchema = `
  CREATE TABLE IF NOT EXISTS bucket (name TEXT PRIMARY KEY, props TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS version (
    sequence INTEGER PRIMARY KEY,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    id TEXT NOT NULL,
    marker INTEGER NOT NULL,
    superseded INTEGER,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified INTEGER NOT NULL,
    headers TEXT NOT NULL,
    checksum TEXT
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS version_by_id ON version (bucket, key, id);
  CREATE UNIQUE INDEX IF NOT EXISTS latest_version ON version (bucket, key) WHERE superseded IS NULL;
  CREATE INDEX IF NOT EXISTS version_history ON version (bucket, key, sequence DESC);
  CREATE TABLE IF NOT EXISTS piece (
    blob TEXT PRIMARY KEY,
    version INTEGER,
    upload TEXT,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    checksum TEXT,
    modified INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX IF NOT EXISTS piece_of_version ON piece (version, number) WHERE version IS NOT NULL;
  CREATE UNIQUE INDEX IF NOT EXISTS piece_of_upload ON piece (upload, number) WHERE upload IS NOT NULL;
`;

export class ObjectIndex {
  readonly #database: Database;
  #sequence: number;

  constructor(database: Database) {
    this.#database = database;
    this.#sequence = database.get<{ last: number | null }>("SELECT max(sequence) AS last FROM version")?.last ?? 0;
  }

  putBucket(props: BucketProps): void {
    const before = this.bucket(props.name)?.versioning ?? "Off";
    const versioning = props.versioned ? "Enabled" : before === "Off" ? "Off" : "Suspended";
    const bucket: Bucket = { ...props, versioning };
    this.#database.run("INSERT OR REPLACE INTO bucket VALUES (?, ?)", props.name, JSON.stringify(bucket));
  }

  bucket(name: string): Bucket | undefined {
    const row = this.#database.get<{ props: string }>("SELECT props FROM bucket WHERE name = ?", name);
    return row && JSON.parse(row.props);
  }

  buckets(): Bucket[] {
    return this.#database.all<{ props: string }>("SELECT props FROM bucket").map((row) => JSON.parse(row.props));
  }

  /** The version that a key shows now; it can be a delete marker. */
  latest(bucket: string, key: string): Version | undefined {
    return versionOf(
      this.#database.get<VersionRow>(
        "SELECT * FROM version WHERE bucket = ? AND key = ? AND superseded IS NULL",
        bucket,
        Buffer.from(key),
      ),
    );
  }

  version(bucket: string, key: string, id: string): Version | undefined {
    return versionOf(
      this.#database.get<VersionRow>(
        "SELECT * FROM version WHERE bucket = ? AND key = ? AND id = ?",
        bucket,
        Buffer.from(key),
        id,
      ),
    );
  }

  /** In order; empty for a delete marker. */
  pieces(version: Version): Piece[] {
    return this.#database.all(
      "SELECT blob, number, size FROM piece WHERE version = ? ORDER BY number",
      version.sequence,
    );
  }

  isKnownBlob(blob: string): boolean {
    return this.#database.get("SELECT 1 FROM piece WHERE blob = ?", blob) !== undefined;
  }

  /** Rows in listing order: keys ascending by bytes, of one key the newest version first. */
  scan(scan: Scan): Version[] {
    const current = scan.currentOnly ? "AND superseded IS NULL AND marker = 0" : "";
    const end = scan.to ? "AND key < ?" : "";
    const sql = `SELECT * FROM version WHERE bucket = ? AND key >= ? ${end} ${current}
      AND (key > ? OR sequence < ?) ORDER BY ${scan.currentOnly ? "key" : "key, sequence DESC"} LIMIT ?`;
    const { key, below } = scan.from;
    const values = [scan.bucket, key, ...(scan.to ? [scan.to] : []), key, below, scan.limit];
    return this.#database.all<VersionRow>(sql, ...values).map((row) => versionOf(row)!);
  }

  /**
   * Makes a version the latest of its key, together with what `attach` writes for it. In a bucket without versioning it
   * takes the place of the "null" version.
   * @param pieces the bytes; empty when `attach` brings them
   * @returns the version, and blobs that are free now
   */
  add(
    version: NewVersion,
    pieces: readonly Piece[],
    attach: (added: Version) => void = () => {},
  ): { added: Version; freed: string[] } {
    return this.#add({ ...version, isDeleteMarker: false }, pieces, attach);
  }

  /** Hides a key behind a delete marker. */
  addMarker(bucket: string, key: string, modified: Date): { marker: Version; freed: string[] } {
    const version = { bucket, key, modified, size: 0, etag: "", headers: {}, checksum: null, isDeleteMarker: true };
    const { added, freed } = this.#add(version, [], () => {});
    return { marker: added, freed };
  }

  /** Runs several changes as one: all of them or none, with one wait for the disk. */
  atomically<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  #add(
    version: NewVersion & { readonly isDeleteMarker: boolean },
    pieces: readonly Piece[],
    attach: (added: Version) => void,
  ): { added: Version; freed: string[] } {
    return this.#database.transaction(() => {
      const versioned = this.bucket(version.bucket)?.versioning === "Enabled";
      const freed = versioned ? [] : this.#erase(this.version(version.bucket, version.key, "null"));
      const sequence = ++this.#sequence;
      const added = {
        ...version,
        sequence,
        id: versioned ? versionId(sequence) : "null",
        isLatest: true,
      };
      this.#supersede(added);
      this.#insert(added);
      for (const piece of pieces) {
        this.#database.run(
          "INSERT INTO piece (blob, version, number, size, etag, modified) VALUES (?, ?, ?, ?, ?, ?)",
          piece.blob,
          sequence,
          piece.number,
          piece.size,
          version.etag,
          version.modified.getTime(),
        );
      }
      attach(added);
      return { added, freed };
    });
  }

  /** Removes one version for good; the one before it, if any, becomes the latest. */
  remove(version: Version): string[] {
    return this.#database.transaction(() => {
      const freed = this.#erase(version);
      this.#database.run(
        `UPDATE version SET superseded = NULL WHERE sequence =
         (SELECT max(sequence) FROM version WHERE bucket = ? AND key = ?)`,
        version.bucket,
        Buffer.from(version.key),
      );
      return freed;
    });
  }

  /** Current versions, or superseded ones, that have been so since before `before`. */
  agedVersions(
    bucket: string,
    prefix: Buffer,
    to: Buffer | null,
    age: { since: "modified" | "superseded"; before: Date },
    limit: number,
  ): Version[] {
    const state = age.since === "modified" ? "superseded IS NULL AND marker = 0" : "superseded IS NOT NULL";
    return this.#database
      .all<VersionRow>(
        `SELECT * FROM version WHERE bucket = ? AND key >= ? AND (? IS NULL OR key < ?) AND ${state}
         AND ${age.since} < ? ORDER BY key LIMIT ?`,
        bucket,
        prefix,
        to,
        to,
        age.before.getTime(),
        limit,
      )
      .map((row) => versionOf(row)!);
  }

  /** Delete markers with nothing behind them. */
  loneMarkers(bucket: string, prefix: Buffer, to: Buffer | null, limit: number): Version[] {
    return this.#database
      .all<VersionRow>(
        `SELECT * FROM version AS lone WHERE bucket = ? AND key >= ? AND (? IS NULL OR key < ?)
         AND superseded IS NULL AND marker = 1 AND NOT EXISTS
         (SELECT 1 FROM version WHERE bucket = lone.bucket AND key = lone.key AND sequence < lone.sequence) LIMIT ?`,
        bucket,
        prefix,
        to,
        to,
        limit,
      )
      .map((row) => versionOf(row)!);
  }

  #erase(version: Version | undefined): string[] {
    if (!version) return [];
    const freed = this.pieces(version).map((piece) => piece.blob);
    this.#database.run("DELETE FROM piece WHERE version = ?", version.sequence);
    this.#database.run("DELETE FROM version WHERE sequence = ?", version.sequence);
    return freed;
  }

  #supersede(by: Version): void {
    this.#database.run(
      "UPDATE version SET superseded = ? WHERE bucket = ? AND key = ? AND superseded IS NULL",
      by.modified.getTime(),
      by.bucket,
      Buffer.from(by.key),
    );
  }

  #insert(version: Version): void {
    this.#database.run(
      "INSERT INTO version VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?)",
      version.sequence,
      version.bucket,
      Buffer.from(version.key),
      version.id,
      version.isDeleteMarker ? 1 : 0,
      version.size,
      version.etag,
      version.modified.getTime(),
      JSON.stringify(version.headers),
      version.checksum && JSON.stringify(version.checksum),
    );
  }
}
