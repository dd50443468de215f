import type { Finding } from "../../functions/engine/finding.ts";

/** A finding that differs from others in its name only, for tests that care about records and not about code. */
export const aFinding = (name: string): Finding => ({
  ruleId: "test.rule",
  ruleVersion: 1,
  family: "sql-injection",
  type: "sql_injection",
  issueType: "security",
  severity: "high",
  confidence: 0.9,
  cwe: [89],
  owasp2021: null,
  owasp2025: null,
  title: { zh: name, en: name },
  message: { zh: name, en: name },
  fix: { zh: name, en: name },
  path: `${name}.py`,
  startLine: 1,
  startColumn: 1,
  endLine: 1,
  endColumn: 2,
  symbol: "",
  snippet: "",
  trace: [],
  fingerprint: name,
  movedFingerprint: name,
  suppressed: null,
});
