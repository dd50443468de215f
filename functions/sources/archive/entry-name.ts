import { crc32 } from "node:zlib";
import yauzl from "yauzl";
import { SluiceError } from "../../platform/errors.ts";
import { cleanPath, type PathFault } from "../normalise-path.ts";
import { archiveLimits } from "./limits.ts";

export interface EntryName {
  /** Normalised; "" for a record that only says "this folder" ("./", as bsdtar and the tar of Windows write it). */
  readonly path: string;
  readonly directory: boolean;
}

/** A trailing separator, or a last segment ".", says directory. */
const directoryEnding = /(^|[\\/])\.?$/;

/**
 * The path an entry is known by. It is checked after decoding and after the rename by the Unicode path field, and the raw bytes are checked
 * too, as a reader would see them that knows neither.
 * @throws zip_entry_charset, zip_entry_name_too_long, zip_entry_too_deep, zip_entry_escapes, zip_entry_name
 */
export function readEntryName(raw: Buffer, utf8: boolean, unicodePath: Buffer | undefined, index: number): EntryName {
  const entry = displayName(raw, index);
  if (raw.length > archiveLimits.nameBytes)
    throw new SluiceError("zip_entry_name_too_long", { entry, bytes: raw.length, limit: archiveLimits.nameBytes });
  const decoded =
    unicodePath !== undefined ? renamed(raw, unicodePath, entry) : utf8 ? strictUtf8(raw, entry) : guessCharset(raw);
  const blind = cleanPath(raw.toString("latin1").replace(/[\x80-\xff]/g, "_"));
  if ("fault" in blind && !(blind.fault === "empty" && raw.length > 0))
    throw new SluiceError(refusals[blind.fault], { entry });

  const directory = directoryEnding.test(decoded);
  const cleaned = cleanPath(decoded);
  if ("fault" in cleaned) {
    if (cleaned.fault === "empty") return { path: "", directory: true };
    throw new SluiceError(refusals[cleaned.fault], { entry });
  }
  if (cleaned.path.split("/").length > archiveLimits.depth)
    throw new SluiceError("zip_entry_too_deep", { entry, limit: archiveLimits.depth });
  return { path: cleaned.path, directory };
}

const refusals = {
  escapes: "zip_entry_escapes",
  control_character: "zip_entry_name",
  empty: "zip_entry_name",
} as const satisfies Record<PathFault, string>;

/** What an error calls an entry before its name is known to be good: the name if there is one, else its number. */
export function displayName(raw: Buffer, index: number): string {
  return raw.length === 0 ? `#${index + 1}` : guessCharset(raw);
}

/**
 * The Info-ZIP Unicode path field (0x7075) replaces the name if its checksum fits the raw one. If it does not fit, some readers rename and
 * some do not, so the archive is refused.
 */
function renamed(raw: Buffer, field: Buffer, entry: string): string {
  if (field.length < 6 || field[0] !== 1 || field.readUInt32LE(1) !== crc32(raw))
    throw new SluiceError("zip_entry_extra", { entry });
  if (field.length - 5 > archiveLimits.nameBytes)
    throw new SluiceError("zip_entry_name_too_long", {
      entry,
      bytes: field.length - 5,
      limit: archiveLimits.nameBytes,
    });
  return strictUtf8(field.subarray(5), entry);
}

/** Fatal: overlong forms, lone surrogates and cut sequences are errors instead of replacement characters that make names equal. */
const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function strictUtf8(bytes: Buffer, entry: string): string {
  try {
    return utf8Decoder.decode(bytes);
  } catch {
    throw new SluiceError("zip_entry_charset", { entry });
  }
}

/** Part of Node's full ICU data, which saves the bundle 300 kB of tables. */
const gbkDecoder = new TextDecoder("gbk", { fatal: true });

/**
 * Names without the UTF-8 flag say nothing about their charset. Valid UTF-8 is UTF-8 (the Finder does not set the flag; other charsets
 * practically never form it by chance), then GBK (Chinese Windows) when most characters are common ones, else CP437 as the standard says.
 */
export function guessCharset(raw: Buffer): string {
  const decoders = looksLikeGbk(raw) ? [utf8Decoder, gbkDecoder] : [utf8Decoder];
  for (const decoder of decoders) {
    try {
      return decoder.decode(raw);
    } catch {
      // Not this charset; the next one, or CP437, in which every byte is a character.
    }
  }
  return yauzl.getFileNameLowLevel(0, raw, [], true);
}

/**
 * Pairs of GBK, at least half of them from GB2312 (both bytes 0xA1 and above), where all everyday characters are. The accented letters of
 * CP437 lie below, at 0x80 to 0xA0, and are followed by ASCII.
 */
function looksLikeGbk(raw: Buffer): boolean {
  let characters = 0;
  let common = 0;
  for (let at = 0; at < raw.length; at++) {
    const lead = raw[at]!;
    if (lead < 0x80) continue;
    const trail = raw[++at];
    if (trail === undefined || trail < 0x40) return false;
    characters++;
    if (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1) common++;
  }
  return common * 2 >= characters;
}
