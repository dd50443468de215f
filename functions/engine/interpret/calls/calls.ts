import type { CallModels, Families } from "../../catalogue/catalogue.ts";
import { type Call, handsOut } from "../../ir/ir.ts";
import { argumentsAt, check, holds, type Subject, setFacts, settingPath } from "../check.ts";
import { evaluate, storeEntry } from "../evaluate.ts";
import { asKept } from "../guards/filters.ts";
import { memoryCall, returnedBy } from "../memory/memory.ts";
import { handUnset } from "../memory/unset.ts";
import { askedKey, askedPath } from "../names.ts";
import { announce, announceByClass, sendSignal } from "../objects/announced.ts";
import { lookedAt } from "../objects/members.ts";
import { settleByCall, withFactsOf } from "../objects/settled-objects.ts";
import type { Frame, Run } from "../run.ts";
import { notePlacedArguments } from "../texts/placed-arguments.ts";
import { noteAskedNames } from "../validators/asked-names.ts";
import { notePassing } from "../validators/let-through.ts";
import { cleaned, join, named, nothing, stepped, type Value } from "../value.ts";
import { registerHelpers } from "../views/helpers.ts";
import { includePage } from "../views/includes.ts";
import { fillTemplates, renderTemplates } from "../views/template-calls.ts";
import { showModel } from "../views/views.ts";
import { fillBean } from "./accessor-calls.ts";
import { noteGiven } from "./callbacks.ts";
import { type Called, handedArguments, prepare } from "./called.ts";
import { asChosen } from "./chosen-members.ts";
import { renderComponent } from "./components.ts";
import { calledLater, startByName } from "./deferred.ts";
import { fillArguments, fillObject } from "./filled-arguments.ts";
import { enterFrameworkCalls } from "./framework-calls.ts";
import { handedTarget, handOver, methodTarget } from "./handover.ts";
import { asNamed, namesFunction, withSettings } from "./named-callees.ts";
import { noteGivenFunctions, takenFrom } from "./registries.ts";
import { constructorOf, resultOf } from "./results.ts";
import { keepMessage, throwElsewhere } from "./thrown-values.ts";
import { noteGivenObjects } from "./wirings.ts";
import { writeOutputs } from "./written-arguments.ts";

/** `container.resolve("orders").find(x)`: the name by which a container was given what is called. */
function registeredAs(frame: Frame, { callee }: Call): string | null {
  const of = callee.kind === "field" ? callee.of : null;
  const made = of?.kind === "variable" ? frame.scope.binding(of.name)?.origins.get(of.name) : of;
  if (made?.kind !== "call" || made.callee.kind !== "field" || !givesByName.test(made.callee.name)) return null;
  const [name, ...others] = frame.given.get(made)?.called.positional ?? [];
  const [written] = name?.constants ?? [];
  return typeof written === "string" && others.length === 0 ? written : null;
}

const givesByName = /^(get|resolve|make|inject|getService|service)$/;

/** What a call gives. */
export function evaluateCall(run: Run, frame: Frame, written: Call): Value {
  const known = frame.recalls ? frame.given.get(written) : undefined;
  if (known) return known.value;
  const call = calledLater(run, frame, written);
  const required = requireOf(run, frame, call) ?? handedOut(run, frame, call);
  if (required) return required;
  const asked = frame.scope.fields && askedPath(call);
  const remembered = asked ? frame.scope.binding(asked)?.get(asked) : undefined;
  if (remembered) return remembered;
  handUnset(run, frame, call);
  const called = prepare(run, frame, call);
  const value = make(run, frame, call, called);
  frame.given.set(written, { called, value });
  return value;
}

/** Makes a call: checks it against the models, then decides what it gives. */
function make(run: Run, frame: Frame, call: Call, called: Called): Value {
  const { paths, models, positional, receiver, target } = called;
  const subject: Subject = {
    positional,
    named: called.named,
    receiver,
    receiverPaths: called.names,
    maps: called.maps,
    at: call,
    name: call.callee,
  };
  for (const [name, value] of called.named) {
    const written = call.args.find((arg) => arg.name === name)?.value ?? call;
    storeEntry(run, frame, name, value, written);
  }
  check(
    run,
    frame,
    models.checks,
    run.language === "php" && namesFunction(call) ? withSettings(frame, call, subject) : subject,
  );
  if (call.isNew && called.callee.closures.length === 0) checkNew(run, frame, call, called, subject);
  for (const { cleans, of, when } of models.everywhere)
    if (when.every((test) => holds(frame, test, subject))) run.cleanedEverywhere[of] |= cleans;
  const memory = memoryCall(run, frame, call, paths, positional);
  if (memory) return memory;
  // Where the caller's input decides what is called, no path tells.
  // Names that are called are methods in Ruby, whatever one of them gives.
  if (run.language !== "ruby" && called.callee.taint.length > 0 && called.callee.closures.length === 0)
    check(run, frame, run.knowledge.calls.find("<value>").checks, {
      ...subject,
      positional: [asChosen(run, called.callee) ?? asNamed(frame, call.callee, called.callee)],
    });
  noteGiven(run, call, called);
  notePlacedArguments(run, frame, call, called);
  noteAskedNames(run, frame, called);
  notePassing(run, frame, call);
  renderComponent(run, frame, call, called);
  announce(run, call, called);
  sendSignal(run, call, called);
  startByName(run, call, called);
  announceByClass(run, call, called, subject);
  if (models.helpers.length > 0) registerHelpers(run, frame, call, called, subject);
  settleByCall(run, frame, call, models.facts, subject);
  includePage(run, frame, call);
  showModel(run, frame, call, positional);
  const entered = enterFrameworkCalls(run, frame, call, called, subject);
  const given =
    constructorOf(run, call, called) ??
    target ??
    (called.callee.closures.length === 0 ? (methodTarget(run, called) ?? handedTarget(run, called, null)) : null);
  const registered = registeredAs(frame, call);
  const named = registered === null ? null : handedTarget(run, called, registered);
  noteGivenObjects(run, given, positional);
  noteGivenFunctions(run, frame, call, called);
  const handed = handedArguments(called);
  for (const to of [given, named, called.open, ...called.others])
    if (to !== null)
      handOver(run, to, handed.positional, handed.named, call, { frame, settled: settledFor(run, frame, subject) });
  if (called.callee.closures.length === 0) callTaken(run, frame, call, handed);
  throwElsewhere(run, call, called);
  keepMessage(run, frame, called);
  if (target !== null) setFacts(frame, run.knowledge.calls.find(otherFile).facts, subject);
  const loaded = renderTemplates(run, frame, call, paths, subject);
  fillTemplates(run, frame, models, subject);
  let result = asKept(run, frame, call, called, resultOf(run, frame, call, called, entered));
  if (result.taint.some(({ via }) => via)) result = partLookedAt(call, result);
  if (loaded.length > 0) result = rendered(run, result, loaded);
  writeOutputs(run, frame, call, called, subject);
  fillArguments(run, frame, call, called);
  fillObject(run, frame, call, called);
  fillBean(run, frame, call, called);
  result = asSetting(models, subject, result);
  const gives = withFactsOf(call, called, returnedBy(run, frame, call, result));
  return gives.taint.length === 0 ? gives : { ...gives, taint: stepped(gives.taint, call) };
}

