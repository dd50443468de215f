import type { Database } from "./database.ts";
import type { NewVersion, Version } from "./version.ts";

/** A new object, as S3's ObjectCreated notification tells it. */
export interface ObjectCreated {
  readonly bucket: string;
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Without quotes, as in S3's event. */
  readonly etag: string;
  /** Only where the bucket is versioned. */
  readonly versionId?: string;
}

export type ObjectCreatedListener = (event: ObjectCreated) => void | Promise<void>;

/** Events that nobody has taken yet, kept in the transaction that made the object. */
export const eventSchema = `
  CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
`;

/**
 * Tells listeners of new objects at least once, as S3 promises: an event that a listener had not finished with when the
 * process died is told again after the next start.
 */
export class CreatedEvents {
  readonly #database: Database;
  readonly #listeners: ObjectCreatedListener[] = [];
  /** Taken by every listener. Struck off with the next write, to spare a wait for the disk. */
  #taken: number[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** Events from before the last start follow once the registering code has let go. */
  listen(listener: ObjectCreatedListener): void {
    this.#listeners.push(listener);
    if (this.#listeners.length === 1) setImmediate(() => this.#tellLeftOvers());
  }

  /** To be called in the transaction that adds the version. Returns what to call after it. */
  record(version: NewVersion & Pick<Version, "id">): () => void {
    if (this.#listeners.length === 0) return () => {};
    this.strike();
    const { bucket, key, size, etag, id } = version;
    const event = { bucket, key, size, etag: etag.slice(1, -1), ...(id !== "null" && { versionId: id }) };
    const row = this.#database.get<Row>("INSERT INTO event (body) VALUES (?) RETURNING *", JSON.stringify(event));
    return () => void this.#tell(row!);
  }

  /** Forgets the events that have been taken. */
  strike(): void {
    if (this.#taken.length === 0) return;
    const ids = JSON.stringify(this.#taken);
    this.#database.run("DELETE FROM event WHERE id IN (SELECT value FROM json_each(?))", ids);
    this.#taken = [];
  }

  #tellLeftOvers(): void {
    for (const row of this.#database.all<Row>("SELECT * FROM event ORDER BY id")) void this.#tell(row);
  }

  async #tell({ id, body }: Row): Promise<void> {
    try {
      const event: ObjectCreated = JSON.parse(body);
      for (const listener of this.#listeners) await listener(event);
      this.#taken.push(id);
    } catch (error) {
      console.error("embedded cloud: an ObjectCreated listener failed and is told again after a restart:", error);
    }
  }
}

interface Row {
  id: number;
  body: string;
}
