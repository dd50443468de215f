import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { renderReport, reportBytesMax } from "../../functions/reports/render-report.ts";
import type { Report, ReportIssue } from "../../functions/reports/report.ts";
import type { ReportFonts } from "../../functions/reports/report-fonts.ts";
import { readPdf, squeezed } from "../support/read-pdf.ts";
import { bundledFonts } from "../support/report-fonts.ts";

let fonts: ReportFonts;
beforeAll(async () => {
  fonts = await bundledFonts();
});

const issue = (number: number, more: Partial<ReportIssue> = {}): ReportIssue => ({
  severity: "high",
  title: `Problem ${number}`,
  place: `src/file-${number}.py:${number}:5`,
  classes: ["sql-injection.tainted-query", "CWE-89"],
  tags: [],
  remarks: [],
  description: "用户输入未经校验就拼接进 SQL 语句。",
  snippet: `    run(query_${number})`,
  line: number,
  suggestion: "Use parameters.",
  ...more,
});

const report = (issues: readonly ReportIssue[], more: Partial<Report> = {}): Report => ({
  language: "en",
  header: "Sluice Audit Report",
  title: "Project Audit Report",
  subtitle: "商店 / main",
  number: "TASK-0198a000",
  generatedAt: new Date("2026-11-21T08:00:00Z"),
  facts: [{ label: "Source", value: "https://git.example.test/acme/shop" }],
  score: 61.5,
  tiles: [{ label: "Files scanned", value: "12" }],
  severities: {
    columns: ["Open", "Total"],
    rows: [{ severity: "high", counts: [issues.length, issues.length] }],
  },
  notices: [],
  issues,
  issuesTotal: issues.length,
  empty: "Nothing was found in 12 files.",
  ...more,
});

const made = async (given: Report, bytesMax?: number) => readPdf(await renderReport(given, fonts, bytesMax));

