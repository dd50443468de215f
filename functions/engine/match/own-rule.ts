import type { RE2JS } from "re2js";
import type { IssueType, Severity } from "../finding.ts";
import type { Comparison } from "./comparison.ts";

/** What a rule asks of a place in the code. */
export type Formula =
  | { readonly kind: "pattern"; readonly source: string; readonly line: number }
  | { readonly kind: "regex"; readonly regex: RE2JS }
  | { readonly kind: "either"; readonly of: readonly Formula[] }
  | All;

/** Everything at once: what must match, what must not, and what metavariables must be. */
export interface All {
  readonly kind: "all";
  readonly matches: readonly Formula[];
  readonly inside: readonly Formula[];
  readonly not: readonly Formula[];
  readonly notInside: readonly Formula[];
  readonly conditions: readonly Condition[];
  /** Each of them one metavariable, or several any of which is meant. */
  readonly focus: readonly (readonly string[])[];
}

export type Condition =
  | { readonly kind: "regex"; readonly metavariable: string; readonly regex: RE2JS }
  | { readonly kind: "formula"; readonly metavariable: string; readonly formula: Formula }
  | { readonly kind: "comparison"; readonly comparison: Comparison };

export const ownLanguages = ["javascript", "typescript", "python", "java", "php", "go"] as const;
export type OwnLanguage = (typeof ownLanguages)[number];

/** A rule that a user has brought, as its file says it. */
export interface OwnRuleSource {
  readonly id: string;
  /** Where it begins in its file, from 1. */
  readonly line: number;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly issueType: IssueType;
  readonly cwe: readonly number[];
  readonly owasp2021: string | null;
  readonly owasp2025: string | null;
  readonly references: readonly string[];
  readonly fix: string | null;
  /** "any" reads every file, by regular expressions only. */
  readonly languages: readonly OwnLanguage[] | "any";
  readonly paths: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly search: Formula | null;
  readonly taint: { readonly sources: Formula; readonly sinks: Formula; readonly sanitizers: Formula | null } | null;
}

/** A rule, or a file, that is not used, and why. */
export interface Refusal {
  /** Null where the file has no rules that could be named. */
  readonly id: string | null;
  readonly line: number;
  readonly key: string | null;
  readonly reason: string;
}
