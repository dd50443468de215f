const MiB = 1024 * 1024;

/**
 * What an archive may ask of us. The numbers bound memory and time before anything is allocated or inflated; a real source tree stays far
 * below each of them.
 */
export const archiveLimits = {
  /** The upload limit of the API, for presigned uploads too. */
  archiveBytes: 500 * 1000 * 1000,
  entries: 100_000,
  /** The central directory is held in memory; 100,000 records of an ordinary tree need about 15 MB. */
  directoryBytes: 32 * MiB,
  entryBytes: 256 * MiB,
  totalBytes: 1024 * MiB,
  /** Deflate reaches 1,032. Plain repetitive source does too, so the ratio counts only for outputs that would hurt. */
  ratio: 100,
  ratioFreeBytes: 8 * MiB,
  nameBytes: 1024,
  depth: 64,
  /** Real tools write timestamps, owners, sizes and names: some 100 bytes, and up to 4 kB where they align data to pages. */
  extraBytes: 4096,
} as const;
