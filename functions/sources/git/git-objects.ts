import { createHash } from "node:crypto";
import type { AppendFile } from "./append-file.ts";
import { damaged, tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { ObjectFormat } from "./upload-pack.ts";

export type ObjectType = "commit" | "tree" | "blob" | "tag";

export interface GitObject {
  readonly type: ObjectType;
  readonly bytes: number;
  /** Where its content is. */
  readonly at: number;
}

/** Whole objects by the hash of their content, which is computed here and never taken from anybody. The contents lie in a file. */
export class GitObjects {
  readonly #objects = new Map<string, GitObject>();
  readonly #file: AppendFile;
  readonly #format: ObjectFormat;
  readonly #host: string;
  readonly #bytesMax: number;
  #promised = 0;

  /** @param bytesMax of all objects together */
  constructor(file: AppendFile, format: ObjectFormat, host: string, bytesMax: number = gitLimits.contentBytes) {
    this.#file = file;
    this.#format = format;
    this.#host = host;
    this.#bytesMax = bytesMax;
  }

  /**
   * To be called with the size that an object claims, before anything is allocated for it. Objects that come twice count twice, as they cost.
   * @throws SluiceError repository_too_large
   */
  admit(bytes: number): void {
    if (bytes > gitLimits.objectBytes) throw tooLarge(this.#host, "bytes per file", gitLimits.objectBytes);
    this.#promised += bytes;
    if (this.#promised > this.#bytesMax) throw tooLarge(this.#host, "bytes", this.#bytesMax);
  }

  /** @returns the object's hash in hex */
  async add(type: ObjectType, content: Buffer): Promise<string> {
    const oid = createHash(this.#format).update(`${type} ${content.length}\0`).update(content).digest("hex");
    if (!this.#objects.has(oid))
      this.#objects.set(oid, { type, bytes: content.length, at: await this.#file.append(content) });
    return oid;
  }

  /** @throws SluiceError repository_damaged for one that the server did not send, or that is something else */
  find(oid: string, type: ObjectType): GitObject {
    const object = this.#objects.get(oid);
    if (object?.type !== type) throw damaged(this.#host, "missing object");
    return object;
  }

  /** The object of a hash, whatever it is. */
  any(oid: string): GitObject | undefined {
    return this.#objects.get(oid);
  }

  async read({ at, bytes }: GitObject): Promise<Buffer> {
    return this.#file.read(at, bytes);
  }
}
