import type { EntryPoint } from "../catalogue/catalogue.ts";
import type { FunctionNode, Parameter, Span, Statement } from "../ir/ir.ts";
import { assign, withType } from "./assign.ts";
import { applyFlow, rebase, receiverFits } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { execute, settle } from "./execute.ts";
import { hand } from "./handover.ts";
import { basePaths, typedAs } from "./names.ts";
import type { Flow, Frame, Run, Summary } from "./run.ts";
import { Scope } from "./scope.ts";
import {
  allTaint,
  type ClosureValue,
  constant,
  extend,
  firstStep,
  join,
  joinTaint,
  named,
  nothing,
  type Taint,
  tainted,
  type Value,
} from "./value.ts";

const inlinedMax = 4;
/** Steps that following calls may take for one function that is looked at on its own; beyond, calls are summarised. */
export const followedStepsMax = 10_000;
/** Bodies longer than this are summarised, not followed: UTF-16 units of source. */
const inlineLengthMax = 6_000;

export function newFrame(
  fn: FunctionNode | null,
  scope: Scope,
  self: Value | null,
  owner: Frame["owner"],
  symbol: string,
): Frame {
  return {
    fn,
    scope,
    self,
    owner,
    symbol,
    statement: fn ?? { start: 0, end: 0 },
    returned: null,
    settled: null,
    returns: [],
    loops: [],
    throws: null,
    inlined: 0,
  };
}

export function runBody(run: Run, frame: Frame, body: readonly Statement[]): void {
  execute(run, frame, body);
}

/** What calling a function of this file gives. Followed into the function where the arguments tell more than taint, else by its summary. */
export function invoke(
  run: Run,
  caller: Frame,
  closure: ClosureValue,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const { fn } = closure;
  const telling = [...args, ...named.values()].some(
    (arg) =>
      arg.constants ||
      arg.slots ||
      arg.closures.length > 0 ||
      arg.instance ||
      arg.paths.some((p) => !p.startsWith("?")),
  );
  const follow =
    (telling || closure.self?.instance) &&
    caller.inlined < inlinedMax &&
    fn.end - fn.start <= inlineLengthMax &&
    run.steps < run.followUntil &&
    !run.active.has(fn);
  if (follow) return inline(run, caller, closure, args, named, at);
  if (run.active.has(fn)) return tainted(args.flatMap((arg) => allTaint(arg)).slice(0, 4));
  return applySummary(run, caller, summarise(run, closure), fn, args, named, at);
}

/** Runs the body with the arguments given. */
export function inline(
  run: Run,
  caller: Frame,
  closure: ClosureValue,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
  returns: Frame["returns"] = [],
): Value {
  const { fn } = closure;
  if (run.active.has(fn)) return nothing;
  const frame = newFrame(
    fn,
    new Scope(closure.scope),
    closure.self,
    closure.owner,
    run.symbols.get(fn) ?? caller.symbol,
  );
  frame.inlined = caller.inlined + 1;
  passFacts(caller.scope, frame.scope);
  frame.returns = returns;
  for (const [i, param] of fn.params.entries()) {
    const given = param.rest ? restOf(args.slice(i)) : (named.get(param.name) ?? args[i]);
    const value = given ?? (param.default ? evaluate(run, frame, param.default) : nothing);
    bindParameter(run, frame, param, {
      ...value,
      taint: value.taint.map((t) => ({ ...t, step: extend(extend(t.step, at), param) })),
    });
  }
  run.visited.add(fn);
  run.active.add(fn);
  try {
    run.deeper(() => execute(run, frame, fn.body), undefined);
  } finally {
    run.active.delete(fn);
  }
  if (frame.scope.alive) settle(frame);
  for (const fact of frame.settled ?? []) caller.scope.set(fact, constant(true));
  return frame.returned ?? nothing;
}

/** What is settled before a call, such as the content type of the answer, is settled in it. */
function passFacts(from: Scope, to: Scope): void {
  for (let scope: Scope | null = from; scope; scope = scope.parent) {
    for (const [key, value] of scope.variables ?? []) if (key.startsWith("@")) to.set(key, value);
  }
}

const restOf = (values: readonly Value[]): Value => ({
  ...nothing,
  slots: { shape: "list", entries: new Map(values.map((value, i) => [String(i), value])), rest: null },
});

