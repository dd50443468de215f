import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../archive/byte-source.ts";
import { archiveLimits } from "../archive/limits.ts";
import { withTemporaryFile } from "../temporary-file.ts";
import type { HostApi } from "./host-api.ts";
import { linksToFiles } from "./links-to-files.ts";

/**
 * Downloads an archive into a temporary file and lends it as a byte source. A Lambda needs ephemeral storage for it: up to 500 MB.
 */
export async function withDownload<T>(
  api: HostApi,
  path: string,
  use: (archive: ByteSource) => Promise<T>,
): Promise<T> {
  return withTemporaryFile(async (file) => {
    const size = await api.download(path, file, archiveLimits.archiveBytes);
    const source = fileSource(file, size);
    await linksToFiles(source, file);
    return use(source);
  });
}

const fileSource = (file: FileHandle, size: number): ByteSource => ({
  size,
  async read(offset, length) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  },
});
