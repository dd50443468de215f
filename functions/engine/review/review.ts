import type { FunctionPlace } from "../artefact.ts";
import type { Finding, IssueType, Severity } from "../finding.ts";

/** What a model is asked, in the layout that keeps instructions and data apart. */
export interface ReviewPrompt {
  readonly system: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The port to a model. What it throws passes through a review unchanged. */
export type AskModel = (prompt: ReviewPrompt) => Promise<{
  readonly text: string;
  readonly finish: "stop" | "length" | "refused" | "other";
}>;

/** A rule of the user's rule set, as far as a model needs to know it. */
export interface ReviewRule {
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: IssueType;
  readonly severity: Severity;
  readonly customPrompt: string | null;
  readonly fixSuggestion: string | null;
}

/** What the owner of the scan wants looked at, the same for every unit of a scan. */
export interface ReviewInstructions {
  /** Text of the prompt template; null means the built-in one. */
  readonly template: string | null;
  readonly rules: readonly ReviewRule[];
  readonly outputLanguage: "zh" | "en";
}

/** A function outside of a unit, shown so that the unit's findings can be judged. Secrets are masked. */
export interface Excerpt {
  readonly path: string;
  readonly language: string;
  /** Counts from 1. */
  readonly startLine: number;
  readonly text: string;
}

/** A stretch of whole lines of one file, at most a whole file, with the rule findings that lie in it. Secrets are masked. JSON-serialisable. */
export interface ReviewUnit {
  readonly path: string;
  readonly language: string;
  /** Counts from 1. */
  readonly startLine: number;
  readonly text: string;
  readonly findings: readonly Finding[];
  /** The functions that lie in these lines, wholly or in part. */
  readonly functions: readonly FunctionPlace[];
  /** What the values of the findings pass elsewhere, and who calls there. */
  readonly excerpts: readonly Excerpt[];
}

/** What a model said about a rule finding; the finding stays whatever it said. */
export interface Verdict {
  readonly fingerprint: string;
  readonly verdict: "confirmed" | "refuted" | "unsure";
  readonly reason: string;
}

/** The result of one unit. JSON-serialisable; what is not in the source is not in here. */
export type ReviewOutcome =
  | {
      readonly status: "reviewed";
      /** New findings, each with a quote that was found in the source. */
      readonly findings: readonly Finding[];
      readonly verdicts: readonly Verdict[];
      /** How many statements of the model were dropped or changed, by reason, for example quote_not_found, relocated. */
      readonly dropped: Readonly<Record<string, number>>;
    }
  | {
      readonly status: "failed";
      readonly category: "format" | "truncated" | "empty" | "refused";
      /** What the model said last, or the beginning of it, for who wants to know what went wrong. */
      readonly reply: string;
    };
