import type { AskedConstant, AskedSetting } from "../artefact.ts";
import type { Fact, Match, Test } from "../catalogue/catalogue.ts";
import type { LazyRegex } from "../catalogue/expression.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { remembered } from "../catalogue/remembered.ts";
import type { Name } from "../findings/candidates.ts";
import { type Expression, type FunctionNode, type Span, wholeMap } from "../ir/ir.ts";
import { commonConditions } from "./calls/path-conditions.ts";
import { commonPassages, joinedPassages } from "./guards/passage.ts";
import { hasRights, setsRights, typeElsewhere } from "./guards/rights.ts";
import { basePaths } from "./names.ts";
import { fieldTaint } from "./objects/members.ts";
import { isSettled } from "./objects/settled-objects.ts";
import { prefixFor } from "./operators.ts";
import type { Frame, Run } from "./run.ts";
import type { Flow, Hit } from "./summary.ts";
import { isCatastrophic } from "./texts/catastrophic.ts";
import { byNamed } from "./texts/constants-elsewhere.ts";
import {
  allTaint,
  anyElement,
  constant,
  elementAt,
  extend,
  nothing,
  type Step,
  type Taint,
  tainted,
  type Value,
} from "./value.ts";

/** What a sink or pattern is asked about: a call with its arguments, or a value stored somewhere. */
export interface Subject {
  positional: readonly Value[];
  named: ReadonlyMap<string, Value>;
  receiver: Value | null;
  receiverPaths: readonly string[];
  /** The named arguments that a call takes from a map. */
  maps?: Value | undefined;
  at: Span;
  /** How the sink is called in messages. */
  name: Name;
}

/** Compares the subject with everything that was found under its path, and records what holds. */
export function check(run: Run, frame: Frame, matches: readonly Match[], subject: Subject): void {
  for (const match of matches) {
    if (match.receiver && !receiverFits(match.receiver, subject.receiverPaths)) continue;
    if (match.notReceiver && receiverFits(match.notReceiver, subject.receiverPaths)) continue;
    const setting = match.taint ? null : askedSetting(frame, match, subject);
    const failing = match.when.find((test) => test !== setting?.test && !holds(frame, test, subject));
    const constant = failing && !match.taint && !setting ? askedConstant(run, frame, match, failing, subject) : null;
    if ((failing && !constant) || match.unless.some((test) => holds(frame, test, subject))) continue;
    if (!contextFits(run, frame, match)) continue;
    if (!match.taint) {
      hit(run, frame, match, subject, null, { setting: setting?.asked, constant: constant ?? undefined });
      noteKeys(run, match, subject);
      continue;
    }
    const takesWhole = match.when.some(({ shape }) => shape === "whole");
    for (const argument of match.arguments) {
      for (const value of fieldGiven(run, subject, argument) ?? argumentsAt(subject, argument))
        sinkValue(run, frame, match, subject, takesWhole ? withoutFields(value) : value);
    }
  }
}

/** A rule of secrets asks for the text that is one; nobody else may show it. */
function noteKeys(run: Run, { rule, when }: Match, subject: Subject): void {
  if (run.catalogue.family(rule.family).type !== "hardcoded_secret") return;
  for (const { arguments: places, matches } of when) {
    if (!matches) continue;
    for (const value of (places ?? [0]).flatMap((place) => argumentsAt(subject, place)))
      for (const constant of value.constants ?? [])
        if (typeof constant === "string" && matches.test(constant)) run.keys.add(constant);
  }
}

/** Compares a method with what is known about methods of its name. */
export function checkDefinition(run: Run, frame: Frame, fn: FunctionNode): void {
  for (const { match, body, parameters } of run.knowledge.definitions.get(fn.name) ?? []) {
    const types = fn.params.map((param) => param.type ?? "").join(",");
    if (parameters && !parameters.test(types)) continue;
    if (body === "empty" ? fn.body.length > 0 : !isTrue(fn)) continue;
    const subject = { ...nowhere, at: fn, name: fn.name };
    hit(run, { ...frame, statement: fn }, match, subject, null);
  }
}

