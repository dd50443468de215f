import type { Candidate, FunctionPlace, LinkRecord } from "./artefact.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { candidateOf, type FileContext } from "./findings/candidates.ts";
import { Suppressions } from "./findings/suppression.ts";
import { isLater } from "./interpret/calls/deferred.ts";
import { interpret } from "./interpret/interpreter.ts";
import type { Run } from "./interpret/run.ts";
import type { Hit } from "./interpret/summary.ts";
import { isWrittenElsewhere } from "./inventory/depth.ts";
import type { LineIndex } from "./inventory/line-index.ts";
import type { Module } from "./ir/ir.ts";
import { linkRecordOf, noLinks } from "./link/link-record.ts";
import { mapperParametersOf } from "./link/mapper-parameters.ts";
import { byCodeUnits } from "./link/order.ts";
import { tablesOf } from "./link/tables.ts";
import { BashLowering } from "./lower/bash/bash-lowering.ts";
import { CLowering } from "./lower/c/c-lowering.ts";
import { CSharpLowering } from "./lower/csharp/csharp-lowering.ts";
import { GoLowering } from "./lower/go/go-lowering.ts";
import { JavaLowering } from "./lower/java/java-lowering.ts";
import { JavaScriptLowering } from "./lower/javascript/javascript-lowering.ts";
import { KotlinLowering } from "./lower/kotlin/kotlin-lowering.ts";
import type { Lowering } from "./lower/lowering.ts";
import { PhpLowering } from "./lower/php/php-lowering.ts";
import { PythonLowering } from "./lower/python/python-lowering.ts";
import { RubyLowering } from "./lower/ruby/ruby-lowering.ts";
import { RustLowering } from "./lower/rust/rust-lowering.ts";
import { FileUnderMatch } from "./match/file-under-match.ts";
import type { OwnRulesFile } from "./match/own-rules.ts";
import type { SourceParser } from "./parse/parser.ts";
import { ShownConstants } from "./secrets/shown-constants.ts";
import type { ShownText } from "./secrets/shown-text.ts";
import { writtenKeys } from "./secrets/written-keys.ts";
import { cappedByRule } from "./structure/capped-by-rule.ts";
import { FileShape } from "./structure/file-shape.ts";
import { Places } from "./structure/places.ts";
import { noLimit, type TimeLimit, TimeUp } from "./time-limit.ts";
import { webRecordOf } from "./web/collect.ts";

/** What one file of code gave; `reason` says what was left out, null for nothing. */
export interface CodeAnalysis {
  candidates: Candidate[];
  links: LinkRecord;
  functions: FunctionPlace[];
  suppressions: Suppressions;
  /** The file without the secrets known before, and without those that only following values has found. */
  shown: ShownText;
  /** The texts that rules have found to be keys. */
  keys: ReadonlySet<string>;
  reason: string | null;
  /** What rules of users look at; null when the file could not be parsed. */
  own: OwnRulesFile | null;
}

const lowerings: Record<string, new (text: string) => Lowering> = {
  javascript: JavaScriptLowering,
  typescript: JavaScriptLowering,
  tsx: JavaScriptLowering,
  python: PythonLowering,
  java: JavaLowering,
  php: PhpLowering,
  go: GoLowering,
  c: CLowering,
  cpp: CLowering,
  csharp: CSharpLowering,
  kotlin: KotlinLowering,
  ruby: RubyLowering,
  rust: RustLowering,
  bash: BashLowering,
};

/** A share of unreadable text beyond which the file is called partly analysed. */
const errorShareMax = 0.2;

