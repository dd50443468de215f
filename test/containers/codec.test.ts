import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeActorInformation,
  decodeEmpty,
  decodePayload,
  decodePieces,
  encodeActorInformation,
  encodePayload,
  MalformedMessage,
} from "../../containers/grpc/codec.ts";
import { definitions } from "./plain-client.ts";

const { SendTransition } = definitions.LearnerService;
const { StreamTransition } = definitions.ActorService;

const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const text = (buffer: Buffer) => buffer.toString("hex");

describe("against protobufjs", () => {
  it("payloads are the same on the wire and read alike", () => {
    fc.assert(
      fc.property(bytes, (payload) => {
        // Asked to, protobufjs writes an empty field that canonical protobuf leaves out.
        const theirs = SendTransition.requestSerialize({ transition_bytes: payload });
        expect(text(decodePayload(theirs))).toBe(text(payload));
        const canonical = SendTransition.requestSerialize(payload.length > 0 ? { transition_bytes: payload } : {});
        expect(text(encodePayload(payload))).toBe(text(canonical));
      }),
    );
  });

  it("actor information is the same on the wire and keeps its member, also an empty one", () => {
    const member = { transition: "transition", interaction: "interaction_message" } as const;
    const field = { transition: "transition_bytes", interaction: "interaction_message_bytes" } as const;
    fc.assert(
      fc.property(fc.constantFrom("transition", "interaction"), bytes, (kind, payload) => {
        const ours = encodeActorInformation(kind, payload);
        const inner = { [field[kind]]: payload };
        const name = member[kind];
        expect(StreamTransition.responseDeserialize(ours)).toEqual({ data: name, [name]: inner });
        const theirs = StreamTransition.responseSerialize({ [name]: payload.length > 0 ? inner : {} });
        expect(text(ours)).toBe(text(theirs));
        expect(decodeActorInformation(theirs)).toEqual({ kind, payload });
      }),
    );
  });

  it("a payload of every length class comes back whole", () => {
    for (const length of [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
      const payload = Buffer.alloc(length, 7);
      expect(decodePayload(encodePayload(payload)).equals(payload)).toBe(true);
    }
  });
});

describe("a message in pieces", () => {
  const cut = (message: Buffer, at: readonly number[]): Buffer[] => {
    const places = [0, ...at.map((place) => place % (message.length + 1)).sort((a, b) => a - b), message.length];
    return places.slice(1).map((end, index) => message.subarray(places[index], end));
  };
  const cuts = fc.array(fc.nat(), { maxLength: 5 });

  it("is read as the whole of it, whatever it is", () => {
    const messages = fc.oneof(
      bytes.map(encodePayload),
      fc.tuple(bytes, bytes).map(([a, b]) => Buffer.concat([a, b])),
      bytes,
    );
    fc.assert(
      fc.property(messages, cuts, (message, at) => {
        const read = (decode: () => Buffer) => {
          try {
            return text(decode());
          } catch (error) {
            return (error as Error).message;
          }
        };
        expect(read(() => Buffer.concat(decodePieces(cut(message, at))))).toBe(read(() => decodePayload(message)));
      }),
    );
  });

  it.each([
    ["with another field behind the payload", "0a 02 6162 1a 01 63", "6162"],
    ["with the payload twice", "0a 01 61 0a 01 62", "62"],
    ["with a length that has more bytes than it needs", "0a 82 80 00 6162", "6162"],
  ])("is put together %s", (_, message, payload) => {
    for (let at = 1; at < hex(message).length; at++)
      expect(text(Buffer.concat(decodePieces(cut(hex(message), [at]))))).toBe(payload);
  });

  it("stays as it is when it is a payload and nothing else", () => {
    const [first, second] = cut(encodePayload(Buffer.alloc(100_000, "p")), [65_536]) as [Buffer, Buffer];
    const pieces = decodePieces([first, second]);
    expect(pieces).toHaveLength(2);
    expect([pieces[0]!.buffer, pieces[1]]).toEqual([first.buffer, second]);
    expect(Buffer.concat(pieces).equals(Buffer.alloc(100_000, "p"))).toBe(true);
  });
});

describe("what protobuf allows", () => {
  it.each([
    ["an empty message", "", ""],
    ["an unknown length-delimited field", "1a 02 6869  0a 01 61", "61"],
    ["an unknown varint", "18 96 01  0a 01 61", "61"],
    ["an unknown fixed64", "19 0102030405060708  0a 01 61", "61"],
    ["an unknown fixed32", "1d 01020304  0a 01 61", "61"],
    ["an unknown group with a group in it", "1b 0a 01 62 23 24 1c  0a 01 61", "61"],
    ["the known number as varint", "08 01  0a 01 61", "61"],
    ["the known number as varint, after the value", "0a 01 61  08 01", "61"],
    ["the known number as fixed64", "09 0102030405060708  0a 01 61", "61"],
    ["the known number as fixed32", "0d 01020304  0a 01 61", "61"],
    ["the known number as a group", "0b 0c  0a 01 61", "61"],
    ["the field twice: the last wins", "0a 01 61  0a 02 6263", "6263"],
    ["the field twice: the last wins, also when it is empty", "0a 01 61  0a 00", ""],
    ["an overlong length", "0a 81 80 80 80 80 80 80 80 80 00 61", "61"],
    ["an overlong tag", "8a 80 00 01 61", "61"],
    ["the largest field number", "fa ff ff ff 0f 00  0a 01 61", "61"],
  ])("%s", (_, message, payload) => {
    expect(text(decodePayload(hex(message)))).toBe(payload);
  });

  it("members of actor information: the last wins, the same one is merged, others are nobody's", () => {
    const information = (message: string) => decodeActorInformation(hex(message));
    expect(information("0a 03 0a 01 61  12 03 0a 01 62")).toEqual({
      kind: "interaction",
      payload: hex("62"),
    });
    expect(information("0a 03 0a 01 61  0a 00")).toEqual({ kind: "transition", payload: hex("61") });
    expect(information("1a 00")).toBeNull();
  });
});

describe("what is no message", () => {
  const malformed = [
    ["a length beyond the end", "0a 02 61"],
    ["a length beyond every end", "0a ff ff ff ff ff ff ff ff ff 01"],
    ["a number without an end", "0a 80"],
    ["a number of eleven bytes", "08 80 80 80 80 80 80 80 80 80 80 00"],
    ["field number zero", "02 00"],
    ["a field number beyond 29 bits", "82 80 80 80 10 00"],
    ["wire type 6", "0e"],
    ["wire type 7", "0f"],
    ["the end of no group", "0c"],
    ["a group that another ends", "0b 14"],
    ["a group without an end", "0b"],
    ["a fixed64 cut short", "09 01"],
    ["groups a hundred and one deep", `${"0b".repeat(101)}${"0c".repeat(101)}`],
  ] as const;

  it.each(malformed)("%s", (_, message) => {
    expect(() => decodePayload(hex(message))).toThrow(MalformedMessage);
    expect(() => decodeEmpty(hex(message))).toThrow(MalformedMessage);
    expect(() => decodeActorInformation(hex(message))).toThrow(MalformedMessage);
  });

  it("random bytes are read or refused, never anything else", () => {
    fc.assert(
      fc.property(bytes, (message) => {
        try {
          expect(decodePayload(message).length).toBeLessThanOrEqual(message.length);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
    );
  });
});
