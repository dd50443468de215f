import { printableJson } from "./printable.ts";
import { bySeverity, noticeText, type ScanResult, type Summary } from "./result.ts";
import type { Say } from "./texts.ts";

/** Raised when a field changes its meaning or goes; new fields may come at any time. */
const formatVersion = 1;

/** The whole result for programs: task and issues as the service's API shows them. */
export const jsonOf = (result: ScanResult, summary: Summary, say: Say): string =>
  printableJson({
    version: formatVersion,
    scanned: result.scanned,
    task: result.task,
    summary: {
      analysed: summary.analysed,
      open_issues: { total: summary.openTotal, ...summary.open },
      silenced_issues: summary.silenced,
      files_scanned: summary.filesScanned,
      files_skipped: summary.filesSkipped,
      lines: result.task.total_lines,
      rules_only: summary.rulesOnly,
      quality_score: summary.analysed ? result.task.quality_score : null,
      seconds: Math.round(result.seconds * 10) / 10,
      warnings: summary.warnings.map((notice) => ({
        code: notice.key,
        count: notice.count,
        paths: notice.paths,
        message: noticeText(notice, say),
      })),
    },
    issues: [...result.issues].sort(bySeverity),
  });
