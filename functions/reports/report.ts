import type { Severity } from "../issues/issue.ts";
import type { Language } from "../platform/language.ts";

/**
 * A report before it has pages: what it says, in the order it is read, in one language. Every text in it may come from a stranger and is
 * plain text; nothing in it is markup, a link or the name of a file to open.
 */
export interface Report {
  readonly language: Language;
  /** Stands on top of every page. */
  readonly header: string;
  readonly title: string;
  readonly subtitle: string;
  /** Number that people quote. */
  readonly number: string;
  readonly generatedAt: Date;
  /** What was audited, when and how. */
  readonly facts: readonly Fact[];
  /** 0 to 100; null as long as there is none. */
  readonly score: number | null;
  readonly tiles: readonly Fact[];
  readonly severities: SeverityTable;
  /** What a reader must know before trusting the result. */
  readonly notices: readonly string[];
  /** Most severe first. */
  readonly issues: readonly ReportIssue[];
  /** Issues there are, listed or not. */
  readonly issuesTotal: number;
  /** Said when there is not a single issue. */
  readonly empty: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** How many issues there are of each severity, in columns such as open and resolved. */
export interface SeverityTable {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly severity: Severity; readonly counts: readonly number[] }[];
}

export interface ReportIssue {
  readonly severity: Severity;
  readonly title: string;
  /** File, line and column. */
  readonly place: string;
  /** Rule and classifications, such as CWE-89. */
  readonly classes: readonly string[];
  /** What sets it apart: resolved, silenced, found by a model. */
  readonly tags: readonly string[];
  /** Why it is silenced, what a model thinks of it. */
  readonly remarks: readonly Fact[];
  readonly description: string;
  readonly snippet: string;
  /** Line of the file that the snippet begins with. */
  readonly line: number;
  readonly suggestion: string;
}

/**
 * Most issues that one report lists. At four a page they fill more than a hundred pages, which is more than anybody reads, and setting them
 * takes three of the 25 seconds that a request has. The rest is counted in the summary, and the API lists it.
 */
export const issuesListedMax = 500;

/** What a report says of a time: always UTC, and it says so. */
export const utc = (time: Date | string): string =>
  `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
