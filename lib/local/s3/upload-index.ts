import { randomBytes } from "node:crypto";
import type { Checksum, ChecksumAlgorithm } from "./checksums.ts";
import type { Database } from "./database.ts";
import type { ObjectIndex } from "./object-index.ts";
import type { NewVersion, Version } from "./version.ts";

/** A multipart upload. `completed` names the version that came of it, so that a repeated completion gets its answer. */
export interface Upload {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly created: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly algorithm: ChecksumAlgorithm;
  readonly checksumType: Checksum["type"];
  /** Whether the client asked for this checksum. If not, its parts may come with any. */
  readonly isChecksumRequested: boolean;
  readonly completed: CompletedUpload | null;
}

export interface CompletedUpload {
  readonly etag: string;
  readonly versionId: string;
  readonly checksum: Checksum;
}

export interface Part {
  readonly number: number;
  readonly blob: string;
  readonly size: number;
  readonly etag: string;
  /** Base64, of the upload's algorithm. */
  readonly checksum: string;
  readonly modified: Date;
}

/** `upload` beside the tables of `objectSchema`; the parts of an upload are pieces that have no version yet. */
export const uploadSchema = `
  CREATE TABLE IF NOT EXISTS upload (
    id TEXT PRIMARY KEY,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    created INTEGER NOT NULL,
    props TEXT NOT NULL,
    completed TEXT
  ) STRICT, WITHOUT ROWID;
`;

export class UploadIndex {
  readonly #database: Database;
  readonly #objects: ObjectIndex;

  constructor(database: Database, objects: ObjectIndex) {
    this.#database = database;
    this.#objects = objects;
  }

  start(upload: Omit<Upload, "id" | "completed">): string {
    const id = randomBytes(48).toString("base64url");
    const { headers, algorithm, checksumType, isChecksumRequested } = upload;
    this.#database.run(
      "INSERT INTO upload VALUES (?, ?, ?, ?, ?, NULL)",
      id,
      upload.bucket,
      Buffer.from(upload.key),
      upload.created.getTime(),
      JSON.stringify({ headers, algorithm, checksumType, isChecksumRequested }),
    );
    return id;
  }

  upload(id: string): Upload | undefined {
    return fromRow(this.#database.get<Row>("SELECT * FROM upload WHERE id = ?", id));
  }

  parts(id: string, after: number, limit: number): Part[] {
    return this.#database
      .all<PartRow>("SELECT * FROM piece WHERE upload = ? AND number > ? ORDER BY number LIMIT ?", id, after, limit)
      .map((row) => ({ ...row, modified: new Date(row.modified) }));
  }

  /** A part sent again takes the place of the first. Returns blobs that are free now. */
  putPart(uploadId: string, part: Part): string[] {
    return this.#database.transaction(() => {
      const old = this.#database.get<PartRow>(
        "DELETE FROM piece WHERE upload = ? AND number = ? RETURNING *",
        uploadId,
        part.number,
      );
      const { blob, number, size, etag, checksum, modified } = part;
      this.#database.run(
        "INSERT INTO piece VALUES (?, NULL, ?, ?, ?, ?, ?, ?)",
        blob,
        uploadId,
        number,
        size,
        etag,
        checksum,
        modified.getTime(),
      );
      return old ? [old.blob] : [];
    });
  }

  /**
   * Turns the named parts into an object, all at once; `check` sees what the key shows now and can still refuse.
   * @returns the version, and blobs that are free now: those of parts left out and of an object replaced
   */
  complete(
    upload: Upload,
    version: NewVersion & { readonly checksum: Checksum },
    numbers: readonly number[],
  ): { added: Version; freed: string[] } {
    return this.#database.transaction(() => {
      const { added, freed } = this.#objects.add(version, [], (object) => {
        this.#database.run(
          "UPDATE piece SET version = ?, upload = NULL WHERE upload = ? AND number IN (SELECT value FROM json_each(?))",
          object.sequence,
          upload.id,
          JSON.stringify(numbers),
        );
      });
      freed.push(...this.#dropParts(upload.id));
      const completed: CompletedUpload = { etag: version.etag, versionId: added.id, checksum: version.checksum };
      this.#database.run("UPDATE upload SET completed = ? WHERE id = ?", JSON.stringify(completed), upload.id);
      return { added, freed };
    });
  }

  abort(id: string): string[] {
    return this.#database.transaction(() => {
      this.#database.run("DELETE FROM upload WHERE id = ?", id);
      return this.#dropParts(id);
    });
  }

  /** Uploads that began before `before`, finished ones among them or not. */
  aged(bucket: string, prefix: Buffer, to: Buffer | null, before: Date, state: "open" | "completed"): Upload[] {
    return this.#database
      .all<Row>(
        `SELECT * FROM upload WHERE bucket = ? AND key >= ? AND (? IS NULL OR key < ?) AND created < ?
         AND completed IS ${state === "open" ? "" : "NOT"} NULL`,
        bucket,
        prefix,
        to,
        to,
        before.getTime(),
      )
      .map((row) => fromRow(row)!);
  }

  #dropParts(id: string): string[] {
    return this.#database.all<PartRow>("DELETE FROM piece WHERE upload = ? RETURNING *", id).map((part) => part.blob);
  }
}

interface Row {
  id: string;
  bucket: string;
  key: Uint8Array;
  created: number;
  props: string;
  completed: string | null;
}

interface PartRow {
  number: number;
  blob: string;
  size: number;
  etag: string;
  checksum: string;
  modified: number;
}

function fromRow(row: Row | undefined): Upload | undefined {
  return (
    row && {
      id: row.id,
      bucket: row.bucket,
      key: Buffer.from(row.key).toString("utf8"),
      created: new Date(row.created),
      completed: row.completed === null ? null : JSON.parse(row.completed),
      ...JSON.parse(row.props),
    }
  );
}
