import { SluiceError } from "../../platform/errors.ts";
import { uint64 } from "./end-record.ts";
import { archiveLimits } from "./limits.ts";

/** The two extra fields that change what a record means; all others (times, owners, padding) are skipped. */
export interface ExtraFields {
  readonly zip64?: Buffer;
  readonly unicodePath?: Buffer;
}

const zip64Id = 0x0001;
const unicodePathId = 0x7075;

/**
 * Reads the extra fields of a local or central record. Up to three bytes may be left over: aligning tools pad with them and no reader sees
 * a field there.
 * @throws zip_entry_extra when fields overrun, are oversized, or one that changes the meaning comes twice
 */
export function readExtraFields(extra: Buffer, entry: string): ExtraFields {
  const refuse = () => new SluiceError("zip_entry_extra", { entry });
  if (extra.length > archiveLimits.extraBytes) throw refuse();
  const found: { zip64?: Buffer; unicodePath?: Buffer } = {};
  for (let at = 0; at + 4 <= extra.length; ) {
    const id = extra.readUInt16LE(at);
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) throw refuse();
    const meaning = id === zip64Id ? "zip64" : id === unicodePathId ? "unicodePath" : undefined;
    if (meaning !== undefined) {
      if (found[meaning] !== undefined) throw refuse();
      found[meaning] = extra.subarray(at + 4, end);
    }
    at = end;
  }
  return found;
}

/**
 * Replaces the values that say "see zip64" (all ones) by those of the zip64 field, in order, as APPNOTE 4.5.3 has it.
 * Some tools repeat values that were not all ones; they must then be the same.
 * @throws zip_entry_extra when the field is too short or says something else than the header
 */
export function resolveZip64(zip64: Buffer | undefined, values: readonly number[], entry: string): number[] {
  if (zip64 === undefined) return [...values];
  const refuse = () => new SluiceError("zip_entry_extra", { entry });
  let at = 0;
  const next = () => {
    if (at + 8 > zip64.length) throw refuse();
    at += 8;
    return uint64(zip64, at - 8);
  };
  const resolved = values.map((value) => (value === 0xffffffff ? next() : value));
  if (at === 0) {
    for (const value of values.slice(0, Math.floor(zip64.length / 8))) if (next() !== value) throw refuse();
  }
  // What may still follow is the number of the disk, and there is only disk 0.
  const rest = zip64.subarray(at);
  if (rest.length !== 0 && !(rest.length === 4 && rest.readUInt32LE(0) === 0)) throw refuse();
  return resolved;
}
