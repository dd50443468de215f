import type { EntryPoint, Families } from "../../catalogue/catalogue.ts";
import { type Call, type FunctionNode, type Parameter, type Span, type Statement, wholeMap } from "../../ir/ir.ts";
import { assign, withType } from "../assign.ts";
import { evaluate } from "../evaluate.ts";
import { execute, settle } from "../execute.ts";
import { checkedAddress } from "../guards/address-checkers.ts";
import { askingObject } from "../guards/asked-objects.ts";
import { noteGuard, verified } from "../guards/guard-functions.ts";
import { namesOfElement } from "../held-objects.ts";
import { leaveHeld } from "../memory/held.ts";
import { isLocal } from "../memory/memory-sizes.ts";
import { outputsOf } from "../memory/pointers.ts";
import { byName, declaredType, typedAs } from "../names.ts";
import { noteListener } from "../objects/announced.ts";
import { checkKeyedWrites } from "../objects/keyed-writes.ts";
import type { Frame, Run } from "../run.ts";
import { Scope } from "../scope.ts";
import { isKeeping } from "../settling.ts";
import type { Summary } from "../summary.ts";
import { escaped } from "../texts/escapers.ts";
import { passingOf } from "../validators/let-through.ts";
import { factOfPart } from "../validators/route-schemas.ts";
import { handlerName, nameOfMade } from "../validators/routed-handlers.ts";
import {
  allTaint,
  arriving,
  type ClosureValue,
  cleaned,
  constant,
  extend,
  join,
  named,
  nothing,
  tainted,
  tellsSame,
  type Value,
} from "../value.ts";
import { registerDecorated } from "../views/helpers.ts";
import { elementOf } from "./elements.ts";
import { noteFilled } from "./filled-arguments.ts";
import { giveBack } from "./given-back.ts";
import { handOver } from "./handover.ts";
import { openTarget } from "./left-open.ts";
import { hasOverloads, overloaded } from "./overloads.ts";
import { calleeOf, entryOf, entryOfCallBack, isInstead, isMadeFor, parameterValue, passedValue } from "./parameters.ts";
import { noteDecorated } from "./registries.ts";
import { applyKept, applySummary, emptySummary } from "./summaries.ts";
import { tellsMore } from "./tells-more.ts";
import { isThrowing } from "./thrown-values.ts";

/** Calls that are followed within each other. Summaries do for what lies deeper: of 1,800 findings none was owed to a third level. */
const inlinedMax = 2;
/** Steps that following calls may take for one function that is looked at on its own; beyond, calls are summarised. */
export const followedStepsMax = 10_000;
/** Steps of them that one call may take, with all that is followed in it: what is followed at every level grows with each level. */
export const followedCallMax = 300;
/** Bodies longer than this are summarised, not followed: UTF-16 units of source. */
export const inlineLengthMax = 6_000;
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
    guard: null,
    types: null,
    loops: [],
    under: [],
    path: [],
    throws: null,
    inlined: 0,
    given: new Map(),
    recalls: false,
  };
}

export function runBody(run: Run, frame: Frame, body: readonly Statement[]): void {
  execute(run, frame, body);
}

/** What calling a function of this file gives. Followed into the function where the arguments tell more than taint, else by its summary. */
export function invoke(
  run: Run,
  caller: Frame,
  found: ClosureValue,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const closure = hasOverloads.has(run.language) ? overloaded(run, found, args) : found;
  const { fn } = closure;
  if (run.active.has(fn)) return recursion(run, caller, closure, args, named, at);
  // A summary knows parameters only, and what settles a promise keeps what it is given.
  const part = isKeeping(fn) || isPart(closure, caller);
  const follow =
    fn.end - fn.start <= inlineLengthMax &&
    run.steps < run.followUntil &&
    (part || (caller.inlined < inlinedMax && tellsMore(run, caller, closure, args, named)));
  if (!follow) return applySummary(run, caller, summarise(run, closure), closure, args, named, at);
  const until = run.followUntil;
  if (caller.inlined === 0 && !part) run.followUntil = Math.min(until, run.steps + followedCallMax);
  const given = inline(run, caller, closure, args, named, at);
  run.followUntil = until;
  applyKept(run, fn, args, named, at);
  return given;
}

