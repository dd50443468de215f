import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { buildManifest } from "../../../functions/sources/archive/manifest.ts";
import { Deadline } from "../../../functions/sources/git/git-failure.ts";
import { gitLimits } from "../../../functions/sources/git/git-limits.ts";
import { withSnapshotArchive } from "../../../functions/sources/git/snapshot-archive.ts";
import { commitOf, copy, delta, insert, oidOf, packed, packOf, serverOf, treeOf } from "./craft-pack.ts";

const temporaryFolder = mkdtempSync(join(tmpdir(), "hostile-packs-test-"));
process.env.TMPDIR = temporaryFolder;
afterAll(() => rmSync(temporaryFolder, { recursive: true }));
afterEach(() => expect(readdirSync(temporaryFolder)).toEqual([]));

const host = "git.test";

async function snapshot(commit: Buffer, pack: Buffer, deadline = new Deadline(host, 30_000)) {
  const server = await serverOf(pack);
  return withSnapshotArchive(server, oidOf("commit", commit), { host, deadline }, async ({ archive, leftOut }) => ({
    files: (await buildManifest(archive)).files.map(({ path, bytes }) => [path, bytes]),
    leftOut,
  }));
}

const hello = Buffer.from("hello");
const helloId = oidOf("blob", hello);
const file = (name: string | Buffer) => ["100644", name, helloId] as const;

/** A snapshot whose only peculiar part is its root tree. */
const ofTree = (tree: Buffer, ...others: readonly Buffer[]) => {
  const commit = commitOf(tree);
  return snapshot(commit, packOf([packed("commit", commit), packed("tree", tree), packed("blob", hello), ...others]));
};

/** A snapshot of one file, whose content is the object that `objects` make, last of the pack. */
const ofContent = (content: Buffer, ...objects: readonly Buffer[]) => {
  const tree = treeOf(["100644", "a", oidOf("blob", content)]);
  const commit = commitOf(tree);
  return snapshot(commit, packOf([packed("commit", commit), packed("tree", tree), ...objects]));
};

const refusedAs = (code: string, fields: Record<string, unknown> = {}) => ({ code, fields: { host, ...fields } });
const hashDelta = (base: string, instructions: Buffer) =>
  packed("hashDelta", instructions, { base: Buffer.from(base, "hex") });

describe("trees", () => {
  it("leave out what is no plain file, and count it", async () => {
    const { files, leftOut } = await ofTree(
      treeOf(
        file("a.py"),
        ["100755", "run", helloId],
        ["120000", "link", helloId],
        ["160000", "module", helloId],
        ["100000", "special", helloId],
        file("back\\slash"),
        file("C:drive"),
        file("new\nline"),
        file("x".repeat(1100)),
        file(Buffer.from("d6d0cec4", "hex")),
      ),
    );
    expect(files).toEqual([
      ["a.py", 5],
      ["run", 5],
      ["中文", 5],
    ]);
    expect(leftOut).toMatchObject({ symbolicLinks: 1, submodules: 1, specialModes: 1, names: 4 });
    expect(leftOut.paths).toHaveLength(6);
  });

  it.each([
    ["a name twice", treeOf(file("a"), file("b"), file("a"))],
    ["a file and a folder of one name", treeOf(file("a"), ["40000", "a", helloId])],
    ["..", treeOf(file(".."))],
    ["no name", treeOf(file(""))],
    ["an absolute name", treeOf(file("/etc/passwd"))],
    ["a slash", treeOf(file("a/b"))],
    [".git", treeOf(["40000", ".git", helloId])],
    [".GIT", treeOf(file(".GIT"))],
    ["a cut entry", treeOf(file("a")).subarray(0, -1)],
    ["no modes", Buffer.from("nothing")],
  ])("are refused with %s", async (_, tree) => {
    await expect(ofTree(tree)).rejects.toMatchObject(refusedAs("repository_damaged", { part: "tree" }));
  });

  it.each([
    ["a blob for a folder", treeOf(["40000", "a", helloId])],
    ["a tree for a file", treeOf(["100644", "a", oidOf("tree", treeOf())])],
    ["what was not sent", treeOf(["100644", "a", "12".repeat(20)])],
  ])("are refused when they name %s", async (_, tree) => {
    await expect(ofTree(tree, packed("tree", treeOf()))).rejects.toMatchObject(
      refusedAs("repository_damaged", { part: "missing object" }),
    );
  });

  it("may be empty", async () => {
    expect((await ofTree(treeOf())).files).toEqual([]);
  });

  it("are refused with a million entries", async () => {
    const entries = Array.from({ length: 1_000_000 }, (_, number) => treeOf(["120000", `${number}`, helloId]));
    const tree = Buffer.concat(entries);
    await expect(ofTree(tree)).rejects.toMatchObject(refusedAs("repository_too_large", { what: "entries" }));
  });

  it("are refused when a few of them unfold to billions of files", async () => {
    const objects: Buffer[] = [];
    let tree = treeOf(file("f"));
    for (let level = 0; level < 10; level++) {
      const below = oidOf("tree", tree);
      objects.push(packed("tree", tree));
      tree = treeOf(...Array.from({ length: 10 }, (_, number) => ["40000", `d${number}`, below] as const));
    }
    await expect(ofTree(tree, ...objects)).rejects.toMatchObject(refusedAs("repository_too_large"));
  });

  it("are left out where they are too deep for an archive", async () => {
    const objects: Buffer[] = [];
    let tree = treeOf(file("f"));
    for (let level = 0; level < 100; level++) {
      objects.push(packed("tree", tree));
      tree = treeOf(["40000", "d", oidOf("tree", tree)], file("f"));
    }
    const { files, leftOut } = await ofTree(tree, ...objects);
    expect(files.length).toBe(63);
    expect(leftOut.names).toBeGreaterThan(0);
  });

  it("are refused when one large file under many names is too much", async () => {
    const large = Buffer.alloc(20_000_000);
    const entries = Array.from({ length: 30 }, (_, number) => ["100644", `${number}`, oidOf("blob", large)] as const);
    await expect(ofTree(treeOf(...entries), packed("blob", large))).rejects.toMatchObject(
      refusedAs("repository_too_large", { what: "bytes" }),
    );
  });
});

