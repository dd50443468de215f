import { createHash } from "node:crypto";
import iconv from "iconv-lite";
import JSZip from "jszip";
import { describe, expect, it } from "vitest";
import { bufferSource } from "../../functions/sources/archive/byte-source.ts";
import { checkArchive } from "../../functions/sources/archive/check-archive.ts";
import { buildManifest } from "../../functions/sources/archive/manifest.ts";
import { readEntries } from "../../functions/sources/archive/read-entries.ts";
import { type CraftedArchive, craftArchive, descriptorOf, extraField, unicodePath } from "./craft-archive.ts";
import { realArchives } from "./real-archives.ts";

const manifestOf = (bytes: Buffer) => buildManifest(bufferSource(bytes));
const pathsOf = async (bytes: Buffer) => (await manifestOf(bytes)).files.map((file) => file.path);
const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const emptyArchive = craftArchive({ entries: [] });

describe("archives of real tools", () => {
  const sources = { "src/a.py": "print(1)\n", "src/e.js": "x\n" };
  it.each([
    ["infozip-stream", "app", sources],
    ["infozip64", "app", sources],
    ["python", "app", sources],
    ["python-stream-zip64", "app", { ...sources, "big.py": "hello\n".repeat(10) }],
    ["jar", "", sources],
    ["go", "app", sources],
    ["git", "top", { "app/src/a.py": "print(1)\n", "app/src/e.js": "x\n" }],
  ] as const)("are read byte for byte: %s", async (name, root, contents) => {
    const manifest = await manifestOf(realArchives[name]);
    expect(manifest).toMatchObject({
      root,
      archiveBytes: realArchives[name].length,
      archiveSha256: sha256(realArchives[name]),
    });
    const hashes = Object.fromEntries(manifest.files.map((file) => [file.path, file.sha256]));
    for (const [path, content] of Object.entries(contents)) expect(hashes[path]).toBe(sha256(content));
    const surplus = manifest.files.filter((file) => !(file.path in contents) && file.path !== "META-INF/MANIFEST.MF");
    expect(surplus).toEqual([]);
  });

  it.each([
    ["git-link", "zip_symlink"],
    ["stdin", "zip_special_file"],
  ] as const)("are refused with their links and pipes: %s", async (name, code) => {
    await expect(manifestOf(realArchives[name])).rejects.toMatchObject({ code });
  });

  it.each([
    ["stored", { compression: "STORE" }],
    ["deflated", { compression: "DEFLATE" }],
    ["streamed with descriptors", { compression: "DEFLATE", streamFiles: true }],
    ["made on Unix", { platform: "UNIX" }],
  ] as const)("are read when jszip made them: %s", async (_, options) => {
    const zip = new JSZip().file("src/a.js", "let a;").file("中文/测试.py", "print()").file("empty.js", "");
    const manifest = await manifestOf(await zip.generateAsync({ type: "nodebuffer", ...options }));
    expect(manifest.files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }))).toEqual([
      { path: "empty.js", bytes: 0, sha256: sha256("") },
      { path: "src/a.js", bytes: 6, sha256: sha256("let a;") },
      { path: "中文/测试.py", bytes: 7, sha256: sha256("print()") },
    ]);
  });
});

describe("look-alikes of hostile archives", () => {
  const content = "console.log(1);\n";
  const inner = craftArchive({ entries: [{ name: "inner.js", content }] });
  const cases: [string, CraftedArchive, string[]][] = [
    ["an empty archive", { entries: [] }, []],
    ["folders only", { entries: [{ name: "a/" }, { name: "a/b/" }] }, []],
    ["a record of the top folder", { entries: [{ name: "./" }, { name: "./a.js", content }] }, ["a.js"]],
    ["a comment", { entries: [{ name: "a.js" }], comment: Buffer.from("release PK 1.0") }, ["a.js"]],
    [
      "backslashes from Windows",
      { entries: [{ name: "src\\" }, { name: "src\\lib\\a.js" }, { name: "b.js" }] },
      ["b.js", "src/lib/a.js"],
    ],
    ["dots that are no segments", { entries: [{ name: "..a/b..js" }, { name: "...js" }] }, ["...js", "..a/b..js"]],
    ["full-width dots", { entries: [{ name: "．．/a.js", flags: 0x800 }, { name: "b.js" }] }, ["b.js", "．．/a.js"]],
    ["a right-to-left override", { entries: [{ name: "a\u202egpj.js", flags: 0x800 }] }, ["a\u202egpj.js"]],
    [
      "names that differ in case",
      { entries: [{ name: "README.js" }, { name: "readme.js" }] },
      ["README.js", "readme.js"],
    ],
    [
      "names that share a beginning",
      { entries: [{ name: "a" }, { name: "a-b/c" }, { name: "a.b" }] },
      ["a", "a-b/c", "a.b"],
    ],
    ["an archive in the archive", { entries: [{ name: "lib.zip", method: 0, content: inner }] }, ["lib.zip"]],
    ["a record of another order", { entries: [{ name: "b.js" }, { name: "a.js" }] }, ["a.js", "b.js"]],
    ["zip64 records", { entries: [{ name: "a.js", content }], zip64: {} }, ["a.js"]],
    [
      "a timestamp and padding",
      { entries: [{ name: "a.js", extra: Buffer.concat([extraField(0x5455, Buffer.alloc(5)), Buffer.alloc(3)]) }] },
      ["a.js"],
    ],
    ["64 levels", { entries: [{ name: `${"a/".repeat(63)}a.js` }, { name: "b" }] }, [`${"a/".repeat(63)}a.js`, "b"]],
    ["1,024 bytes of name", { entries: [{ name: "a".repeat(1024) }] }, ["a".repeat(1024)]],
    ["8 MB of one line", { entries: [{ name: "a.js", content: content.repeat(500_000) }] }, ["a.js"]],
    [
      "a rename by the Unicode path field",
      { entries: [{ name: "????.js", extra: unicodePath("中文.js", "????.js") }] },
      ["中文.js"],
    ],
    [
      "descriptors in all four forms",
      {
        entries: [{}, { signed: false }, { wide: true }, { signed: false, wide: true }].map((form, n) => ({
          name: `${n}.js`,
          content,
          flags: 8,
          descriptor: descriptorOf(content, form),
          local: { crc32: 0, bytes: 0, compressedBytes: 0 },
        })),
      },
      ["0.js", "1.js", "2.js", "3.js"],
    ],
  ];
  it.each(cases)("pass: %s", async (_, archive, paths) => {
    expect(await pathsOf(craftArchive(archive))).toEqual(paths);
  });
});