/**
 * What a function gives that calls itself is made where it does not; with constants it may take another way there, which is followed once.
 * Constants that lead to nothing but itself are counted down, and will be others: `n == 0 ? text : turn(text, n - 1)`.
 */
function recursion(
  run: Run,
  caller: Frame,
  closure: ClosureValue,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const { fn } = closure;
  if (run.recursive.has(fn) || !args.some(({ constants }) => constants !== null)) return nothing;
  if (fn.end - fn.start > inlineLengthMax || run.steps >= run.followUntil)
    return tainted(args.flatMap((arg) => allTaint(arg)).slice(0, 4));
  run.recursive.add(fn);
  run.active.delete(fn);
  try {
    const given = inline(run, caller, closure, args, named, at);
    if (!tellsSame(given, nothing)) return given;
    const others = args.map((arg) => (arg.constants ? { ...arg, constants: null, prefix: null } : arg));
    return inline(run, caller, closure, others, named, at);
  } finally {
    run.active.add(fn);
    run.recursive.delete(fn);
  }
}

/** A function that is called where it is written is a part of the function around it. */
const isPart = (closure: ClosureValue, caller: Frame): boolean =>
  closure.fn.name === "" && closure.scope === caller.scope;

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
    new Scope(closure.scope, null, fn.sees),
    closure.self,
    closure.owner,
    run.symbols.get(fn) ?? caller.symbol,
  );
  frame.inlined = caller.inlined + (isPart(closure, caller) || isKeeping(fn) ? 0 : 1);
  // What is settled before a call, such as the content type of the answer, is settled in it.
  for (let scope: Scope | null = caller.scope; scope; scope = scope.parent)
    for (const [fact, value] of scope.facts) if (!isLocal(fact)) frame.scope.set(fact, value);
  knowFacts(closure, frame.scope);
  frame.returns = returns;
  const bound: Value[] = [];
  for (const [i, param] of fn.params.entries()) {
    const given = param.byName
      ? namedRest(fn, named)
      : param.rest
        ? restOf(args.slice(i))
        : (named.get(param.name) ?? args[i]);
    const value = given ?? (param.default ? evaluate(run, frame, param.default) : nothing);
    const taint = value.taint.map((t) => ({ ...t, step: extend(extend(t.step, at), param) }));
    bound.push(bindParameter(run, frame, param, { ...value, taint }));
  }
  run.visited.add(fn);
  run.active.add(fn);
  try {
    run.deeper(execute, frame, fn.body, undefined);
  } finally {
    run.active.delete(fn);
  }
  if (frame.scope.alive) settle(frame);
  for (const fact of frame.settled ?? []) caller.scope.set(fact, constant(true));
  if (isCall(at)) giveBack(run, caller, frame, fn, bound, at);
  return escaped(run, fn, verified(fn, asDeclared(run, frame, fn)));
}

/** `Orders orders() { return registry.orders(); }`: of what nobody knows, the method that gives it says what it is. */
function asDeclared(run: Run, frame: Frame, { getter, result }: FunctionNode): Value {
  const given = frame.returned ?? nothing;
  if (run.language === "python") return result ? asAnswer(run, frame, given, result) : given;
  const isTold = run.language === "java" || (run.language === "csharp" && getter);
  if (!isTold || !result || given.instance || given.type || !isClass.test(result)) return given;
  return withType(run, frame, given, result);
}

/** `def sheet(name) -> Response`: what a function says is an answer is looked at where the answer is made, as that of its class is. */
function asAnswer(run: Run, frame: Frame, given: Value, result: string): Value {
  if (given.taint.length === 0 || !namesAnswer.test(result)) return given;
  const { sanitizers } = run.knowledge.calls.findAll(typedAs(run, frame, result).paths);
  const cleans = sanitizers.reduce((all, one) => (one.when.length + one.unless.length > 0 ? all : all | one.cleans), 0);
  return cleaned(given, cleans & run.catalogue.bitsOf(["xss"]));
}