describe("deltas", () => {
  it("are applied in chains, in any order, and by distance", async () => {
    const second = Buffer.from("hello, hello!");
    const third = Buffer.from("hello, hello!?");
    const toThird = hashDelta(oidOf("blob", second), delta(13, 14, ...copy(0, 13), ...insert("?")));
    const toSecond = hashDelta(helloId, delta(5, 13, ...copy(0, 5), ...insert(", "), ...copy(0, 5), ...insert("!")));
    expect((await ofContent(third, toThird, toSecond, packed("blob", hello))).files).toEqual([["a", 14]]);
    const base = packed("blob", hello);
    const near = packed("offsetDelta", delta(5, 6, ...copy(0, 5), ...insert("!")), {
      base: Buffer.from([base.length]),
    });
    expect((await ofContent(Buffer.from("hello!"), base, near)).files).toEqual([["a", 6]]);
  });

  it.each([
    ["read beyond the base", delta(5, 9, ...copy(0, 9))],
    ["write beyond the result", delta(5, 4, ...copy(0, 5))],
    ["do not fill the result", delta(5, 6, ...copy(0, 5))],
    ["belong to a base of another size", delta(6, 5, ...copy(0, 5))],
    ["end within an instruction", delta(5, 5, 0xff)],
    ["end within an insertion", delta(5, 5, 9, 1, 2)],
    ["have an instruction that is reserved", delta(5, 5, 0)],
    ["have a size without an end", Buffer.alloc(20, 0xff)],
    ["are empty", Buffer.alloc(0)],
  ])("are refused when they %s", async (_, instructions) => {
    await expect(ofContent(hello, packed("blob", hello), hashDelta(helloId, instructions))).rejects.toMatchObject(
      refusedAs("repository_damaged", { part: "delta" }),
    );
  });

  it.each([
    ["to itself", Buffer.from([0])],
    ["before the pack", Buffer.from([0xff, 0xff, 0x7f])],
  ])("are refused when they lead %s", async (_, base) => {
    await expect(ofContent(hello, packed("offsetDelta", delta(5, 5), { base }))).rejects.toMatchObject(
      refusedAs("repository_damaged", { part: "delta" }),
    );
  });

  it("are refused when their base was not sent, as when two wait for each other", async () => {
    const [one, other] = ["11".repeat(20), "22".repeat(20)] as const;
    await expect(ofContent(hello, hashDelta(one, delta(1, 1)), hashDelta(other, delta(1, 1)))).rejects.toMatchObject(
      refusedAs("repository_damaged", { part: "missing object" }),
    );
  });

  it("are refused as bombs before they explode", async () => {
    const base = Buffer.alloc(16_000_000);
    const id = oidOf("blob", base);
    const bomb = (times: number, mark: string) => {
      const copies = Array.from({ length: times }, () => copy(0, 16_000_000)).flat();
      return hashDelta(id, delta(16_000_000, 16_000_000 * times + mark.length, ...copies, ...insert(mark)));
    };
    await expect(ofContent(hello, packed("blob", base), bomb(1000, "a"))).rejects.toMatchObject(
      refusedAs("repository_too_large", { what: "bytes per file" }),
    );
    const many = Array.from({ length: 10 }, (_, number) => bomb(6, `${number}`));
    await expect(ofContent(hello, packed("blob", base), ...many)).rejects.toMatchObject(
      refusedAs("repository_too_large", { what: "bytes" }),
    );
  });

  it("may be chained ten thousand deep", async () => {
    const chain: Buffer[] = [];
    let content = hello;
    for (let link = 0; link < 10_000; link++) {
      const next = Buffer.from(`hello${link}`);
      chain.push(
        hashDelta(oidOf("blob", content), delta(content.length, next.length, ...copy(0, 5), ...insert(`${link}`))),
      );
      content = next;
    }
    expect((await ofContent(content, packed("blob", hello), ...chain.reverse())).files).toEqual([["a", 9]]);
  });
});

