import type { Fact, Report } from "./report.ts";
import { utc } from "./report.ts";
import { grouped, type Say } from "./report-texts.ts";
import { scoreColor, severityColors } from "./severity-colors.ts";
import { heightOf, ink, page, type Sheet, type Style, textWidth } from "./sheet.ts";

const label: Style = { face: "regular", size: 8.5, color: ink.muted };
const value: Style = { face: "regular", size: 9.5, color: ink.text };
export const heading: Style = { face: "bold", size: 13, color: ink.brand };

/** The first page: what was audited, how it did, how many issues of which kind, and what to know before trusting it. */
export function summarySection(sheet: Sheet, report: Report, notices: readonly string[], say: Say): void {
  banner(sheet, report);
  sheet.bookmark(say("summary"));
  const top = sheet.y;
  score(sheet, report, say, top);
  const facts = [
    { label: say("report_number"), value: report.number },
    { label: say("generated_at"), value: utc(report.generatedAt) },
    ...report.facts,
  ];
  factList(sheet, facts, top);
  sheet.y = Math.max(sheet.y, top + 128) + 14;
  tiles(sheet, report.tiles);
  severityTable(sheet, report, say);
  if (notices.length > 0) noticeBox(sheet, notices, say);
}

function banner(sheet: Sheet, { header, title, subtitle }: Report): void {
  const titleStyle: Style = { face: "bold", size: 23, color: ink.white };
  const subtitleStyle: Style = { face: "regular", size: 11.5, color: "#cbd5e1" };
  const lines = sheet.wrap(subtitle, subtitleStyle, textWidth).slice(0, 3);
  const height = 104 + lines.length * heightOf(subtitleStyle);
  sheet.box(0, 0, page.width, height, ink.brand);
  sheet.box(0, height, page.width, 3, "#2563eb");
  sheet.label(header, { face: "regular", size: 9, color: "#94a3b8" }, page.left, 34);
  sheet.label(title, titleStyle, page.left, 54);
  lines.forEach((line, index) => {
    sheet.line(line, subtitleStyle, page.left, 90 + index * heightOf(subtitleStyle));
  });
  sheet.y = height + 26;
}

/** A ring that is as full as the score is high. */
function score(sheet: Sheet, { score }: Report, say: Say, top: number): void {
  const [x, y, radius] = [page.left + 58, top + 60, 46];
  sheet.ring(x, y, radius, 1, ink.faint);
  const color = score === null ? ink.muted : scoreColor(score);
  if (score !== null) sheet.ring(x, y, radius, Math.min(100, Math.max(0, score)) / 100, color);
  const centred = { width: 2 * radius, align: "center" as const };
  const shown = score === null ? "–" : String(Math.round(score * 10) / 10);
  sheet.label(shown, { face: "bold", size: 26, color }, x - radius, y - 24, centred);
  sheet.label(say("of_100"), { ...label, size: 7.5 }, x - radius, y + 8, centred);
  sheet.label(say("score"), { face: "bold", size: 9.5, color: ink.text }, x - radius, y + radius + 8, centred);
}

function factList(sheet: Sheet, facts: readonly Fact[], top: number): void {
  const x = page.left + 142;
  const valueX = x + 96;
  sheet.y = top;
  for (const fact of facts) {
    const lines = sheet.wrap(fact.value, value, page.right - valueX).slice(0, 3);
    sheet.label(fact.label, label, x, sheet.y + 0.6, { width: 92 });
    for (const line of lines) {
      sheet.line(line, value, valueX, sheet.y);
      sheet.skip(heightOf(value));
    }
    sheet.skip(2);
  }
}

function tiles(sheet: Sheet, shown: readonly Fact[]): void {
  const gap = 12;
  const width = (textWidth - gap * (shown.length - 1)) / shown.length;
  shown.forEach((tile, index) => {
    const x = page.left + index * (width + gap);
    sheet.box(x, sheet.y, width, 52, ink.paper, 5);
    sheet.label(tile.value, { face: "bold", size: 18, color: ink.brand }, x + 14, sheet.y + 5, { width: width - 28 });
    sheet.label(tile.label, label, x + 14, sheet.y + 32, { width: width - 28 });
  });
  sheet.skip(52 + 22);
}

function severityTable(sheet: Sheet, { severities, issuesTotal }: Report, say: Say): void {
  sheet.label(say("by_severity"), heading, page.left, sheet.y);
  sheet.skip(heightOf(heading) + 6);
  const total = ({ counts }: { counts: readonly number[] }) => counts.at(-1) ?? 0;
  let barX: number = page.left;
  if (issuesTotal > 0) {
    for (const row of severities.rows) {
      const width = (total(row) / issuesTotal) * textWidth;
      if (width > 0) sheet.box(barX, sheet.y, width, 7, severityColors[row.severity]);
      barX += width;
    }
    sheet.skip(16);
  }
  const columnWidth = 76;
  const columnX = (index: number) => page.right - columnWidth * (severities.columns.length - index);
  sheet.label(say("severity"), label, page.left, sheet.y);
  severities.columns.forEach((column, index) => {
    sheet.label(column, label, columnX(index), sheet.y, { width: columnWidth - 6, align: "right" });
  });
  sheet.skip(16);
  for (const row of severities.rows) {
    sheet.rule(sheet.y);
    sheet.box(page.left + 2, sheet.y + 6, 9, 9, severityColors[row.severity], 2);
    sheet.label(say(row.severity), { ...value, face: "bold" }, page.left + 18, sheet.y + 3);
    row.counts.forEach((count, index) => {
      const last = index === row.counts.length - 1;
      const style: Style = { ...value, face: last ? "bold" : "regular", color: count > 0 ? ink.text : "#9ca3af" };
      sheet.label(grouped(count), style, columnX(index), sheet.y + 3, { width: columnWidth - 6, align: "right" });
    });
    sheet.skip(21);
  }
  sheet.rule(sheet.y);
  sheet.skip(20);
}

function noticeBox(sheet: Sheet, notices: readonly string[], say: Say): void {
  const style: Style = { face: "regular", size: 9, color: "#713f12" };
  const blocks = notices.map((notice) => sheet.wrap(notice, style, textWidth - 40).slice(0, 4));
  const height = 34 + blocks.reduce((sum, lines) => sum + lines.length * heightOf(style) + 2, 0);
  sheet.ensure(height);
  sheet.box(page.left, sheet.y, textWidth, height, "#fefce8", 5);
  sheet.box(page.left, sheet.y, 4, height, "#ca8a04");
  sheet.label(say("notices"), { ...style, face: "bold", size: 9.5 }, page.left + 16, sheet.y + 8);
  let y = sheet.y + 26;
  for (const lines of blocks) {
    sheet.box(page.left + 17, y + 5.5, 3, 3, style.color);
    for (const line of lines) {
      sheet.line(line, style, page.left + 28, y);
      y += heightOf(style);
    }
    y += 2;
  }
  sheet.skip(height + 20);
}
