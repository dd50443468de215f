import type { Candidate, FileArtefact, LocalStep } from "../artefact.ts";
import { allFamilies, type Catalogue } from "../catalogue/catalogue.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import type { Finding, Severity, Text, TraceStep } from "../finding.ts";
import { fingerprintOf, movedFingerprintOf } from "../findings/fingerprint.ts";
import { isForPath } from "../match/path-filter.ts";
import { append } from "../multimap.ts";
import { typeOfWeakness } from "../review/problem-class.ts";
import { administered } from "./administered.ts";
import { missingControls } from "./controls.ts";
import { conventions } from "./conventions.ts";
import { CrossFile } from "./cross-file.ts";
import { Modules } from "./modules.ts";
import { byCodeUnits } from "./order.ts";
import { homeOfCode, inTestCode, isBeyondQuality, isDocumentation, isForDevelopment } from "./path-role.ts";
import { storedFields } from "./stored-fields.ts";

/** A candidate in its file, with steps that may lie in others. */
export interface PlacedCandidate {
  path: string;
  candidate: Candidate;
  trace: TraceStep[];
  /** Nobody but a test brings what gets here. */
  isTried?: boolean;
}

export interface LinkOptions {
  /** OWASP 2021 categories ("A01" to "A10") whose families are switched off. */
  readonly categoriesOff?: readonly string[];
  /** Told of each file whose values take more ways through the other files than are followed. */
  readonly onEntangled?: (path: string) => void;
}

/** Joins the artefacts of a scan into findings: sorted, without duplicates, the same whatever order the files came in. */
export function link(catalogue: Catalogue, artefacts: readonly FileArtefact[], options: LinkOptions = {}): Finding[] {
  const off = new Set(options.categoriesOff ?? []);
  const ordered = [...artefacts].sort((a, b) => byCodeUnits(a.coverage.path, b.coverage.path));
  const modules = new Modules(ordered, catalogue.namesOf(allFamilies));
  const files = new CrossFile(catalogue, ordered, modules);
  const placed = ordered.flatMap(({ coverage: { path }, candidates }) =>
    candidates
      .filter((candidate) => files.holds(path, candidate) && files.isFilled(path, candidate))
      .map((candidate) => ({ path, candidate, trace: placeTrace(path, candidate.trace) })),
  );
  const all = [
    ...placed,
    ...files.candidates(),
    ...storedFields(ordered),
    ...missingControls(catalogue, ordered, modules),
  ].filter(({ candidate, path }) =>
    candidate.own
      ? isForPath(candidate.own.paths ?? everywhere, path)
      : !off.has(ruleOf(catalogue, candidate).owasp2021 ?? "") &&
        !(catalogue.rules.get(candidate.ruleId)?.code && isBeyondQuality(path)),
  );
  const habits = conventions(catalogue, ordered);
  const home = homeOfCode(ordered);
  for (const path of files.entangled) options.onEntangled?.(path);
  const meant = all
    .filter(({ candidate, path }) => !habits.has(candidate.ruleId, path))
    .map((one) => (isTried(one, home) ? { ...one, isTried: true } : one));
  const once = firstOfValues(catalogue, firstOfFunctions(catalogue, mergeSamePlace(catalogue, meant)));
  const told = administered(catalogue, ordered, modules, once);
  return identify(catalogue, told, home).sort(findingOrder);
}

const everywhere = { include: [], exclude: [] };

export const placeTrace = (path: string, steps: readonly LocalStep[]): TraceStep[] =>
  steps.map((step) => ({ path, ...step }));

/** By path, line, column, family, fingerprint. */
export const findingOrder = (a: Finding, b: Finding): number =>
  byCodeUnits(a.path, b.path) ||
  a.startLine - b.startLine ||
  a.startColumn - b.startColumn ||
  byCodeUnits(a.family, b.family) ||
  byCodeUnits(a.fingerprint, b.fingerprint);

/** One family at one place is one finding; the most confident candidate leads. */
function mergeSamePlace(catalogue: Catalogue, all: readonly PlacedCandidate[]): PlacedCandidate[] {
  const best = new Map<string, PlacedCandidate>();
  for (const placed of all) {
    const { candidate } = placed;
    const family = ruleOf(catalogue, candidate).family;
    const key = [
      placed.path,
      family,
      candidate.startLine,
      candidate.startColumn,
      candidate.endLine,
      candidate.endColumn,
    ].join("\0");
    const known = best.get(key);
    if (!known || rank(placed, known) < 0) best.set(key, placed);
  }
  return [...best.values()];
}