describe("packs", () => {
  const tree = treeOf(file("a"));
  const commit = commitOf(tree);
  const objects = [packed("commit", commit), packed("tree", tree), packed("blob", hello)];

  it.each([
    ["has another checksum", packOf(objects, { checksum: () => Buffer.alloc(20) }), "checksum"],
    ["is cut", packOf(objects).subarray(0, -30), "checksum"],
    ["is empty", Buffer.alloc(0), "checksum"],
    ["is of another version", packOf(objects, { version: 4 }), "pack"],
    ["has more than it says", packOf(objects, { count: 2 }), "pack"],
    ["has less than it says", packOf(objects, { count: 4 }), "object"],
    ["has another commit", packOf([packed("commit", commitOf(treeOf())), ...objects.slice(1)]), "missing object"],
    ["has another file", packOf([...objects.slice(0, 2), packed("blob", Buffer.from("olleh"))]), "missing object"],
    ["has an unknown type", packOf([Buffer.concat([Buffer.from([0x55]), deflateSync(hello)])]), "object"],
    ["has a size without an end", packOf([Buffer.alloc(40, 0xff)]), "object"],
    ["claims too much", packOf([packed("blob", hello, { claims: 6 })]), "object"],
    ["claims too little", packOf([packed("blob", hello, { claims: 4 })]), "object"],
    ["has broken data", packOf([packed("blob", hello, { data: Buffer.alloc(30, 7) })]), "object"],
  ])("are refused when one %s", async (_, pack, part) => {
    await expect(snapshot(commit, pack)).rejects.toMatchObject(refusedAs("repository_damaged", { part }));
  });

  it("are refused for their claims before anything is allocated", async () => {
    const claims = gitLimits.objectBytes + 1;
    await expect(snapshot(commit, packOf([packed("blob", hello, { claims })]))).rejects.toMatchObject(
      refusedAs("repository_too_large", { what: "bytes per file" }),
    );
    await expect(snapshot(commit, packOf(objects, { count: 0xffffffff }))).rejects.toMatchObject(
      refusedAs("repository_too_large", { what: "objects" }),
    );
  });

  it("are refused as zlib bombs", async () => {
    const bomb = deflateSync(Buffer.alloc(100_000_000));
    await expect(snapshot(commit, packOf([packed("blob", hello, { data: bomb })]))).rejects.toMatchObject(
      refusedAs("repository_damaged", { part: "object" }),
    );
    const claimed = packed("blob", hello, { data: bomb, claims: 100_000_000 });
    await expect(snapshot(commit, packOf(Array.from({ length: 6 }, () => claimed)))).rejects.toMatchObject(
      refusedAs("repository_too_large", { what: "bytes" }),
    );
  });

  it("are not worked on beyond the deadline", async () => {
    await expect(snapshot(commit, packOf(objects), new Deadline(host, 0))).rejects.toMatchObject({
      code: "outbound_timeout",
    });
  });
});
