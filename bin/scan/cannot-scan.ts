import type { Fields, Say, TextKey } from "./texts.ts";

/** The scan could not be done, and the user can understand why: exit code 2. */
export class CannotScan extends Error {
  readonly key: TextKey;
  readonly fields: Fields;

  constructor(key: TextKey, fields: Fields = {}, cause?: unknown) {
    super(key, cause === undefined ? undefined : { cause });
    this.name = "CannotScan";
    this.key = key;
    this.fields = fields;
  }

  sentence(say: Say): string {
    return say(this.key, this.fields);
  }
}

/** What the operating system says about a failed file operation, without the path: the sentence around it names that already. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && systemReasons[code]) ?? code ?? message;
}

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "no such file or folder",
  ENOTDIR: "not a folder",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name of the host could not be resolved",
  ETIMEDOUT: "no answer in time",
};
