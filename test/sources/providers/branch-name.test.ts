import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkedBranch, isBranchName } from "../../../functions/sources/providers/branch-name.ts";

const git = (name: string) => spawnSync("git", ["check-ref-format", "--branch", name], { stdio: "ignore" }).status;
const hasGit = git("main") === 0;

describe("a branch name", () => {
  it.each([
    "main",
    "feature/a-b_c",
    "release/1.2.x",
    "功能/登录",
    "a@b",
    "@a",
    "a{b}",
    "dependabot/npm/@types/node-1",
    "x".repeat(255),
  ])("may be %s", (name) => {
    expect(checkedBranch(name)).toBe(name);
  });

  it.each([
    "",
    "-d",
    "--upload-pack=x",
    "a..b",
    "../x",
    "a/../b",
    "/a",
    "a/",
    "a//b",
    ".a",
    "a/.b",
    "a.lock",
    "a.lock/b",
    "a.",
    "@",
    "HEAD",
    "a@{1}",
    "a b",
    "a\tb",
    "a\nb",
    "a\u0000b",
    "a\u007f",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "\ud800",
    "密".repeat(86),
  ])("is never %o", (name) => {
    expect(isBranchName(name)).toBe(false);
    expect(() => checkedBranch(name)).toThrow(
      expect.objectContaining({ code: "repository_branch_invalid", status: 422 }),
    );
  });

  it.skipIf(!hasGit)("is what git itself takes for one (needs git)", () => {
    const piece = fc.constantFrom(
      "a",
      "B",
      "é",
      ".",
      "..",
      "/",
      "-",
      "@",
      "{",
      "@{",
      "}",
      ".lock",
      "lock",
      " ",
      "~",
      "^",
      ":",
      "?",
      "*",
      "[",
      "]",
      "\\",
      "\u007f",
      "\u0001",
      "HEAD",
      "+",
      "#",
      "%2e",
      "'",
      '"',
    );
    // A branch may be called "@" (refs/heads/@), but everywhere else that means HEAD: ours refuses it.
    const names = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(""))
      .filter((name) => name !== "@");
    fc.assert(
      fc.property(names, (name) => {
        expect([name, isBranchName(name)]).toEqual([name, git(name) === 0]);
      }),
      { numRuns: 300, examples: [["HEAD"], ["a@{"], ["-"], ["a.lock/b"]] },
    );
  });

  it("stays one path segment once it is encoded, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }).filter(isBranchName), (name) => {
        const url = new URL(`https://host/repos/o/n/branches/${encodeURIComponent(name)}`);
        expect(url.pathname.split("/")).toHaveLength(6);
        expect(decodeURIComponent(url.pathname.split("/")[5]!)).toBe(name);
      }),
    );
  });
});
