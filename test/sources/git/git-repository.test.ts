import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkArchive } from "../../../functions/sources/archive/check-archive.ts";
import { buildManifest } from "../../../functions/sources/archive/manifest.ts";
import { readEntries } from "../../../functions/sources/archive/read-entries.ts";
import { parseGitRemote } from "../../../functions/sources/git/git-remote.ts";
import { GitRepository, type GitRepositoryProps } from "../../../functions/sources/git/git-repository.ts";
import { GitHttpServer, hasGit, outboundTo, RealRepository } from "./real-git.ts";

const root = mkdtempSync(join(tmpdir(), "git-repository-test-"));
/** A temporary folder of this file's own, so that what is left behind can be seen. */
const temporaryFolder = mkdtempSync(join(tmpdir(), "git-repository-test-"));
process.env.TMPDIR = temporaryFolder;
afterAll(() => {
  rmSync(root, { recursive: true });
  rmSync(temporaryFolder, { recursive: true });
});

/** Lines that differ little from file to file, so that git packs them as deltas. */
const long = (number: number) =>
  Array.from({ length: 400 }, (_, line) => `value_${line} = ${line === number ? "changed" : line * 7919}`).join("\n");

function fill(repository: RealRepository): { trunk: string; feature: string } {
  repository.write("old.py", "gone = True");
  repository.commit("first");
  repository.write("src/app.py", "print(1)\n");
  repository.write("源码/主.js", "let a = 1;");
  repository.write("empty.txt", "");
  for (let number = 0; number < 12; number++) repository.write(`src/deep/er/file-${number}.py`, long(number));
  rmSync(join(repository.folder, "old.py"));
  symlinkSync("app.py", join(repository.folder, "src/link.py"));
  const first = repository.git("rev-parse", "HEAD");
  repository.git("add", "--all");
  repository.git("update-index", "--add", "--cacheinfo", `160000,${first},vendored`);
  repository.git("commit", "--quiet", "--message", "second");
  const trunk = repository.git("rev-parse", "HEAD");
  repository.git("checkout", "--quiet", "-b", "feature/登录");
  repository.write("feature.py", "x = 2");
  const feature = repository.commit("third");
  repository.git("checkout", "--quiet", "trunk");
  repository.git("tag", "v1");
  repository.git("repack", "-adq", "--depth=50", "--window=50");
  return { trunk, feature };
}

const paths = [
  "empty.txt",
  "src/app.py",
  ...Array.from({ length: 12 }, (_, number) => `src/deep/er/file-${number}.py`),
  "源码/主.js",
].sort();

const manifestOf = async (repository: GitRepository) => repository.archive(await repository.head(), buildManifest);

