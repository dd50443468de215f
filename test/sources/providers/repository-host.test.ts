import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import JSZip from "jszip";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildManifest } from "../../../functions/sources/archive/manifest.ts";
import {
  type ProviderType,
  RepositoryHost,
  type RepositoryHostProps,
} from "../../../functions/sources/providers/repository-host.ts";
import { type FakeGitHost, type FakeRepository, outboundTo } from "../../support/fake-git-hosts/fake-git-host.ts";
import { fakeGitea } from "../../support/fake-git-hosts/fake-gitea.ts";
import { fakeGitHub } from "../../support/fake-git-hosts/fake-github.ts";
import { fakeGitLab } from "../../support/fake-git-hosts/fake-gitlab.ts";

/** A temporary folder of this file's own, so that what is left behind can be seen. */
const temporaryFolder = mkdtempSync(join(tmpdir(), "repository-host-test-"));
process.env.TMPDIR = temporaryFolder;
afterAll(() => rmSync(temporaryFolder, { recursive: true }));

const commit = (digit: string) => digit.repeat(40);
const blob = (path: string, size = 10, mode = "100644") => ({ path, type: "blob" as const, mode, size });
const token = "canary-token";

async function archiveOf(files: Record<string, string>, links: Record<string, string> = {}): Promise<Buffer> {
  const zip = new JSZip();
  for (const [path, text] of Object.entries(files)) zip.file(`name-1111111/${path}`, text);
  for (const [path, target] of Object.entries(links))
    zip.file(`name-1111111/${path}`, target, { unixPermissions: 0o120777 });
  return zip.generateAsync({ type: "nodebuffer", platform: "UNIX", comment: commit("1") });
}

const repository = async (change: Partial<FakeRepository> = {}): Promise<FakeRepository> => ({
  path: "owner/name",
  defaultBranch: "trunk",
  branches: new Map([
    ["a", commit("2")],
    ["feature/登录+x#y%2F", commit("3")],
    ["trunk", commit("1")],
    ["v1", commit("4")],
    ["v2", commit("5")],
    ["v3", commit("6")],
    ["v4", commit("7")],
  ]),
  entries: [
    { path: "src", type: "tree", mode: "040000" },
    blob("src/app.py", 120),
    blob("README.md"),
    blob("link.py", 9, "120000"),
    { path: "vendored", type: "commit", mode: "160000" },
    blob("源码/主.js"),
    blob("../escape.py"),
    blob("/absolute.py"),
    blob("a/../b.py"),
  ],
  archive: await archiveOf({ "src/app.py": "print(1)", "README.md": "# hi" }, { "link.py": "src/app.py" }),
  ...change,
});

const files = ["src/app.py", "README.md", "源码/主.js"];

