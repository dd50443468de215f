import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CannotScan } from "../../bin/scan/cannot-scan.ts";
import { listFolder } from "../../bin/scan/folder-listing.ts";
import { packFolder } from "../../bin/scan/pack-folder.ts";
import { bufferSource } from "../../functions/sources/archive/byte-source.ts";
import { checkArchive } from "../../functions/sources/archive/check-archive.ts";
import { buildManifest } from "../../functions/sources/archive/manifest.ts";
import { readEntries } from "../../functions/sources/archive/read-entries.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "sluice-pack-"));
  root = join(base, "tree");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const write = (path: string, content: string | Buffer = "x = 1\n") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const listed = async (exclude: string[] = [], leaveOut: string[] = []) =>
  (await listFolder(root, exclude, leaveOut)).files.map((file) => file.path);

async function pack(name = "a.zip", signal = new AbortController().signal) {
  const { files } = await listFolder(root, [], []);
  const archive = join(base, name);
  const counts: number[] = [];
  await packFolder(root, files, archive, (done) => counts.push(done), signal);
  return { bytes: readFileSync(archive), counts };
}

/** What the service makes of an archive: its own check and its own list. */
const served = async (bytes: Buffer) => (await buildManifest(bufferSource(bytes))).files.map((file) => file.path);

describe("listing a folder", () => {
  it("finds what a scan reads, in one order, and counts the rest", async () => {
    for (const path of ["b.py", "a.js", "a/z.ts", "A.java", "README.md", "logo.png", "empty.js"]) write(path);
    write("empty.js", "");
    write("huge.js", Buffer.alloc(204_801, "a"));
    expect(await listFolder(root, [], [])).toEqual({
      files: ["A.java", "a.js", "a/z.ts", "b.py"].map((path) => expect.objectContaining({ path, bytes: 6 })),
      seen: 8,
      unpackable: [],
    });
  });

  it("does not enter excluded folders", async () => {
    for (const path of [
      "src/a.js",
      "node_modules/x/a.js",
      ".git/a.js",
      "sub/dist/a.js",
      "docs/a.js",
      "gen/v1/a.js",
      "x/gen/a.js",
    ])
      write(path);
    const exclude = ["docs", "gen/**"];
    expect(await listed(exclude)).toEqual(["src/a.js", "x/gen/a.js"]);
    // Nobody counted what lies inside, so nobody went there.
    expect((await listFolder(root, exclude, [])).seen).toBe(2);
  });

  it.each([
    [["*.test.js"], ["a.js", "lib/b.js", "lib/sub/c.js"]],
    [["lib/*.js"], ["a.js", "a.test.js", "lib/sub/c.js"]],
    [["./lib/"], ["a.js", "a.test.js"]],
    [["lib/sub"], ["a.js", "a.test.js", "lib/b.js"]],
    [["s?b"], ["a.js", "a.test.js", "lib/b.js"]],
    [
      ["lib/[!s]*/**", "lib/b.js"],
      ["a.js", "a.test.js", "lib/sub/c.js"],
    ],
  ])("honours %j", async (exclude, expected) => {
    for (const path of ["a.js", "a.test.js", "lib/b.js", "lib/sub/c.js"]) write(path);
    expect(await listed(exclude)).toEqual(expected);
  });

  it("refuses patterns that the service would refuse", async () => {
    write("a.js");
    await expect(listFolder(root, ["(a+)+b"], [])).rejects.toMatchObject({ code: "glob_syntax" });
  });

  it("follows no symbolic link, neither to files nor to folders nor in circles", async () => {
    write("real/a.js");
    writeFileSync(join(base, "secret.js"), "x");
    symlinkSync(join(base, "secret.js"), join(root, "link.js"));
    symlinkSync(root, join(root, "real/loop"));
    symlinkSync("/nowhere", join(root, "broken.js"));
    expect(await listed()).toEqual(["real/a.js"]);
  });

  it("leaves out names that no archive may hold, and says which", async () => {
    const bad = ["a\nb.js", "c\\d.js", "C:x.js", "\u001b[2J.js"];
    for (const path of ["ok.js", ...bad]) write(path);
    const { files, unpackable } = await listFolder(root, [], []);
    expect(files.map((file) => file.path)).toEqual(["ok.js"]);
    expect(unpackable).toEqual(bad.toSorted());
  });

  it("leaves out what is no part of the code: an earlier result, our own data", async () => {
    for (const path of ["a.js", "report.json", ".sluice/x.json"]) write(path);
    expect(await listed([], [join(root, "report.json"), join(root, ".sluice")])).toEqual(["a.js"]);
  });

  it("does not pass over what it cannot read", async () => {
    const listing = listFolder(join(root, "gone"), [], []);
    await expect(listing).rejects.toThrow(CannotScan);
    await expect(listing).rejects.toMatchObject({
      key: "file_unreadable",
      fields: { reason: "no such file or folder" },
    });
  });
});

describe("packing a folder", () => {
  it("makes an archive that the service accepts, every byte and name as it is", async () => {
    const content: Record<string, string | Buffer> = {
      "a.js": "let a;\n",
      "目录/文件 é 😀.py": "名 = 1\n",
      "deep/er/b.java": Buffer.from([0xff, 0xfe, 0, 1, 2]),
      "．．/full-width.js": "1",
      " space .js": "2",
      "constructor.js": "3",
      "__proto__/x.js": "4",
    };
    for (const [path, bytes] of Object.entries(content)) write(path, bytes);
    const { bytes } = await pack();
    expect(await served(bytes)).toEqual(Object.keys(content).toSorted());
    const source = bufferSource(bytes);
    for await (const { entry, bytes: unpacked } of readEntries(source, await checkArchive(source))) {
      expect(unpacked).toEqual(Buffer.from(content[entry.path.replace("scanned/", "")] as Buffer));
    }
  });

  it.each([
    ["one sub-folder and nothing else", ["sub/a.js", "sub/b/c.js"]],
    ["one file", ["a.js"]],
    ["a folder named like the archive's own top folder", ["scanned/a.js"]],
    ["files beside folders", ["a.js", "sub/b.js"]],
  ])("keeps paths relative to the folder when it has %s", async (_, paths) => {
    for (const path of paths) write(path);
    expect(await served((await pack()).bytes)).toEqual(paths);
  });

  it("gives the same bytes for the same tree", async () => {
    for (const path of ["b.js", "a.js", "c/d.py"]) write(path);
    expect((await pack("1.zip")).bytes.equals((await pack("2.zip")).bytes)).toBe(true);
  });

  it("packs 5,000 files without opening them all at once, and counts them", { timeout: 60_000 }, async () => {
    for (let folder = 0; folder < 50; folder++) {
      for (let file = 0; file < 100; file++) write(`f${folder}/${file}.js`, `module.exports = ${folder} * ${file};\n`);
    }
    const { bytes, counts } = await pack();
    expect(await served(bytes)).toHaveLength(5000);
    expect(counts.at(-1)).toBe(5000);
  });

  it("stops when it is interrupted", async () => {
    write("a.js");
    await expect(pack("a.zip", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });

  it("says which file vanished before it could be read", async () => {
    const gone = packFolder(
      root,
      [{ path: "gone.js", bytes: 1 }],
      join(base, "a.zip"),
      () => {},
      new AbortController().signal,
    );
    await expect(gone).rejects.toMatchObject({ key: "file_unreadable", fields: { path: "gone.js" } });
  });
});
