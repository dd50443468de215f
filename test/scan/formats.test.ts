import { PassThrough } from "node:stream";
import { WriteStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { jsonOf } from "../../bin/scan/json.ts";
import { code, fenced, markdownOf, text } from "../../bin/scan/markdown.ts";
import { cellsOf } from "../../bin/scan/printable.ts";
import type { Output } from "../../bin/scan/progress.ts";
import { type ScanResult, summarise } from "../../bin/scan/result.ts";
import { plainTarget, type TableTarget, tableOf, terminalTarget } from "../../bin/scan/table.ts";
import { sayIn } from "../../bin/scan/texts.ts";
import type { Issue } from "../../bin/scan/views.ts";
import { hostile, issue, result, step, task } from "./results.ts";

const say = sayIn("en");
const table = (given: ScanResult, target: TableTarget = plainTarget) => tableOf(given, summarise(given), say, target);
const json = (given: ScanResult) => JSON.parse(jsonOf(given, summarise(given), say));
const markdown = (given: ScanResult) => markdownOf(given, summarise(given), say);

const some: Issue[] = [
  issue({
    severity: "low",
    title: "Weak hash",
    rule_id: "weak-hash.md5",
    cwe: [328],
    file_path: "a.py",
    fingerprint: "1",
  }),
  issue({ severity: "critical", fingerprint: "2" }),
  issue({ severity: "critical", line_number: 3, fingerprint: "3" }),
  issue({ status: "false_positive", suppression: "test data", fingerprint: "4" }),
];

/** Everything a hostile author can fill, filled with one string. */
const hostileIssue = (value: string): Issue =>
  issue({
    file_path: value || "x",
    title: value,
    message: value,
    suggestion: value,
    code_snippet: value,
    symbol: value,
    rule_id: value,
    fingerprint: value,
    owasp_2021: value,
    trace: [step({ file_path: value, code: value, role: value }), step({ role: "sink", code: value })],
  });

const allHostile = (): ScanResult =>
  result(
    hostile.flatMap((value) => [
      hostileIssue(value),
      { ...hostileIssue(value), status: "false_positive" as const, suppression: value },
    ]),
    {
      scanned: { kind: "folder", name: hostile.join(""), files: 9 },
      task: task({ warnings: [{ code: "files_not_analysed", count: 1, paths: hostile }] }),
      unpackable: hostile,
    },
  );

const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe("the table", () => {
  it("shows the open issues, most severe first, and what the scan covered", () => {
    expect(table(result(some))).toBe(
      [
        "SEVERITY  PLACE            RULE                             PROBLEM        CWE",
        "critical  src/app.js:3:5   sql-injection.tainted-statement  SQL injection  CWE-89",
        "critical  src/app.js:12:5  sql-injection.tainted-statement  SQL injection  CWE-89",
        "low       a.py:12:5        weak-hash.md5                    Weak hash      CWE-328",
        "",
        "3 issues: 2 critical, 1 low (1 more silenced)",
        "3 files scanned · 2 skipped · 1,234 lines · quality score 91.7 · 12.3 s",
        "",
      ].join("\n"),
    );
  });

  it("says so when nothing was found", () => {
    expect(table(result([]))).toMatch(/^No issues found in 3 files\n/);
  });

  it.each([
    [
      "no file could be scanned",
      {
        total_files: 0,
        scanned_files: 0,
        quality_score: 0,
        warnings: [{ code: "no_scannable_files", count: 2, paths: ["a.txt"] }],
      },
    ],
    [
      "every file was lost",
      {
        total_files: 2,
        scanned_files: 2,
        warnings: [{ code: "files_not_analysed", count: 2, paths: ["a.js", "b.js"] }],
      },
    ],
  ] as const)("never says that nothing was found when %s", (_, given) => {
    const shown = table(result([], { task: task(given as never) }));
    expect(shown).toMatch(/^Nothing was analysed/);
    expect(shown).toContain("Warning: ");
    expect(shown).not.toMatch(/No issues|score/);
  });

  it("names the files that were not analysed, and how many more there are", () => {
    const paths = ["a.js", "b.js", "c.js", "d.js", "e.js", "f.js"];
    const lost = task({
      total_files: 20,
      scanned_files: 20,
      warnings: [{ code: "files_not_analysed", count: 9, paths }],
    });
    expect(table(result([], { task: lost }))).toContain(
      "Warning: 9 files were not analysed: a.js, b.js, c.js, d.js, e.js, and 4 more",
    );
  });

  it("colours severities on a terminal, and not where NO_COLOR or a pipe says no", () => {
    expect(table(result(some), terminalTarget(terminal({})))).toContain("\u001b[31m");
    expect(table(result(some), terminalTarget(terminal({ NO_COLOR: "1" })))).not.toContain("\u001b");
    expect(table(result(some), terminalTarget(new PassThrough()))).not.toContain("\u001b");
  });

  it("cuts titles to the width of the terminal, wide characters counted as two", () => {
    const wide = result([issue({ title: "很长的标题".repeat(20) })]);
    const lines = table(wide, { ...plainTarget, columns: 110 }).split("\n");
    expect(cellsOf(lines[1] as string)).toBeLessThanOrEqual(110);
    expect(lines[1]).toMatch(/标题… ? {2}CWE-89$/);
  });

  it("gives no control character of the scanned code to the terminal", () => {
    expect(table(allHostile())).not.toMatch(dangerous);
    expect(
      table(allHostile())
        .split("\n")
        .filter((line) => line.startsWith("high")),
    ).toHaveLength(hostile.length);
  });

  it("speaks Chinese", () => {
    const given = result(some, { language: "zh" });
    expect(tableOf(given, summarise(given), sayIn("zh"), plainTarget)).toContain(
      "3 个问题: 2 严重, 1 低危 (另有 1 个已忽略)",
    );
  });
});

describe("JSON", () => {
  it("holds everything, worst first", () => {
    const parsed = json(result(some));
    expect(parsed).toMatchObject({
      version: 1,
      scanned: { kind: "folder", name: "shop", files: 5 },
      task: { status: "completed" },
      summary: {
        analysed: true,
        open_issues: { total: 3, critical: 2, high: 0, medium: 0, low: 1 },
        silenced_issues: 1,
        files_scanned: 3,
        files_skipped: 2,
        quality_score: 91.7,
      },
    });
    expect(parsed.issues.map((row: Issue) => row.fingerprint)).toEqual(["3", "2", "4", "1"]);
  });

  it("gives no score to a scan that looked at nothing", () => {
    const nothing = task({ total_files: 0, scanned_files: 0, quality_score: 0 });
    expect(json(result([], { task: nothing })).summary).toMatchObject({ analysed: false, quality_score: null });
  });

  it("keeps hostile text as it is for programs, and escaped for terminals", () => {
    const given = allHostile();
    expect(jsonOf(given, summarise(given), say)).not.toMatch(dangerous);
    expect(
      json(given)
        .issues.map((row: Issue) => row.message)
        .sort(),
    ).toEqual(given.issues.map((row) => row.message).sort());
  });
});

describe("Markdown", () => {
  it("is a report with every issue, its place, class, code, way and fix", () => {
    const trace = [step(), step({ line: 12, code: "db.query(sql)", role: "sink" })];
    expect(markdown(result([issue({ trace }), ...some.slice(3)]))).toBe(`# Security audit of shop

**1 issue: 1 high**

## Overview

3 files scanned · 2 skipped · 1,234 lines · quality score 91.7

| Severity | Issues |
| --- | ---: |
| critical | 0 |
| high | 1 |
| medium | 0 |
| low | 0 |

## high (1)

### SQL injection

\`src/app.js:12:5\` · rule \`sql-injection.tainted-statement\` · [CWE-89](https://cwe.mitre.org/data/definitions/89.html) · OWASP A03:2021

req.query.id comes from the request and becomes part of the SQL of db.query

\`\`\`javascript
    db.query("select " + id);
\`\`\`

**How the value gets there**

1. source \`src/app.js:10\` \`const id = req.query.id;\`
2. sink \`src/app.js:12\` \`db.query(sql)\`

**How to fix it** Pass the value as a parameter of the statement.

## Silenced

- high · \`src/app.js:12:5\` · SQL injection: test data
`);
  });

  it("lets no text of the scanned code be anything but text", () => {
    expect(text("# [a](b) <i> *x* `y` | a_b ~~z~~ ![i](u) &amp; @all")).toBe(
      "\\# \\[a\\]\\(b\\) &lt;i&gt; \\*x\\* \\`y\\` \\| a\\_b \\~\\~z\\~\\~ \\!\\[i\\]\\(u\\) &amp;amp; \\@all",
    );
    expect(["1. x", "- x", "+ x", "  # x"].map(text)).toEqual(["1\\. x", "\\- x", "\\+ x", "\\# x"]);
    expect(code("a`b``c")).toBe("```a`b``c```");
    expect(code("`a`")).toBe("`` `a` ``");
    expect(fenced("x\n```\n<script>", "a.py")).toBe("````python\nx\n```\n<script>\n````");
  });

  it("draws no heading, link or HTML that is not its own", () => {
    const report = markdown(allHostile());
    expect(report).not.toMatch(dangerous);
    const outside = report.replace(/^(`{3,})\w*\n[\s\S]*?\n\1$/gm, "").replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, "");
    expect(outside).not.toMatch(/<(?!\/?$)/);
    expect(outside.match(/(?<!\\)\]\((?!https:\/\/cwe\.mitre\.org\/)/g)).toBeNull();
    expect(outside.match(/^# /gm)).toHaveLength(1);
  });
});

function terminal(env: NodeJS.ProcessEnv): Output {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  return Object.assign(stream, {
    getColorDepth: () => WriteStream.prototype.getColorDepth.call(stream, { TERM: "xterm-256color", ...env }),
  });
}