/** Cheap to ask before the type is looked up. */
const namesAnswer = /Response\b/;

/** A variable of types says nothing. */
const isClass = /^\p{Lu}\w/u;

const isCall = (at: Span): at is Call => "kind" in at && at.kind === "call";

/** What was settled when the object was made is so in each of its methods. */
function knowFacts({ owner }: ClosureValue, to: Scope): void {
  for (const fact of owner?.facts ?? []) to.set(fact, constant(true));
}

/** Constructors, whatever the language calls them, and the methods by which containers make an object ready. */
export const makesReady = ({ name }: FunctionNode): boolean =>
  /^(constructor|__init__|init(iali[sz]e)?|afterPropertiesSet|postConstruct|set_?[uU]p)$/.test(name);

const restOf = (values: readonly Value[]): Value => ({
  ...nothing,
  slots: { shape: "list", entries: new Map(values.map((value, i) => [String(i), value])), rest: null },
});

/** What is passed by names that the function has no parameters for; a map of unknown keys may hold any. */
function namedRest({ params }: FunctionNode, named: ReadonlyMap<string, Value>): Value {
  const own = new Set(params.map(({ name }) => name));
  const entries = new Map([...named].filter(([name]) => name !== wholeMap && !own.has(name)));
  return { ...nothing, slots: { shape: "map", entries, rest: named.get(wholeMap) ?? null } };
}

/** Runs a function on unknown arguments, once, and notes where they lead. */
export function summarise(run: Run, closure: ClosureValue): Summary {
  const { fn } = closure;
  const known = run.summaries.get(fn);
  if (known) return known;
  const summary = emptySummary(closure.self);
  const { guard } = summary;
  run.summaries.set(fn, summary);
  if (isKeeping(fn)) return summary;
  const frame = newFrame(
    fn,
    new Scope(closure.scope, null, fn.sees),
    closure.self,
    closure.owner,
    run.symbols.get(fn) ?? "",
  );
  checkKeyedWrites(run, frame, fn);
  noteListener(run, frame, fn);
  if (fn.decorators.length > 0) {
    registerDecorated(run, frame, fn, closure);
    if (closure.scope === run.file) noteDecorated(run, frame, fn);
  }
  const told = entryOf(run, frame, fn);
  // Nobody from outside calls what says only what its parameters are not.
  const entry = told?.instead ? null : told;
  const { handler: around, passing } = run;
  if (run.language === "javascript") {
    run.handler = entry ? handlerName(run, fn) : null;
    run.passing = entry ? passingOf(fn) : null;
  }
  if (entry) {
    run.entries.add(fn);
    frame.self = calledOn(closure, entry).self;
  }
  frame.returns = entry?.returns ?? [];
  frame.guard = guard;
  knowFacts(closure, frame.scope);
  const decorators = fn.decorators.flatMap((decorator) => evaluate(run, frame, decorator).closures);
  for (const [i, param] of fn.params.entries())
    summary.parameters.push({
      name: param.name,
      value: bindParameter(
        run,
        frame,
        isInstead(told, i) ? { ...param, type: null } : param,
        parameterValue(run, frame, fn, i, told),
      ),
    });
  if (entry) enterImplementers(run, closure, summary);
  if (isGenerated(run, frame, closure))
    frame.returned = summary.parameters.map(({ value }) => tainted(allTaint(value))).reduce(join, nothing);
  run.visited.add(fn);
  run.active.add(fn);
  const { thrown: caught, catching } = run;
  if (isThrowing(run)) run.thrown = nothing;
  run.catching = false;
  try {
    run.deeper(execute, frame, fn.body, undefined);
  } finally {
    run.active.delete(fn);
  }
  run.catching = catching;
  if (isThrowing(run)) {
    summary.throws = run.thrown ?? nothing;
    run.thrown = caught;
  }
  if (frame.scope.alive) {
    noteGuard(run, frame, null, constant(null));
    leaveHeld(run, frame, { start: fn.end - 1, end: fn.end });
    settle(frame);
  }
  summary.returns = checkedAddress(run, fn, guard, escaped(run, fn, verified(fn, asDeclared(run, frame, fn))));
  summary.outputs = outputsOf(run, frame, fn);
  if (run.language === "java") summariseGiven(run, summary.returns);
  const asking = askingObject(run, closure);
  if (asking) summarise(run, asking);
  noteFilled(run, frame, fn, summary);
  summary.settles = frame.settled ?? new Set();
  if (makesReady(fn)) for (const fact of summary.settles) closure.owner?.facts.add(fact);
  summary.leaves = !frame.scope.alive && frame.returned === null;
  for (const decorator of decorators) runDecorated(run, frame, closure, decorator);
  run.handler = around;
  if (run.passing?.harmless?.size) run.letThrough.set(fn, run.passing.harmless);
  run.passing = passing;
  return summary;
}

