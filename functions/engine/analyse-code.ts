import type { Candidate, ExportedFunction, FunctionPlace, Handover, LinkRecord, LocalStep } from "./artefact.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { candidateOf, type FileContext, traceOf } from "./findings/candidates.ts";
import { Suppressions } from "./findings/suppression.ts";
import { interpret } from "./interpret/interpreter.ts";
import type { Handover as Handed, Hit, Run } from "./interpret/run.ts";
import type { Source } from "./interpret/value.ts";
import type { LineIndex } from "./inventory/line-index.ts";
import { byCodeUnits } from "./link/order.ts";
import { JavaLowering } from "./lower/java/java-lowering.ts";
import { JavaScriptLowering } from "./lower/javascript/javascript-lowering.ts";
import type { Lowering } from "./lower/lowering.ts";
import { PythonLowering } from "./lower/python/python-lowering.ts";
import type { SourceParser } from "./parse/parser.ts";

/** What one file of code gave; `reason` says what was left out, null for nothing. */
export interface CodeAnalysis {
  candidates: Candidate[];
  links: LinkRecord;
  functions: FunctionPlace[];
  suppressions: Suppressions;
  reason: string | null;
}

const lowerings: Record<string, new (text: string) => Lowering> = {
  javascript: JavaScriptLowering,
  typescript: JavaScriptLowering,
  tsx: JavaScriptLowering,
  python: PythonLowering,
  java: JavaLowering,
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
): Promise<CodeAnalysis> {
  const parsed = await parser.parse(text, grammar);
  const nothing = {
    candidates: [],
    links: { exports: [], calls: [], classes: [] },
    functions: [],
    suppressions: new Suppressions(text, [], lines),
  };
  if ("failure" in parsed) return { ...nothing, reason: parsed.failure };
  const lowering = new (lowerings[grammar] as new (text: string) => Lowering)(text);
  const module = lowering.module(parsed.syntax);
  const file: FileContext = {
    text,
    lines,
    errors: module.errors,
    suppressions: new Suppressions(text, module.comments, lines),
    hashComments: grammar === "python",
  };
  const { run, exhausted } = interpret(catalogue, module, grammar, text);
  const unread = module.errors.reduce((sum, error) => sum + error.end - error.start, 0) / text.length;
  const reason = exhausted
    ? "interpreter_budget"
    : module.tooDeep || run.truncated
      ? "nesting"
      : unread > errorShareMax
        ? "syntax_errors"
        : null;
  const candidates = outermost([...run.hits.values()]).map((hit) => candidateOf(file, run, hit));
  const links = linksOf(catalogue, file, run);
  return { candidates, links, functions: functionsOf(lines, run), suppressions: file.suppressions, reason };
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
    inner.flow?.source === outer.flow?.source &&
    inner.statement.start === outer.statement.start &&
    inner.at.start >= outer.at.start &&
    inner.at.end <= outer.at.end;
  return hits.filter((hit) => hit.flow === null || !hits.some((other) => inside(hit, other)));
}

/** What other files may call here, and what this file hands to others. */
function linksOf(catalogue: Catalogue, file: FileContext, run: Run): LinkRecord {
  const handed = (call: Handed, source: Source): Handover => ({
    target: call.target,
    argument: call.argument,
    clean: catalogue.namesOf(call.clean),
    trace: asSteps(traceOf(file, run, source, call.step, call.at)),
  });
  const exports = [...run.exports].flatMap(([name, closure]): ExportedFunction[] => {
    const summary = run.summaries.get(closure.fn);
    if (!summary) return [];
    const flows = summary.flows.map((flow) => {
      const param = closure.fn.params[flow.parameter] ?? closure.fn;
      const source = run.source("parameter", param, 1, { fn: closure.fn, index: flow.parameter });
      const candidate = candidateOf(file, run, { ...flow, flow: { source, step: flow.step } });
      return { parameter: flow.parameter, candidate, clean: catalogue.namesOf(flow.clean) };
    });
    const passes = summary.passes.map((pass) => ({
      ...handed(pass, pass.source),
      parameter: pass.source.parameter?.index ?? 0,
    }));
    return flows.length + passes.length > 0 ? [{ name, flows, passes }] : [];
  });
  const calls = [...run.handovers.values()].map((call) => ({
    ...handed(call, call.source),
    sourceKind: call.source.kind,
    source: call.source.name,
  }));
  const classes = run.classes.map(({ node, bases }) => ({
    name: node.name,
    bases: bases.flatMap((base) =>
      base.paths.map((path) => path.slice(path.lastIndexOf(".") + 1).replace(/^\?|\(\)$/g, "")),
    ),
  }));
  return { exports, calls, classes: classes.filter((entry) => entry.bases.length > 0) };
}

/** The end of one file's part of the way is no sink. */
const asSteps = (trace: LocalStep[]): LocalStep[] =>
  trace.map((step) => (step.role === "sink" ? { ...step, role: "step" as const } : step));