/** Of rules that are told once a function, the first place in it that is not silenced; silenced ones are kept. */
const firstOfFunctions = (catalogue: Catalogue, all: readonly PlacedCandidate[]): PlacedCandidate[] =>
  firstOf(all, 1, ({ path, candidate }) =>
    catalogue.rules.get(candidate.ruleId)?.oncePerFunction
      ? [path, candidate.ruleId, candidate.functionLine ?? candidate.symbol].join("\0")
      : null,
  );

/** Places of a function that are told for one value from another file, where each has to be put right. */
const placesMax = 3;

/**
 * Of all that a value from another file does in a function, the first places; only the first, where looking at the value puts it right.
 * To ask whether a file is there says less than to read it.
 */
function firstOfValues(catalogue: Catalogue, all: readonly PlacedCandidate[]): PlacedCandidate[] {
  const arrived = (once: boolean) => (placed: PlacedCandidate) =>
    catalogue.rules.get(placed.candidate.ruleId)?.oncePerValue === once ? arrivalOf(placed) : null;
  return firstOf(firstOf(firstOf(all, 1, arrived(true)), placesMax, arrived(false)), placesMax, handedOn);
}

/** The same of one input that a function hands on to others of its file: who looks at three of the places sees what they have in common. */
function handedOn({ path, candidate: { ruleId }, trace }: PlacedCandidate): string | null {
  const elsewhere = trace.findLastIndex((step) => step.path !== path);
  const [source, comesIn] = [trace[0], trace[elsewhere + 1]];
  if (elsewhere < 0 || !source || !comesIn) return null;
  return [path, ruleId, source.path, source.startLine, source.startColumn, comesIn.startLine, comesIn.startColumn].join(
    "\0",
  );
}

/** Where a value from another file comes into the function, and for which rule; null for values of the file itself. */
function arrivalOf({ path, candidate: { ruleId, symbol }, trace }: PlacedCandidate): string | null {
  const elsewhere = trace.findLastIndex((step) => step.path !== path);
  const comesIn = elsewhere < 0 ? undefined : trace[elsewhere + 1];
  return comesIn ? [path, ruleId, symbol, comesIn.startLine, comesIn.startColumn, comesIn.endColumn].join("\0") : null;
}

/** The first places of those that share a key; what has none and what is silenced stays. */
function firstOf(
  all: readonly PlacedCandidate[],
  max: number,
  keyOf: (placed: PlacedCandidate) => string | null,
): PlacedCandidate[] {
  const alike = new Map<string, PlacedCandidate[]>();
  for (const placed of all) {
    const key = placed.candidate.suppressed === null ? keyOf(placed) : null;
    if (key !== null) append(alike, key, placed);
  }
  const left = new Set([...alike.values()].flatMap((places) => places.sort(surestFirst).slice(max)));
  return all.filter((placed) => !left.has(placed));
}

const surestFirst = (a: PlacedCandidate, b: PlacedCandidate): number =>
  Number(isUnsure(a)) - Number(isUnsure(b)) || inPlaceOrder(a, b);

/** Less than even chances, or nobody's who attacks. */
const isUnsure = ({ candidate, isTried }: PlacedCandidate): boolean => candidate.confidence < 0.5 || isTried === true;

/** What comes from a test into the code that it tests: the request of a test is made up, and a handler that brings the same is told instead. */
const isTried = ({ path, trace: [source] }: PlacedCandidate, home: string): boolean =>
  source?.role === "source" && source.path !== path && inTestCode(source.path, home) && !inTestCode(path, home);

const inPlaceOrder = ({ candidate: a }: PlacedCandidate, { candidate: b }: PlacedCandidate): number =>
  a.startLine - b.startLine || a.startColumn - b.startColumn || a.endLine - b.endLine || a.endColumn - b.endColumn;

function rank(a: PlacedCandidate, b: PlacedCandidate): number {
  return (
    Number(a.isTried ?? false) - Number(b.isTried ?? false) ||
    b.candidate.confidence - a.candidate.confidence ||
    a.trace.length - b.trace.length ||
    byCodeUnits(a.candidate.ruleId, b.candidate.ruleId) ||
    byCodeUnits(a.candidate.source, b.candidate.source) ||
    byCodeUnits(JSON.stringify(a.trace), JSON.stringify(b.trace))
  );
}

