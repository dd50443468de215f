import { crc32, deflateRawSync } from "node:zlib";
import JSZip from "jszip";
import { describe, expect, it } from "vitest";
import { SluiceError } from "../../functions/platform/errors.ts";
import { bufferSource } from "../../functions/sources/archive/byte-source.ts";
import { checkArchive } from "../../functions/sources/archive/check-archive.ts";
import { archiveLimits } from "../../functions/sources/archive/limits.ts";
import { buildManifest } from "../../functions/sources/archive/manifest.ts";
import { type CraftedArchive, craftArchive, descriptorOf, extraField, unicodePath } from "./craft-archive.ts";

/** @returns the refusal of an archive; fails when it is accepted or fails in another way */
async function refusalOf(bytes: Buffer): Promise<SluiceError> {
  const outcome = await buildManifest(bufferSource(bytes)).catch((error) => error);
  expect(outcome).toBeInstanceOf(SluiceError);
  return outcome;
}

type Case = readonly [
  what: string,
  code: string,
  named: string,
  archive: CraftedArchive | Buffer | (() => Promise<Buffer>),
];

const plain = { name: "src/app.js", content: "console.log(1);\n" };
const one = craftArchive({ entries: [plain] });
const zeros = (bytes: number) => Buffer.alloc(bytes);
const link = { attributes: 0xa1ff0000 };

