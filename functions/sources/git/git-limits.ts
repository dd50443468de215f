import { archiveLimits } from "../archive/limits.ts";

const MiB = 1024 * 1024;

/**
 * What a git server may ask of us. A snapshot becomes an archive that has to pass the limits of uploads, so nothing here is larger than
 * what would pass there.
 */
export const gitLimits = {
  /** A list of references: about 500,000 of them, pull requests included, which old servers list too. */
  refsBytes: 32 * MiB,
  packBytes: archiveLimits.archiveBytes,
  /** Of all objects together. Snapshots are packed without compression, so more would not fit into an archive. */
  contentBytes: archiveLimits.archiveBytes,
  /** One object is held in memory, with its delta and the base of that. GitHub refuses files above 100 MiB. */
  objectBytes: 128 * MiB,
  /** Files, and the trees and the commit around them. */
  objects: 3 * archiveLimits.entries,
  /** Entries of trees looked at. A tree that names the same subtree ten times on ten levels has 10^10 of them in a pack of 1 kB. */
  entriesVisited: 3 * archiveLimits.entries,
  /** Of the pack, and of its objects together, where only names are wanted: both fit into the 512 MB of disk that every function has. */
  listingBytes: 200 * MiB,
  connectMs: 10_000,
  totalMs: 300_000,
} as const;