/** Says yes, whatever it is asked: by what it gives back, or by calling whoever waits for the answer. */
function isTrue({ params, body }: FunctionNode): boolean {
  // Go keeps the braces of a body as a block.
  const [only, ...others] = body.length === 1 && body[0]?.kind === "block" ? body[0].body : body;
  if (others.length > 0 || (only?.kind !== "return" && only?.kind !== "expression")) return false;
  const { value } = only;
  if (value?.kind === "call") {
    const { callee, args } = value;
    const isAnswer = callee.kind === "variable" && params.length > 1 && callee.name === params.at(-1)?.name;
    return isAnswer && args.length === 2 && isYes(args[1]?.value);
  }
  // Go gives an error back beside it.
  const given = value?.kind === "collection" && value.shape === "list" ? value.entries[0]?.value : value;
  return only.kind === "return" && isYes(given);
}

const isYes = (value: Expression | null | undefined): boolean => value?.kind === "literal" && value.value === true;

/** The path of a setting: nothing that can be called is named like it. */
export const settingPath = (key: string): string => `%${key}`;

/** The condition of a pattern that asks about a setting, whose value only linking knows. */
function askedSetting(frame: Frame, match: Match, subject: Subject): { test: Test; asked: AskedSetting } | null {
  for (const test of match.when) {
    const [value] = test.matches ? (test.arguments ?? [0]).flatMap((argument) => argumentsAt(subject, argument)) : [];
    const path = value?.paths.find((known) => known.startsWith("%"));
    if (path && test.matches)
      return {
        test,
        asked: { key: path.slice(1), matches: test.matches.source, otherwise: holds(frame, test, subject) },
      };
  }
  return null;
}

/** The only condition of a pattern that does not hold, where it asks for a constant of another file, whose value only linking knows. */
function askedConstant(run: Run, frame: Frame, match: Match, test: Test, subject: Subject): AskedConstant | null {
  if ((!test.is && !test.matches) || test.shape || test.always || test.path) return null;
  const [value, ...others] = (test.arguments ?? [0]).flatMap((argument) => argumentsAt(subject, argument));
  if (!value || others.length > 0 || value.constants !== null || value.slots || value.closures.length > 0) return null;
  if (match.when.some((other) => other !== test && !holds(frame, other, subject))) return null;
  const asked = byNamed(run, frame, value, "value", "result");
  return (
    asked && {
      target: asked.target,
      ...(test.is && { is: [...test.is] }),
      ...(test.matches && { matches: test.matches.source }),
    }
  );
}

/** Records each source that reaches the sink uncleaned; those that came in by a parameter become the function's flows. */
function sinkValue(run: Run, frame: Frame, match: Match, subject: Subject, value: Value): void {
  if (!match.taint) return;
  const safe = match.taint.safePrefix;
  const asksRights = match.when.some(({ shape }) => shape === "rights");
  const entity = asksRights ? typeElsewhere(value) : undefined;
  // A field that somebody sends is not all of the object.
  for (const taint of asksRights ? value.taint : allTaint(value)) {
    if (value.prefix && safe?.test(prefixFor(value.prefix, taint))) continue;
    if ((taint.clean & match.taint.family) !== 0) continue;
    hit(run, frame, match, subject, taint, { entity, given: isAsGiven(match, value, taint) });
  }
}

/** `ctx.body = await saveNote(note)`: where objects do no harm, the file of the function tells whether it gives one. */
function isAsGiven({ unless }: Match, { paths }: Value, { source, via }: Taint): true | undefined {
  const last = via?.at(-1);
  const target = last ? (last.check === "result" && last.part === undefined ? last.target : null) : source.outside;
  if (target === null || !unless.some(({ shape }) => shape === "map")) return undefined;
  // `response.send(response.page)`: files that fill the field tell whether they put an object there.
  return paths.includes(target.startsWith("#") ? target.slice(1) : `${target}()`) || undefined;
}

/** A value comes to a place that is a sink by itself and not by what is called there. */
export function reachSink(run: Run, frame: Frame, match: Match, at: Span, value: Value): void {
  for (const taint of allTaint(value)) hit(run, frame, match, { ...nowhere, at, name: at }, taint);
}

const nowhere = { positional: [], named: new Map(), receiver: null, receiverPaths: [] };

