import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { archiveLimits } from "../../../functions/sources/archive/limits.ts";
import { buildManifest } from "../../../functions/sources/archive/manifest.ts";
import { Deadline } from "../../../functions/sources/git/git-failure.ts";
import { gitLimits } from "../../../functions/sources/git/git-limits.ts";
import { withSnapshotArchive } from "../../../functions/sources/git/snapshot-archive.ts";
import { snapshotFiles } from "../../../functions/sources/git/snapshot-files.ts";
import { commitOf, oidOf, packed, packOf, serverOf, treeOf } from "./craft-pack.ts";

const temporaryFolder = mkdtempSync(join(tmpdir(), "snapshot-files-test-"));
process.env.TMPDIR = temporaryFolder;
afterAll(() => rmSync(temporaryFolder, { recursive: true }));
afterEach(() => expect(readdirSync(temporaryFolder)).toEqual([]));

const host = "git.test";
const props = () => ({ host, deadline: new Deadline(host, 30_000) });
const hello = Buffer.from("hello");
const blobId = oidOf("blob", hello);
const file = (name: string | Buffer) => ["100644", name, blobId] as const;

async function listed(tree: Buffer, ...others: readonly Buffer[]) {
  const commit = commitOf(tree);
  const pack = packOf([packed("commit", commit), packed("tree", tree), ...others]);
  return snapshotFiles(await serverOf(pack), oidOf("commit", commit), props());
}

describe("the files of a commit", () => {
  const gbk = Buffer.from("d6f7b3ccd0f22e7079", "hex");

  it("have the names that the archive has, and no size where their contents were not sent", async () => {
    const tree = treeOf(file("a.py"), file("源码.py"), file(gbk), file("b\\c"), ["120000", "link", blobId]);
    expect(await listed(tree)).toEqual({
      items: ["a.py", "源码.py", "主程序.py"].map((path) => ({ path, bytes: null })),
      truncated: false,
    });
    const whole = await listed(tree, packed("blob", hello));
    const commit = commitOf(tree);
    const server = await serverOf(packOf([packed("commit", commit), packed("tree", tree), packed("blob", hello)]));
    const archived = await withSnapshotArchive(server, oidOf("commit", commit), props(), ({ archive }) =>
      buildManifest(archive),
    );
    const shown = archived.files.map(({ path, bytes }) => ({ path, bytes }));
    const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
    expect(whole.items.toSorted(byPath)).toEqual(shown.toSorted(byPath));
  });

  it("are cut where an archive may have no more, and that is told", async () => {
    const names = Array.from({ length: archiveLimits.entries + 1 }, (_, number) => file(`${number}`));
    const { items, truncated } = await listed(treeOf(...names));
    expect([items.length, truncated]).toEqual([archiveLimits.entries, true]);
  });

  it("are not taken from a host that sends more with them than the disk of a function holds", async () => {
    const bytes = 80_000_000;
    const claimed = packed("blob", hello, { data: deflateSync(Buffer.alloc(bytes)), claims: bytes });
    await expect(listed(treeOf(file("a")), claimed, claimed, claimed)).rejects.toMatchObject({
      code: "repository_too_large",
      fields: { host, what: "bytes", limit: gitLimits.listingBytes },
    });
  });
});
