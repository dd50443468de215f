import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { AppendFile } from "./append-file.ts";

interface Record {
  readonly name: Buffer;
  readonly bytes: number;
  readonly crc: number;
  readonly at: number;
}

const utf8Flag = 0x0800;
const unix = 3;
const regularFile = 0o100644;
/** 1 January 1980, the first day of DOS: the same files make the same archive. */
const dosDate = 0x0021;
const manyEntries = 0xffff;

/**
 * Writes a ZIP without compression, one file after the other (APPNOTE 6.3): it lives as long as it takes to read it, and compressing
 * 500 MB for that would cost more than all the rest. Memory: names and places. Files and the archive stay below 4 GiB by the caller's limits.
 */
export class ZipWriter {
  readonly #file: AppendFile;
  readonly #records: Record[] = [];

  constructor(file: AppendFile) {
    this.#file = file;
  }

  async add(name: Buffer, content: Buffer): Promise<void> {
    const record = { name, bytes: content.length, crc: crc32(content), at: this.#file.size };
    this.#records.push(record);
    const head = Buffer.alloc(30);
    head.write("PK\x03\x04", "latin1");
    writeShared(head, 4, record);
    await this.#file.append(head);
    await this.#file.append(name);
    await this.#file.append(content);
  }

  async end(): Promise<void> {
    const directoryAt = this.#file.size;
    for (const record of this.#records) {
      const head = Buffer.alloc(46);
      head.write("PK\x01\x02", "latin1");
      head.writeUInt16LE((unix << 8) | 20, 4);
      writeShared(head, 6, record);
      head.writeUInt32LE(regularFile * 0x10000, 38);
      head.writeUInt32LE(record.at, 42);
      await this.#file.append(head);
      await this.#file.append(record.name);
    }
    await this.#writeEnd(directoryAt, this.#file.size - directoryAt);
  }

  async #writeEnd(directoryAt: number, directoryBytes: number): Promise<void> {
    const count = this.#records.length;
    if (count >= manyEntries) await this.#file.append(end64(count, directoryAt, directoryBytes));
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", "latin1");
    end.writeUInt16LE(Math.min(count, manyEntries), 8);
    end.writeUInt16LE(Math.min(count, manyEntries), 10);
    end.writeUInt32LE(directoryBytes, 12);
    end.writeUInt32LE(directoryAt, 16);
    await this.#file.append(end);
    await this.#file.flush();
  }
}

/** What a local and a central header have in common, from "version needed" on. */
function writeShared(head: Buffer, at: number, { name, bytes, crc }: Record): void {
  head.writeUInt16LE(20, at);
  head.writeUInt16LE(isUtf8(name) ? utf8Flag : 0, at + 2);
  head.writeUInt16LE(dosDate, at + 8);
  head.writeUInt32LE(crc, at + 10);
  head.writeUInt32LE(bytes, at + 14);
  head.writeUInt32LE(bytes, at + 18);
  head.writeUInt16LE(name.length, at + 22);
}

/** The zip64 end record and its locator, for more files than the classic record can count. */
function end64(count: number, directoryAt: number, directoryBytes: number): Buffer {
  const record = Buffer.alloc(76);
  record.write("PK\x06\x06", "latin1");
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE((unix << 8) | 45, 12);
  record.writeUInt16LE(45, 14);
  for (const at of [24, 32]) record.writeBigUInt64LE(BigInt(count), at);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(directoryAt), 48);
  record.write("PK\x06\x07", 56, "latin1");
  record.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 64);
  record.writeUInt32LE(1, 72);
  return record;
}