function hit(
  run: Run,
  frame: Frame,
  match: Match,
  subject: Subject,
  taint: Taint | null,
  asked: Pick<Hit, "setting" | "constant" | "entity" | "given"> = {},
): void {
  const { at, name } = subject;
  if (taint?.source.parameter) {
    const { fn, index, field } = taint.source.parameter;
    addFlow(run, fn, {
      match,
      parameter: index,
      field,
      clean: taint.clean,
      at,
      sink: name,
      symbol: frame.symbol,
      fn: frame.fn,
      statement: frame.statement,
      step: taint.step,
      via: taint.via,
      entity: asked.entity,
      conditions: frame.fn === fn && frame.path.length > 0 ? [...frame.path] : undefined,
      kept: run.active.has(fn) ? undefined : true,
    });
    return;
  }
  if (taint && taint.source.outside === null && !match.taint?.sources.has(taint.source.kind)) return;
  const { statement, symbol, fn } = frame;
  record(run, { match, at, statement, symbol, fn, sink: name, flow: taint, ...asked });
}

/** A hit is the same whenever rule, place and source are; the surer model counts, then the shorter way. */
export function record(run: Run, found: Hit): void {
  const source = found.flow ? `${found.flow.source.kind}:${found.flow.source.start}:${found.flow.source.outside}` : "";
  const key = `${found.match.rule.id}|${found.at.start}|${found.at.end}|${source}`;
  const known = run.hits.get(key);
  const freer =
    (known?.flow?.via?.length ?? 0) +
    (known?.constant ? 1 : 0) -
    (found.flow?.via?.length ?? 0) -
    (found.constant ? 1 : 0);
  const gain = known ? freer || found.match.confidence - known.match.confidence : 1;
  const shorter = (known?.flow?.step.length ?? 0) > (found.flow?.step.length ?? 0);
  if (gain > 0 || (gain === 0 && shorter)) run.hits.set(key, found);
}

const flowsMax = 200;

function addFlow(run: Run, fn: Parameters<Run["summaries"]["get"]>[0], flow: Flow): void {
  const summary = run.summaries.get(fn);
  if (!summary || summary.flows.length >= flowsMax) return;
  const same = summary.flows.find(
    (f) =>
      f.match === flow.match &&
      f.parameter === flow.parameter &&
      f.field === flow.field &&
      f.at.start === flow.at.start &&
      f.at.end === flow.at.end,
  );
  if (!same) summary.flows.push(flow);
  else {
    same.clean &= flow.clean;
    same.via = commonPassages(same.via, flow.via);
    same.conditions = commonConditions(same.conditions, flow.conditions);
  }
}

/** A caller passes taint to a parameter whose way to a sink is known. */
export function applyFlow(run: Run, flow: Flow, taint: Taint): void {
  const clean = taint.clean | flow.clean;
  if (!flow.match.taint || (clean & flow.match.taint.family) !== 0) return;
  const step = rebase(flow.step, taint.step);
  const via = joinedPassages(taint.via, flow.via);
  if (taint.source.parameter) {
    const { fn, index, field } = taint.source.parameter;
    addFlow(run, fn, { ...flow, parameter: index, field, clean, step, via });
  } else if (taint.source.outside !== null || flow.match.taint.sources.has(taint.source.kind)) {
    record(run, { ...flow, flow: { source: taint.source, step, clean, via } });
  }
}

/** Appends the steps of a callee to those of its caller. */
export function rebase(inner: Step, outer: Step): Step {
  const steps: Step[] = [];
  for (let step: Step | null = inner; step; step = step.parent) steps.push(step);
  return steps.reverse().reduce(extend, outer);
}

export const receiverFits = (wanted: LazyRegex, paths: readonly string[]): boolean =>
  paths.some((path) => wanted.test(nameIn(path)));

/** What something is called that goes by this path. */
const nameIn = remembered((path) => lastSegment(path).replace(/^\?|\(\)$/g, ""));

/** What is asked for as a whole is not what somebody has put into a field of it. */
const withoutFields = (value: Value): Value =>
  value.slots?.shape === "map" ? { ...value, slots: { ...value.slots, entries: new Map() } } : value;