/** Numbers the siblings in source order and computes the fingerprints. */
function identify(catalogue: Catalogue, all: readonly PlacedCandidate[], home: string): Finding[] {
  const siblings = new Map<string, number>();
  const inSourceOrder = [...all].sort(
    (a, b) =>
      byCodeUnits(a.path, b.path) ||
      a.candidate.startLine - b.candidate.startLine ||
      a.candidate.startColumn - b.candidate.startColumn ||
      a.candidate.endLine - b.candidate.endLine ||
      a.candidate.endColumn - b.candidate.endColumn,
  );
  return inSourceOrder.map((placed) => {
    const rule = ruleOf(catalogue, placed.candidate);
    const key = [rule.family, placed.path, placed.candidate.symbol, placed.candidate.anchor].join("\0");
    const sibling = siblings.get(key) ?? 0;
    siblings.set(key, sibling + 1);
    return findingOf(rule, placed, sibling, home);
  });
}

/** What the finding takes from its rule. */
interface NamedRule
  extends Pick<Finding, "ruleVersion" | "family" | "type" | "issueType" | "cwe" | "owasp2021" | "owasp2025">,
    Pick<Rule, "title" | "message" | "fix"> {
  /** Null for a rule of a user, which says itself how bad it is and where. */
  rule: Rule | null;
  /** Where its texts say that the value comes from. */
  origin?: Text | undefined;
}

function ruleOf(catalogue: Catalogue, { ruleId, own, sourceKind }: Candidate): NamedRule {
  if (own) {
    const { cwe = [], owasp2021 = null, owasp2025 = null } = own;
    return { ...own, rule: null, ruleVersion: 1, type: typeOfWeakness(cwe), cwe: [...cwe], owasp2021, owasp2025 };
  }
  const rule = catalogue.rules.get(ruleId);
  if (!rule) throw new Error(`the artefact names the rule ${ruleId}, which this engine does not have`);
  const { type, owasp2021, owasp2025 } = catalogue.family(rule.family);
  const origin = sourceKind === undefined ? undefined : catalogue.originOf(sourceKind);
  return { ...rule, rule, ruleVersion: rule.version, type, owasp2021, owasp2025, origin };
}

function findingOf(
  named: NamedRule,
  { path, candidate, trace, isTried }: PlacedCandidate,
  sibling: number,
  home: string,
): Finding {
  const { rule, origin, ruleVersion, family, type, issueType, cwe, owasp2021, owasp2025 } = named;
  const identity = { family, path, scope: candidate.symbol, anchor: candidate.anchor, sibling };
  const fill = (text: Text): Text => (rule ? filled(text, candidate, origin) : text);
  const harmless = rule !== null && (isTried || isHarmlessPlace(rule, path, home));
  return {
    path,
    startLine: candidate.startLine,
    startColumn: candidate.startColumn,
    endLine: candidate.endLine,
    endColumn: candidate.endColumn,
    ruleId: candidate.ruleId,
    ruleVersion,
    family,
    type,
    issueType,
    // Nobody attacks a test, but it shows how the code is used; a secret in a test is still a secret.
    severity: harmless && candidate.severity !== "info" ? "low" : asSureAs(candidate),
    confidence: candidate.confidence,
    cwe,
    owasp2021,
    owasp2025,
    title: fill(named.title),
    message: withRest(fill(named.message), candidate.more ?? 0),
    fix: fill(named.fix),
    symbol: candidate.symbol,
    snippet: candidate.snippet,
    trace,
    fingerprint: fingerprintOf(identity),
    movedFingerprint: movedFingerprintOf(identity),
    suppressed: candidate.suppressed,
    origins: ["rule"],
    adjudication: null,
    explanation: null,
  };
}

/** What is more likely wrong than right is not urgent, however bad it would be. */
const asSureAs = ({ severity, confidence }: Candidate): Severity =>
  confidence < 0.5 && (severity === "critical" || severity === "high") ? "medium" : severity;

/** Passwords in tests and documentation are made up, as a rule, and keys in tests are; tokens of services there are often real. */
function isHarmlessPlace({ secret, config }: Rule, path: string, home: string): boolean {
  const isTest = inTestCode(path, home);
  if (secret) return (secret.madeForTests === true || secret.generic) && (isTest || isDocumentation(path));
  return isTest || (config !== undefined && (isDocumentation(path) || isForDevelopment(path)));
}

/** What is not listed must not look as if it were not there. */
const withRest = ({ zh, en }: Text, more: number): Text =>
  more === 0
    ? { zh, en }
    : { zh: `${zh}本文件中另有 ${more} 处同类问题未逐一列出。`, en: `${en} ${more} more in this file are not listed.` };

function filled(text: Text, { source, sink }: Candidate, origin: Text | undefined): Text {
  const fill = (language: keyof Text): string => {
    const words = { source, sink, origin: origin?.[language] ?? "" };
    return text[language].replace(/\{(source|sink|origin)\}/g, (_, slot: keyof typeof words) => words[slot]);
  };
  return { zh: fill("zh"), en: fill("en") };
}