const cases: Record<string, Case[]> = {
  "names that leave the tree": [
    ["parent segments", "zip_entry_escapes", "a/../../b.js", { entries: [{ name: "a/../../b.js" }] }],
    ["an absolute path", "zip_entry_escapes", "/etc/passwd", { entries: [{ name: "/etc/passwd" }] }],
    ["a drive", "zip_entry_escapes", "C:/x.js", { entries: [{ name: "C:/x.js" }] }],
    ["a drive behind a dot segment", "zip_entry_escapes", "./C:/x.js", { entries: [{ name: "./C:/x.js" }] }],
    ["backslashes", "zip_entry_escapes", "..\\b.js", { entries: [{ name: "..\\b.js" }] }],
    ["a UNC path", "zip_entry_escapes", "\\\\host\\share", { entries: [{ name: "\\\\host\\share" }] }],
    [
      "a Unicode path field",
      "zip_entry_escapes",
      "ok.js",
      { entries: [{ name: "ok.js", extra: unicodePath("../evil.js", "ok.js") }] },
    ],
    [
      "the raw name under a harmless Unicode path field",
      "zip_entry_escapes",
      "../evil.js",
      { entries: [{ name: "../evil.js", extra: unicodePath("ok.js", "../evil.js") }] },
    ],
    [
      "a separator that GBK hides in a character",
      "zip_entry_escapes",
      "测试誠..",
      { entries: [{ name: Buffer.from([0xb2, 0xe2, 0xca, 0xd4, 0xd5, 0x5c, 0x2e, 0x2e, 0x5c, 0x61]) }] },
    ],
  ],
  "names that are none": [
    ["NUL", "zip_entry_name", "a", { entries: [{ name: "a.js\0.txt" }] }],
    ["an escape sequence", "zip_entry_name", "a", { entries: [{ name: "a\x1b[2J.js" }] }],
    ["a C1 control", "zip_entry_name", "a", { entries: [{ name: "a\u009b2J.js", flags: 0x800 }] }],
    // Readers of CP437 show the low bytes as symbols; a terminal does not.
    [
      "a control byte in CP437",
      "zip_entry_name",
      "caf",
      { entries: [{ name: Buffer.from("caf\x82\x1b.js", "latin1") }] },
    ],
    ["nothing", "zip_entry_name", "#1", { entries: [{ name: "" }] }],
    ["1,025 bytes", "zip_entry_name_too_long", "aaa", { entries: [{ name: "a".repeat(1025) }] }],
    ["65 levels", "zip_entry_too_deep", "a/a/a", { entries: [{ name: `${"a/".repeat(64)}a` }] }],
    [
      "overlong UTF-8",
      "zip_entry_charset",
      "",
      { entries: [{ name: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]), flags: 0x800 }] },
    ],
    [
      "a lone surrogate",
      "zip_entry_charset",
      "",
      { entries: [{ name: Buffer.from([0xed, 0xa0, 0x80]), flags: 0x800 }] },
    ],
  ],
  "links and special files": [
    ["a symbolic link", "zip_symlink", "link", { entries: [{ name: "link", content: "/etc/passwd", central: link }] }],
    [
      "a link that claims to come from DOS",
      "zip_symlink",
      "link",
      { entries: [{ name: "link", content: "../..", central: { ...link, madeBy: 20 } }] },
    ],
    ["a pipe", "zip_special_file", "pipe", { entries: [{ name: "pipe", central: { attributes: 0x11a40000 } }] }],
    ["a device", "zip_special_file", "dev", { entries: [{ name: "dev", central: { attributes: 0x21a40000 } }] }],
    [
      "a link made by jszip",
      "zip_symlink",
      "link",
      () =>
        new JSZip()
          .file("link", "target", { unixPermissions: 0o120777 })
          .generateAsync({ type: "nodebuffer", platform: "UNIX" }),
    ],
  ],
  bombs: [
    [
      "a high ratio",
      "zip_bomb_ratio",
      "zeros.js",
      () =>
        new JSZip().file("zeros.js", zeros(9_000_000)).generateAsync({ type: "nodebuffer", compression: "DEFLATE" }),
    ],
    [
      "a high ratio over many members",
      "zip_total_ratio",
      "100",
      { entries: ["a", "b"].map((name) => ({ name, content: zeros(5_000_000) })) },
    ],
    [
      "an entry that declares 256 MiB and a byte",
      "zip_entry_too_large",
      "huge.js",
      { entries: [{ name: "huge.js", central: { bytes: archiveLimits.entryBytes + 1 } }] },
    ],
    [
      "five entries that declare more than 1 GiB together",
      "zip_total_too_large",
      "1342177280",
      {
        entries: ["a", "b", "c", "d", "e"].map((name) => ({
          name,
          central: { bytes: archiveLimits.entryBytes, compressedBytes: archiveLimits.entryBytes },
        })),
      },
    ],
    [
      "content that is longer than both headers say, in one piece",
      "zip_size_mismatch",
      "liar.js",
      { entries: [{ name: "liar.js", content: "a", data: deflateRawSync(zeros(100_000)) }] },
    ],
    [
      "content that is longer than both headers say, streamed",
      "zip_size_mismatch",
      "liar.js",
      { entries: [{ name: "liar.js", content: noise(300_000), data: deflateRawSync(noise(301_000)) }] },
    ],
    [
      "content that is shorter than both headers say",
      "zip_size_mismatch",
      "liar.js",
      { entries: [{ name: "liar.js", content: noise(300_000), data: deflateRawSync(noise(299_000)) }] },
    ],
    [
      "a stored entry with two sizes",
      "zip_size_mismatch",
      "a.js",
      { entries: [{ ...plain, name: "a.js", method: 0, local: { bytes: 1 }, central: { bytes: 1 } }] },
    ],
  ],
  "overlaps and gaps": [
    [
      "two records over one file",
      "zip_overlap",
      "a.js",
      {
        entries: [
          { name: "a.js" },
          { name: "b.js", before: zeros(0), central: { offset: 0 }, local: { name: "a.js" } },
        ],
      },
    ],
    ["a file that reaches into the next", "zip_overlap", "outer.js", quoted()],
    [
      "a last file that reaches into the directory",
      "zip_overlap",
      "a.js",
      {
        entries: [
          {
            name: "a.js",
            method: 0,
            local: { compressedBytes: 9, bytes: 9 },
            central: { compressedBytes: 9, bytes: 9 },
          },
        ],
      },
    ],
    [
      "bytes between two entries",
      "zip_extra_bytes",
      "5 bytes",
      { entries: [plain, { name: "b.js", before: zeros(5) }] },
    ],
    ["bytes before the first entry", "zip_extra_bytes", "at 0", { entries: [{ name: "b.js", before: zeros(7) }] }],
    [
      "a file that the directory does not list",
      "zip_extra_bytes",
      "bytes",
      { entries: [{ ...plain, descriptor: one.subarray(0, one.indexOf("PK\x01\x02", 0, "latin1")) }] },
    ],
  ],
  "counts and extra fields": [
    ["100,001 claimed entries", "zip_too_many_entries", "100001", { entries: [plain], zip64: { entries: 100_001 } }],
    [
      "2^40 claimed entries",
      "zip_too_many_entries",
      "1099511627776",
      { entries: [plain], zip64: { entries: 2 ** 40 } },
    ],
    [
      "fewer records than claimed",
      "zip_directory_broken",
      "",
      { entries: [plain], end: { entries: 2, entriesHere: 2 } },
    ],
    [
      "a record more than claimed",
      "zip_directory_broken",
      "",
      { entries: [plain, { name: "hidden.js" }], end: { entries: 1, entriesHere: 1 } },
    ],
    [
      "a directory of 4 GiB",
      "zip_directory_too_large",
      "4294967294",
      { entries: [plain], end: { directoryBytes: 0xfffffffe } },
    ],
    [
      "a bloated extra field",
      "zip_entry_extra",
      "src/app.js",
      { entries: [{ ...plain, extra: extraField(0x9999, zeros(5000)) }] },
    ],
    [
      "an extra field that overruns",
      "zip_entry_extra",
      "src/app.js",
      { entries: [{ ...plain, extra: Buffer.from([0x99, 0x99, 0xff, 0]) }] },
    ],
    [
      "two Unicode path fields",
      "zip_entry_extra",
      "a.js",
      { entries: [{ name: "a.js", extra: Buffer.concat([unicodePath("b.js", "a.js"), unicodePath("c.js", "a.js")]) }] },
    ],
    [
      "a Unicode path field for another name",
      "zip_entry_extra",
      "a.js",
      { entries: [{ name: "a.js", extra: unicodePath("b.js", "other") }] },
    ],
    [
      "a zip64 field that contradicts its header",
      "zip_entry_extra",
      "src/app.js",
      { entries: [{ ...plain, central: { extra: extraField(1, Buffer.from([9, 0, 0, 0, 0, 0, 0, 0])) } }] },
    ],
  ],
  "two readers, two answers": [
    ["the same name twice", "zip_duplicate_entry", "a.js", { entries: [{ name: "a.js" }, { name: "a.js" }] }],
    [
      "one name in two spellings",
      "zip_duplicate_entry",
      "s/a.js",
      { entries: [{ name: "s/a.js" }, { name: ".\\s\\.\\a.js" }] },
    ],
    ["a file and a folder of one name", "zip_duplicate_entry", "a", { entries: [{ name: "a" }, { name: "a/" }] }],
    [
      "a file where another needs a folder",
      "zip_duplicate_entry",
      "a",
      { entries: [{ name: "a/b/c.js" }, { name: "a-b" }, { name: "a" }] },
    ],
    ["another local name", "zip_header_mismatch", "name", { entries: [{ name: "a.js", local: { name: "b.js" } }] }],
    [
      "another local name length",
      "zip_header_mismatch",
      "name",
      { entries: [{ name: "a.js", local: { name: "ab.js" } }] },
    ],
    ["another local checksum", "zip_header_mismatch", "crc32", { entries: [{ ...plain, local: { crc32: 1 } }] }],
    ["another local size", "zip_header_mismatch", "size", { entries: [{ ...plain, local: { bytes: 1 } }] }],
    [
      "another local compressed size",
      "zip_header_mismatch",
      "compressed size",
      { entries: [{ ...plain, local: { compressedBytes: 1 } }] },
    ],
    ["another local method", "zip_header_mismatch", "method", { entries: [{ ...plain, local: { method: 0 } }] }],
    ["another local charset", "zip_header_mismatch", "flags", { entries: [{ ...plain, local: { flags: 0x800 } }] }],
    [
      "a rename only in the local header",
      "zip_header_mismatch",
      "name",
      { entries: [{ name: "a.js", local: { extra: unicodePath("b.js", "a.js") } }] },
    ],
    [
      "a record that points at no header",
      "zip_header_mismatch",
      "signature",
      Buffer.concat([Buffer.from("XK"), one.subarray(2)]),
    ],
    [
      "a descriptor with another checksum",
      "zip_header_mismatch",
      "descriptor",
      { entries: [{ ...plain, flags: 8, descriptor: descriptorOf("something else!!\n") }] },
    ],
    [
      "an announced descriptor that is not there",
      "zip_header_mismatch",
      "descriptor",
      { entries: [{ ...plain, flags: 8 }] },
    ],
    [
      "an end record in the comment",
      "zip_end_ambiguous",
      "",
      { entries: [plain], comment: Buffer.concat([Buffer.from("PK\x05\x06"), zeros(18)]) },
    ],
    ["a whole archive in the comment", "zip_end_ambiguous", "", { entries: [plain], comment: one }],
    [
      "the start of an end record at the end of the comment",
      "zip_end_ambiguous",
      "",
      { entries: [plain], comment: Buffer.from("PK\x05\x06") },
    ],
    ["trailing bytes", "zip_end_misplaced", "", Buffer.concat([one, zeros(3)])],
    ["a cut end", "zip_end_misplaced", "", one.subarray(0, -2)],
    ["leading bytes", "zip_directory_misplaced", "", Buffer.concat([Buffer.from("#!/bin/sh\n"), one])],
    ["two joined archives", "zip_directory_misplaced", "", Buffer.concat([one, one])],
    ["bytes between directory and end", "zip_directory_misplaced", "", { entries: [plain], afterDirectory: zeros(4) }],
    ["a zip64 locator to another place", "zip_end_ambiguous", "", { entries: [plain], zip64: { recordOffset: 0 } }],
    [
      "two different counts",
      "zip_end_ambiguous",
      "",
      { entries: [plain], zip64: {}, end: { entries: 7, entriesHere: 7 } },
    ],
    [
      "two different directory offsets",
      "zip_end_ambiguous",
      "",
      { entries: [plain], zip64: {}, end: { directoryOffset: 1 } },
    ],
    ["a folder with content", "zip_directory_with_content", "a", { entries: [{ name: "a/", content: "hidden" }] }],
  ],
  damage: [
    [
      "a wrong checksum",
      "zip_crc_mismatch",
      "a.js",
      { entries: [{ name: "a.js", content: "a", data: deflateRawSync("b") }] },
    ],
    [
      "a wrong checksum of a stored file",
      "zip_crc_mismatch",
      "a.js",
      { entries: [{ name: "a.js", content: "a", data: Buffer.from("b"), method: 0 }] },
    ],
    [
      "broken deflate data",
      "zip_data_broken",
      "a.js",
      { entries: [{ name: "a.js", content: "abc", data: Buffer.from([7, 7, 7]) }] },
    ],
    [
      "cut deflate data",
      "zip_data_broken",
      "a.js",
      { entries: [{ name: "a.js", content: noise(99), data: deflateRawSync(noise(99)).subarray(0, 50) }] },
    ],
    [
      "cut deflate data of a large file",
      "zip_data_broken",
      "a.js",
      { entries: [{ name: "a.js", content: noise(400_000), data: deflateRawSync(noise(400_000)).subarray(0, -9) }] },
    ],
    [
      "bytes hidden behind the deflate stream",
      "zip_data_broken",
      "a.js",
      { entries: [{ name: "a.js", content: "abc", data: padded("abc", 99) }] },
    ],
    [
      "bytes hidden behind a large deflate stream",
      "zip_data_broken",
      "a.js",
      { entries: [{ name: "a.js", content: noise(400_000), data: padded(noise(400_000), 99_999) }] },
    ],
    ["an empty upload", "zip_not_an_archive", "", Buffer.alloc(0)],
    ["a text file", "zip_not_an_archive", "", Buffer.from("not a zip at all, but long enough to be one")],
  ],
  "what we do not read": [
    ["encryption", "zip_encrypted", "a.js", { entries: [{ name: "a.js", flags: 1 }] }],
    ["strong encryption", "zip_encrypted", "a.js", { entries: [{ name: "a.js", flags: 0x41 }] }],
    ["AES as WinZip marks it", "zip_encrypted", "a.js", { entries: [{ name: "a.js", method: 99 }] }],
    ["a masked directory", "zip_encrypted", "a.js", { entries: [{ name: "a.js", flags: 0x2000 }] }],
    ["LZMA", "zip_method_unsupported", "14", { entries: [{ name: "a.js", method: 14 }] }],
    ["patch data", "zip_method_unsupported", "a.js", { entries: [{ name: "a.js", flags: 0x20 }] }],
    ["a part of several", "zip_multi_disk", "", { entries: [plain], end: { disk: 1 } }],
    ["an entry on another disk", "zip_multi_disk", "", { entries: [{ ...plain, central: { disk: 2 } }] }],
  ],
};

