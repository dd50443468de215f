import type { BlobStore } from "./blob-store.ts";
import type { CreatedEvents } from "./created-events.ts";
import type { ObjectIndex } from "./object-index.ts";
import type { UploadIndex } from "./upload-index.ts";
import type { Version } from "./version.ts";

/**
 * Where a write stands. "received": the bytes are written; "sealed": and on the disk; "committed": and in the index,
 * which is the moment it becomes true; "cleaned": and what it replaced is gone.
 */
export type Step = "received" | "sealed" | "committed" | "cleaned";

/** What the operations of S3 work on. */
export interface Store {
  readonly objects: ObjectIndex;
  readonly uploads: UploadIndex;
  readonly blobs: BlobStore;
  readonly events: CreatedEvents;
  now(): Date;
  step(step: Step): void;
}

/**
 * Writes a blob; `fill` gets the place to write to. Nothing refers to the blob yet, and nothing is left of it when
 * `fill` throws.
 */
export async function writeBlob<T>(store: Store, fill: (sink: (bytes: Buffer) => Promise<void>) => Promise<T>) {
  const writer = await store.blobs.create();
  try {
    const received = await fill((bytes) => writer.write(bytes));
    store.step("received");
    await writer.seal();
    store.step("sealed");
    return { blob: writer.id, received };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** What a write came to: blobs that nothing refers to any more, and the object that is new. */
export interface Written {
  readonly freed: readonly string[];
  readonly added?: Version;
}

/**
 * Makes written blobs part of the index, in one transaction with the event that tells of it. When `write` refuses, the
 * blobs go away.
 */
export async function commit<T extends Written>(store: Store, blobs: readonly string[], write: () => T): Promise<T> {
  let tell = () => {};
  let written: T;
  try {
    written = store.objects.atomically(() => {
      const result = write();
      if (result.added) tell = store.events.record(result.added);
      return result;
    });
  } catch (error) {
    await store.blobs.remove(blobs);
    throw error;
  }
  store.step("committed");
  tell();
  await store.blobs.remove(written.freed);
  store.step("cleaned");
  return written;
}