describe.each([
  ["github", fakeGitHub, "owner/name", "/"],
  ["gitlab", fakeGitLab, "group/sub/name", "/"],
  ["gitea", fakeGitea, "owner/name", "/git/"],
] as const)("a repository at %s", (type: ProviderType, make, path, below) => {
  let host: FakeGitHost;
  let foreign: FakeGitHost;

  beforeEach(async () => {
    host = make(await repository({ path }));
    foreign = make(await repository({ path }));
    await Promise.all([host.start(), foreign.start()]);
  });
  afterEach(() => Promise.all([host.stop(), foreign.stop()]));

  const open = (change: Partial<RepositoryHostProps> = {}) =>
    new RepositoryHost({
      type,
      url: `${host.origin}${below}${path}.git`,
      outbound: outboundTo(host, foreign),
      ...change,
    });
  const withToken = () => open({ token: { value: token, origin: host.origin } });
  const tokensAt = (at: FakeGitHost) => at.requests.filter(({ headers }) => JSON.stringify(headers).includes(token));

  it("lists all branches over all pages, the default one first", async () => {
    const { names, defaultBranch, truncated } = await open().branches();
    const [, second] = [...host.repository.branches.keys()];
    expect({ names, defaultBranch, truncated }).toEqual({
      names: ["trunk", "a", second, "v1", "v2", "v3", "v4"],
      defaultBranch: "trunk",
      truncated: false,
    });
    expect(host.asked.filter((url) => url.includes("branches"))).toHaveLength(3);
  });

  it("lists the files of a branch over all pages, without links, submodules and paths that lead elsewhere", async () => {
    const repository = open();
    const head = await repository.head();
    expect(head).toEqual({ branch: "trunk", commit: commit("1") });
    const { items, truncated } = await repository.files(head);
    expect({ paths: items.map((file) => file.path), truncated }).toEqual({ paths: files, truncated: false });
    expect(items[0]?.bytes).toBe(type === "gitlab" ? null : 120);
  });

  it("finds every branch that it lists, slashes and other characters included", async () => {
    const repository = open();
    for (const name of (await repository.branches()).names)
      expect(await repository.head(name)).toEqual({ branch: name, commit: host.repository.branches.get(name) });
  });

  it("lends the archive of a head in a form that passes as an upload, and leaves nothing behind", async () => {
    const repository = withToken();
    host.repository = { ...host.repository, token };
    const manifest = await repository.archive(await repository.head("trunk"), buildManifest);
    expect(manifest.root).toBe("name-1111111");
    expect(manifest.files.map((file) => file.path)).toEqual(["README.md", "link.py", "src/app.py"]);
    const lending = repository.archive(await repository.head(), () => Promise.reject(new RangeError("user's")));
    await expect(lending).rejects.toThrow(new RangeError("user's"));
    expect(readdirSync(tmpdir())).toEqual([]);
  });

  it("is seen with its token only", async () => {
    host.repository = { ...host.repository, token };
    expect((await withToken().branches()).names).toHaveLength(7);
    await expect(open().branches()).rejects.toMatchObject({ code: "repository_not_found" });
    const wrong = open({ token: { value: "wrong", origin: host.origin } });
    await expect(wrong.branches()).rejects.toMatchObject({ code: "repository_unauthorised", status: 422 });
  });

  it("is not shown a token that was stored for another origin", async () => {
    for (const origin of [
      foreign.origin,
      host.origin.replace("http:", "https:"),
      `${host.origin}0`,
      "https://github.com",
    ])
      await open({ token: { value: token, origin } }).branches();
    expect(tokensAt(host)).toEqual([]);
  });

  it("may redirect its archive, but the token stays at home", async () => {
    host.lie = (url) =>
      url.pathname.includes(`${commit("1")}`) || url.searchParams.has("sha")
        ? { status: 302, headers: { location: `${foreign.origin}/codeload?key=one-time` } }
        : null;
    foreign.lie = () => ({ bytes: host.repository.archive });
    const repository = withToken();
    host.repository = { ...host.repository, token };
    const manifest = await repository.archive({ branch: "trunk", commit: commit("1") }, buildManifest);
    expect(manifest.files).toHaveLength(3);
    expect(tokensAt(host)).toHaveLength(1);
    expect(foreign.requests).toHaveLength(1);
    expect(tokensAt(foreign)).toEqual([]);
  });

  it("without the branch asked for is an error that says so, never another branch", async () => {
    const repository = open();
    for (const branch of ["gone", "feature", "Trunk"])
      await expect(repository.head(branch)).rejects.toMatchObject({
        code: "repository_branch_not_found",
        fields: { branch },
      });
    const asked = host.requests.length;
    for (const branch of ["../..", "-x", "HEAD"])
      await expect(repository.head(branch)).rejects.toMatchObject({ code: "repository_branch_invalid" });
    expect(host.requests).toHaveLength(asked);
  });

  it("that renamed the branch and forwards to the new one is not believed", async () => {
    host.lie = (url) => {
      const at = url.pathname.lastIndexOf("/branches/old");
      return at < 0 ? null : { status: 301, headers: { location: `${url.pathname.slice(0, at)}/branches/trunk` } };
    };
    await expect(open().head("old")).rejects.toMatchObject({ code: "repository_branch_not_found" });
  });

  it("that is gone is told from a branch that is gone", async () => {
    const gone = open({ url: `${host.origin}${below}${path}2` });
    await expect(gone.head("trunk")).rejects.toMatchObject({ code: "repository_not_found" });
    await expect(gone.branches()).rejects.toMatchObject({ code: "repository_not_found" });
  });

  it("without commits has no branches", async () => {
    host.repository = { ...host.repository, branches: new Map(), defaultBranch: null };
    expect(await open().branches()).toEqual({ names: [], defaultBranch: null, truncated: false });
    await expect(open().head()).rejects.toMatchObject({ code: "repository_branch_not_found" });
  });

  const inTenMinutes = String(Math.floor(Date.now() / 1000) + 600);
  it.each([
    [429, { "retry-after": "17" }, "repository_rate_limited", 17],
    [429, {}, "repository_rate_limited", 60],
    [429, { "retry-after": "-5" }, "repository_rate_limited", 60],
    [403, { "retry-after": "99999999999" }, "repository_rate_limited", 86_400],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inTenMinutes }, "repository_rate_limited", null],
    [403, { "x-ratelimit-remaining": "10" }, "repository_unauthorised", null],
    [401, {}, "repository_unauthorised", null],
    [451, {}, "repository_not_found", null],
    [500, {}, "repository_unavailable", null],
    [503, {}, "repository_unavailable", null],
    [202, {}, "repository_answer_unexpected", null],
    [422, {}, "repository_answer_unexpected", null],
  ] as const)(
    "that answers %i %o ends as %s, and its words are not repeated",
    async (status, headers, code, seconds) => {
      host.lie = () => ({ status, headers: { ...headers } });
      const failed = await open()
        .branches()
        .catch((error) => error);
      expect(failed).toMatchObject({ code, fields: { host: host.address } });
      if (seconds !== null) expect(failed.fields.seconds).toBe(seconds);
      else if (code === "repository_rate_limited") {
        expect(failed.fields.seconds).toBeGreaterThan(500);
        expect(failed.fields.seconds).toBeLessThanOrEqual(600);
      }
      expect(`${failed.message}${failed.text("zh")}`).not.toContain("canary");
    },
  );

  it.each([
    ["HTML", { bytes: Buffer.from("<html>canary") }],
    ["nothing", { bytes: Buffer.alloc(0) }],
    ["another shape", { json: { canary: [] } }],
    ["numbers for names", { json: [{ name: 1 }] }],
    ["a commit that is a path", { json: { name: "trunk", commit: { sha: "../../canary", id: "../../canary" } } }],
    ["null", { json: null }],
  ])("that answers with %s ends as repository_answer_unexpected", async (_, answer) => {
    host.lie = (url) => (url.pathname.endsWith("trunk") ? answer : null);
    const failed = await open()
      .head("trunk")
      .catch((error) => error);
    expect(failed).toMatchObject({ code: "repository_answer_unexpected", status: 502 });
    expect(failed.message).not.toContain("canary");
  });

  it("that repeats a page for ever, or invents branches, is left, and the list says that it is cut", async () => {
    const endless = { link: '<x>; rel="next"', "x-next-page": "2" };
    host.lie = (url) => (url.pathname.endsWith("/branches") ? { headers: endless, json: [{ name: "same" }] } : null);
    expect(await open().branches()).toMatchObject({ names: ["same"], truncated: true });
    expect(host.requests).toHaveLength(3);
    let page = 0;
    host.lie = (url) => {
      if (!url.pathname.endsWith("/branches")) return null;
      page += 1;
      return { headers: endless, json: Array.from({ length: 4000 }, (_, i) => ({ name: `b${page}-${i}` })) };
    };
    const { names, truncated } = await open().branches();
    expect({ count: names.length, truncated, page }).toEqual({ count: 10_000, truncated: true, page: 3 });
  });

  it("cannot pass names off that no branch has", async () => {
    const names = ["ok", "--upload-pack=x", "../../x", "a\u0000b", "HEAD"].map((name) => ({ name }));
    host.lie = (url) => (url.pathname.endsWith("/branches") ? { json: names } : null);
    expect((await open().branches()).names).toEqual(["ok"]);
  });

  it("that hangs on any page ends when the time for all is up", async () => {
    host.lie = (url) => (url.searchParams.get("page") === "2" ? "hang" : null);
    await expect(open({ budgetMs: 300 }).branches()).rejects.toMatchObject({ code: "outbound_timeout" });
  });

  it("whose archive is no archive is refused", async () => {
    host.repository = { ...host.repository, archive: Buffer.from("<html>sign in</html>") };
    const lent = open().archive({ branch: "trunk", commit: commit("1") }, buildManifest);
    await expect(lent).rejects.toMatchObject({ code: "zip_not_an_archive" });
  });
});

