import { printableJson } from "./printable.ts";
import { byPlace, noticeText, type ScanResult, type Summary } from "./result.ts";
import { levels, rulesOf } from "./sarif-rules.ts";
import type { Say } from "./texts.ts";
import type { Issue } from "./views.ts";

const schema = "https://json.schemastore.org/sarif-2.1.0.json";
/** The root that hosts resolve relative paths against; what it stands for is nobody's business but theirs. */
const sourceRoot = "%SRCROOT%";

/**
 * The result as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), in the profile that code-scanning hosts read.
 * It holds no time, host or absolute path, and everything is in a fixed order: the same findings give the same bytes.
 */
export function sarifOf(result: ScanResult, summary: Summary, say: Say, version: string): string {
  const issues = [...result.issues].sort(byPlace);
  const rules = rulesOf(issues);
  const ruleIndex = new Map(rules.map((rule, index) => [rule.id, index]));
  return printableJson({
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Sluice", semanticVersion: version, rules } },
        invocations: [
          { executionSuccessful: summary.analysed, toolExecutionNotifications: notifications(summary, say) },
        ],
        originalUriBaseIds: { [sourceRoot]: { description: { text: "The scanned folder" } } },
        columnKind: "utf16CodeUnits",
        language: result.language === "zh" ? "zh-CN" : "en-US",
        results: issues.map((issue) => resultOf(issue, ruleIndex.get(issue.rule_id) as number, say)),
      },
    ],
  });
}

function resultOf(issue: Issue, ruleIndex: number, say: Say) {
  return {
    ruleId: issue.rule_id,
    ruleIndex,
    level: levels[issue.severity],
    message: { text: plain(issue.message ?? issue.title ?? issue.rule_id) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifact(issue.file_path),
          ...(issue.line_number === null ? {} : { region: regionOf(issue, issue.line_number) }),
        },
        ...(issue.symbol === "" ? {} : { logicalLocations: [{ fullyQualifiedName: issue.symbol }] }),
      },
    ],
    // The first is the one name that GitHub knows an alert by; the second says whose recipe it is.
    partialFingerprints: { primaryLocationLineHash: issue.fingerprint, "sluice/v1": issue.fingerprint },
    ...(issue.trace.length > 0 ? { codeFlows: [codeFlow(issue, say)] } : {}),
    // Present on every result: a missing list would mean that nobody knows (3.27.23).
    suppressions: suppressionsOf(issue),
    properties: { confidence: issue.confidence, vulnerabilityType: issue.vulnerability_type },
  };
}

function regionOf(issue: Issue, startLine: number) {
  const snippet = issue.code_snippet === null ? {} : { snippet: { text: issue.code_snippet } };
  if (issue.column_number === null) return { startLine, ...snippet };
  return {
    startLine,
    startColumn: issue.column_number,
    endLine: issue.end_line,
    endColumn: issue.end_column,
    ...snippet,
  };
}

function codeFlow({ trace }: Issue, say: Say) {
  const locations = trace.map((step) => {
    const role = step.role === "source" || step.role === "sink" ? step.role : "step";
    const { line, column, end_line, end_column } = step;
    return {
      location: {
        physicalLocation: {
          artifactLocation: artifact(step.file_path),
          region: {
            startLine: line,
            startColumn: column,
            endLine: end_line,
            endColumn: end_column,
            snippet: { text: step.code },
          },
        },
        message: { text: plain(`${say(role)}: ${step.code}`) },
      },
      importance: role === "step" ? "important" : "essential",
    };
  });
  return { threadFlows: [{ locations }] };
}

function suppressionsOf(issue: Issue) {
  if (issue.status === "open") return [];
  if (issue.suppression !== null) {
    const justification = issue.suppression === "" ? {} : { justification: issue.suppression };
    return [{ kind: "inSource", status: "accepted", ...justification }];
  }
  return [{ kind: "external", status: "accepted" }];
}

const notifications = (summary: Summary, say: Say) =>
  summary.warnings.map((notice) => ({
    descriptor: { id: notice.key },
    level: notice.key === "suppressed_findings" ? "note" : "warning",
    message: { text: plain(noticeText(notice, say)) },
    ...(notice.paths.length > 0
      ? { locations: notice.paths.map((path) => ({ physicalLocation: { artifactLocation: artifact(path) } })) }
      : {}),
  }));

const artifact = (path: string) => ({ uri: relativeUri(path), uriBaseId: sourceRoot });

/** Each segment percent-encoded, so that no path can be read as a scheme, a query or a host. */
export const relativeUri = (path: string): string =>
  path
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");

/**
 * Plain text messages may hold links, `[text](target)` (3.11.6). Ours hold none, and code that is quoted must not draw one: the bracket
 * before the target is escaped, and so are backslashes that would undo that.
 */
export const plain = (text: string): string => text.replace(/(\\*)\]\(/g, "$1$1\\](");
