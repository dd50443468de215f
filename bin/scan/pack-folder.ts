import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import JSZip from "jszip";
import { type FolderListing, unreadable } from "./folder-listing.ts";

/**
 * The service takes a single top folder off all paths. Under a top folder of our own the paths come back as they are here, also when the
 * scanned folder has one sub-folder and nothing else.
 */
const topFolder = "scanned";

/** Level 1 packs source to about a third at several times the speed of level 6; the archive lives for one upload. */
const compressionLevel = 1;

/** One date for all, so that the same tree gives the same bytes. ZIP knows no time before 1980. */
const date = new Date(Date.UTC(1980, 0, 1));

/**
 * Packs the listed files of a folder into an archive. Files are read one after another while the archive is written, so a large tree is never
 * in memory.
 * @param onFile told after each file how many have been read
 * @throws CannotScan file_unreadable; the signal's reason
 */
export async function packFolder(
  root: string,
  files: FolderListing["files"],
  archive: string,
  onFile: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const zip = new JSZip();
  let done = 0;
  for (const { path } of files) {
    const content = readWhenAsked(join(root, path), path, () => onFile(++done));
    zip.file(`${topFolder}/${path}`, content, { date, createFolders: false });
  }
  const stream = zip.generateNodeStream({
    streamFiles: true,
    compression: "DEFLATE",
    compressionOptions: { level: compressionLevel },
  });
  await pipeline(stream, createWriteStream(archive, { mode: 0o600 }), { signal });
}

/** A stream that opens its file only when the archive gets to it: thousands of open files would be too many. Sources are small enough to read whole. */
function readWhenAsked(file: string, path: string, onRead: () => void): Readable {
  return Readable.from(
    (async function* () {
      const bytes = await readFile(file).catch(unreadable(path));
      onRead();
      yield bytes;
    })(),
    { objectMode: false },
  );
}
