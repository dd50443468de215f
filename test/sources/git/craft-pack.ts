import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { ObjectType } from "../../../functions/sources/git/git-objects.ts";
import { PacketReader } from "../../../functions/sources/git/packet-reader.ts";
import { type Transport, UploadPack } from "../../../functions/sources/git/upload-pack.ts";

/** Packs as no git writes them: every field can lie. */
const numbers = { commit: 1, tree: 2, blob: 3, tag: 4, offsetDelta: 6, hashDelta: 7 } as const;

export const sha1 = (bytes: Buffer): Buffer => createHash("sha1").update(bytes).digest();

export const oidOf = (type: ObjectType, content: Buffer): string =>
  sha1(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])).toString("hex");

/** An object as it stands in a pack. `claims` is the size that its head says. */
export function packed(
  type: keyof typeof numbers,
  content: Buffer,
  { claims = content.length, base = Buffer.alloc(0), data = deflateSync(content) } = {},
): Buffer {
  const head = [(numbers[type] << 4) | (claims & 0x0f)];
  for (let left = Math.floor(claims / 16); left > 0; left = Math.floor(left / 128)) {
    head[head.length - 1]! |= 0x80;
    head.push(left & 0x7f);
  }
  return Buffer.concat([Buffer.from(head), base, data]);
}

/** A pack of these objects; the checksum is right unless another is given. */
export function packOf(
  objects: readonly Buffer[],
  { count = objects.length, version = 2, checksum = sha1 } = {},
): Buffer {
  const head = Buffer.from("PACK........", "latin1");
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...objects]);
  return Buffer.concat([body, checksum(body)]);
}

export const treeOf = (...entries: readonly (readonly [mode: string, name: string | Buffer, oid: string])[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, "hex"),
    ]),
  );

export const commitOf = (tree: Buffer | string): Buffer =>
  Buffer.from(`tree ${typeof tree === "string" ? tree : oidOf("tree", tree)}\nauthor a <a@b> 0 +0000\n\nx\n`);

/** Seven bits a byte, the lowest first. */
const size = (value: number): number[] =>
  value < 128 ? [value] : [(value & 0x7f) | 0x80, ...size(Math.floor(value / 128))];

/** A delta from its sizes and instructions. */
export const delta = (baseBytes: number, resultBytes: number, ...instructions: readonly number[]): Buffer =>
  Buffer.from([...size(baseBytes), ...size(resultBytes), ...instructions]);

export const insert = (text: string): number[] => [text.length, ...Buffer.from(text)];

/** Copies up to 16 MiB from a place below 256. */
export const copy = (from: number, length: number): number[] => [
  0xf1,
  from,
  length & 0xff,
  (length >> 8) & 0xff,
  (length >> 16) & 0xff,
];

const packet = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, "0")), content]);

/** A server of version 2 that sends this pack, whatever is asked for. */
export async function serverOf(pack: Buffer): Promise<UploadPack> {
  const bands: Buffer[] = [];
  for (let at = 0; at < pack.length; at += 60_000)
    bands.push(packet(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 60_000)])));
  const answers = [
    Buffer.concat([packet(Buffer.from("version 2\n")), packet(Buffer.from("fetch=shallow\n")), Buffer.from("0000")]),
    Buffer.concat([packet(Buffer.from("packfile\n")), ...bands, Buffer.from("0000")]),
  ];
  const say = async <T>(read: (answer: PacketReader) => Promise<T>) =>
    read(new PacketReader(chunksOf(answers.shift()!), "git.test"));
  const transport: Transport = {
    host: "git.test",
    greeting: (_, read) => say(read),
    ask: (_, __, read) => say(read),
  };
  return UploadPack.open(transport);
}

/** In pieces that fit nothing, as a network brings them. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 9973) yield bytes.subarray(at, at + 9973);
}
