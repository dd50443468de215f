import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonArray, jsonLines } from "../../lib/local/states/json-stream.ts";

/** The bytes in chunks cut at the given places, also in the middle of a character. */
async function* chunks(bytes: Uint8Array, cuts: number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index++) yield bytes.subarray(places[index - 1], places[index]);
}

const read = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
  const values: unknown[] = [];
  for await (const item of items) values.push(item);
  return values;
};
const bytesOf = (text: string) => new TextEncoder().encode(text);
const array = fc.array(fc.jsonValue({ stringUnit: "binary" }));
const cuts = fc.array(fc.nat(1000), { maxLength: 20 });

describe("a JSON array", () => {
  it("has the elements that JSON.parse finds, however it is indented and cut", async () => {
    await fc.assert(
      fc.asyncProperty(array, fc.nat(3), cuts, async (values, indent, at) => {
        const text = JSON.stringify(values, null, indent);
        expect(await read(jsonArray(chunks(bytesOf(text), at)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("is refused exactly where JSON.parse refuses it", async () => {
    const scraps = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      ",",
      '"',
      "\\",
      '"a"',
      "1",
      "null",
      ":",
      " ",
      '"k":2',
      "[1]",
      "{}",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(scraps, { maxLength: 8 }), cuts, async (parts, at) => {
        const text = `[${parts.join("")}]`;
        let expected: unknown = "refused";
        try {
          expected = JSON.parse(text);
        } catch {}
        const actual = await read(jsonArray(chunks(bytesOf(text), at))).catch(() => "refused");
        expect(actual).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("is refused when it is no UTF-8, or an element has no end", async () => {
    await expect(read(jsonArray(chunks(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]), [])))).rejects.toThrow();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytesOf('["');
      for (;;) yield bytesOf("x".repeat(1024 * 1024));
    }
    await expect(read(jsonArray(endless()))).rejects.toThrow("longer than");
    await expect(read(jsonLines(endless()))).rejects.toThrow("longer than");
  });
});

it("reads JSON Lines however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(array, fc.constantFrom("\n", "\r\n", "\n\n"), cuts, async (values, end, at) => {
      const text = values.map((value) => JSON.stringify(value)).join(end);
      const expected = values.map((value) => JSON.parse(JSON.stringify(value)));
      expect(await read(jsonLines(chunks(bytesOf(text), at)))).toEqual(expected);
    }),
  );
});