/** Runs a function on unknown arguments, once, and notes where they lead. */
export function summarise(run: Run, closure: ClosureValue): Summary {
  const { fn } = closure;
  const known = run.summaries.get(fn);
  if (known) return known;
  const summary: Summary = { flows: [], passes: [], returns: nothing, settles: new Set() };
  run.summaries.set(fn, summary);
  const frame = newFrame(fn, new Scope(closure.scope), closure.self, closure.owner, run.symbols.get(fn) ?? "");
  const entry = entryOf(run, frame, fn);
  frame.returns = entry?.returns ?? [];
  for (const decorator of fn.decorators) evaluate(run, frame, decorator);
  for (const [i, param] of fn.params.entries())
    bindParameter(run, frame, param, parameterValue(run, frame, fn, i, entry));
  run.visited.add(fn);
  run.active.add(fn);
  try {
    run.deeper(() => execute(run, frame, fn.body), undefined);
  } finally {
    run.active.delete(fn);
  }
  if (frame.scope.alive) settle(frame);
  summary.returns = frame.returned ?? nothing;
  summary.settles = frame.settled ?? new Set();
  return summary;
}

function bindParameter(run: Run, frame: Frame, param: Parameter, given: Value): void {
  const value = withType(run, frame, given, param.type);
  const namedValue =
    value.paths.length === 0 && value.constants === null ? { ...value, paths: [`?${param.name}`] } : value;
  frame.scope.set(param.name, namedValue);
  if (param.pattern) assign(run, frame, param.pattern, namedValue, param.pattern);
}

/** An unknown argument: it stands for whatever callers pass, and for what a framework is known to pass. */
function parameterValue(run: Run, frame: Frame, fn: FunctionNode, index: number, entry: EntryPoint | null): Value {
  const param = fn.params[index] as Parameter;
  const symbolic: Taint = {
    source: run.source("parameter", param, 1, { fn, index }),
    clean: 0,
    step: firstStep(param),
  };
  const passed = entry && index >= entry.parameters.length ? passedKind(fn, param, entry) : null;
  const kind = decoratedKind(run, frame, param) ?? passed;
  const type = entry?.parameters[index];
  const taint: Taint[] = kind
    ? [symbolic, { source: run.source(kind, param, entry?.confidence ?? 1), clean: 0, step: firstStep(param) }]
    : [symbolic];
  const declared = typedAs(run, frame, param.type);
  const fallback = param.default ? evaluate(run, frame, param.default) : nothing;
  return {
    ...declared,
    closures: fallback.closures,
    paths: [...(type ? [type] : []), ...declared.paths, `?${param.name}`],
    taint,
  };
}

function decoratedKind(run: Run, frame: Frame, param: Parameter): string | null {
  for (const decorator of param.decorators) {
    const callee = evaluate(run, frame, decorator.kind === "call" ? decorator.callee : decorator);
    for (const path of callee.paths) {
      const [kind] = run.knowledge.parameterDecorators.find(path);
      if (kind) return kind;
    }
  }
  return null;
}

/** The framework that calls a function, known by its decorators or by what its parameters are called. */
function entryOf(run: Run, frame: Frame, fn: FunctionNode): EntryPoint | null {
  for (const decorator of fn.decorators) {
    const callee = evaluate(run, frame, decorator.kind === "call" ? decorator.callee : decorator);
    const found = callee.paths.flatMap((path) => run.knowledge.entryDecorators.find(path));
    const fits = found.find((entry) => !entry.receiver || receiverFits(entry.receiver, callee.paths));
    if (fits) return fits;
  }
  return (
    run.knowledge.entryNames.find((entry) =>
      entry.names.every((options, i) => options.includes(fn.params[i]?.name ?? "")),
    ) ?? null
  );
}

/** What a framework passes in a parameter. From the path of a route come its placeholders only, and converted ones are harmless. */
function passedKind(fn: FunctionNode, param: Parameter, entry: EntryPoint): string | null {
  if (entry.others !== "http-path") return entry.others;
  const routes = fn.decorators.flatMap((d) => (d.kind === "call" && d.args[0] ? [d.args[0].value] : []));
  if (routes.some((route) => route.kind !== "literal")) return entry.others;
  const holes = routes.flatMap((route) => [
    ...String(route.kind === "literal" ? route.value : "").matchAll(/<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>/g),
  ]);
  const hole = holes.find(([, , name]) => name === param.name);
  return hole && !["int", "float", "uuid"].includes(hole[1] ?? "") ? entry.others : null;
}