describe("a report as a PDF", () => {
  it("says everything that it was given, in order", async () => {
    const tagged = issue(2, {
      tags: ["Silenced in code"],
      remarks: [{ label: "Silenced, stated reason", value: "仅供内部使用" }],
    });
    const { text } = await made(report([issue(1), tagged], { notices: ["3 files were not analysed."] }));
    const expected = [
      ...["Project Audit Report", "商店 / main", "61.5", "of 100", "TASK-0198a000", "2026-11-21 08:00:00 UTC"],
      ...["https://git.example.test/acme/shop", "Files scanned", "Issues by severity", "High"],
      ...["Please note", "3 files were not analysed.", "Issues in detail", "1", "High", "Problem 1"],
      ...["src/file-1.py:1:5", "sql-injection.tainted-query / CWE-89", "用户输入未经校验就拼接进 SQL 语句。"],
      ...["run(query_1)", "Suggestion", "Use parameters.", "Silenced in code", "Problem 2", "仅供内部使用"],
    ];
    let from = 0;
    for (const part of expected) {
      const found = text.indexOf(squeezed(part), from);
      expect(found, `${part} in ${text.slice(from)}`).toBeGreaterThanOrEqual(0);
      from = found;
    }
  });

  it("has number, disclaimer and page on every page, properties and bookmarks", async () => {
    const { pages, info, bookmarks } = await made(report(Array.from({ length: 30 }, (_, n) => issue(n + 1))));
    expect(pages.length).toBeGreaterThan(4);
    for (const [index, text] of pages.entries()) {
      expect(text).toContain("TASK-0198a000");
      expect(text).toContain(squeezed("Confirm findings before acting on them."));
      expect(text).toContain(`Page${index + 1}of${pages.length}`);
    }
    expect(info).toMatchObject({ Title: "Project Audit Report - 商店 / main", Author: "Sluice", Language: "en" });
    expect(bookmarks.slice(0, 4)).toEqual(["Summary", "Issues in detail", "High", "1. Problem 1"]);
    expect(bookmarks).toHaveLength(33);
  });

  it("is Chinese where it speaks itself, too", async () => {
    const { text } = await made(report([], { language: "zh", score: 100 }));
    for (const part of ["质量评分", "问题级别分布", "未发现问题", "第1页，共1页", "请核实后再采取行动。"])
      expect(text).toContain(part);
  });

  it("says that nothing was found, on one page", async () => {
    const { pages } = await made(report([], { score: 100 }));
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain(squeezed("No issues found Nothing was found in 12 files."));
  });

  it("is the same to the byte when it is made again", async () => {
    const given = report([issue(1), issue(2, { title: "第二个问题 😀" })]);
    const [first, second] = [await renderReport(given, fonts), await renderReport(given, fonts)];
    expect(first.equals(second)).toBe(true);
  });

  it("shows hidden characters and explains the signs that stand for them", async () => {
    const { text } = await made(report([issue(1, { snippet: 'if (role !== "admin\u202e") { // 한국어' })]));
    expect(text).toContain('admin[U+202E]"');
    expect(text).toContain("□□□");
    expect(text).toContain(squeezed("□ stands for characters that this report has no shape for"));
  });

  it("cuts what would fill it, and says so", async () => {
    const snippet = `${"x".repeat(5_000)}\n${"y\n".repeat(5_000)}`;
    const { pages, text } = await made(report([issue(1, { description: "很".repeat(50_000), snippet })]));
    expect(pages.length).toBeLessThan(6);
    expect(text.match(/…\(shortened\)/g)).toHaveLength(2);
  });

  it("leaves out the least severe issues where it would become too large, and counts them", async () => {
    const worst = Array.from({ length: 200 }, (_, n) => issue(n + 1, { description: unlike(n) }));
    const whole = await renderReport(report(worst), fonts);
    const bytes = await renderReport(report(worst), fonts, whole.length / 2);
    expect(bytes.length).toBeLessThanOrEqual(whole.length / 2);
    const { text, bookmarks } = await readPdf(bytes);
    const [, listed, omitted] = /liststhe(\d+)mostsevereof200issues;(\d+)areleftout/.exec(text) ?? [];
    expect(Number(listed) + Number(omitted)).toBe(200);
    expect(bookmarks.at(-1)).toBe(`${listed}. Problem ${listed}`);
    const none = await made(report(worst), 1);
    expect(none.text).toContain(squeezed("The issues are too long for a report."));
  });

  it("lists every issue although the code has all characters that there are, and stays below the limit", async () => {
    const characters = fonts.regular.characterSet.map((point) => String.fromCodePoint(point));
    const issues = Array.from({ length: 100 }, (_, n) => {
      const part = characters.slice(n * 300, (n + 1) * 300).join("");
      return issue(n + 1, { title: part, description: part });
    });
    const bytes = await renderReport(report(issues), fonts);
    expect(bytes.length).toBeLessThanOrEqual(reportBytesMax);
    const { bookmarks, text } = await readPdf(bytes);
    expect(bookmarks).toHaveLength(103);
    expect(text).not.toContain("areleftout");
    expect(text).toContain("□stands");
  });

  it("cuts long texts shorter before it leaves out an issue, so that nothing hides behind them", async () => {
    const long = "very ".repeat(400);
    const hidden = "\u200b".repeat(2_000);
    const issues = Array.from({ length: 400 }, (_, n) =>
      issue(n + 1, { description: long, suggestion: long, snippet: hidden, title: `${n}` }),
    );
    const { pages, text, bookmarks } = await made(report(issues));
    expect(pages.length).toBeLessThan(150);
    expect(bookmarks.at(-1)).toBe("400. 399");
    expect(text).not.toContain("areleftout");
  });

  it("is a PDF whatever anybody writes into it, and never more than text", async () => {
    const anything = fc.string({ unit: "binary", maxLength: 80 });
    const nasty = fc.constantFrom(
      ") Tj ET\nBT (x",
      "\\",
      "((((",
      "/JS (app.alert(1))",
      "%PDF-1.7\n%%EOF",
      "\u0000",
      "",
    );
    const text = fc.oneof(anything, nasty, fc.string({ unit: "grapheme" }));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (one, two, three) => {
        const strange = issue(1, { title: one, place: two, description: three, snippet: one, suggestion: two });
        const given = report([{ ...strange, tags: [three], remarks: [{ label: "x", value: one }] }], {
          subtitle: two,
          notices: [three],
          facts: [{ label: one, value: two }],
        });
        const bytes = await renderReport(given, fonts);
        // Objects are readable in the file; only their streams are packed.
        const objects = bytes.toString("latin1").replace(/stream\r?\n[\s\S]*?endstream/g, "");
        expect(objects).not.toMatch(
          /\/(URI|JavaScript|Launch|EmbeddedFiles?|SubmitForm|OpenAction|AA|GoToR|XObject \d)\b/,
        );
        expect((await readPdf(bytes)).pages.length).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });
});

/** Text that does not compress, the same in every run. */
const unlike = (seed: number): string =>
  Array.from({ length: 300 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919 + seed * 104729) % 4000))).join("");