/** Parses, lowers and interprets one file. */
export async function analyseCode(
  catalogue: Catalogue,
  parser: SourceParser,
  grammar: string,
  text: string,
  lines: LineIndex,
  safe: ShownText,
  limit: TimeLimit = noLimit(),
): Promise<CodeAnalysis> {
  const parsed = await parser.parse(text, grammar, limit);
  const nothing = {
    candidates: [],
    links: noLinks,
    functions: [],
    suppressions: new Suppressions(text, [], lines),
    shown: safe,
    keys: new Set<string>(),
    own: null,
  };
  if ("failure" in parsed) return { ...nothing, reason: parsed.failure };
  const lowering = new (lowerings[grammar] as new (text: string) => Lowering)(text);
  const module = untilTimeIsUp(() => lowering.module(parsed.syntax, limit), null);
  if (module === null) return { ...nothing, reason: "time_limit" };
  await catalogue.load(grammar);
  const { run, exhausted } = interpret(catalogue, module, grammar, text, null, limit);
  const shown = safe.without(writtenKeys(module, text, run.keys));
  const file: FileContext = {
    text: shown.text,
    lines: shown.lines,
    shown: new ShownConstants(shown.text),
    errors: module.errors,
    suppressions: new Suppressions(shown.text, module.comments, lines),
    hashComments: ["python", "ruby", "bash"].includes(grammar),
  };
  const ended = limit.isUp ? "time_limit" : "interpreter_budget";
  const reason = exhausted ? ended : partlyRead(module, run.truncated, text);
  const asked = catalogue.structure !== null && !isWrittenElsewhere(text);
  const shape = asked ? new FileShape(module, text, grammar) : null;
  const hits = outermost(inPlace([...run.hits.values()], shape && new Places(shape, run.entries, text)));
  const found = hits.filter((hit) => !hit.flow?.source.outside).map((hit) => candidateOf(file, hit));
  const shaped = shape ? (catalogue.structure?.scan(shape, module, file, writtenIn(grammar), run.symbols) ?? []) : [];
  const candidates = cappedByRule(catalogue, [...found, ...shaped]);
  const links = untilTimeIsUp(() => linksOf(catalogue, file, run, module, hits), noLinks);
  const functions = functionsOf(lines, run);
  const own = { syntax: new FileUnderMatch(text, grammar, parsed.syntax), module, context: file };
  return { candidates, links, functions, suppressions: file.suppressions, shown, keys: run.keys, reason, own };
}

/** Why a file that was followed to its end was not understood as a whole; null when it was. */
function partlyRead({ errors, tooDeep }: Module, truncated: boolean, text: string): string | null {
  if (tooDeep || truncated) return "nesting";
  const unread = errors.reduce((sum, error) => sum + error.end - error.start, 0);
  return unread / text.length > errorShareMax ? "syntax_errors" : null;
}

/** Patterns that ask where they are found. */
const inPlace = (hits: readonly Hit[], places: Places | null): readonly Hit[] =>
  hits.filter(
    ({ match, at }) =>
      match.within === null || (!isLater(at) && places?.holds(match.within, at, match.result) === true),
  );

/** The language of rules whose files this grammar reads. */
const writtenIn = (grammar: string): string => ({ tsx: "typescript", bash: "shell" })[grammar] ?? grammar;

/** Languages whose pages are asked for rows that somebody has stored before. */
const storesRows: ReadonlySet<string> = new Set(["php", "java", "go"]);

/** What other files are told. @throws TimeUp */
function linksOf(catalogue: Catalogue, file: FileContext, run: Run, module: Module, hits: readonly Hit[]): LinkRecord {
  run.limit.check();
  const rules = catalogue.controlRules.map((rule) => rule.id);
  const web = webRecordOf(run.knowledge.web, file, module, rules, run);
  const tables = storesRows.has(run.language) ? tablesOf(file.text, file.lines) : {};
  const mappers = mapperParametersOf(run, module);
  return { ...linkRecordOf(catalogue, file, run, hits), ...tables, ...mappers, ...(web && { web }) };
}

function untilTimeIsUp<T, U>(work: () => T, otherwise: U): T | U {
  try {
    return work();
  } catch (error) {
    if (error instanceof TimeUp) return otherwise;
    throw error;
  }
}

/** The functions that were met; functions on the same lines inside each other are told apart by nothing but their symbols. */
function functionsOf(lines: LineIndex, run: Run): FunctionPlace[] {
  const places = [...run.symbols].map(([{ start, end }, symbol]) => ({
    symbol,
    startLine: lines.lineOf(start),
    endLine: lines.lineOf(Math.max(start, end - 1)),
  }));
  const once = new Map(places.map((place) => [Object.values(place).join("\0"), place]));
  return [...once.values()].sort(
    (a, b) => a.startLine - b.startLine || b.endLine - a.endLine || byCodeUnits(a.symbol, b.symbol),
  );
}

/** `read(path(x))` is one problem, not two: of one rule's sinks inside each other, the outer one is reported. */
function outermost(hits: readonly Hit[]): Hit[] {
  const inside = (inner: Hit, outer: Hit) =>
    inner !== outer &&
    inner.match.rule === outer.match.rule &&
    inner.at.start >= outer.at.start &&
    inner.at.end <= outer.at.end;
  // A generated file may have all of its sinks in one statement, or all of one input.
  const together = new Map(
    [...Map.groupBy(hits, ({ statement }) => statement.start)].map(([start, there]) => [
      start,
      Map.groupBy(there, ({ flow }) => flow?.source),
    ]),
  );
  return hits.filter(
    (hit) =>
      hit.flow === null ||
      !together
        .get(hit.statement.start)
        ?.get(hit.flow.source)
        ?.some((other) => inside(hit, other)),
  );
}
