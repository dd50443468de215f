import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import type { UserPattern } from "../../functions/engine/user-rules/user-pattern.ts";
import { openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const aPattern = (given: Partial<UserPattern> = {}): UserPattern => ({
  code: "TEAM_01",
  name: "Old client",
  description: "The old client has no time-out.",
  category: "bug",
  severity: "medium",
  fixSuggestion: "Use the new one.",
  language: "all",
  pattern: "\\blegacy_client\\(",
  ...given,
});

const analyse = (path: string, source: string, patterns: UserPattern[]) =>
  engine.analyse({ path, bytes: new TextEncoder().encode(source) }, { patterns });

describe("a pattern of a user's rule", () => {
  it("finds the line, with the texts of the rule", async () => {
    const artefact = await analyse("src/a.go", "package a\n\nvar c = legacy_client(1)\n", [aPattern()]);
    const [finding, ...others] = engine.link([artefact]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      ruleId: "user.team-01",
      family: "rule.team-01",
      type: "other",
      issueType: "bug",
      severity: "medium",
      startLine: 3,
      startColumn: 9,
      endColumn: 23,
      snippet: "var c = legacy_client(1)",
      title: { zh: "Old client", en: "Old client" },
      fix: { en: "Use the new one." },
      origins: ["rule"],
    });
  });

  it("looks at files of its language only", async () => {
    const patterns = [aPattern({ language: "python" })];
    const found = async (path: string) => engine.link([await analyse(path, "x = legacy_client()\n", patterns)]).length;
    expect([await found("a.py"), await found("a.js"), await found("a.go")]).toEqual([1, 0, 0]);
  });

  it("is silenced by a comment that gives a reason", async () => {
    const source = "# audit-ignore: user.team-01 kept for the import job\nx = legacy_client()\n";
    const [finding] = engine.link([await analyse("a.py", source, [aPattern()])]);
    expect(finding?.suppressed).toEqual({ reason: "kept for the import job" });
  });

  it("shows no secret that stands on its line", async () => {
    const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const [finding] = engine
      .link([await analyse("a.py", `x = legacy_client("${secret}")\n`, [aPattern()])])
      .filter((found) => found.ruleId === "user.team-01");
    expect(finding?.snippet).toMatch(/legacy_client\("ghp_\*+"\)/);
  });

  it("does not cost a file its other findings when it does not compile, and says so", async () => {
    const artefact = await analyse("a.py", "x = legacy_client()\n", [
      aPattern({ pattern: "(?=x)" }),
      aPattern({ code: "B" }),
    ]);
    expect(artefact.coverage).toMatchObject({ status: "partial", reason: "pattern_invalid" });
    expect(engine.link([artefact]).map((finding) => finding.ruleId)).toEqual(["user.b"]);
  });

  it("ends after so many steps, and says so", async () => {
    const costly = Array.from({ length: 40 }, (_, i) => aPattern({ code: `C${i}`, pattern: `[a-w]{900}[x${i % 10}]` }));
    const artefact = await analyse("a.txt", `${"q ".repeat(80)}\n`.repeat(40), costly);
    expect(artefact.coverage).toMatchObject({ status: "analysed", reason: null });
    const large = await analyse("a.txt", `${"0 ".repeat(80)}\n`.repeat(800), costly);
    expect(large.coverage).toMatchObject({ status: "partial", reason: "pattern_budget" });
  });

  it("reports a hundred places at most", async () => {
    const artefact = await analyse("a.py", "x = legacy_client()\n".repeat(300), [aPattern()]);
    expect(engine.link([artefact])).toHaveLength(100);
  });

  it("keeps codes in other scripts apart", async () => {
    const patterns = [aPattern({ code: "规则一" }), aPattern({ code: "规则二" })];
    const ids = engine
      .link([await analyse("a.py", "x = legacy_client()\n", patterns)])
      .map((finding) => finding.ruleId);
    expect(new Set(ids).size).toBe(2);
  });

  it("changes nothing for who has none", async () => {
    const source = "import os\nos.system(input())\n";
    expect(await analyse("a.py", source, [])).toEqual(
      await engine.analyse({ path: "a.py", bytes: Buffer.from(source) }),
    );
  });
});

describe("a switched-off category", () => {
  const source = `import hashlib, sqlite3
from flask import request

def find():
    hashlib.md5(request.args["password"].encode())
    sqlite3.connect("x").cursor().execute("select " + request.args["q"])
`;

  it("takes the families of that category out, and no other", async () => {
    const artefact = await analyse("app.py", source, []);
    const families = (off: string[]) =>
      engine.link([artefact], { categoriesOff: off }).map((finding) => finding.family);
    expect(families([])).toEqual(["weak_hash", "sql_injection"]);
    expect(families(["A02"])).toEqual(["sql_injection"]);
    expect(families(["A03", "A02"])).toEqual([]);
  });
});
