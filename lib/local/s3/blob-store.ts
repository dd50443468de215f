import { randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { waitsForDisk } from "../disk.ts";

/**
 * The bytes of objects: files with random names, written once and never changed. What a blob is part of is known to the
 * index alone; a file that the index does not know is left over from a crash. That is why nothing is renamed into place:
 * an unfinished file has no name that anyone could look up.
 */
export class BlobStore {
  readonly #folder: string;
  readonly #held = new Map<string, number>();
  readonly #doomed = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folders and removes every file that `isKnown` denies. Nothing else may be at work here yet. */
  async open(isKnown: (id: string) => boolean): Promise<void> {
    for (const shard of shards) {
      const folder = join(this.#folder, shard);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const id of await readdir(folder)) if (!isKnown(id)) await rm(join(folder, id));
    }
  }

  /** Starts a blob. The caller ends it with `seal` or `discard`. */
  async create(): Promise<BlobWriter> {
    const id = newId();
    const path = this.#path(id);
    return new BlobWriter(id, await open(path, "wx", 0o600), path);
  }

  /** A second name for the same bytes; each is removed on its own. Copies cost nothing, whatever the size. */
  async copy(id: string): Promise<string> {
    const copy = newId();
    await link(this.#path(id), this.#path(copy));
    await syncFolder(this.#path(copy));
    return copy;
  }

  /** The bytes from `start` to `end`, both included. */
  async *read(id: string, start: number, end: number): AsyncGenerator<Buffer> {
    const file = await open(this.#path(id), "r");
    try {
      for (let at = start; at <= end; ) {
        const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - at + 1));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        if (bytesRead === 0) throw new Error(`blob ${id} ends early, at ${at}`);
        yield chunk.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Keeps blobs readable until the returned function is called, whatever is overwritten or deleted meanwhile. To be
   * called in the same tick as the look-up in the index.
   */
  hold(ids: readonly string[]): () => Promise<void> {
    for (const id of ids) this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
    return async () => {
      const free = ids.filter((id) => this.#release(id) && this.#doomed.delete(id));
      await this.remove(free);
    };
  }

  /** Removes blobs that the index no longer knows. A crash before the end is made good at the next `open`. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (this.#held.has(id)) this.#doomed.add(id);
      else await rm(this.#path(id), { force: true });
    }
  }

  #release(id: string): boolean {
    const readers = this.#held.get(id)! - 1;
    if (readers === 0) this.#held.delete(id);
    else this.#held.set(id, readers);
    return readers === 0;
  }

  #path(id: string): string {
    return join(this.#folder, id.slice(0, 2), id);
  }
}

/** A blob that is being written. */
export class BlobWriter {
  readonly id: string;
  readonly #file: FileHandle;
  readonly #path: string;
  /** What a write of its own would cost more than it is worth: a turn of a thread each. */
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;

  constructor(id: string, file: FileHandle, path: string) {
    this.id = id;
    this.#file = file;
    this.#path = path;
  }

  /** Takes bytes, which must not change any more. */
  async write(bytes: Buffer): Promise<void> {
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= writeBytes) await this.#flush();
  }

  /** Bytes and name are written when this returns, so that the index may refer to them. */
  async seal(): Promise<void> {
    await this.#flush();
    // At once, so that the file system writes its journal for both.
    if (waitsForDisk) await Promise.all([this.#file.sync(), syncFolder(this.#path)]);
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    let left = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    while (left.length > 0) left = withoutFirst(left, (await this.#file.writev(left)).bytesWritten);
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#path, { force: true });
  }
}

const chunkBytes = 256 * 1024;
/** A connection brings 64 KiB at a time. */
const writeBytes = 1024 * 1024;

/** What is left to be written when so many bytes are. */
function withoutFirst(pieces: readonly Buffer[], bytes: number): Buffer[] {
  let written = bytes;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(Math.min(written, piece.length));
    written -= piece.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}

/** Two hex digits spread the files over folders, so that no folder grows large. */
const shards = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"));

const newId = () => randomBytes(16).toString("hex");

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
