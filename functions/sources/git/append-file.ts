import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../archive/byte-source.ts";

/** Thousands of small objects become one write. */
const bufferBytes = 1024 * 1024;

/** A file that grows at its end and can be read at any place, also what is not written yet. */
export class AppendFile {
  readonly #file: FileHandle;
  #written = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get size(): number {
    return this.#written + this.#waitingBytes;
  }

  /** @returns where the bytes are. They must not change afterwards. */
  async append(bytes: Buffer): Promise<number> {
    const at = this.size;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= bufferBytes) await this.flush();
    return at;
  }

  async flush(): Promise<void> {
    if (this.#waitingBytes === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#written);
      done += bytesWritten;
      this.#written += bytesWritten;
    }
  }

  /** Up to `length` bytes from `offset`; fewer only at the end. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (offset + length > this.#written) await this.flush();
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const target = Buffer.allocUnsafe(wanted);
    for (let done = 0; done < wanted; ) {
      const { bytesRead } = await this.#file.read(target, done, wanted - done, offset + done);
      if (bytesRead === 0) throw new Error(`the file ends at ${offset + done}, ${wanted - done} bytes early`);
      done += bytesRead;
    }
    return target;
  }

  asSource(): ByteSource {
    return { size: this.size, read: (offset, length) => this.read(offset, length) };
  }
}
