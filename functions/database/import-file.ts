import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { SluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { parseJson, validate } from "../platform/request.ts";
import { DatabaseFile, fileBytesMax } from "./database-file.ts";

/** A file as it was sent, read and checked: all of it is in order before anything of it is written. */
export interface ReadFile {
  readonly data: DatabaseFile;
  /** Of the bytes that were sent. */
  readonly hash: string;
}

/**
 * Reads what an export has written, plain or packed with gzip: about 4 MB reach a function in one request, which are some 40 MB unpacked.
 * @throws SluiceError payload_too_large, import_not_json, import_without_data, import_of_other_user; ValidationFailed with places and reasons
 */
export function readDatabaseFile(bytes: Buffer, userId: string, language: Language): ReadFile {
  const content = jsonIn(isGzip(bytes) ? unpacked(bytes) : bytes);
  const data = fieldOf(content, "data");
  if (typeof data !== "object" || data === null) throw new SluiceError("import_without_data");
  const of = fieldOf(fieldOf(data, "user"), "id");
  if (typeof of === "string" && of.toLowerCase() !== userId) throw new SluiceError("import_of_other_user");
  const checked = validate(DatabaseFile, content, "file", language);
  return { data: checked.data, hash: hash("sha256", bytes) };
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: fileBytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new SluiceError("payload_too_large", { limit: "50 MB" });
    throw new SluiceError("import_not_json", { reason: (error as Error).message });
  }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    throw new SluiceError("import_not_json", error.fields);
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