/** Whether the file and the surroundings of a statement are what the model asks for. */
export function contextFits(run: Run, frame: Frame, match: Match): boolean {
  if (match.file && !run.says(match.file)) return false;
  if (match.notFile && run.says(match.notFile)) return false;
  if (!match.near && !match.notNear) return true;
  return run.fitsAt(match, frame, surroundingsFit);
}

function surroundingsFit(run: Run, frame: Frame, match: Match): boolean {
  const statement = run.text.slice(frame.statement.start, Math.min(frame.statement.end, frame.statement.start + 400));
  const narrow = `${frame.symbol} ${leadOf(run, frame)} ${statement}`;
  const wide = `${narrow} ${usesOf(run, frame, statement)}`;
  if (match.near && !match.near.test(wide)) return false;
  // Where the purpose is known, a later line that is about something else takes nothing back.
  return !match.notNear?.test(match.near ? narrow : wide);
}

/** UTF-16 units of a function that is no more than a part of a statement, and of what stands in front of it. */
const partMax = 200;
/** Lines in front of a function that may belong to the same chain of calls. */
const chainMax = 4;

/**
 * `const token = Array.from({ length: 32 }, () => random())`: what a small function gives is made for what the statement around it puts it
 * into.
 */
function leadOf(run: Run, { fn }: Frame): string {
  if (fn?.name !== "" || fn.end - fn.start > partMax) return "";
  const lines = run.text.slice(Math.max(0, fn.start - partMax), fn.start).split("\n");
  let first = lines.length - 1;
  while (first > 0 && lines.length - first <= chainMax && goesOn(lines[first - 1] as string, lines[first] as string))
    first--;
  const lead = lines.slice(first).join(" ").trim();
  return assigned.test(lead) ? lead : "";
}

/** `.map(`, or what stands behind a `=` at the end of a line. */
const goesOn = (before: string, line: string): boolean => /^\s*(\.|\/\/)/.test(line) || /[=(]\s*$/.test(before);

const usesMax = 6;

/** `byte[] salt = random()`, `generator.nextBytes(salt);`: what a statement puts something into. */
const assigned = /^[\w$<>[\].,? ]*?([\w$]+)\s*:?=(?!=)/;
const filled = /^[\w$.() ]*\(\s*([\w$]+)\s*\)\s*;?\s*$/;

/** The lines that go on with what a statement puts into a variable: they tell what it is for. */
function usesOf(run: Run, frame: Frame, statement: string): string {
  const name = (statement.match(assigned) ?? statement.match(filled))?.[1];
  if (name === undefined || !frame.fn) return "";
  const rest = run.text.slice(frame.statement.end, frame.fn.end).split("\n");
  const word = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);
  return rest
    .filter((line) => word.test(line))
    .slice(0, usesMax)
    .join(" ")
    .slice(0, 600);
}

/** Notes what a call or an assignment settles for the rest of the function. */
export function setFacts(frame: Frame, facts: readonly Fact[], subject: Subject): void {
  for (const { sets, when } of facts)
    if (when.every((test) => holds(frame, test, subject))) frame.scope.set(`@${sets}`, constant(true));
}

/** Whether a condition holds for certain. */
export function holds(frame: Frame, test: Test, subject: Subject): boolean {
  if (test.fact !== null)
    return (
      frame.scope.binding(`@${test.fact}`) !== null ||
      isSettled(subject.receiver, test.fact) ||
      subject.positional.some((value) => isSettled(value, test.fact as string))
    );
  const values = (test.arguments ?? [0]).flatMap((argument) => argumentsAt(subject, argument));
  const value = values[0];
  if (test.shape === "absent") return value === undefined;
  if (!value) return false;
  if (test.shape && !hasShape(value, test.shape)) return false;
  if (test.below !== null && !value.constants?.some((c) => typeof c === "number" && c < (test.below as number)))
    return false;
  if (test.is && !value.constants?.some((c) => test.is?.includes(c))) return false;
  if (test.matches && !value.constants?.some((c) => typeof c === "string" && test.matches?.test(c))) return false;
  if (test.always && !value.constants?.every((c) => typeof c === "string" && test.always?.test(c))) return false;
  if (test.begins && !(value.prefix !== null && test.begins.test(value.prefix))) return false;
  if (test.called && !isCalled(value, test.called)) return false;
  if (test.madeOf !== null && !value.taint.some(({ source }) => source.kind === test.madeOf)) return false;
  // A class is what it extends as well.
  const names = test.path && value.type ? [...value.paths, ...basePaths(value)] : value.paths;
  if (test.path && !names.some((path) => (test.path?.find(path).length ?? 0) > 0)) return false;
  return true;
}

