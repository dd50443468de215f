import type { ScanResult } from "../../bin/scan/result.ts";
import type { Issue, Task } from "../../bin/scan/views.ts";
import { IssueView } from "../../functions/issues/issue.ts";
import { TaskView } from "../../functions/scans/task.ts";

const at = "2026-01-02T03:04:05.000Z";
const id = "0197a2b0-0000-7000-8000-000000000001";

/** An issue as the service answers it; parsed by the contract, so that no test shows what the service would not send. */
export const issue = (given: Partial<Issue> = {}): Issue =>
  IssueView.parse({
    id,
    task_id: id,
    file_path: "src/app.js",
    line_number: 12,
    column_number: 5,
    end_line: 12,
    end_column: 25,
    issue_type: "security",
    severity: "high",
    title: "SQL injection",
    message: "req.query.id comes from the request and becomes part of the SQL of db.query",
    description: null,
    suggestion: "Pass the value as a parameter of the statement.",
    code_snippet: '    db.query("select " + id);',
    ai_explanation: null,
    status: "open",
    resolved_by: null,
    resolved_at: null,
    created_at: at,
    updated_at: null,
    rule_id: "sql-injection.tainted-statement",
    vulnerability_type: "sql_injection",
    confidence: 0.9,
    cwe: [89],
    owasp_2021: "A03",
    owasp_2025: "A05",
    symbol: "handler/2",
    fingerprint: "5f2c0d",
    suppression: null,
    origins: ["rule"],
    adjudication: null,
    trace: [],
    ...given,
  });

export const step = (given: Partial<Issue["trace"][number]> = {}): Issue["trace"][number] => ({
  file_path: "src/app.js",
  line: 10,
  column: 14,
  end_line: 10,
  end_column: 26,
  code: "const id = req.query.id;",
  role: "source",
  ...given,
});

export const task = (given: Partial<Task> = {}): Task =>
  TaskView.parse({
    id,
    project_id: id,
    task_type: "zip_upload",
    status: "completed",
    branch_name: null,
    commit_sha: null,
    exclude_patterns: "[]",
    scan_config: "{}",
    phase: null,
    total_files: 3,
    scanned_files: 3,
    files_to_review: 0,
    files_reviewed: 0,
    model: null,
    total_lines: 1234,
    issues_count: 0,
    quality_score: 91.7,
    started_at: at,
    completed_at: at,
    created_by: id,
    created_at: at,
    project: null,
    warnings: [],
    error_code: null,
    error_message: null,
    ...given,
  });

export const result = (issues: readonly Issue[], given: Partial<ScanResult> = {}): ScanResult => ({
  scanned: { kind: "folder", name: "shop", files: 5 },
  task: task({ issues_count: issues.length }),
  issues,
  unpackable: [],
  seconds: 12.34,
  language: "en",
  ...given,
});

/** What a file name, a line of code or a sentence that quotes them may try on a terminal, a page or a parser. */
export const hostile = [
  "\u001b[2J\u001b]0;owned\u0007",
  "\u009b31mred",
  "\u202eexe.js",
  "line\nbreak\r\n| a | b |",
  "# heading",
  "1. list",
  "- item",
  "``` \n</code></pre><script>alert(1)</script>",
  "[click](https://evil.example) ![x](https://evil.example/x.png)",
  "\\](https://evil.example)",
  "a|b`c``d",
  "{count} {0} $x $& %s",
  "\ud800 lone",
  "路径 é 😀",
  "",
];
