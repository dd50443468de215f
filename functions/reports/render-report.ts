import { issuesSection } from "./issues-section.ts";
import type { Report } from "./report.ts";
import type { ReportFonts } from "./report-fonts.ts";
import { listable } from "./report-limits.ts";
import { type Say, sayIn } from "./report-texts.ts";
import { ink, page, Sheet, type Style, textWidth, visible } from "./sheet.ts";
import { summarySection } from "./summary-section.ts";

/**
 * Most bytes of a report. A function's answer ends at 6 MB and carries bytes in base64, a third larger; a little is for the headers:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const reportBytesMax = 4_400_000;

/**
 * Makes a PDF of a report. What there is no room for is left out from the least severe end, and the report says how much; a file that comes
 * out too large is made again with fewer issues. So there always is a report.
 */
export async function renderReport(report: Report, fonts: ReportFonts, bytesMax = reportBytesMax): Promise<Buffer> {
  for (let issues = listable(report.issues, sayIn(report.language)); ; ) {
    const bytes = await pdfOf({ ...report, issues }, fonts);
    if (bytes.length <= bytesMax || issues.length === 0) return bytes;
    // The limits make this rare. Size does not fall in proportion, because of what fonts take; halving at least finds an end soon.
    issues = issues.slice(0, Math.floor(issues.length * Math.min(0.5, (bytesMax / bytes.length) * 0.9)));
  }
}

async function pdfOf(report: Report, fonts: ReportFonts): Promise<Buffer> {
  const say = sayIn(report.language);
  const sheet = new Sheet({
    fonts,
    title: visible(`${report.title} - ${report.subtitle}`),
    subject: report.number,
    language: report.language === "zh" ? "zh-CN" : "en",
    at: report.generatedAt,
  });
  summarySection(sheet, report, [...omission(report, say), ...report.notices], say);
  issuesSection(sheet, report, say);
  legend(sheet, say);
  sheet.onEachPage((number, pages) => edges(sheet, report, say, number, pages));
  return sheet.bytes();
}

function omission({ issues, issuesTotal: total }: Report, say: Say): string[] {
  const omitted = total - issues.length;
  return omitted > 0 ? [say("issues_left_out", { listed: issues.length, total, omitted })] : [];
}

/** Explains the signs that stand for characters, if any of them was used. */
function legend(sheet: Sheet, say: Say): void {
  const style: Style = { face: "regular", size: 8.5, color: ink.muted };
  const { hidden, missing } = sheet.source.seen;
  const needed = [...(hidden ? [say("legend_hidden")] : []), ...(missing ? [say("legend_missing")] : [])];
  for (const text of needed) sheet.prose(text, style);
}

const edge: Style = { face: "regular", size: 8, color: ink.muted };

/** Head and foot of a page; the banner is the head of the first. */
function edges(sheet: Sheet, report: Report, say: Say, number: number, pages: number): void {
  if (number > 1) {
    sheet.label(`${report.header} / ${report.subtitle}`, edge, page.left, 32, { width: textWidth - 110 });
    sheet.label(report.number, edge, page.right - 100, 32, { width: 100, align: "right" });
    sheet.rule(48);
  }
  sheet.rule(796);
  sheet.label(say("disclaimer"), edge, page.left, 801, { width: textWidth - 100 });
  sheet.label(say("page", { page: number, pages }), edge, page.right - 95, 801, { width: 95, align: "right" });
}