it("says that GitHub cut a tree", async () => {
  const host = fakeGitHub(await repository());
  await host.start();
  host.lie = ({ pathname }) =>
    pathname.includes("/git/trees/") ? { json: { tree: [blob("only.py")], truncated: true } } : null;
  const cut = new RepositoryHost({ type: "github", url: `${host.origin}/owner/name`, outbound: outboundTo(host) });
  expect(await cut.files(await cut.head())).toEqual({ items: [{ path: "only.py", bytes: 10 }], truncated: true });
  await host.stop();
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

it.skipIf(!hasGit)("takes the archive that git itself makes, links and executables included (needs git)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "real-repository-"));
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    const env = { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
    const run = spawnSync("git", [...identity, ...args], { cwd: folder, env });
    if (run.status !== 0) throw new Error(run.stderr.toString());
    return run.stdout;
  };
  git("init", "-q", "-b", "trunk");
  writeFileSync(join(folder, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(folder, "源码.py"), "print(1)\n".repeat(200));
  symlinkSync("/etc/passwd", join(folder, "outside"));
  git("add", "-A");
  git("commit", "-qm", "all");
  const archive = git("archive", "--format=zip", "--prefix=name-1111111/", "trunk");
  rmSync(folder, { recursive: true });

  const host = fakeGitHub(await repository({ archive }));
  await host.start();
  const real = new RepositoryHost({ type: "github", url: `${host.origin}/owner/name`, outbound: outboundTo(host) });
  const manifest = await real.archive(await real.head(), buildManifest);
  expect(manifest.files.map(({ path, bytes }) => [path, bytes])).toEqual([
    ["outside", "/etc/passwd".length],
    ["run.sh", 10],
    ["源码.py", 1800],
  ]);
  await host.stop();
});