/** A method that nobody has written, as its class is decorated with what writes it. */
const isGenerated = (run: Run, frame: Frame, { fn, owner }: ClosureValue): boolean =>
  run.language === "java" &&
  owner !== null &&
  fn.body.length === 0 &&
  owner.node.decorators.some((decorator) =>
    calleeOf(run, frame, decorator).paths.some((path) => run.knowledge.generated.has(path)),
  );

/** `interface Orders { @GetMapping("/orders") … }`: what a framework passes gets to the class of another file that implements the method. */
function enterImplementers(run: Run, closure: ClosureValue, { parameters }: Summary): void {
  const target = run.language === "java" ? openTarget(run, closure) : null;
  if (target === null) return;
  const came = parameters.map(({ value }) => ({
    ...value,
    taint: value.taint.filter(({ source }) => !source.parameter),
  }));
  handOver(run, target, came, new Map(), closure.fn);
}

/**
 * `return out -> copy(path, out)`, `return new StreamingOutput() { … }`: what is given runs later and with what the function was given, so its
 * ways are ways of the function, which callers ask for before all that is written in the file has been looked at.
 */
function summariseGiven(run: Run, { closures, instance }: Value): void {
  const methods = instance?.node.name.startsWith("<") ? instance.methods.values() : [];
  for (const closure of [...closures.filter(({ fn }) => fn.name === ""), ...methods])
    if (!run.visited.has(closure.fn)) summarise(run, closure);
}

/** What a decorator of the file makes of a function calls it in its own way, with arguments of its own. */
function runDecorated(run: Run, frame: Frame, closure: ClosureValue, decorator: ClosureValue): void {
  const { fn } = closure;
  const made = invoke(run, frame, decorator, [{ ...nothing, closures: [closure] }], new Map(), fn);
  const apart = { ...frame, inlined: 0, returned: null, returns: [], guard: null, scope: new Scope(closure.scope) };
  for (const wrapper of made.closures) if (wrapper.fn !== fn) inline(run, apart, wrapper, [], new Map(), fn);
}

function bindParameter(run: Run, frame: Frame, param: Parameter, given: Value): Value {
  const typed = withType(run, frame, given, declaredType(param));
  const value = run.marks ? run.marks.parameter(run, param, typed) : typed;
  const namedValue =
    value.paths.length === 0 && value.constants === null ? { ...value, paths: [byName(param.name)] } : value;
  frame.scope.set(param.name, namedValue);
  if (param.pattern) assign(run, frame, param.pattern, namedValue, param.pattern);
  return namedValue;
}

