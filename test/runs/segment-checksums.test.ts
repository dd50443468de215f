import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combinedCrc32 } from "../../functions/runs/crc32-combination.ts";
import { crc32c } from "../../functions/runs/crc32c.ts";
import { crc32Of, type Payload } from "../../functions/runs/payload.ts";
import { decodeSegment, footerBytes, hasChecksum, positionsOf, SegmentEncoder } from "../../functions/runs/segment.ts";

const header = { runId: "018f3a52-7d2c-7cc2-9c3c-1f0f2b3f4a5b", first: 7 };
/** What version 1 wrote: two records, with CRC-32C of their payloads. */
const older =
  "48494c5300010000018f3a527d2c7cc29c3c1f0f2b3f4a5b0000000000000007fdf3b6b38b60af61000000032a94b2e90100000300000000018bcfe56800000000000000000361726d6f6e65127b040a00000000000000000200000000030000018bcfe56800ffffffffffffffff6b2f31000000240000004c0000000200000071bd0c0faf534c4948";

const recordOf = <P extends Payload>(payload: P) => ({
  kind: "transition" as const,
  payload,
  crc: crc32Of(payload),
  checksum: "crc32" as const,
  time: 1,
  producer: "arm",
  seq: 1,
  key: "",
});

describe("CRC-32 of two stretches", () => {
  it("is what it would be of both in one go", () => {
    const bytes = fc.uint8Array({ maxLength: 3000 });
    fc.assert(
      fc.property(bytes, bytes, (one, two) => {
        expect(combinedCrc32(crc32(one), crc32(two), two.length)).toBe(crc32(two, crc32(one)));
      }),
    );
  });

  it.each([65_536, 1_000_000, 8_388_608])("holds for %i bytes", (length) => {
    const [one, two] = [Buffer.from("before"), Buffer.alloc(length, "x")];
    expect(combinedCrc32(crc32(one), crc32(two), length)).toBe(crc32(two, crc32(one)));
  });
});

describe("a segment in pieces", () => {
  it("is the segment, with its checksum, and refers to large payloads", () => {
    const large = Buffer.alloc(200_000, "large");
    const encoder = new SegmentEncoder(header);
    for (const payload of [Buffer.from("a"), large, Buffer.alloc(0), Buffer.alloc(300_000, "b"), Buffer.from("c")])
      encoder.add(recordOf(payload));
    const { pieces, bytes, crc32: crc } = encoder.body();
    const whole = Buffer.concat(pieces);
    expect([whole.length, crc]).toEqual([bytes, crc32(whole)]);
    expect(whole.equals(encoder.encode())).toBe(true);
    expect(pieces).toContain(large);
    expect(decodeSegment(whole).records.map(({ payload }) => payload.length)).toEqual([1, 200_000, 0, 300_000, 1]);
  });

  it("is the same whether payloads came in pieces or as one", () => {
    const payload = fc.array(fc.constantFrom(0, 1, 7, 9000, 70_000), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 5 }), (all) => {
        const payloads = all.map((sizes) => sizes.map((bytes, index) => Buffer.alloc(bytes, `piece ${index}`)));
        const [whole, inPieces] = [new SegmentEncoder(header), new SegmentEncoder(header)];
        for (const pieces of payloads) {
          whole.add(recordOf(Buffer.concat(pieces)));
          inPieces.add(recordOf(pieces));
        }
        const body = inPieces.body();
        const bytes = Buffer.concat(body.pieces);
        expect(bytes.equals(whole.encode())).toBe(true);
        expect([body.bytes, body.crc32]).toEqual([bytes.length, crc32(bytes)]);
        for (const pieces of payloads) expect(hasChecksum(recordOf(pieces), crc32c(Buffer.concat(pieces)))).toBe(true);
      }),
    );
  });

  it("of records with either checksum keeps each", () => {
    const encoder = new SegmentEncoder(header);
    const payload = Buffer.alloc(100_000, "p");
    const { checksum: _, ...before } = recordOf(payload);
    const records = [{ ...before, crc: crc32c(payload) }, recordOf(payload)];
    for (const record of records) encoder.add(record);
    const { pieces, crc32: crc } = encoder.body();
    expect(crc).toBe(crc32(Buffer.concat(pieces)));
    expect(decodeSegment(Buffer.concat(pieces)).records).toEqual(records);
  });
});

describe("what version 1 has written", () => {
  it("is read, whole and by its footer", () => {
    const bytes = Buffer.from(older, "hex");
    const { header: found, records } = decodeSegment(bytes);
    expect(found).toEqual(header);
    expect(records.map(({ payload, seq, key }) => [payload.toString(), seq, key])).toEqual([
      ["one", 3, ""],
      ["", null, "k/1"],
    ]);
    expect(positionsOf(bytes.subarray(-footerBytes(2)), header)).toHaveLength(2);
  });

  it("is known again by its checksum when it is sent once more", () => {
    const record = recordOf(Buffer.from("one"));
    expect(hasChecksum(record, crc32c(record.payload))).toBe(true);
    expect(hasChecksum(record, record.crc)).toBe(true);
    expect(hasChecksum(record, 1)).toBe(false);
  });
});
