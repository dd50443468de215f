import { severities } from "../../functions/issues/issue.ts";
import { languageOf } from "../../functions/sources/language.ts";
import { printable, printableLines } from "./printable.ts";
import { bySeverity, isOpen, noticeText, placeOf, type ScanResult, type Summary, titleOf } from "./result.ts";
import { issueCounts } from "./table.ts";
import type { Say } from "./texts.ts";
import type { Issue } from "./views.ts";

/** A report to read, to attach to a ticket or to post under a change. Without times, so that two reports of the same code are the same. */
export function markdownOf(result: ScanResult, summary: Summary, say: Say): string {
  const open = result.issues.filter(isOpen).sort(bySeverity);
  const silenced = result.issues.filter((issue) => !isOpen(issue)).sort(bySeverity);
  const blocks = [
    `# ${say("report_title", { name: text(result.scanned.name) })}`,
    `**${text(headline(summary, say))}**`,
    ...overview(result, summary, say),
    ...section(say("report_warnings"), list(summary.warnings.map((warning) => text(noticeText(warning, say))))),
    ...severities.flatMap((severity) => {
      const issues = open.filter((issue) => issue.severity === severity);
      return section(
        `${say(severity)} (${issues.length})`,
        issues.flatMap((issue) => issueBlocks(issue, say)),
      );
    }),
    ...section(say("report_silenced"), list(silenced.map((issue) => silencedLine(issue, say)))),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function headline(summary: Summary, say: Say): string {
  if (!summary.analysed) return say("nothing_analysed");
  return summary.openTotal === 0 ? say("no_issues", { files: summary.filesScanned }) : issueCounts(summary, say);
}

function overview({ task }: ScanResult, summary: Summary, say: Say): string[] {
  const facts = [
    say("files_scanned", { files: summary.filesScanned }),
    say("files_skipped", { files: summary.filesSkipped }),
    say("lines", { lines: task.total_lines }),
    ...(summary.analysed ? [say("score", { score: task.quality_score })] : []),
    ...(summary.rulesOnly ? [say("rules_only")] : []),
  ];
  const counts = severities.map((severity) => `| ${say(severity)} | ${summary.open[severity]} |`);
  const table = [`| ${say("report_severity")} | ${say("report_count")} |`, "| --- | ---: |", ...counts].join("\n");
  return [`## ${say("report_overview")}`, text(facts.join(" · ")), ...(summary.analysed ? [table] : [])];
}

function issueBlocks(issue: Issue, say: Say): string[] {
  const classes = [
    ...issue.cwe.map((number) => `[CWE-${number}](https://cwe.mitre.org/data/definitions/${number}.html)`),
    ...(issue.owasp_2021 ? [`OWASP ${text(issue.owasp_2021)}:2021`] : []),
  ];
  const place = [code(placeOf(issue)), `${say("report_rule")} ${code(issue.rule_id)}`, ...classes].join(" · ");
  const steps = issue.trace.map((step, index) => {
    const role = step.role === "source" || step.role === "sink" ? say(step.role) : say("step");
    return `${index + 1}. ${role} ${code(`${step.file_path}:${step.line}`)} ${code(step.code)}`;
  });
  return [
    `### ${text(titleOf(issue))}`,
    place,
    ...(issue.message ? [text(issue.message)] : []),
    ...(issue.code_snippet ? [fenced(issue.code_snippet, issue.file_path)] : []),
    ...(steps.length > 1 ? [`**${say("report_trace")}**`, steps.join("\n")] : []),
    ...(issue.suggestion ? [`**${say("report_fix")}** ${text(issue.suggestion)}`] : []),
  ];
}

const silencedLine = (issue: Issue, say: Say): string =>
  `${say(issue.severity)} · ${code(placeOf(issue))} · ${text(titleOf(issue))}: ${text(issue.suppression || say("report_no_reason"))}`;

const section = (title: string, blocks: readonly string[]): string[] =>
  blocks.length === 0 ? [] : [`## ${title}`, ...blocks];

const list = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [lines.map((line) => `- ${line}`).join("\n")];

/**
 * Text of one line that means nothing to Markdown or HTML. Paths and code come from the code that is scanned, and a title or
 * message may quote them: an unescaped one could draw a link, an image or a heading of its own.
 */
export const text = (given: string): string =>
  printable(given)
    .trim()
    .replace(/[\\`*_{}[\]()#|~!@$]/g, "\\$&")
    .replace(/^(\d*)([-+.])/, "$1\\$2")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** A code span; its fence is longer than any run of backticks inside. GitHub takes a bar for a cell border even in code. */
export function code(given: string): string {
  const inside = printable(given).trim();
  if (inside === "") return "";
  const fence = "`".repeat(longestRun(inside) + 1);
  const space = inside.startsWith("`") || inside.endsWith("`") ? " " : "";
  return `${fence}${space}${inside}${space}${fence}`;
}

/** A code block; its fence is longer than any run of backticks inside, so the code cannot end it. */
export function fenced(given: string, path: string): string {
  const inside = printableLines(given).replace(/\n+$/, "");
  const fence = "`".repeat(Math.max(3, longestRun(inside) + 1));
  const language = languageOf(path);
  return `${fence}${language}\n${inside}\n${fence}`;
}

const longestRun = (given: string): number => Math.max(0, ...(given.match(/`+/g) ?? []).map((run) => run.length));
