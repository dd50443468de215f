import type { AskedConstant, AskedSetting, Candidate, LocalPlace, LocalStep } from "../artefact.ts";
import type { Match } from "../catalogue/catalogue.ts";
import type { Passage } from "../interpret/guards/passage.ts";
import type { Source, Step } from "../interpret/value.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import type { Span } from "../ir/ir.ts";
import type { ShownConstants } from "../secrets/shown-constants.ts";
import { anchorOf } from "./anchor.ts";
import { excerptOf } from "./excerpt.ts";
import type { Suppressions } from "./suppression.ts";

const traceMax = 20;
export const nameMax = 60;
const snippetLinesMax = 8;
const snippetLengthMax = 2_000;

/** What turning offsets into findings needs to know about the file. */
export interface FileContext {
  /** As findings may show it, see secrets/shown-text.ts; places in it are places in the file. */
  text: string;
  lines: LineIndex;
  /** Which constants of it may be kept beside findings. */
  shown: ShownConstants;
  errors: readonly Span[];
  suppressions: Suppressions;
  hashComments: boolean;
}

/** What something is called in messages, or where its name stands. */
export type Name = string | Span;

/** A sink or pattern with the way that leads to it, in offsets. */
export interface Sighting {
  match: Pick<Match, "rule" | "severity" | "confidence"> & Partial<Pick<Match, "release">>;
  at: Span;
  statement: Span;
  symbol: string;
  fn: Span | null;
  sink: Name;
  flow: { source: Source; step: Step; via?: readonly Passage[] | undefined } | null;
  setting?: AskedSetting | undefined;
  constant?: AskedConstant | undefined;
  entity?: string | undefined;
  given?: true | undefined;
}

/** Cuts a candidate out of the source. */
export function candidateOf(file: FileContext, found: Sighting): Candidate {
  const place = file.lines.place(found.at.start, found.at.end);
  // The parser recovered from an error here, so the finding may rest on a guess.
  const guessed = file.errors.some((error) => error.start < found.at.end && error.end > found.at.start) ? 0.1 : 0;
  const confidence = found.match.confidence * (found.flow?.source.confidence ?? 1) - guessed;
  const setting = found.setting ?? found.match.release;
  return {
    ...place,
    ruleId: found.match.rule.id,
    severity: found.match.severity,
    confidence: Math.max(0.05, Math.round(confidence * 100) / 100),
    source: found.flow ? excerptOf(file.text, found.flow.source, nameMax) : "",
    sink: typeof found.sink === "string" ? found.sink : excerptOf(file.text, found.sink, nameMax),
    ...(found.flow && { sourceKind: found.flow.source.kind }),
    symbol: steadySymbol(found.symbol),
    anchor: anchorOf(file.text.slice(found.statement.start, found.statement.end), file.hashComments),
    snippet: snippetOf(file.lines, place),
    trace: found.flow ? traceOf(file, found.flow.source, found.flow.step, found.at) : [],
    suppressed: file.suppressions.of(found.match.rule.id, place.startLine),
    ...(found.match.rule.oncePerFunction && { functionLine: found.fn ? file.lines.lineOf(found.fn.start) : 0 }),
    ...(found.flow?.via && { via: file.shown.passages(found.flow.via) }),
    ...(setting && { setting }),
    ...(found.constant && { constant: found.constant }),
    ...(found.entity && { entity: found.entity }),
    ...(found.given && { given: found.given }),
  };
}

/** Functions and classes without a name are called by their offset, which moves with every edit above them; a finding must not. */
export const steadySymbol = (symbol: string): string =>
  symbol.replace(/<class \d+>/g, "<class>").replace(/<\d+>/g, "<function>");

/** Whole lines, verbatim. Long stretches are cut after some lines: the place says how far it goes. */
export function snippetOf(lines: LineIndex, place: LocalPlace): string {
  const last = Math.min(place.endLine, place.startLine + snippetLinesMax - 1);
  const cut = Array.from({ length: last - place.startLine + 1 }, (_, i) => lines.line(place.startLine + i)).join("\n");
  if (cut.length <= snippetLengthMax) return cut.toWellFormed();
  // One overlong line: the part around the finding.
  const from = Math.max(0, Math.min(place.startColumn - 1 - 200, cut.length - snippetLengthMax));
  return cut.slice(from, from + snippetLengthMax).toWellFormed();
}

/** Source, steps, sink; the middle of long ways is left out. */
export function traceOf(file: FileContext, source: Span, last: Step, sink: Span, max = traceMax): LocalStep[] {
  const steps: Span[] = [];
  for (let step: Step | null = last; step; step = step.parent) steps.push(step);
  const middle = steps.reverse().filter((step) => !same(step, source) && !same(step, sink));
  const left = Math.max(0, middle.length - (max - 2));
  if (left > 0) middle.splice((max - 2) / 2, left);
  const step = (at: Span, role: LocalStep["role"]): LocalStep => ({
    ...file.lines.place(at.start, at.end),
    code: excerptOf(file.text, at, 120),
    role,
  });
  return [step(source, "source"), ...middle.map((at) => step(at, "step")), step(sink, "sink")];
}

const same = (a: Span, b: Span) => a.start === b.start && a.end === b.end;
