import type { Match } from "../catalogue/catalogue.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import { reachSink } from "../interpret/check.ts";
import type { Frame, Marks, Run } from "../interpret/run.ts";
import { arriving, joinTaint, nothing, type Value } from "../interpret/value.ts";
import type { Span } from "../ir/ir.ts";
import type { OwnRuleSource } from "./own-rule.ts";

const sourceKind = "own";

/** The places that a rule's sources, sinks and sanitizers match, for the interpreter to follow values between them. */
export class TaintMarks implements Marks {
  readonly match: Match;
  readonly #sources: readonly Span[];
  readonly #sinks: readonly Span[];
  readonly #sanitizers: readonly Span[];

  constructor(
    rule: OwnRuleSource,
    ruleId: string,
    places: { sources: readonly Span[]; sinks: readonly Span[]; sanitizers: readonly Span[] },
  ) {
    this.match = matchOf(rule, ruleId);
    this.#sources = places.sources;
    this.#sinks = places.sinks;
    this.#sanitizers = places.sanitizers;
  }

  /** What lies inside a marked place has its mark too: a source's parts are as dangerous as all of it. */
  seen(run: Run, frame: Frame, at: Span, given: Value): Value {
    const value = this.parameter(run, at, given);
    const sink = holding(this.#sinks, at);
    if (sink) reachSink(run, frame, this.match, sink, value);
    return value;
  }

  parameter(run: Run, at: Span, given: Value): Value {
    if (holding(this.#sanitizers, at))
      return { ...nothing, paths: given.paths, closures: given.closures, type: given.type };
    const source = holding(this.#sources, at);
    if (!source) return given;
    const taint = [arriving(run.source(sourceKind, source), source)];
    return { ...given, taint: joinTaint(given.taint, taint) };
  }
}

const holding = (places: readonly Span[], at: Span): Span | undefined =>
  places.find(({ start, end }) => start <= at.start && end >= at.end);

/** The rule in the interpreter's terms. Its family has no bit: only the rule's own sanitizers clean. */
function matchOf(rule: OwnRuleSource, id: string): Match {
  const texts = { zh: "", en: "" };
  const made = {
    id,
    version: 1,
    title: texts,
    message: texts,
    fix: texts,
    severity: rule.severity,
    confidence: rule.confidence,
  };
  const asRule: Rule = {
    ...made,
    issueType: rule.issueType,
    oncePerFunction: false,
    oncePerValue: false,
    languages: [],
    family: id,
    cwe: [],
    references: [],
  };
  return {
    rule: asRule,
    arguments: [],
    receiver: null,
    notReceiver: null,
    when: [],
    unless: [],
    near: null,
    notNear: null,
    file: null,
    notFile: null,
    within: null,
    result: null,
    severity: rule.severity,
    release: null,
    confidence: rule.confidence,
    taint: { family: 0, sources: new Set([sourceKind]), safePrefix: null },
  };
}
