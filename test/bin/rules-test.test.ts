import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { marksOf } from "../../bin/rules-test/marks.ts";
import { runRulesTest } from "../../bin/rules-test/run-rules-test.ts";

const rule = (id: string, pattern: string) =>
  `rules:\n- id: ${id}\n  message: m\n  severity: ERROR\n  languages: [python]\n  pattern: ${pattern}\n  paths: {include: [src]}\n`;

let folder: string;
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tested(files: Record<string, string>): Promise<{ code: number; lines: string[] }> {
  folder = mkdtempSync(join(tmpdir(), "sluice-own-rules-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const lines: string[] = [];
  const code = await runRulesTest([folder], "/", (line) => lines.push(line));
  return { code, lines };
}

describe("rules:test of a user's folder", () => {
  it("passes when exactly the marked lines are found, beside the rule and in its fixtures", async () => {
    const { code, lines } = await tested({
      "team/old.yaml": rule("team.old", "old($X)"),
      "team/old.py":
        "# ruleid: team.old\nold(1)\n# ok: team.old\nnew(1)\n# todoruleid: team.old\ngetattr(a, 'old')(1)\n",
      "team/fixtures/b.py": "# ruleid: team.old\nold(2)\n",
    });
    expect(lines).toContain("team.old        2        2        1        1  passed");
    expect(code).toBe(0);
  });

  it("fails with the place of each line that is missed or wrongly found", async () => {
    const { code, lines } = await tested({
      "old.yaml": rule("old", "old($X)"),
      "old.py": "# ruleid: old\nnew(1)\n# ok: old\nold(1)\nold(2)\n",
    });
    expect(lines.join("\n")).toMatch(
      /old.py:2 is not found\n.*old.py:4 is found and marked ok\n.*old.py:5 is found and not marked/,
    );
    expect(code).toBe(1);
  });

  it("fails for a rule that is refused, with its line", async () => {
    const { code, lines } = await tested({ "a.yaml": `${rule("a", "f()")}  pattern-where: x\n` });
    expect(lines.join("\n")).toMatch(/refused: a.yaml, line 8, pattern-where/);
    expect(code).toBe(1);
  });

  it("is no success where there are no rules", async () => {
    expect((await tested({ "a.py": "x = 1\n" })).code).toBe(2);
  });
});

it("passes for all rules that ship, with fixtures that are files and those that are applications", {
  timeout: 180_000,
}, async () => {
  const lines: string[] = [];
  const code = await runRulesTest([], "/", (line) => lines.push(line));
  expect(lines.filter((line) => !line.endsWith("passed")).slice(1)).toEqual([
    "",
    expect.stringMatching(/^\d+ rules: \d+ passed, 0 failed$/),
  ]);
  expect(code).toBe(0);
});

describe("a mark", () => {
  it("speaks about the next line without one, for one rule or several", () => {
    folder = "";
    const source = "# ruleid: a, b\n# ok: c\nx\n// todo-ruleid: a\ny\n";
    expect(marksOf(source, "a")).toEqual({ ruleid: [3], ok: [], todo: [5] });
    expect(marksOf(source, "b")).toEqual({ ruleid: [3], ok: [], todo: [] });
    expect(marksOf(source, "c")).toEqual({ ruleid: [], ok: [3], todo: [] });
  });
});
