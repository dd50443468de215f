import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32c } from "../../functions/runs/crc32c.ts";
import {
  CorruptSegment,
  decodeRecord,
  decodeSegment,
  footerBytes,
  positionsOf,
  SegmentEncoder,
  type SegmentRecord,
} from "../../functions/runs/segment.ts";

const runId = "018f3a52-7d2c-7cc2-9c3c-1f0f2b3f4a5b";

const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const record: fc.Arbitrary<SegmentRecord> = fc
  .record({
    kind: fc.constantFrom("transition" as const, "interaction" as const),
    payload,
    time: fc.integer({ min: 0, max: 4e12 }),
    producer: fc.string({ unit: "grapheme", maxLength: 20 }),
    seq: fc.option(fc.maxSafeNat()),
    key: fc.string({ maxLength: 20 }),
  })
  .map((one) => ({ ...one, crc: crc32c(one.payload) }));
const records = fc.array(record, { minLength: 1, maxLength: 12 });

function encode(all: readonly SegmentRecord[], first = 7): { encoder: SegmentEncoder; bytes: Buffer } {
  const encoder = new SegmentEncoder({ runId, first });
  for (const one of all) encoder.add(one);
  return { encoder, bytes: encoder.encode() };
}

describe("CRC-32C", () => {
  it.each([
    ["", 0],
    ["123456789", 0xe3069283],
    ["The quick brown fox jumps over the lazy dog", 0x22620404],
  ])("of %j", (text, crc) => {
    expect(crc32c(Buffer.from(text))).toBe(crc);
  });

  it("is the same in one go and piece by piece", () => {
    fc.assert(
      fc.property(payload, payload, (one, two) => {
        expect(crc32c(two, crc32c(one))).toBe(crc32c(Buffer.concat([one, two])));
      }),
    );
  });
});

describe("a segment", () => {
  it("gives back what was put into it, and knows its size before", () => {
    fc.assert(
      fc.property(records, fc.maxSafeNat(), (all, first) => {
        const { encoder, bytes } = encode(all, first);
        expect(bytes.length).toBe(encoder.bytes);
        expect(decodeSegment(bytes)).toEqual({ header: { runId, first }, records: all });
      }),
    );
  });

  it("is read in pieces: the footer by its size, a record by its position", () => {
    fc.assert(
      fc.property(records, (all) => {
        const { bytes } = encode(all);
        const positions = positionsOf(bytes.subarray(-footerBytes(all.length)), { runId, first: 7 });
        const index = all.length - 1;
        const piece = bytes.subarray(positions[index]);
        expect(decodeRecord(piece, 0, index)).toEqual(all[index]);
      }),
    );
  });

  it("is told from one that is cut short, wherever", () => {
    const { bytes } = encode(fc.sample(records, { seed: 5, numRuns: 1 })[0] ?? []);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeSegment(bytes.subarray(0, length))).toThrow(CorruptSegment);
  });

  it("is told from one in which any bit is another", () => {
    fc.assert(
      fc.property(records, fc.nat(), fc.nat(7), (all, place, bit) => {
        const { bytes } = encode(all);
        const at = place % bytes.length;
        bytes[at] = bytes[at]! ^ (1 << bit);
        // The version is under the header's checksum too, so a damaged one is never taken for a newer one.
        expect(() => decodeSegment(bytes)).toThrow(CorruptSegment);
      }),
      { numRuns: 500 },
    );
  });

  it("is not taken for the segment of another run or place", () => {
    const { bytes } = encode(fc.sample(records, { seed: 5, numRuns: 1 })[0] ?? []);
    const { records: all } = decodeSegment(bytes);
    const footer = bytes.subarray(-footerBytes(all.length));
    expect(() => positionsOf(footer, { runId, first: 8 })).toThrow(CorruptSegment);
  });
});
