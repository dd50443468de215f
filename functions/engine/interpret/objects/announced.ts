import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { calledName, lastName } from "../../ir/called-name.ts";
import type { Call, Expression, FunctionNode, Parameter } from "../../ir/ir.ts";
import { placesMax } from "../calls/callbacks.ts";
import type { Called } from "../calls/called.ts";
import { handOver } from "../calls/handover.ts";
import { summarise } from "../calls/invoke.ts";
import { calleeOf } from "../calls/parameters.ts";
import { partsOf } from "../calls/parts.ts";
import { argumentsAt, type Subject } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { arriving, type ClosureValue, nothing, type Taint, tainted, type Value } from "../value.ts";

/** More would be a file that does nothing but announce, or listen. */
const storesMax = 100;
const listenersMax = 100;

/** What objects are called by which the parts of an application tell each other what has happened. */
const announcers =
  /^(\w*(event_?)?bus|\w*emitter2?|\w*events|event|\w*(event_?)?hub|\w*dispatcher|\w*mediator|pub_?sub|broker)$/i;

/** What announces under a name, and what listens for one; Java's event bus calls the name an address. */
const announcing: Verbs = { javascript: /^(emit|emitAsync|publish|trigger)$/, java: /^(send|publish|request)$/ };
const listening: Verbs = {
  javascript: /^(on|once|addListener|prependListener|subscribe)$/,
  java: /^(local)?[cC]onsumer$/,
};

type Verbs = Partial<Record<Run["language"], RegExp>>;

/** Keeps, for who listens in this file or another, what is announced under a constant name: `bus.emit("paid", order)`. */
export function announce(run: Run, call: Call, called: Called): void {
  const event = eventOf(run, call, called, announcing);
  if (event === null) return;
  for (const [i, value] of called.positional.slice(1, placesMax).entries())
    for (const [part, taints] of partsOf(run, value))
      for (const taint of taints)
        if (!taint.source.parameter && run.stores.size < storesMax) {
          const field = keptAs(event, i);
          const key = `${field}|${part}|${taint.source.start}|${taint.source.outside}`;
          run.stores.set(key, { field, within: "", part, taint, at: call });
        }
  // What was handed to the function around it, linking hands on.
  const ofCallers = called.positional.slice(1, placesMax).map((value) => givenOf(value));
  if (ofCallers.some((value) => value !== nothing)) handOver(run, announcedAs(event), ofCallers, new Map(), call);
}

/** What a value has of the parameters of the function that made it. */
function givenOf({ taint, slots }: Value): Value {
  const given = taint.filter(({ source }) => source.parameter !== null);
  const entries =
    slots?.shape === "map" ? [...slots.entries].map(([key, entry]) => [key, givenOf(entry)] as const) : [];
  const filled = entries.filter(([, entry]) => entry !== nothing);
  if (given.length + filled.length === 0) return nothing;
  return {
    ...nothing,
    taint: given,
    slots: filled.length > 0 ? { shape: "map", entries: new Map(filled), rest: null } : null,
  };
}

/** What comes to a function that listens for such an announcement: `bus.on("paid", (order) => …)`. */
export function heard(run: Run, call: Call, called: Called, closure: ClosureValue): Value[] | null {
  const event = eventOf(run, call, called, listening);
  if (event === null) return null;
  const { fn } = closure;
  if (run.language === "javascript" && run.listeners.size < listenersMax) {
    run.listeners.set(fn, event);
    run.exports.set(announcedAs(String(run.listeners.size)), closure);
    summarise(run, closure);
  }
  return fn.params.slice(0, placesMax).map((param, i) => tainted([heardBy(run, param, event, i)]));
}

const heardBy = (run: Run, param: Parameter, event: string, place: number): Taint =>
  arriving(run.outside(`#${keptAs(event, place)}`, param), param);

/** What comes to a method that listens by a decorator: `@OnEvent("paid")`. */
export function heardAs(run: Run, fn: FunctionNode, index: number): Taint[] {
  const event = run.language === "javascript" ? run.listeners.get(fn) : undefined;
  return event === undefined ? [] : [heardBy(run, fn.params[index] as Parameter, event, index)];
}

const keptAs = (event: string, place: number): string => `event:${event}.${place}`;

function eventOf(
  { language }: Run,
  { callee }: Call,
  { names, positional: [name] }: Called,
  verbs: Verbs,
): string | null {
  if (callee.kind !== "field" || !verbs[language]?.test(callee.name)) return null;
  const event = name?.constants?.length === 1 ? name.constants[0] : constantOf(name);
  return typeof event === "string" && event !== "error" && names.some(isAnnouncer) ? event : null;
}

/** The path of a constant of another file, whose value only that file knows. */
const constantOf = (name: Value | undefined): string | undefined =>
  name?.paths.find((path) => /\.\p{Lu}[\p{Lu}\d_]*$/u.test(path));

const isAnnouncer = remembered((path) => announcers.test(lastSegment(path).replace(/^\?|\(\)$/g, "")));

