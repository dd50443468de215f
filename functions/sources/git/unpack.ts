import { inflateSync } from "node:zlib";
import type { AppendFile } from "./append-file.ts";
import { applyDelta, readDeltaHead } from "./apply-delta.ts";
import { type Deadline, damaged, tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { GitObjects, ObjectType } from "./git-objects.ts";
import { packHeadBytes } from "./receive-pack.ts";
import type { ObjectFormat } from "./upload-pack.ts";

export interface UnpackProps {
  readonly pack: AppendFile;
  readonly into: GitObjects;
  readonly format: ObjectFormat;
  readonly host: string;
  readonly deadline: Deadline;
}

const types: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const offsetDelta = 6;
const hashDelta = 7;

/** A delta whose base may not be there yet. It is inflated a second time when it is, because all of them at once could fill the memory. */
interface PendingDelta {
  readonly offset: number;
  readonly dataAt: number;
  /** Of the instructions, inflated. */
  readonly bytes: number;
  readonly compressedBytes: number;
}

/**
 * Reads all objects of a pack: https://git-scm.com/docs/pack-format. Whatever the pack says, no object inflates to more than it claims, claims
 * are held to the limits before anything is allocated, and each object is read once as a base, so time and disk stay in proportion to
 * `gitLimits`. Memory: one object, its base and its delta, and a record for each object.
 * @throws SluiceError repository_damaged, repository_too_large, outbound_timeout
 */
export async function unpack(props: UnpackProps): Promise<void> {
  await new Unpacking(props).run();
}

class Unpacking {
  readonly #props: UnpackProps;
  readonly #window: PackWindow;
  /** Deltas by their base: an offset in the pack or a hash. */
  readonly #pending = new Map<number | string, PendingDelta[]>();
  #pendingCount = 0;
  /** Bases that deltas may be waiting for, by offset and hash. */
  readonly #bases: { offset: number; oid: string }[] = [];

  constructor(props: UnpackProps) {
    this.#props = props;
    this.#window = new PackWindow(props.pack);
  }

  async run(): Promise<void> {
    const { pack, deadline } = this.#props;
    let at = packHeadBytes;
    for (let left = await this.#objectCount(); left > 0; left--) {
      deadline.check();
      at = await this.#readObject(at);
    }
    if (at !== pack.size) throw this.#damaged("pack");
    await this.#resolve();
    // Bases that are not in the pack, or that wait for each other.
    if (this.#pendingCount > 0) throw this.#damaged("missing object");
  }

  async #objectCount(): Promise<number> {
    const head = await this.#props.pack.read(0, packHeadBytes);
    const acceptable =
      head.length === packHeadBytes && head.toString("latin1", 0, 4) === "PACK" && head.readUInt32BE(4) === 2;
    if (!acceptable) throw this.#damaged("pack");
    const count = head.readUInt32BE(8);
    if (count > gitLimits.objects) throw tooLarge(this.#props.host, "objects", gitLimits.objects);
    return count;
  }

  /** @returns where the next object begins */
  async #readObject(offset: number): Promise<number> {
    const { into, format } = this.#props;
    const bytes = await this.#window.from(offset, headBytesMax);
    const head = this.#readHead(bytes);
    into.admit(head.bytes);
    const type = types[head.type];
    if (type !== undefined) {
      const { content, end } = await this.#inflateNext(offset + head.at, head.bytes);
      this.#bases.push({ offset, oid: await into.add(type, content) });
      return end;
    }
    const base = this.#readBase(head, bytes, offset, format === "sha1" ? 20 : 32);
    const dataAt = offset + base.at;
    const { end } = await this.#inflateNext(dataAt, head.bytes);
    const waiting = this.#pending.get(base.of);
    const delta = { offset, dataAt, bytes: head.bytes, compressedBytes: end - dataAt };
    if (waiting) waiting.push(delta);
    else this.#pending.set(base.of, [delta]);
    this.#pendingCount++;
    return end;
  }

  /** Three bits of type, then the size: four bits and seven more a byte, the lowest first. */
  #readHead(bytes: Buffer): { type: number; bytes: number; at: number } {
    const first = bytes[0] ?? 0;
    let size = first & 0x0f;
    let at = 1;
    for (let byte = first, weight = 16; byte & 0x80; weight *= 128) {
      // Four more bytes reach 4 GiB, beyond every limit.
      if (at > 4 || at >= bytes.length) throw this.#damaged("object");
      byte = bytes[at++]!;
      size += (byte & 0x7f) * weight;
    }
    return { type: (first >> 4) & 7, bytes: size, at };
  }

  #readBase(head: { type: number; at: number }, bytes: Buffer, offset: number, hashBytes: number) {
    const after = head.at + hashBytes;
    if (head.type === hashDelta && after <= bytes.length)
      return { of: bytes.toString("hex", head.at, after), at: after };
    if (head.type !== offsetDelta) throw this.#damaged("object");
    // Seven bits a byte, the highest first, and one is added at each step so that no distance can be written in two ways.
    let at = head.at;
    let byte = bytes[at++] ?? 0;
    let distance = byte & 0x7f;
    while (byte & 0x80) {
      if (at >= bytes.length || distance > offset) throw this.#damaged("delta");
      byte = bytes[at++]!;
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    if (distance === 0 || distance > offset) throw this.#damaged("delta");
    return { of: offset - distance, at };
  }

  async #resolve(): Promise<void> {
    const { into } = this.#props;
    for (let base = this.#bases.pop(); base !== undefined; base = this.#bases.pop()) {
      const waiting = [...this.#take(base.offset), ...this.#take(base.oid)];
      if (waiting.length === 0) continue;
      const object = into.any(base.oid)!;
      const content = await into.read(object);
      for (const delta of waiting) {
        this.#props.deadline.check();
        this.#bases.push({ offset: delta.offset, oid: await this.#build(object.type, content, delta) });
      }
      this.#pendingCount -= waiting.length;
    }
  }

  #take(base: number | string): PendingDelta[] {
    const waiting = this.#pending.get(base) ?? [];
    this.#pending.delete(base);
    return waiting;
  }

  async #build(type: ObjectType, base: Buffer, { dataAt, bytes, compressedBytes }: PendingDelta): Promise<string> {
    const { into, pack } = this.#props;
    // Deltas are asked for in any order, so nothing is read around them.
    const { content: delta } = this.#inflate(await pack.read(dataAt, compressedBytes), bytes);
    try {
      const head = readDeltaHead(delta);
      into.admit(head.resultBytes);
      return await into.add(type, applyDelta(base, delta, head));
    } catch (error) {
      throw error instanceof RangeError ? this.#damaged("delta", error) : error;
    }
  }

  async #inflateNext(at: number, bytes: number): Promise<{ content: Buffer; end: number }> {
    const { content, read } = this.#inflate(await this.#window.from(at, compressedBytesMax(bytes)), bytes);
    return { content, end: at + read };
  }

  /** Exactly `bytes` of content, and how many were read for it. */
  #inflate(compressed: Buffer, bytes: number): { content: Buffer; read: number } {
    try {
      // The answer with `info` is not in the declared types. One call: most objects are smaller than what a stream costs.
      const options = { info: true, maxOutputLength: Math.max(bytes, 1) };
      const { buffer, engine } = inflateSync(compressed, options) as unknown as InflateInfo;
      if (buffer.length !== bytes) throw new RangeError("shorter than it claims");
      return { content: buffer, read: engine.bytesWritten };
    } catch (error) {
      throw this.#damaged("object", error);
    }
  }

  #damaged(part: Parameters<typeof damaged>[1], cause?: unknown) {
    return damaged(this.#props.host, part, cause);
  }
}

interface InflateInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Type and size, then a hash or a distance. */
const headBytesMax = 64;

/** zlib adds at most 0.1 % to what it cannot compress; blocks of stored data that somebody flushed often add more. */
const compressedBytesMax = (bytes: number): number => bytes + Math.ceil(bytes / 8) + 1024;

const windowBytes = 1024 * 1024;

/** Reads a pack from its beginning to its end in large pieces. */
class PackWindow {
  readonly #pack: AppendFile;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(pack: AppendFile) {
    this.#pack = pack;
  }

  /** At least `length` bytes from `offset` on, fewer at the end of the pack. The memory is not written to again. */
  async from(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, Math.max(0, this.#pack.size - offset));
    if (offset < this.#start || offset + wanted > this.#start + this.#bytes.length) {
      this.#bytes = await this.#pack.read(offset, Math.max(wanted, windowBytes));
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start);
  }
}