/** Substitutes the arguments for the parameters in a summary. */
function applySummary(
  run: Run,
  caller: Frame,
  summary: Summary,
  fn: FunctionNode,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const taintOf = (index: number): readonly Taint[] => {
    const param = fn.params[index];
    if (!param) return [];
    const given = param.rest ? args.slice(index) : [named.get(param.name) ?? args[index] ?? nothing];
    return given.flatMap((value) => allTaint(value)).map((t) => ({ ...t, step: extend(t.step, at) }));
  };
  const settled = (flow: Flow) =>
    flow.match.unless.some((test) => test.fact !== null && caller.scope.binding(`@${test.fact}`) !== null);
  for (const flow of summary.flows.filter((candidate) => !settled(candidate)))
    for (const taint of taintOf(flow.parameter)) applyFlow(run, flow, taint);
  for (const pass of [...summary.passes]) {
    for (const taint of taintOf(pass.source.parameter?.index ?? 0)) {
      hand(run, {
        ...pass,
        source: taint.source,
        clean: taint.clean | pass.clean,
        step: rebase(pass.step, taint.step),
      });
    }
  }
  for (const fact of summary.settles) caller.scope.set(fact, constant(true));
  return substitute(summary.returns, fn, taintOf, 2);
}

function substitute(
  value: Value,
  fn: FunctionNode,
  taintOf: (index: number) => readonly Taint[],
  depth: number,
): Value {
  let taint: readonly Taint[] = [];
  for (const t of value.taint) {
    const own = t.source.parameter?.fn === fn;
    const passed = own
      ? taintOf(t.source.parameter?.index ?? 0).map((arg) => ({
          ...arg,
          clean: arg.clean | t.clean,
          step: rebase(t.step, arg.step),
        }))
      : [t];
    taint = joinTaint(taint, passed);
  }
  const slots =
    value.slots && depth > 0
      ? {
          ...value.slots,
          entries: new Map(
            [...value.slots.entries].map(([k, v]) => [k, substitute(v, fn, taintOf, depth - 1)] as const),
          ),
          rest: value.slots.rest && substitute(value.slots.rest, fn, taintOf, depth - 1),
        }
      : null;
  return { ...value, taint, slots };
}

/** A function passed to something that is not known: it may run, any number of times, on elements of the receiver. */
export function callBack(run: Run, frame: Frame, closure: ClosureValue, receiver: Value | null): Value {
  const own = closure.scope === frame.scope ? frame.scope.copy() : null;
  const element = receiver ? elementOf(receiver) : nothing;
  const returned = inline(run, frame, closure, [element], new Map(), closure.fn.params[0] ?? closure.fn);
  // It may also not run.
  if (own)
    for (const [key, value] of own) frame.scope.variables?.set(key, mergeBack(value, frame.scope.variables.get(key)));
  return returned;
}

const mergeBack = (before: Value, after: Value | undefined): Value =>
  after === undefined || after === before ? before : join(before, after);

function elementOf(receiver: Value): Value {
  const slots = receiver.slots;
  const all = slots
    ? [...slots.entries.values(), ...(slots.rest ? [slots.rest] : [])].reduce<Value>((a, b) => join(a, b), nothing)
    : nothing;
  return { ...all, taint: joinTaint(all.taint, receiver.taint) };
}

/** Runs a function that a framework calls, with parameters of the framework's types. */
export function enter(run: Run, frame: Frame, closure: ClosureValue, entry: EntryPoint, at: Span): void {
  const count = closure.fn.params.length;
  // Error handlers take the error first.
  const offset = count > entry.parameters.length + 1 && entry.parameters.length > 1 ? 1 : 0;
  const args = closure.fn.params.map((param, i) => {
    const type = entry.parameters[i - offset];
    const other = entry.others
      ? [{ source: run.source(entry.others, param, entry.confidence), clean: 0, step: firstStep(param) }]
      : [];
    return type ? named(type, `?${param.name}`) : { ...named(`?${param.name}`), taint: other };
  });
  inline(run, { ...frame, inlined: 0 }, closure, args, new Map(), at, entry.returns);
}

/** Makes an instance of a class of the file and runs its constructor. */
export function instantiate(
  run: Run,
  frame: Frame,
  type: Value,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const info = type.type;
  if (!info) return nothing;
  const instance: Value = { ...nothing, instance: info, paths: basePaths(type), taint: [] };
  const initialiser = info.methods.get("constructor") ?? info.methods.get("__init__");
  if (initialiser) invoke(run, frame, { ...initialiser, self: instance }, args, named, at);
  return instance;
}
