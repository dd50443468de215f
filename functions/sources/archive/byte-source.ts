/** Bytes that can be read at any place: S3 by range requests, a file, a buffer. The content must not change while it is being read. */
export interface ByteSource {
  readonly size: number;
  /** Exactly `length` bytes from `offset`; the caller stays within `size`. The answer may share memory with the source: read only. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** A source over bytes that are already in memory. */
export function bufferSource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

/** 16 MiB in all: an archive of ordinary size is fetched once, a large one passes through. */
const blockBytes = 2 * 1024 * 1024;
const blocksKept = 8;

/**
 * Reads `source` in large aligned blocks and keeps the last few, so that thousands of small reads of neighbouring headers cost one range
 * request. Memory is bounded by the blocks kept.
 */
export function blockSource(source: ByteSource): ByteSource {
  const kept = new Map<number, Promise<Buffer>>();

  function block(number: number): Promise<Buffer> {
    const offset = number * blockBytes;
    const found = kept.get(number) ?? readFully(source, offset, Math.min(blockBytes, source.size - offset));
    // Deleting before setting moves the block to the young end: Map keeps insertion order, its first key is the one used longest ago.
    kept.delete(number);
    kept.set(number, found);
    if (kept.size > blocksKept) kept.delete(kept.keys().next().value!);
    return found;
  }

  async function read(offset: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let at = offset; at < offset + length; ) {
      const within = at % blockBytes;
      const bytes = await block(Math.floor(at / blockBytes));
      const part = bytes.subarray(within, Math.min(within + offset + length - at, bytes.length));
      parts.push(part);
      at += part.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  return { size: source.size, read };
}

async function readFully(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  if (length <= 0) throw new RangeError(`read at ${offset}, past the end of ${source.size} bytes`);
  const bytes = await source.read(offset, length);
  if (bytes.length !== length)
    throw new Error(`expected ${length} bytes at ${offset}, the source gave ${bytes.length}`);
  return bytes;
}

/** The bytes from `start` up to `end` in slices, for streams and hashes. */
export async function* slices(source: ByteSource, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += sliceBytes) yield await source.read(at, Math.min(sliceBytes, end - at));
}

/** A divisor of the block size: a slice that starts on a block shares the block's memory instead of being copied. */
const sliceBytes = 256 * 1024;