describe("names without a charset", () => {
  it.each([
    ["GBK", iconv.encode("源码/测试文件.py", "gbk"), "源码/测试文件.py"],
    ["GBK with a rare character", iconv.encode("朱镕基.py", "gbk"), "朱镕基.py"],
    ["GBK with a backslash byte inside a character", iconv.encode("项目/誠.py", "gbk"), "项目/誠.py"],
    ["UTF-8 as the Finder writes it", Buffer.from("源码/测试.py"), "源码/测试.py"],
    ["CP437", iconv.encode("résumé/naïve.py", "cp437"), "résumé/naïve.py"],
    ["ASCII", Buffer.from("a.py"), "a.py"],
  ])("are read as %s", async (_, name, path) => {
    const archive = craftArchive({ entries: [{ name }, { name: "other.py" }] });
    expect(await pathsOf(archive)).toContain(path);
  });
});

describe("the manifest", () => {
  it("takes off the single top folder and leaves out the Finder's resource forks", async () => {
    const entries = ["app/", "app/src/a.js", "app/README.md", "__MACOSX/app/._README.md", "__MACOSX/._app"].map(
      (name) => ({ name }),
    );
    const manifest = await manifestOf(craftArchive({ entries }));
    expect(manifest.root).toBe("app");
    expect(manifest.files.map((file) => [file.path, file.index])).toEqual([
      ["README.md", 2],
      ["src/a.js", 1],
    ]);
  });

  it.each([
    ["files beside the folder", ["app/a.js", "b.js"], ""],
    ["two folders that share a beginning", ["app/a.js", "app2/b.js"], ""],
    ["two levels of single folders", ["app/src/a.js"], "app"],
    ["nothing", [], ""],
  ])("finds the top folder of %s", async (_, names, root) => {
    const manifest = await manifestOf(craftArchive({ entries: names.map((name) => ({ name })) }));
    expect(manifest.root).toBe(root);
  });

  it("tells binary files from text", async () => {
    const entries = [
      { name: "text.js", content: "let a;" },
      { name: "image.js", content: Buffer.from([1, 2, 0, 3]) },
      { name: "late.js", content: Buffer.concat([Buffer.alloc(8000, "a"), Buffer.alloc(1)]) },
    ];
    const { files } = await manifestOf(craftArchive({ entries }));
    expect(files.map((file) => [file.path, file.binary])).toEqual([
      ["image.js", true],
      ["late.js", false],
      ["text.js", false],
    ]);
  });

  it("of an empty archive lists nothing", async () => {
    expect(await manifestOf(emptyArchive)).toEqual({
      version: 1,
      archiveSha256: sha256(emptyArchive),
      archiveBytes: 22,
      root: "",
      files: [],
    });
  });
});

describe("reading entries", () => {
  it("yields the asked entries only, in the order in which they lie, and no bytes above the limit", async () => {
    const source = bufferSource(
      craftArchive({ entries: ["a", "b", "c"].map((name, n) => ({ name, content: name.repeat(n + 1) })) }),
    );
    const [a, , c] = await checkArchive(source);
    const read = [];
    for await (const { entry, bytes } of readEntries(source, [c!, a!], { keepBytesMax: 2 }))
      read.push([entry.path, bytes?.toString()]);
    expect(read).toEqual([
      ["a", "a"],
      ["c", undefined],
    ]);
  });

  it("fetches large blocks, and each only once while it is in use", async () => {
    const entries = Array.from({ length: 2000 }, (_, n) => ({ name: `${n}.js`, content: `console.log(${n});` }));
    const archive = craftArchive({ entries });
    const reads: number[] = [];
    const source = {
      size: archive.length,
      read: async (offset: number, length: number) => {
        reads.push(offset);
        return archive.subarray(offset, offset + length);
      },
    };
    expect(await checkArchive(source)).toHaveLength(2000);
    expect(reads).toEqual([0]);
  });

  it("reads entries that cross blocks", async () => {
    const content = Buffer.from(Array.from({ length: 5_000_000 }, (_, n) => (n * n) % 251));
    const { files } = await manifestOf(
      craftArchive({
        entries: [
          { name: "a.bin", method: 0, content },
          { name: "b", content: "b" },
        ],
      }),
    );
    expect(files[0]).toMatchObject({ bytes: 5_000_000, sha256: sha256(content) });
  });
});
