import type { IssueType, Severity, Text } from "./finding.ts";

/** One file to analyse; the path is normalised and uses "/". */
export interface SourceFile {
  path: string;
  bytes: Uint8Array;
}

/** How a file's analysis ended. `reason` is a stable snake_case code, null exactly when nothing was left out. */
export interface Coverage {
  path: string;
  status: "analysed" | "partial" | "skipped" | "failed";
  reason: string | null;
  language: string;
  lines: number;
  bytes: number;
}

/** A place inside the artefact's own file. */
export interface LocalPlace {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

export interface LocalStep extends LocalPlace {
  code: string;
  role: "source" | "step" | "sink";
}

/** A finding before linking: it knows the file's content, not its path. Texts are rendered from the catalogue by link(). */
export interface Candidate extends LocalPlace {
  ruleId: string;
  severity: Severity;
  confidence: number;
  /** Names filled into the rule's texts. */
  source: string;
  sink: string;
  symbol: string;
  /** What the fingerprint is made of, see findings/fingerprint.ts. */
  anchor: string;
  snippet: string;
  trace: LocalStep[];
  suppressed: { reason: string } | null;
  /** What the catalogue says of other rules, for rules that it does not have. */
  own?: OwnRule;
}

/** A rule of a user, as far as its findings show it. */
export interface OwnRule {
  family: string;
  issueType: IssueType;
  title: Text;
  message: Text;
  fix: Text;
}

/** Where a value that came in by a parameter ends up. */
export interface ParameterFlow {
  parameter: number;
  /** The candidate that exists as soon as a caller passes attacker input. */
  candidate: Candidate;
  /** Families the value has been cleaned for on its way, as in the catalogue. */
  clean: string[];
}

/** A value that goes into a function of another file. */
export interface Handover {
  /** What is called, by import: "./db.find", "app.services.users.find", "com.shop.UserDao.find". */
  target: string;
  argument: number;
  /** Families the value has been cleaned for, as in the catalogue. */
  clean: string[];
  trace: LocalStep[];
}

/** A function that other files can call, and what happens to its parameters. Methods are "Class.method". */
export interface ExportedFunction {
  name: string;
  flows: ParameterFlow[];
  /** Parameters that go on into other files. */
  passes: (Handover & { parameter: number })[];
}

/** Attacker input that goes into another file. */
export interface OutgoingCall extends Handover {
  sourceKind: string;
  source: string;
}

/** What other files need to know about this one. */
export interface LinkRecord {
  exports: ExportedFunction[];
  calls: OutgoingCall[];
  /** The classes of the file with the simple names of what they extend or implement. */
  classes: { name: string; bases: string[] }[];
}

/** A function of the file, by whole lines. */
export interface FunctionPlace {
  /** As in findings; a function without a name has that of the function around it. */
  symbol: string;
  startLine: number;
  endLine: number;
}

/** All that analysis keeps of one file. JSON-serialisable; everything but `coverage.path` depends on content, language and the patterns given only. */
export interface FileArtefact {
  coverage: Coverage;
  sha256: string;
  candidates: Candidate[];
  link: LinkRecord;
  /** By place, the outer ones first; empty where the file was not interpreted. */
  functions: FunctionPlace[];
}
