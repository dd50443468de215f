import { describe, expect, it } from "vitest";
import { parseGitRemote } from "../../../functions/sources/git/git-remote.ts";

describe("the address of a repository", () => {
  it.each([
    ["https://Git.Example.com/team/app.git", "https://git.example.com/team/app.git"],
    ["https://git.example.com:8443/app/", "https://git.example.com:8443/app"],
    [" http://git.example.com/a ", "http://git.example.com/a"],
  ])("may be %s", (given, url) => {
    expect(parseGitRemote(given)).toMatchObject({ kind: "https", url });
  });

  it.each([
    ["git@git.example.com:team/app.git", "git", "git.example.com:22", "team/app.git"],
    ["Git.example.com:app", "git", "git.example.com:22", "app"],
    ["ssh://git.example.com/team/app", "git", "git.example.com:22", "/team/app"],
    ["ssh://me@git.example.com:2222/~me/app", "me", "git.example.com:2222", "~me/app"],
    ["ssh://git@[2001:db8::1]:22/app", "git", "[2001:db8::1]:22", "/app"],
    ["git@0x7f.1:app", "git", "127.0.0.1:22", "app"],
    ["git@git.example.com:组/源码.git", "git", "git.example.com:22", "组/源码.git"],
  ])("may be %s", (given, user, host, path) => {
    expect(parseGitRemote(given)).toMatchObject({ kind: "ssh", user, host, path });
  });

  it.each([
    "https://user@git.example.com/app",
    "https://user:token@git.example.com/app",
    "https://git.example.com/",
    "https://git.example.com/app?x=1",
    "https://git.example.com/app#x",
    "ssh://me:secret@git.example.com/app",
    "ssh://-oProxyCommand=x/app",
    "-oProxyCommand=x:app",
    "git@-host:app",
    "-x@git.example.com:app",
    "git@git.example.com:-app",
    "git@git.example.com:a'; touch /tmp/x; '",
    "git@git.example.com:$(id)",
    "git@git.example.com:a b",
    "git@git.example.com:a\nb",
    "git@git.example.com:a\\b",
    "git@git.example.com:../a",
    "ssh://git@git.example.com/a%27b",
    "ssh://git@git.example.com/%",
    "ssh://git@git.example.com/",
    "git@git.example.com:",
    "file:///etc/passwd",
    "ext::sh -c id",
    "git://git.example.com/app",
    "C:\\app",
    "/srv/app",
    "",
  ])("is not %s", (given) => {
    expect(() => parseGitRemote(given)).toThrow(expect.objectContaining({ code: "repository_url_invalid" }));
  });
});