describe.skipIf(!hasGit).each([
  ["version 2", true, "sha1"],
  ["version 2 and SHA-256", true, "sha256"],
  ["version 0", false, "sha1"],
] as const)("a repository over HTTP, %s", (_, passesVersion, format) => {
  const name = `${passesVersion}-${format}`;
  let commits: { trunk: string; feature: string };
  let repository: RealRepository;
  let server: GitHttpServer;

  beforeAll(() => {
    repository = new RealRepository(join(root, name), `--object-format=${format}`);
    commits = fill(repository);
    new RealRepository(join(root, `${name}-empty`), `--object-format=${format}`);
  });
  beforeEach(async () => {
    server = new GitHttpServer(root);
    server.passesVersion = passesVersion;
    await server.start();
  });
  afterEach(async () => {
    await server.stop();
    expect(readdirSync(temporaryFolder)).toEqual([]);
  });

  const open = ({ url, ...change }: Partial<GitRepositoryProps> & { url?: string } = {}) =>
    new GitRepository({
      remote: parseGitRemote(url ?? `${server.origin}/${name}/.git`),
      outbound: outboundTo(server.address),
      budgetMs: 30_000,
      ...change,
    });

  it("lists branches, the default one first", async () => {
    expect(await open().branches()).toEqual({
      names: ["trunk", "feature/登录"],
      defaultBranch: "trunk",
      truncated: false,
    });
  });

  it("finds the head of the branch that is asked for, and of the default branch", async () => {
    expect(await open().head("feature/登录")).toEqual({ branch: "feature/登录", commit: commits.feature });
    expect(await open().head()).toEqual({ branch: "trunk", commit: commits.trunk });
  });

  it("lends a snapshot that passes as an upload, with the bytes that git has", async () => {
    const head = await open().head();
    expect(head).toEqual({ branch: "trunk", commit: commits.trunk });
    const seen = await open().archive(head, async (archive, findLeftOut) => {
      const { files } = await buildManifest(archive);
      const contents = new Map<string, string>();
      for await (const { entry, bytes } of readEntries(archive, await checkArchive(archive)))
        contents.set(entry.path.replace("repository/", ""), bytes!.toString("utf8"));
      return { leftOut: await findLeftOut(files), files, contents };
    });
    expect(seen.files.map(({ path }) => path)).toEqual(paths);
    for (const path of paths) expect(`${seen.contents.get(path)}`.trim()).toBe(repository.git("show", `trunk:${path}`));
    // The link is none: what it points to is a file of the repository.
    expect(seen.leftOut).toEqual({ paths: ["vendored"], count: 1, listingIncomplete: false });
  });

  it("lends the archive of a head that was found before", async () => {
    const head = await open().head("feature/登录");
    const { files } = await open().archive(head, buildManifest);
    expect(files.map(({ path }) => path)).toContain("feature.py");
  });

  it("lists the files of a branch, with their contents left at the host where it can leave them out", async () => {
    const fetched: number[] = [];
    for (const allowed of ["false", "true"]) {
      repository.git("config", "uploadpack.allowFilter", allowed);
      const { items, truncated } = await open().files(await open().head());
      expect(items.map(({ path }) => path).toSorted()).toEqual(paths);
      expect(truncated).toBe(false);
      const app = items.find(({ path }) => path === "src/app.py");
      expect(app?.bytes).toBe(allowed === "true" ? null : 9);
      fetched.push(server.sentBytes);
      server.sentBytes = 0;
    }
    expect(fetched[1]).toBeLessThan(fetched[0]! / 2);
  });

  it("keeps a folder that all files share, and makes the same archive every time", async () => {
    const one = new RealRepository(join(root, `${name}-one-folder`), `--object-format=${format}`);
    one.write("src/a.py", "1");
    one.commit("only");
    const manifest = () => manifestOf(open({ url: `${server.origin}/${name}-one-folder/.git` }));
    const first = await manifest();
    expect(first.files.map(({ path }) => path)).toEqual(["src/a.py"]);
    expect(await manifest()).toEqual(first);
  });

  it.each([
    ["has no such branch", "no-such", "repository_branch_not_found"],
    ["has only a longer name", "feature", "repository_branch_not_found"],
    ["has only a tag of that name", "v1", "repository_branch_not_found"],
    ["could take the name for an option", "--upload-pack=x", "repository_branch_invalid"],
  ])("never takes another branch when the repository %s", async (_, branch, code) => {
    await expect(open().head(branch)).rejects.toMatchObject({ code });
  });

  it("has no branches in an empty repository", async () => {
    const empty = open({ url: `${server.origin}/${name}-empty/.git` });
    expect(await empty.branches()).toEqual({ names: [], defaultBranch: null, truncated: false });
    await expect(empty.head()).rejects.toMatchObject({ code: "repository_branch_not_found" });
  });

  it("passes on what the borrower throws, and leaves no file", async () => {
    const fault = new Error("of the borrower");
    const head = await open().head();
    await expect(open().archive(head, () => Promise.reject(fault))).rejects.toBe(fault);
  });

  it("tells a missing repository, a private one and a refused token apart", async () => {
    const url = `${server.origin}/nowhere/.git`;
    await expect(open({ url }).branches()).rejects.toMatchObject({ code: "repository_not_found" });
    server.password = "git:canary-token";
    await expect(open().branches()).rejects.toMatchObject({ code: "repository_not_found" });
    const wrong = { value: "wrong", origin: server.origin };
    await expect(open({ token: wrong }).branches()).rejects.toMatchObject({ code: "repository_unauthorised" });
    const token = { value: "canary-token", origin: server.origin };
    expect((await open({ token }).head()).commit).toBe(commits.trunk);
  });

  it("sends a token to its own origin only, not even along a redirect", async () => {
    const other = new GitHttpServer(root);
    await other.start();
    try {
      server.instead = ({ url = "" }, response) => {
        response.writeHead(301, { location: `${other.origin}${url}` }).end();
        return true;
      };
      const outbound = outboundTo(server.address, other.address);
      const token = { value: "canary-token", origin: server.origin };
      expect((await open({ outbound, token }).head()).commit).toBe(commits.trunk);
      expect(server.requests.length).toBe(1);
      expect(server.requests[0]!.headers.authorization).toBeDefined();
      expect((await manifestOf(open({ outbound, token }))).files.length).toBe(paths.length);
      expect(other.requests.length).toBeGreaterThan(1);
      expect(other.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
      await open({ outbound, token: { ...token, origin: other.origin } }).branches();
      expect(server.requests.at(-1)!.headers.authorization).toBeUndefined();
    } finally {
      await other.stop();
    }
  });

  it.each([
    ["is no git server", 200, {}, "repository_answer_unexpected"],
    ["limits requests", 429, { "retry-after": "7" }, "repository_rate_limited"],
    ["is down", 503, {}, "repository_unavailable"],
  ])("answers with a typed error and none of the host's words when it %s", async (_, status, headers, code) => {
    server.instead = (_, response) => {
      response.writeHead(status, headers).end("canary");
      return true;
    };
    const error = await open()
      .branches()
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify([error, error.message])).not.toContain("canary");
  });

  it("gives up on a host that hangs", async () => {
    server.instead = () => true;
    await expect(open({ budgetMs: 50 }).branches()).rejects.toMatchObject({ code: "outbound_timeout" });
  });

  it("does not reach a private address that nobody named", async () => {
    const outbound = outboundTo("elsewhere.test:443");
    await expect(open({ outbound, url: "https://git.test/a/b" }).branches()).rejects.toMatchObject({
      code: "outbound_address_refused",
    });
  });
});
