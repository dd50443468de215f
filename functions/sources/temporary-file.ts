import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Lends a new, empty file that nobody else can open. It loses its name at once, so that its disk is free again when this process ends,
 * however that ends: what a function leaves behind that ran out of time is still there for the next one in the same sandbox.
 */
export async function withTemporaryFile<T>(use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openNameless();
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "repository-"));
  try {
    return await open(join(folder, "file"), "wx+", 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}
