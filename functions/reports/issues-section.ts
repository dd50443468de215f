import type { Severity } from "../issues/issue.ts";
import { codeLines, wrapCode } from "./lines.ts";
import type { Report, ReportIssue } from "./report.ts";
import type { Say } from "./report-texts.ts";
import { severityColors } from "./severity-colors.ts";
import { heightOf, ink, page, type Sheet, type Style, textWidth } from "./sheet.ts";
import { heading } from "./summary-section.ts";

const title: Style = { face: "bold", size: 11, color: ink.text, leading: 1.4 };
const body: Style = { face: "regular", size: 9.5, color: ink.text };
const small: Style = { face: "regular", size: 8.5, color: ink.muted };
const place: Style = { face: "mono", size: 8, color: "#334155" };
const code: Style = { face: "mono", size: 8, color: ink.text, leading: 1.45 };
const tag: Style = { face: "bold", size: 7.5, color: ink.white };

/** All issues one below the other, with bookmarks; or a box that says that there are none. */
export function issuesSection(sheet: Sheet, report: Report, say: Say): void {
  if (report.issues.length === 0) {
    emptyBox(sheet, report, say);
    return;
  }
  sheet.nextPage();
  sheet.label(say("details"), { ...heading, size: 16 }, page.left, sheet.y - 4);
  sheet.skip(34);
  const all = sheet.bookmark(say("details"));
  const ofSeverity = new Map<Severity, ReturnType<Sheet["bookmark"]>>();
  report.issues.forEach((issue, index) => {
    // The head of an issue stays with the beginning of what follows.
    sheet.ensure(110);
    const below = ofSeverity.get(issue.severity) ?? sheet.bookmark(say(issue.severity), all);
    ofSeverity.set(issue.severity, below);
    sheet.bookmark(`${index + 1}. ${issue.title}`, below);
    issueHead(sheet, issue, index + 1, say);
    issueBody(sheet, issue, say);
  });
}

function emptyBox(sheet: Sheet, report: Report, say: Say): void {
  const found = report.issuesTotal > 0;
  const text = found ? say("nothing_listed") : report.empty;
  const lines = sheet.wrap(text, body, textWidth - 44);
  const height = 44 + lines.length * heightOf(body);
  sheet.ensure(height);
  // Green would praise a scan that has not looked.
  const good = !found && report.score !== null && report.score > 0;
  sheet.box(page.left, sheet.y, textWidth, height, good ? "#f0fdf4" : ink.paper, 5);
  sheet.box(page.left, sheet.y, 4, height, good ? "#16a34a" : "#94a3b8");
  const head: Style = { ...title, color: good ? "#166534" : ink.text };
  sheet.label(found ? say("details") : say("no_issues"), head, page.left + 20, sheet.y + 12);
  lines.forEach((line, index) => {
    sheet.line(line, body, page.left + 20, sheet.y + 31 + index * heightOf(body));
  });
  sheet.skip(height + 20);
}

/** Number, severity, title, tags, place, rule. */
function issueHead(sheet: Sheet, issue: ReportIssue, number: number, say: Say): void {
  const indent = 32;
  sheet.label(String(number), { ...title, color: ink.muted }, page.left, sheet.y);
  let x = page.left + indent;
  for (const [index, text] of [say(issue.severity), ...issue.tags].entries()) {
    x += pill(sheet, text, x, index === 0 ? severityColors[issue.severity] : "#64748b") + 5;
  }
  sheet.skip(heightOf(title) + 3);
  const at = { x: page.left + indent };
  sheet.prose(issue.title, title, at);
  sheet.prose(issue.place, place, at);
  sheet.prose(issue.classes.join(" / "), small, at);
  sheet.skip(5);
}

/** @returns its width in points */
function pill(sheet: Sheet, text: string, x: number, color: string): number {
  const width = sheet.wrap(text, tag, textWidth)[0]?.reduce((sum, glyph) => sum + glyph.width * tag.size, 14) ?? 14;
  sheet.box(x, sheet.y + 0.5, width, 14, color, 3);
  sheet.label(text, tag, x + 7, sheet.y + 1.6, { width });
  return width;
}

function issueBody(sheet: Sheet, issue: ReportIssue, say: Say): void {
  const at = { x: page.left + 32 };
  sheet.prose(issue.description, body, at);
  for (const { label, value } of issue.remarks) {
    sheet.skip(3);
    sheet.prose(`${label}: ${value}`, { ...small, size: 9 }, at);
  }
  if (issue.snippet.trim() !== "") snippet(sheet, issue);
  if (issue.suggestion.trim() !== "") {
    sheet.skip(6);
    sheet.ensure(2 * heightOf(body));
    sheet.prose(say("suggestion"), { ...body, face: "bold", size: 9, color: "#15803d" }, at);
    sheet.prose(issue.suggestion, body, at);
  }
  sheet.skip(10);
  if (sheet.y < page.bottom) sheet.rule(sheet.y);
  sheet.skip(14);
}

/** Code on grey with the numbers of its lines; what does not fit into a line goes on below it, without a number. */
function snippet(sheet: Sheet, issue: ReportIssue): void {
  const x = page.left + 32;
  const codeX = x + 40;
  const height = heightOf(code);
  const row = (draw?: (y: number) => void) => {
    sheet.ensure(height);
    sheet.box(x, sheet.y, page.right - x, height + 0.2, ink.paper);
    draw?.(sheet.y);
    sheet.skip(height);
  };
  const padding = () => {
    sheet.box(x, sheet.y, page.right - x, 4, ink.paper);
    sheet.skip(4);
  };
  sheet.skip(6);
  // With its first line, or the padding would be left alone at the end of a page.
  sheet.ensure(4 + height);
  padding();
  const lines = codeLines(issue.snippet);
  for (const [index, text] of lines.entries()) {
    const rows = wrapCode(text, (page.right - codeX - 8) / code.size, sheet.source);
    for (const [part, line] of rows.entries()) {
      row((y) => {
        const number = { ...code, color: "#94a3b8" };
        if (part === 0) sheet.label(String(issue.line + index), number, x, y, { width: 30, align: "right" });
        sheet.line(line, code, codeX, y);
      });
    }
  }
  padding();
}
