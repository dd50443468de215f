import type { ItemKind } from "../../functions/runs/run.ts";

/**
 * The wire form of the five messages. A library would do, but protobufjs refuses a known field with another wire type, which protobuf says
 * to skip, and copies payloads; here a payload is a view of what was received.
 */

/** Bytes that are no protobuf message. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

/** The members of ActorInformation by the kind of item that they carry: the numbers of their fields. */
const members: Readonly<Record<ItemKind, number>> = { transition: 1, interaction: 2 };
const kindOfMember: Readonly<Record<number, ItemKind>> = { 1: "transition", 2: "interaction" };

/**
 * Reads Transition, InteractionMessage or Parameters, which all have their bytes in field 1. Unknown fields are skipped, the last of
 * repeated fields wins.
 * @returns a view of `message`, empty when the field is not there
 * @throws MalformedMessage
 */
export function decodePayload(message: Buffer): Buffer {
  let payload = message.subarray(0, 0);
  for (const field of fieldsOf(message)) if (field.number === 1 && field.bytes) payload = field.bytes;
  return payload;
}

/**
 * Reads the same of a message in pieces. One that is a field and nothing else, as every client writes them, is not put together.
 * @returns views of the pieces
 * @throws MalformedMessage
 */
export function decodePieces(message: readonly Buffer[]): readonly Buffer[] {
  const [first, ...more] = message;
  if (!first || more.length === 0) return [decodePayload(first ?? encodedEmpty)];
  const head = headOf(1, message.reduce((sum, { length }) => sum + length, 0) - headBytesOf(first));
  const isPlain = head.length <= first.length && head.equals(first.subarray(0, head.length));
  if (!isPlain) return [decodePayload(Buffer.concat(message))];
  return [first.subarray(head.length), ...more].filter(({ length }) => length > 0);
}

/** Bytes of the tag and the length that a message begins with. */
const headBytesOf = (message: Buffer): number => message.findIndex((byte, at) => at > 0 && byte < 0x80) + 1;

/**
 * Reads Empty: any well-formed message is one.
 * @throws MalformedMessage
 */
export function decodeEmpty(message: Buffer): void {
  for (const _ of fieldsOf(message));
}

export const encodedEmpty = Buffer.alloc(0);

/** Writes Transition, InteractionMessage or Parameters. An empty payload is the default value, so it is not on the wire. */
export const encodePayload = (payload: Buffer): Buffer =>
  payload.length === 0 ? encodedEmpty : Buffer.concat([headOf(1, payload.length), payload]);

/** Writes ActorInformation. */
export const encodeActorInformation = (kind: ItemKind, payload: Buffer): Buffer =>
  // One copy of the payload, however many layers it is wrapped in.
  Buffer.concat([...actorInformationHeads(kind, payload), payload]);

/** What stands before the payload in ActorInformation. The member is there even when its payload is empty: the member tells the kind. */
export function actorInformationHeads(kind: ItemKind, payload: Buffer): [outer: Buffer, inner: Buffer] {
  const inner = payload.length === 0 ? encodedEmpty : headOf(1, payload.length);
  return [headOf(members[kind], inner.length + payload.length), inner];
}

/**
 * Reads ActorInformation; of several members the last wins, as protobuf has it for a oneof.
 * @returns null when neither member that we know is there
 * @throws MalformedMessage
 */
export function decodeActorInformation(message: Buffer): { kind: ItemKind; payload: Buffer } | null {
  let found: { kind: ItemKind; payload: Buffer } | null = null;
  for (const { number, bytes } of fieldsOf(message)) {
    const kind = kindOfMember[number];
    if (!kind || !bytes) continue;
    // The same member twice is merged: a part without the field does not take away what an earlier part has set.
    const merged: Buffer = found?.kind === kind ? Buffer.concat([encodePayload(found.payload), bytes]) : bytes;
    found = { kind, payload: decodePayload(merged) };
  }
  return found;
}

interface Field {
  readonly number: number;
  /** The content of a length-delimited field; other wire types are skipped, whatever their number. */
  readonly bytes: Buffer | null;
}

const wireType = { varint: 0, fixed64: 1, lengthDelimited: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;
/** As in Google's parsers: deeper ones have no purpose but to make a parser work. */
const groupsMax = 100;

function* fieldsOf(message: Buffer): Generator<Field> {
  const reader = new Reader(message);
  while (!reader.atEnd) {
    const { number, type } = reader.tag();
    if (type === wireType.lengthDelimited) yield { number, bytes: reader.bytes() };
    else {
      reader.skip(number, type);
      yield { number, bytes: null };
    }
  }
}

class Reader {
  readonly #message: Buffer;
  #at = 0;

  constructor(message: Buffer) {
    this.#message = message;
  }

  get atEnd(): boolean {
    return this.#at === this.#message.length;
  }

  tag(): { number: number; type: number } {
    const tag = this.varint();
    const number = Math.floor(tag / 8);
    // A tag has 32 bits, of which three are the wire type.
    if (number === 0 || number >= 2 ** 29) throw new MalformedMessage(`no field has the number ${number}`);
    return { number, type: tag % 8 };
  }

  bytes(): Buffer {
    const length = this.varint();
    this.#advance(length);
    return this.#message.subarray(this.#at - length, this.#at);
  }

  skip(number: number, type: number): void {
    const open: number[] = [];
    for (let field = { number, type }; ; field = this.tag()) {
      if (field.type === wireType.startGroup) {
        if (open.push(field.number) > groupsMax) throw new MalformedMessage("groups are nested too deep");
      } else if (field.type === wireType.endGroup) {
        if (open.pop() !== field.number) throw new MalformedMessage("a group ends that did not begin");
      } else this.#skipValue(field.type);
      if (open.length === 0) return;
    }
  }

  #skipValue(type: number): void {
    if (type === wireType.varint) this.varint();
    else if (type === wireType.fixed64) this.#advance(8);
    else if (type === wireType.fixed32) this.#advance(4);
    else if (type === wireType.lengthDelimited) this.bytes();
    else throw new MalformedMessage(`there is no wire type ${type}`);
  }

  /** Up to ten bytes, as protobuf allows, needed or not. Exact below 2^53; above, no length and no tag is valid anyway. */
  varint(): number {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = this.#message[this.#at];
      if (byte === undefined) throw new MalformedMessage("the message is cut short");
      this.#at++;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage("a number has more than ten bytes");
  }

  #advance(length: number): void {
    if (length > this.#message.length - this.#at) throw new MalformedMessage("the message is cut short");
    this.#at += length;
  }
}

/** Tag and length of a length-delimited field. */
function headOf(number: number, length: number): Buffer {
  const head = [number * 8 + wireType.lengthDelimited];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) head.push((rest % 0x80) + 0x80);
  return Buffer.from([...head, rest]);
}