/** Hands an object to whoever listens for objects of its class, in this file or another: `publisher.publishEvent(new OrderPaid(note))`. */
export function announceByClass(run: Run, call: Call, { models }: Called, subject: Subject): void {
  for (const argument of models.announcements)
    for (const value of argumentsAt(subject, argument)) {
      const event = classOf(value);
      if (event !== null) handOver(run, announcedAs(event), [value], new Map(), call);
    }
}

/** `paid.send(sender=Order, note=note)`: a signal of Django hands what it is sent with, by name, to whoever receives it in this file or another. */
export function sendSignal(run: Run, call: Call, { named, positional }: Called): void {
  const { callee } = call;
  if (run.language !== "python" || callee.kind !== "field") return;
  const signal = /^(a?send(_robust)?|connect)$/.test(callee.name) ? lastName(callee.of) : "";
  if (signal === "") return;
  if (callee.name === "connect") {
    const [closure] = (named.get("receiver") ?? positional[0])?.closures ?? [];
    if (closure) run.listeners.set(closure.fn, signal);
  } else if (named.size > 0 && (named.has("sender") || positional.length === 1))
    handOver(run, announcedAs(signal), [], new Map([...named].filter(([name]) => name !== "sender")), call);
}

/** `@receiver(paid)`; "" where it is none. */
function receivedSignal({ decorators }: FunctionNode): string {
  const receiver = decorators.find((decorator) => decorator.kind === "call" && calledName(decorator) === "receiver");
  const [signal] = receiver?.kind === "call" ? receiver.args : [];
  return signal ? lastName(signal.value) : "";
}

/** `@app.task(name="shop.convert")`: jobs are started by that name, wherever; "" where a function is none, or goes by its own name. */
function jobNameOf({ decorators }: FunctionNode): string {
  const task = decorators.find((d) => d.kind === "call" && /^(shared_task|task|actor)$/.test(calledName(d)));
  const named =
    task?.kind === "call" ? task.args.find(({ name }) => name === "name" || name === "actor_name") : undefined;
  return named?.value.kind === "literal" && typeof named.value.value === "string" ? named.value.value : "";
}

/** Notes that a function listens for objects of the class that its first parameter is declared with, or one that is marked; or for a signal, or a name. */
export function noteListener(run: Run, frame: Frame, fn: FunctionNode): void {
  const signal = run.language === "python" ? receivedSignal(fn) || jobNameOf(fn) : "";
  if (signal !== "") run.listeners.set(fn, signal);
  if (run.language === "javascript") {
    noteNamed(run, frame, fn);
    noteHandler(run, frame, fn);
  }
  if (!hearsByClass.has(run.language)) return;
  const heard = fn.params.find(
    (param, i) => isHeard(run, frame, param.decorators, "parameter") || (i === 0 && listens(run, frame, fn)),
  );
  const event = heard?.type ? simpleName(heard.type.replace(/<.*$/s, "")) : null;
  if (event !== null) run.listeners.set(fn, event);
}

const hearsByClass: ReadonlySet<string> = new Set(["java", "csharp", "php"]);

/** `@OnEvent("paid")` names what the method listens for. */
function noteNamed(run: Run, frame: Frame, fn: FunctionNode): void {
  for (const decorator of fn.decorators) {
    if (decorator.kind !== "call" || !isHeard(run, frame, [decorator], "function")) continue;
    const name = decorator.args[0] && evaluate(run, frame, decorator.args[0].value);
    const event = name?.constants?.length === 1 ? name.constants[0] : constantOf(name);
    if (typeof event === "string") run.listeners.set(fn, event);
  }
}

/** `@CommandHandler(PlaceOrder) class … { execute(command) {} }`: the class says whose objects its method is handed. */
function noteHandler(run: Run, frame: Frame, fn: FunctionNode): void {
  if (!frame.owner || !run.knowledge.listeners.findAll([fn.name]).includes("method")) return;
  for (const decorator of frame.owner.node.decorators) {
    if (decorator.kind !== "call" || !isHeard(run, frame, [decorator], "function")) continue;
    const [handled] = decorator.args;
    const event = handled && classOf(evaluate(run, frame, handled.value));
    if (event) run.listeners.set(fn, event);
  }
}

const listens = (run: Run, frame: Frame, fn: FunctionNode): boolean =>
  run.knowledge.listeners.findAll([fn.name]).includes("method") || isHeard(run, frame, fn.decorators, "function");

const isHeard = (run: Run, frame: Frame, decorators: readonly Expression[], as: "function" | "parameter"): boolean =>
  decorators.some((decorator) => run.knowledge.listeners.findAll(calleeOf(run, frame, decorator).paths).includes(as));

/** What an announcement is called with in place of a function: the class of the object. */
export const announcedAs = (event: string): string => `event:${event}`;

function classOf({ instance, paths }: Value): string | null {
  if (instance) return instance.node.name;
  return paths.map(simpleName).find((name) => name !== null) ?? null;
}

/** The simple name of a class, of a path that is one or makes one. */
function simpleName(path: string): string | null {
  const name = lastSegment(path).replace(/^.*\\|\(\)$/g, "");
  return /^\p{Lu}\w*$/u.test(name) && !/^(String|Object)$/.test(name) ? name : null;
}