/** A function passed to something that is not known: it may run, any number of times, on elements of the receiver. */
export function callBack(
  run: Run,
  frame: Frame,
  closure: ClosureValue,
  receiver: Value | null,
  given: readonly Value[] = [],
): Value {
  // `asyncHandler(async (req, res) => …)`: what wraps a handler passes on what the framework passes.
  const entry = entryOfCallBack(run, closure.fn);
  if (entry) {
    enter(run, frame, closure, entry, closure.fn, { handler: nameOfMade(frame) ?? run.handler });
    return nothing;
  }
  const own = closure.scope === frame.scope ? frame.scope.copy() : null;
  const args = asElement(closure, receiver, given.length > 0 ? given : [receiver ? elementOf(run, receiver) : nothing]);
  // What it settles is settled for itself: who passes it on goes on without.
  const apart = { ...frame, scope: new Scope(frame.scope) };
  const call = own || closure.fn.name === "" || !run.summaries.has(closure.fn) ? inline : invoke;
  const returned = call(run, apart, closure, args, new Map(), closure.fn.params[0] ?? closure.fn);
  // It may also not run.
  if (own)
    for (const [key, value] of own) frame.scope.variables?.set(key, mergeBack(value, frame.scope.variables.get(key)));
  return returned;
}

const mergeBack = (before: Value, after: Value | undefined): Value =>
  after === undefined || after === before ? before : join(before, after);

/** What goes by its class in what holds it does so where a function is called with it; of two parameters nobody knows which one it is. */
function asElement({ fn }: ClosureValue, receiver: Value | null, args: readonly Value[]): readonly Value[] {
  const names = receiver && fn.params.length === 1 ? namesOfElement(receiver.paths) : [];
  const [element, ...others] = args;
  if (names.length === 0 || !element) return args;
  return [{ ...element, paths: [...new Set([...element.paths, ...names])] }, ...others];
}

/** What is known of a function by how it is registered. */
interface Registered {
  schemas?: ReadonlyMap<string, Value> | null;
  /** What the pattern of its route cleans of the variables that it is given in one map. */
  variables?: ReadonlyMap<string, Families> | null;
  handler?: string | null;
}

/** Runs a function that a framework calls, with parameters of the framework's types. */
export function enter(
  run: Run,
  frame: Frame,
  closure: ClosureValue,
  entry: EntryPoint,
  at: Span,
  { schemas, variables, handler = null }: Registered = {},
): void {
  const count = closure.fn.params.length;
  // Error handlers take the error first, unless it is known what else may come.
  const offset = !entry.others && count > entry.parameters.length + 1 && entry.parameters.length > 1 ? 1 : 0;
  const args = closure.fn.params.map((param, i) => {
    if (param.decorators.length > 0) return passedValue(run, frame, closure.fn, i, entry);
    const type = entry.parameters[i - offset];
    const isMade =
      entry.except.length > 0 && isMadeFor(run, frame, entry, param, typedAs(run, frame, declaredType(param)));
    const other =
      entry.others && i < entry.othersEnd && !isMade
        ? [arriving(run.source(entry.others, param, entry.confidence), param, entry.clean.get(param.name))]
        : [];
    const passed = { ...named(byName(param.name)), taint: other };
    return type ? named(type, byName(param.name)) : variables ? withVariables(passed, variables) : passed;
  });
  // What one handler settles, such as the content type, is nothing to the next.
  const apart = { ...frame, inlined: 0, scope: new Scope(frame.scope) };
  for (const [part, schema] of schemas ?? []) apart.scope.set(factOfPart(part), schema);
  const around = run.handler;
  run.handler = handler;
  inline(run, apart, calledOn(closure, entry), args, new Map(), at, entry.returns);
  run.handler = around;
}

/** The variables of a route are in a map by their names. */
function withVariables(given: Value, variables: ReadonlyMap<string, Families>): Value {
  const { taint } = given;
  const entries = new Map([...variables].map(([name, families]) => [name, cleaned(tainted(taint), families)] as const));
  return taint.length === 0 ? given : { ...given, slots: { shape: "map", entries, rest: null } };
}

/** A function of no class is called on what the framework calls it on. */
const calledOn = (closure: ClosureValue, { self }: EntryPoint): ClosureValue =>
  self === null || closure.owner || closure.fn.receiver === null ? closure : { ...closure, self: named(self) };
