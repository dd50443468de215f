import { issueTypes, severities, vulnerabilityTypes } from "../finding.ts";

const limits = { title: 200, text: 4_000, quote: 2_000, code: 60 };

const severityWords: Record<string, string> = {
  blocker: "critical",
  severe: "critical",
  严重: "critical",
  error: "high",
  major: "high",
  高: "high",
  高危: "high",
  moderate: "medium",
  warning: "medium",
  中: "medium",
  中危: "medium",
  minor: "low",
  低: "low",
  低危: "low",
  informational: "info",
  note: "info",
  提示: "info",
};
const typeWords: Record<string, string> = {
  vulnerability: "security",
  安全: "security",
  defect: "bug",
  error: "bug",
  缺陷: "bug",
  性能: "performance",
  风格: "style",
  best_practice: "maintainability",
  quality: "maintainability",
  可维护性: "maintainability",
};
const vulnerabilityWords: Record<string, string> = {
  sqli: "sql_injection",
  cross_site_scripting: "xss",
  os_command_injection: "command_injection",
  rce: "code_injection",
  directory_traversal: "path_traversal",
  lfi: "file_inclusion",
  insecure_deserialization: "deserialization",
  hardcoded_credentials: "hardcoded_secret",
  hardcoded_password: "hardcoded_secret",
  weak_cryptography: "weak_crypto",
  missing_authentication: "auth_bypass",
  missing_authorization: "auth_bypass",
  information_disclosure: "sensitive_data_exposure",
};
const verdictWords: Record<string, string> = {
  true_positive: "confirmed",
  valid: "confirmed",
  false_positive: "refuted",
};

/** Brings a statement of a model nearer to the schema, without inventing what it does not say: title, quote and line stay its own. */
export function tidyIssue(raw: unknown): { value: unknown; unknownValues: number } {
  if (!isRecord(raw)) return { value: raw, unknownValues: 0 };
  const severity = known(raw.severity, severities, severityWords);
  const named = known(raw.vulnerability_type, vulnerabilityTypes, vulnerabilityWords);
  const type =
    known(raw.type ?? raw.category, issueTypes, typeWords) ?? (named && named !== "other" ? "security" : null);
  const description = text(raw.description ?? raw.message, limits.text) ?? "";
  return {
    unknownValues: [severity, type].filter((value) => value === null).length,
    value: {
      // The defaults of the contract: what nobody classified is neither a security problem nor urgent.
      type: type ?? "maintainability",
      severity: severity ?? "low",
      title: text(raw.title, limits.title) || firstLine(description) || undefined,
      description,
      suggestion: text(raw.suggestion ?? raw.fix, limits.text) ?? "",
      // Line 0 is nowhere: the quote alone must then say where it is.
      line: wholeNumber(raw.line ?? raw.line_number) ?? 0,
      column: wholeNumber(raw.column),
      code_snippet: text(raw.code_snippet ?? raw.quote ?? raw.snippet, limits.quote) || undefined,
      vulnerability_type: named ?? "other",
      cwe: wholeNumber(Array.isArray(raw.cwe) ? raw.cwe[0] : raw.cwe),
      rule_code: text(raw.rule_code, limits.code),
      xai: tidyXai(raw.xai),
    },
  };
}

export function tidyVerdict(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  return {
    finding: text(raw.finding ?? raw.id, limits.code) ?? undefined,
    verdict: known(raw.verdict, ["confirmed", "refuted", "unsure"], verdictWords) ?? undefined,
    quote: text(raw.quote ?? raw.code_snippet, limits.quote) ?? "",
    reason: text(raw.reason, limits.text) ?? "",
  };
}

/** The path a statement names, although nobody asked for it; null for none. */
export function statedPath(raw: unknown): string | null {
  return isRecord(raw) ? text(raw.file_path ?? raw.path ?? raw.file, 1_000) || null : null;
}

function tidyXai(raw: unknown): unknown {
  if (!isRecord(raw)) return null;
  const [what, why, how] = [raw.what, raw.why, raw.how].map((value) => text(value, limits.text) ?? "");
  return what || why || how ? { what, why, how } : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function text(value: unknown, charactersMax: number): string | null {
  const whole = Array.isArray(value) && value.every((part) => typeof part === "string") ? value.join("\n") : value;
  if (typeof whole === "number") return String(whole);
  return typeof whole === "string" ? whole.slice(0, charactersMax).toWellFormed().trim() : null;
}

const firstLine = (of: string): string => (of.split("\n", 1)[0] ?? "").slice(0, 120);

/** Also from "12", "L12", "12-14" and "CWE-89". */
function wholeNumber(value: unknown): number | null {
  const digits = typeof value === "number" ? String(Math.trunc(value)) : typeof value === "string" ? value : "";
  const found = digits.match(/\d{1,9}/);
  return found ? Number(found[0]) : null;
}

function known(value: unknown, values: readonly string[], words: Record<string, string>): string | null {
  if (typeof value !== "string") return null;
  const word = value
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  if (values.includes(word)) return word;
  return Object.hasOwn(words, word) ? (words[word] as string) : null;
}