/** Bytes that deflate cannot shrink, the same in every run (xorshift32). */
function noise(bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  let state = 0x9e3779b9;
  for (let at = 0; at < bytes; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    out[at] = state & 0xff;
  }
  return out;
}

function padded(content: string | Buffer, bytes: number): Buffer {
  return Buffer.concat([deflateRawSync(content), Buffer.alloc(bytes)]);
}

/** The shape of the quoted-overlap bomb: the data of the first file contains the local header of the second and goes on behind it. */
function quoted(): CraftedArchive {
  const inner = craftArchive({ entries: [{ name: "inner.js", method: 0, content: "x" }] });
  const header = inner.subarray(0, inner.indexOf("PK\x01\x02", 0, "latin1"));
  return {
    entries: [
      { name: "outer.js", method: 0, content: header },
      { name: "inner.js", method: 0, content: "x", central: { offset: 30 + "outer.js".length } },
    ],
  };
}

for (const [group, rows] of Object.entries(cases))
  describe(group, () => {
    it.each(rows)("are refused: %s", async (_, code, named, archive) => {
      const bytes = Buffer.isBuffer(archive)
        ? archive
        : typeof archive === "function"
          ? await archive()
          : craftArchive(archive);
      const refusal = await refusalOf(bytes);
      expect(refusal).toMatchObject({ code, status: 422 });
      expect(refusal.message).toContain(named);
      expect(refusal.text("zh")).not.toMatch(/\{\w+\}/);
      expect(refusal.text("en")).not.toMatch(/\{\w+\}/);
    });
  });

describe("the check before reading", () => {
  it("refuses an archive above 500 MB by its size alone", async () => {
    const source = { size: archiveLimits.archiveBytes + 1, read: () => Promise.reject(new Error("nothing is read")) };
    await expect(checkArchive(source)).rejects.toMatchObject({ code: "zip_too_large", status: 422 });
  });

  it("hands on a failure of the source as it is", async () => {
    const failure = new Error("the bucket is away");
    const source = bufferSource(one);
    const failing = {
      size: source.size,
      read: (offset: number, length: number) => (offset === 0 ? Promise.reject(failure) : source.read(offset, length)),
    };
    await expect(buildManifest(failing)).rejects.toBe(failure);
  });

  it("names an entry without forging lines or text direction", async () => {
    const name = "a\u202egpj.js\n/../b";
    const refusal = await refusalOf(craftArchive({ entries: [{ name, flags: 0x800 }] }));
    expect(refusal.message).not.toMatch(/[\n\u202e]/);
  });

  it("knows the checksum that it compares", () => expect(crc32("123456789")).toBe(0xcbf43926));
});
