import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentDisposition } from "../../functions/platform/content-disposition.ts";

/** Reads the header as RFC 6266 writes its grammar: two parameters, a quoted string without escapes and an extended value. */
const grammar =
  /^attachment; filename="([\x20\x21\x23-\x5b\x5d-\x7e]*)"; filename\*=UTF-8''((?:%[0-9A-F]{2}|[A-Za-z0-9#$&+.^_`|~-])*)$/;

function read(header: string): { fallback: string; name: string } {
  const [, fallback, encoded] = grammar.exec(header) ?? [];
  if (fallback === undefined || encoded === undefined) throw new Error(`not a Content-Disposition of ours: ${header}`);
  return { fallback, name: decodeURIComponent(encoded) };
}

const given = (name: string) => read(contentDisposition(name, "archive.zip"));

describe("the name of a download", () => {
  it.each([
    ["shop.zip", "shop.zip", "shop.zip"],
    ["源码 v2.zip", "源码 v2.zip", "_ v2.zip"],
    ["源码.zip", "源码.zip", "archive.zip"],
    ["naïve (1)!'*.zip", "naïve (1)!'*.zip", "na_ve (1)!'*.zip"],
    ['a"; filename="evil.exe', 'a"; filename="evil.exe', "a_; filename=_evil.exe"],
    ["a\r\nSet-Cookie: x=1.zip", "aSet-Cookie: x=1.zip", "aSet-Cookie: x=1.zip"],
    ["../../etc/passwd", "_.._etc_passwd", "_.._etc_passwd"],
    ["C:\\x\\y.zip", "C:_x_y.zip", "C:_x_y.zip"],
    ["100%41.zip", "100%41.zip", "100_41.zip"],
    ["invoice\u202epiz.exe", "invoicepiz.exe", "invoicepiz.exe"],
    ["\ud800half.zip", "\ufffdhalf.zip", "_half.zip"],
    ["..", "archive.zip", "archive.zip"],
    [" \u0000 . ", "archive.zip", "archive.zip"],
    ["", "archive.zip", "archive.zip"],
  ])("of %j is %j, for old clients %j", (name, expected, fallback) => {
    expect(given(name)).toEqual({ name: expected, fallback });
  });

  it("keeps its extension and whole characters when it is too long", () => {
    const { name } = given(`${"码".repeat(300)}.zip`);
    expect(name).toBe(`${"码".repeat(65)}.zip`);
    expect(Buffer.byteLength(given(`${"😀".repeat(300)}.tar`).name)).toBeLessThanOrEqual(200);
  });

  it("never breaks the header, chooses a folder, hides its order or grows, whatever it is", () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '"',
          "\\",
          "/",
          "%",
          ";",
          "\r",
          "\n",
          "\0",
          "'",
          "*",
          "(",
          ".",
          " ",
          "\u202e",
          "\u2066",
          "\u2028",
        ),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
        fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      ),
      maxLength: 400,
    });
    fc.assert(
      fc.property(hostile, (text) => {
        const { name, fallback } = given(text);
        expect(name).not.toMatch(/[\p{Cc}\u2028\u202a-\u202e\u2066-\u2069/\\]|^\.|\.$|^$/u);
        expect(fallback).toMatch(/[a-z0-9]/i);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(fallback.length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 2000 },
    );
  });

  it("arrives unchanged when it is an ordinary one", () => {
    const ordinary = fc
      .string({ unit: fc.constantFrom(..."abcXYZ019 -_.()!'*&+~源码é😀"), minLength: 1, maxLength: 40 })
      .map((text) => `a${text}`)
      .filter((text) => !/[\s.]$/u.test(text));
    fc.assert(
      fc.property(ordinary, (text) => {
        expect(given(text).name).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});
