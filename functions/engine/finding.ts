/** A text in both languages of the product. */
export interface Text {
  zh: string;
  en: string;
}

/** A stretch of source: lines and columns count from 1, columns in UTF-16 units, the end column is the one after the last character. */
export interface Place {
  path: string;
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

/** One station of a value on its way from the source to the sink; `code` is its first line, shortened for display. */
export interface TraceStep extends Place {
  code: string;
  role: "source" | "step" | "sink";
}

/** The vulnerability types of the web API; every family of the engine belongs to exactly one. */
export const vulnerabilityTypes = [
  "sql_injection",
  "nosql_injection",
  "xss",
  "command_injection",
  "code_injection",
  "path_traversal",
  "file_inclusion",
  "ssrf",
  "xxe",
  "deserialization",
  "auth_bypass",
  "idor",
  "sensitive_data_exposure",
  "hardcoded_secret",
  "weak_crypto",
  "race_condition",
  "business_logic",
  "memory_corruption",
  "other",
] as const;
export type VulnerabilityType = (typeof vulnerabilityTypes)[number];

export const issueTypes = ["security", "bug", "performance", "style", "maintainability"] as const;
export type IssueType = (typeof issueTypes)[number];

/** Worst first; `severities.indexOf` is the rank. */
export const severities = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof severities)[number];

/** Who says that there is a problem. */
export const origins = ["rule", "model"] as const;
export type Origin = (typeof origins)[number];

/** What a model thinks of a finding. It annotates only: a comment in the code must not be able to hide anything. */
export interface Adjudication {
  verdict: "confirmed" | "refuted" | "unsure";
  reason: string;
}

/** A model's own words about a finding, in the language of the review. */
export interface Explanation {
  what: string;
  why: string;
  how: string;
}

/** A problem found in the source, with everything a reader needs to judge it. JSON-serialisable, secrets already masked. */
export interface Finding extends Place {
  ruleId: string;
  ruleVersion: number;
  family: string;
  type: VulnerabilityType;
  issueType: IssueType;
  severity: Severity;
  /** 0 to 1, rounded to two digits. */
  confidence: number;
  cwe: number[];
  owasp2021: string | null;
  owasp2025: string | null;
  title: Text;
  message: Text;
  fix: Text;
  /** Enclosing symbols as name/arity, joined by dots; empty at the top level of a file. */
  symbol: string;
  /** Whole source lines, verbatim but for masked secrets. */
  snippet: string;
  trace: TraceStep[];
  fingerprint: string;
  movedFingerprint: string;
  suppressed: { reason: string } | null;
  /** Both when a model reports what a rule has found. */
  origins: Origin[];
  adjudication: Adjudication | null;
  explanation: Explanation | null;
}