/** What others have put into a table of the file is called. */
function callTaken(
  run: Run,
  frame: Frame,
  call: Call,
  { positional, named }: Pick<Called, "positional" | "named">,
): void {
  const taken = takenFrom(run, frame, call);
  if (!taken) return;
  handOver(run, taken.target, positional, named, call, { frame, settled: 0, key: taken.key?.index });
}

/** What a template has made of values is told of in the template, where that is written. */
const rendered = ({ language, catalogue }: Run, result: Value, loaded: readonly string[]): Value => ({
  ...(language === "php" ? cleaned(result, catalogue.bitsOf(["xss"])) : result),
  paths: [...loaded, ...result.paths],
});

/** Constructors have any name; what they are called, and where they come from, takes the place of a receiver's names. */
function checkNew(run: Run, frame: Frame, { callee }: Call, { paths }: Called, subject: Subject): void {
  const matches = run.knowledge.calls.find("<new>").checks;
  if (matches.length === 0 || (callee.kind !== "variable" && callee.kind !== "field")) return;
  const names = [...paths.map((path) => path.replaceAll(".", "/")), callee.name];
  check(run, frame, matches, { ...subject, receiverPaths: names });
}

/** What is looked up in a file of settings is its default at least; linking knows what the file says. */
function asSetting({ settings: [setting] }: CallModels, subject: Subject, result: Value): Value {
  // What the program itself has put under a key is no setting of a file.
  if (!setting || result.constants || result.taint.length > 0) return result;
  const [key] = argumentsAt(subject, setting.key)[0]?.constants ?? [];
  if (typeof key !== "string") return result;
  const otherwise = argumentsAt(subject, setting.otherwise)[0];
  return { ...result, paths: [settingPath(key), ...result.paths], constants: otherwise?.constants ?? null };
}

/** `require("x")` and `import("x")` are imports. */
function requireOf(run: Run, frame: Frame, call: Call): Value | null {
  if (
    call.callee.kind !== "variable" ||
    (call.callee.name !== "require" && call.callee.name !== "import") ||
    run.language !== "javascript"
  )
    return null;
  const argument = call.args[0]?.value;
  if (!argument || frame.scope.binding(call.callee.name)) return null;
  const module = evaluate(run, frame, argument).constants?.[0];
  if (typeof module !== "string") return null;
  const path = module.replace(/^node:/, "").replace(/\/index(\.\w+)?$/, "");
  return named(path, ...run.knowledge.calls.find(path).returns);
}

/** `form.get("name")` is that field of what a function of another file has looked at. */
function partLookedAt(call: Call, result: Value): Value {
  const asked = askedPath(call);
  const name = asked === null ? "" : askedKey(asked.slice(asked.lastIndexOf(".") + 1));
  return name === "" ? result : { ...result, taint: result.taint.map((t) => lookedAt(t, name)) };
}

/** A generator gives all that it hands out; one that manages a context gives that itself. */
function handedOut(run: Run, frame: Frame, { callee, args }: Call): Value | null {
  if (callee.kind !== "variable" || callee.name !== handsOut) return null;
  const [given] = args;
  if (!given) return nothing;
  const value = evaluate(run, frame, given.value);
  const manages = frame.fn?.decorators.some(
    (d) => (d.kind === "variable" || d.kind === "field") && /contextmanager$/.test(d.name),
  );
  const all: Value = { ...nothing, slots: { shape: "list", entries: new Map(), rest: value } };
  const handed = manages || given.spread ? value : all;
  frame.returned = frame.returned ? join(frame.returned, handed) : handed;
  // What was waited for like this comes back.
  return run.language === "javascript" ? value : nothing;
}

/** What models call a function of another file: what is handed to it may be settled there. */
const otherFile = "<other-file>";

/** What is settled before, such as what kind of answer this is, is settled there as well. */
const settledFor = (run: Run, frame: Frame, subject: Subject): Families =>
  run.knowledge.calls
    .find(otherFile)
    .sanitizers.reduce<Families>(
      (all, { when, cleans }) => (when.every((test) => holds(frame, test, subject)) ? all | cleans : all),
      0,
    );
