import { describe, expect, it } from "vitest";
import { gitea } from "../../../functions/sources/providers/gitea.ts";
import { github } from "../../../functions/sources/providers/github.ts";
import { gitlab } from "../../../functions/sources/providers/gitlab.ts";
import { parseRepositoryUrl } from "../../../functions/sources/providers/repository-address.ts";

const dialects = { github, gitlab, gitea };

describe("the address of a repository", () => {
  it.each([
    ["github", "https://github.com/owner/name", "https://api.github.com", "owner name"],
    ["github", "https://GitHub.com/owner/name.git", "https://api.github.com", "owner name"],
    ["github", "https://github.com/owner/name/?tab=readme#top", "https://api.github.com", "owner name"],
    ["github", "https://corp.ghe.com/owner/name", "https://api.corp.ghe.com", "owner name"],
    ["github", "https://git.corp:8443/owner/name", "https://git.corp:8443/api/v3", "owner name"],
    ["github", "https://github.com.evil.example/owner/name", "https://github.com.evil.example/api/v3", "owner name"],
    ["gitlab", "https://gitlab.com/group/sub/deep/name.git", "https://gitlab.com/api/v4", "group sub deep name"],
    ["gitlab", "https://gitlab.com/group/name/-/tree/main?ref_type=heads", "https://gitlab.com/api/v4", "group name"],
    ["gitea", "https://codeberg.org/owner/name", "https://codeberg.org/api/v1", "owner name"],
    ["gitea", "https://corp.example/git/owner/name", "https://corp.example/git/api/v1", "owner name"],
  ] as const)("leads to the API of %s for %s", (type, url, base, path) => {
    expect(dialects[type].locate(parseRepositoryUrl(url))).toEqual({ base, path: path.split(" ") });
  });

  it.each([
    "",
    "owner/name",
    "git@github.com:owner/name.git",
    "ssh://git@github.com/owner/name",
    "file:///srv/git/name",
    "https://github.com",
    "https://github.com/owner",
    "https://oauth2:token@gitlab.com/owner/name",
    "https://token@github.com/owner/name",
    "https://github.com/owner/na%2Fme",
    "https://github.com/owner/%2e%2e",
    "https://github.com/owner/..%2f..",
    "https://github.com/owner/a b",
    "https://github.com/owner/name%00",
    "https://github.com/owner/.git",
    "https://github.com/o/名称",
  ])("is refused as %o", (url) => {
    expect(() => parseRepositoryUrl(url)).toThrow(
      expect.objectContaining({ code: "repository_url_invalid", status: 422 }),
    );
  });

  it("at GitHub has two parts: what lies behind them could name another branch than the one asked for", () => {
    const address = parseRepositoryUrl("https://github.com/owner/name/tree/other");
    expect(() => github.locate(address)).toThrow(expect.objectContaining({ code: "repository_url_invalid" }));
  });
});
