import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ByteSource } from "../archive/byte-source.ts";
import { archiveLimits } from "../archive/limits.ts";
import type { HostApi } from "./host-api.ts";
import { linksToFiles } from "./links-to-files.ts";

/**
 * Downloads an archive into a temporary file, lends it as a byte source, and removes it whatever happens. A Lambda needs ephemeral storage
 * for it: up to 500 MB.
 */
export async function withDownload<T>(
  api: HostApi,
  path: string,
  use: (archive: ByteSource) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "repository-"));
  try {
    const file = await open(join(folder, "archive.zip"), "wx+", 0o600);
    try {
      const size = await api.download(path, file, archiveLimits.archiveBytes);
      const source = fileSource(file, size);
      await linksToFiles(source, file);
      return await use(source);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const fileSource = (file: FileHandle, size: number): ByteSource => ({
  size,
  async read(offset, length) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  },
});