/** What a field of input is called is no promise; what a function gives is what its name promises. */
const isCalled = ({ constants, taint, paths }: Value, wanted: LazyRegex): boolean =>
  constants === null && paths.some((path) => (taint.length === 0 || path.endsWith("()")) && wanted.test(nameIn(path)));

/** `new Book(req.body)`: what a class of records makes is no text, whatever went into it. */
const made = /(^|\.)\p{Lu}\w*(\(\))?$|\(\)\(\)$/u;
const ofRecords = /(^|[/_.-])(models?|entit(y|ies)|schemas?)([/_.-]|\(|$)|mongoose|sequelize/i;

/** `array_merge($defaults, $_POST)`; of a parameter its callers tell which keys it has. */
const isMergedWithInput = ({ slots, taint }: Value): boolean =>
  slots?.shape === "map" && taint.some(({ source }) => !source.parameter && source.outside === null);

function hasShape(value: Value, shape: NonNullable<Test["shape"]>): boolean {
  if (shape === "present") return true;
  if (shape === "list" || shape === "map") return value.slots?.shape === shape;
  if (shape === "closure") return value.closures.length > 0;
  if (shape === "always-true") return value.closures.length > 0 && value.closures.every(({ fn }) => isTrue(fn));
  if (shape === "constant") return value.constants !== null;
  if (shape === "whole") return value.taint.length > 0 && value.instance === null;
  if (shape === "record") return value.paths.some((path) => made.test(path) && ofRecords.test(path));
  if (shape === "rights")
    return (
      value.taint.length > 0 &&
      !setsRights(value) &&
      (value.instance ? hasRights(value.instance.node) : typeElsewhere(value) !== undefined)
    );
  if (shape === "closed") return value.slots?.shape === "map" && !value.slots.rest && value.taint.length === 0;
  if (shape === "spread") return (value.slots?.rest?.taint.length ?? 0) > 0;
  if (shape === "merged") return isMergedWithInput(value);
  if (shape === "catastrophic" || shape === "catastrophic-text")
    return (
      value.constants?.some((c) => typeof c === "string" && isCatastrophic(c)) === true &&
      (shape === "catastrophic-text" || value.prefix === null)
    );
  return value.slots === null && value.closures.length === 0;
}

/**
 * `options.method = "POST"; request(options)`: of options that were made elsewhere, and had other fields filled here, the host that they
 * were given there counts, and not all that is in them.
 */
function fieldGiven(run: Run, subject: Subject, argument: string | number): Value[] | null {
  const [place = "", key, ...deeper] = typeof argument === "string" ? argument.split(".") : [];
  if (run.language !== "javascript" || key === undefined || key === "*" || deeper.length > 0) return null;
  const of = subject.positional[Number(place)];
  if (!of?.slots || of.slots.rest || of.slots.entries.has(key) || of.taint.length === 0) return null;
  return [tainted(fieldTaint(run, of, of.taint, key))];
}

export function argumentsAt(subject: Subject, argument: string | number): Value[] {
  if (typeof argument === "number") return subject.positional[argument] ? [subject.positional[argument]] : [];
  if (argument === "*") return [...subject.positional, ...subject.named.values()];
  if (argument === wholeMap) return subject.maps && subject.maps !== nothing ? [subject.maps] : [];
  if (argument === "receiver") return subject.receiver ? [subject.receiver] : [];
  const [first, ...keys] = argument.split(".") as [string, ...string[]];
  const start = /^\d+$/.test(first) ? subject.positional[Number(first)] : subject.named.get(first);
  const found = keys.reduce<Value | null>(
    (value, key) => value && (key === "*" ? anyElement(value) : elementAt(value, key)),
    start ?? null,
  );
  return found ? [found] : [];
}
