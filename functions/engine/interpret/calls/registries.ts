import type { Assign, Call, Expression, FunctionNode, Statement } from "../../ir/ir.ts";
import { eachChild, type IrNode } from "../../ir/walk.ts";
import { evaluate } from "../evaluate.ts";
import { givenBy } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { ClosureValue, Value } from "../value.ts";
import type { Called } from "./called.ts";
import { targetOf } from "./handover.ts";
import { summarise } from "./invoke.ts";

/** Stands before the table of a file, and means what others have put there: `[]handlers`, `[]Bus.handlers.run`. */
export const inRegistry = "[]";

/** A parameter that a function puts into a table of its file, or into a field of what it puts there. */
export interface Registered {
  table: string;
  parameter: number;
  as?: string;
}

/** What a file has others fill: its tables that begin empty, the names of what is taken out of them, and who puts something in. */
interface Registries {
  readonly registered: ReadonlyMap<FunctionNode, readonly Registered[]>;
  readonly scopes: ReadonlyMap<FunctionNode, Names>;
}

/** What the variables of a function stand for that have an element of a table; null for what is none, such as parameters. */
interface Names {
  readonly fn: FunctionNode;
  readonly around: Names | null;
  readonly elements: Map<string, Element | null>;
}

interface Element {
  readonly table: string;
  /** The variable under whose content it was looked up. */
  readonly key: string | null;
}

/** An element of a table that is called, or has a method that is. */
export interface Taken {
  target: string;
  /** The parameter under which it was looked up, of the function that has it. */
  key: { fn: FunctionNode; index: number } | null;
}

const known = new WeakMap<Run, Registries>();
const none: Registries = { registered: new Map(), scopes: new Map() };

/** Tables of a file; one that has more keeps records in them. */
const tablesMax = 20;
/** Parameters that functions of one file put into its tables. */
const registeredMax = 50;

/** Languages whose files fill tables of others when they are loaded; elsewhere types tell what may be in one. */
const haveRegistries: ReadonlySet<string> = new Set(["javascript", "python", "go"]);

/** What of its parameters a function puts into a table of the file. */
export const registeredBy = (run: Run, fn: FunctionNode): readonly Registered[] =>
  registriesOf(run).registered.get(fn) ?? [];

/** `handlers[name](order)`, `for (const listener of listeners) listener.tell(order)`: from which table what is called comes. */
export function takenFrom(run: Run, frame: Frame, { callee }: Call): Taken | null {
  const { registered, scopes } = registriesOf(run);
  if (registered.size === 0 || !frame.fn) return null;
  const names = scopes.get(frame.fn) ?? null;
  const reader = new Reader(tablesOf(run), frame.owner?.node.name ?? null, frame.fn.receiver, names);
  // What is looked up and called at once reads like a type with arguments in Go.
  const inGo = run.language === "go" && callee.kind === "variable" ? reader.table(callee) : null;
  const whole = inGo === null ? reader.element(callee) : { table: inGo, key: null };
  if (whole) return { target: inRegistry + whole.table, key: placeOf(names, whole.key) };
  if (callee.kind !== "field" || fills.test(callee.name)) return null;
  const of = reader.element(callee.of);
  return of && { target: `${inRegistry}${of.table}.${callee.name}`, key: placeOf(names, of.key) };
}

/** The parameter that a name is, of the function or one around it. */
function placeOf(names: Names | null, name: string | null): Taken["key"] {
  for (let around = name === null ? null : names; around; around = around.around) {
    const index = around.fn.params.findIndex((param) => param.name === name);
    if (index >= 0) return { fn: around.fn, index };
  }
  return null;
}

/** A function, class or object that a call gives to a function of another file, which may put it into a table. */
export interface GivenFunction {
  target: string;
  argument: number | string;
  /** What it is called in this file, or what the file calls what another has. */
  name?: string;
  object?: string;
  /** The texts that stand beside it, one of which may be its key. */
  told?: string[];
}

/** More would be a file that does nothing else. */
const givenMax = 100;
/** UTF-16 units of a key, which is a word. */
const keyMax = 60;

/** `register("convert", (order) => …)`, a statement of its own: what comes back is nothing to look at. */
export function noteGivenFunctions(
  run: Run,
  { statement }: Frame,
  call: Call,
  { positional, named, target }: Given,
): void {
  if (target === null || call.start !== statement.start || !haveRegistries.has(run.language)) return;
  const given = [...positional.entries(), ...named];
  if (given.length > argumentsMax) return;
  const told = textsOf(given.map(([, value]) => value));
  for (const [argument, value] of given) noteGiven(run, { target, argument, ...(told.length > 0 && { told }) }, value);
}

/** What is registered is registered with a name and some settings. */
const argumentsMax = 6;

type Given = Pick<Called, "positional" | "named" | "target">;

/** `@register("convert")`: the function, or class, is given to what the decorator is, or what that gives. */
export function noteDecorated(
  run: Run,
  frame: Frame,
  { name, decorators }: Pick<FunctionNode, "name" | "decorators">,
): void {
  if (run.language !== "python") return;
  for (const decorator of decorators.slice(0, argumentsMax)) {
    const called = decorator.kind === "call" ? decorator.callee : decorator;
    if (called.kind !== "variable" && called.kind !== "field") continue;
    const { paths, closures } = evaluate(run, frame, called);
    const target = closures.length === 0 ? targetOf(run, null, paths) : null;
    if (target === null || run.givenFunctions.size >= givenMax) continue;
    const args = decorator.kind === "call" ? decorator.args.map(({ value }) => evaluate(run, frame, value)) : [];
    const told = textsOf(args);
    const by = decorator.kind === "call" ? givenBy(target) : target;
    run.givenFunctions.set(`${by}\0${name}`, { target: by, argument: 0, name, ...(told.length > 0 && { told }) });
  }
}

const textsOf = (values: readonly Value[]): string[] =>
  values.flatMap(({ constants }) =>
    (constants ?? []).flatMap((text) => (typeof text === "string" && text.length <= keyMax ? [text] : [])),
  );

function noteGiven(run: Run, given: GivenFunction, { closures, type, instance, paths }: Value): void {
  if (run.givenFunctions.size >= givenMax) return;
  const [closure, ...others] = closures;
  const name = closure && others.length === 0 ? nameOfClosure(run, closure) : (type ?? instance)?.node.name;
  const object = name === undefined && !closure ? targetOf(run, null, paths) : null;
  if (name === undefined && object === null) return;
  const what = name !== undefined ? { name } : { object: object as string };
  run.givenFunctions.set(`${given.target}\0${given.argument}\0${name ?? object}`, { ...given, ...what });
}

/** What other files call a function by, which may have no name of its own. */
function nameOfClosure(run: Run, closure: ClosureValue): string {
  const { fn } = closure;
  if (run.exports.get(fn.name)?.fn === fn) return fn.name;
  const name = `given:${fn.start}`;
  run.exports.set(name, closure);
  summarise(run, closure);
  return name;
}

function registriesOf(run: Run): Registries {
  const found = known.get(run);
  if (found) return found;
  const tables = haveRegistries.has(run.language) ? tablesOf(run) : noTables;
  const read = tables.size === 0 ? none : new Search(run, tables).read();
  known.set(run, read);
  return read;
}

const noTables: ReadonlySet<string> = new Set();
const tablesKnown = new WeakMap<Run, ReadonlySet<string>>();

/** The variables of the file and fields of its classes that begin as an empty list or map. */
function tablesOf(run: Run): ReadonlySet<string> {
  const found = tablesKnown.get(run);
  if (found) return found;
  const tables = new Set<string>();
  for (const statement of run.page.body) noteTables(run, tables, statement, "");
  const kept = tables.size > tablesMax ? noTables : tables;
  tablesKnown.set(run, kept);
  return kept;
}

function noteTables(run: Run, tables: Set<string>, statement: Statement, owner: string): void {
  if (statement.kind === "class" && owner === "")
    for (const member of statement.body) noteTables(run, tables, member, `${statement.name}.`);
  else if (statement.kind === "function" && owner !== "" && /^(constructor|__init__)$/.test(statement.fn.name))
    for (const inner of statement.fn.body) noteTables(run, tables, inner, owner);
  else if (statement.kind === "block") for (const inner of statement.body) noteTables(run, tables, inner, owner);
  else if (statement.kind === "expression" && statement.value.kind === "assign") {
    const { to, from } = statement.value;
    if (to.kind !== "variable" && !(to.kind === "field" && to.of.kind === "variable" && owner !== "")) return;
    // What a field of Go holds is not told by its type.
    if (isEmpty(from) || (run.language === "go" && from.kind === "unknown")) tables.add(`${owner}${to.name}`);
  }
}

/** `{}`, `[]`, `new Map()`, `defaultdict(list)`, `make(map[string]Handler)` */
function isEmpty(value: Expression): boolean {
  if (value.kind === "collection") return value.entries.length === 0;
  if (value.kind !== "call") return false;
  const { callee, args } = value;
  const name = callee.kind === "variable" || callee.kind === "field" ? callee.name : "";
  return (makesTable.test(name) && args.length === 0) || /^(defaultdict|make)$/.test(name);
}

const makesTable = /^(Map|Set|Array|Object|create|dict|list|set|OrderedDict|deque)$/;
/** What puts something into a table. */
const fills = /^(set|push|unshift|append|add|insert|put|appendleft)$/;
/** What gives one or several of those that are in it. */
const takes = /^(get|setdefault|values|items|entries|at|pop)$/;
/** What calls a function with each of them. */
const eachOf = /^(forEach|map|filter|some|every|find|flatMap)$/;

/** Parts of an expression that lead to a table: `(await (listeners.get(kind) || [])[0])(order)` has four. */
const depthMax = 6;

/** Tells which table an expression has an element of. */
class Reader {
  readonly #tables: ReadonlySet<string>;
  readonly #owner: string | null;
  readonly #receiver: string | null;
  readonly #names: Names | null;

  constructor(tables: ReadonlySet<string>, owner: string | null, receiver: string | null, names: Names | null) {
    this.#tables = tables;
    this.#owner = owner;
    this.#receiver = receiver;
    this.#names = names;
  }

  /** The table that an expression is. */
  table(e: Expression): string | null {
    if (e.kind === "variable") return this.#tables.has(e.name) && !this.#isLocal(e.name) ? e.name : null;
    if (e.kind !== "field" || e.of.kind !== "variable" || this.#owner === null) return null;
    const isOwn = /^(this|self|cls)$/.test(e.of.name) || e.of.name === this.#receiver || e.of.name === this.#owner;
    const name = `${this.#owner}.${e.name}`;
    return isOwn && this.#tables.has(name) ? name : null;
  }

  /** The table of which an expression is an element, a list of such, or what calling one gives. */
  element(e: Expression, depth = 0): Element | null {
    if (depth > depthMax) return null;
    switch (e.kind) {
      case "variable":
        return this.#element(e.name);
      case "index":
        return this.#within(e.of, e.key, depth);
      case "assign":
        return this.element(e.to, depth + 1);
      case "operation":
        return /^(\|\||\?\?|or)$/.test(e.operator) && e.operands[0] ? this.element(e.operands[0], depth + 1) : null;
      case "conditional":
        return this.element(e.then, depth + 1) ?? this.element(e.otherwise, depth + 1);
      case "call":
        if (e.callee.kind !== "field") return this.element(e.callee, depth + 1);
        return takes.test(e.callee.name) ? this.#within(e.callee.of, e.args[0]?.value, depth) : null;
      default:
        return null;
    }
  }

  #within(e: Expression, key: Expression | null | undefined, depth: number): Element | null {
    const table = this.table(e);
    return table === null ? this.element(e, depth + 1) : { table, key: key?.kind === "variable" ? key.name : null };
  }

  #element(name: string): Element | null {
    for (let names = this.#names; names; names = names.around) {
      const element = names.elements.get(name);
      if (element !== undefined) return element;
    }
    return null;
  }

  #isLocal(name: string): boolean {
    for (let names = this.#names; names; names = names.around) if (names.elements.has(name)) return true;
    return false;
  }
}

/**
 * Looks through a file once for who fills its tables, and for the names of what is taken out of them: as many steps as lowering has made nodes,
 * and only in files that have such tables.
 */
class Search {
  readonly #run: Run;
  readonly #tables: ReadonlySet<string>;
  readonly #registered = new Map<FunctionNode, Registered[]>();
  readonly #scopes = new Map<FunctionNode, Names>();
  #count = 0;

  constructor(run: Run, tables: ReadonlySet<string>) {
    this.#run = run;
    this.#tables = tables;
  }

  read(): Registries {
    for (const statement of this.#run.page.body) this.#look(statement, null, null, null, null);
    return { registered: this.#registered, scopes: this.#scopes };
  }

  /** Lowering bounds how deep this goes. */
  #look(
    node: IrNode,
    owner: string | null,
    receiver: string | null,
    fn: FunctionNode | null,
    names: Names | null,
  ): void {
    if (!("kind" in node)) {
      const inner: Names = { fn: node, around: names, elements: new Map(node.params.map(({ name }) => [name, null])) };
      // What calls a function with each element says what its parameter is.
      for (const [name, element] of this.#scopes.get(node)?.elements ?? []) inner.elements.set(name, element);
      this.#scopes.set(node, inner);
      eachChild(node, (child) => this.#look(child, owner, node.receiver ?? receiver, node, inner));
      return;
    }
    if (node.kind === "class") {
      eachChild(node, (child) => this.#look(child, node.name, null, null, null));
      return;
    }
    if (fn && names) {
      const reader = new Reader(this.#tables, owner, receiver, names);
      if (node.kind === "assign") this.#assigned(node, reader, fn, names);
      if (node.kind === "call") this.#called(node, reader, fn);
    }
    eachChild(node, (child) => this.#look(child, owner, receiver, fn, names));
  }

  #assigned({ to, from, declares }: Assign, reader: Reader, fn: FunctionNode, { elements }: Names): void {
    if (to.kind === "index") {
      this.#put(reader.table(to.of) ?? reader.element(to.of)?.table, [appended(from) ?? from], fn);
      return;
    }
    const element = reader.element(from);
    // What a function calls like a table is none.
    if (to.kind === "variable" && (element || !this.#tables.has(to.name) || isNew(this.#run, declares)))
      elements.set(to.name, element);
    const [first] = to.kind === "collection" ? to.entries : [];
    // `fn, ok := handlers[name]`, `for name, fn in handlers.items()`
    if (first && to.kind === "collection" && element)
      for (const { value } of to.entries) if (value.kind === "variable") elements.set(value.name, element);
    const more = appended(from);
    if (more) this.#put(reader.table(to), [more], fn);
  }

  #called({ callee, args }: Call, reader: Reader, fn: FunctionNode): void {
    if (callee.kind !== "field") return;
    const of = reader.element(callee.of) ?? { table: reader.table(callee.of), key: null };
    if (of.table === null) return;
    const { table, key } = of;
    const values = args.map(({ value }) => value);
    if (fills.test(callee.name)) this.#put(table, values, fn);
    const [each] = values;
    const [param] = each?.kind === "closure" ? each.fn.params : [];
    if (eachOf.test(callee.name) && each?.kind === "closure" && param)
      this.#scopes.set(each.fn, { fn, around: null, elements: new Map([[param.name, { table, key }]]) });
  }

  #put(table: string | null | undefined, values: readonly Expression[], fn: FunctionNode): void {
    if (!table) return;
    for (const value of values) {
      const parts =
        value.kind === "collection"
          ? value.entries.map(({ key, value }) => [nameOf(key), value] as const)
          : [[undefined, value] as const];
      for (const [as, part] of parts) {
        const parameter = part.kind === "variable" ? fn.params.findIndex(({ name }) => name === part.name) : -1;
        if (parameter < 0 || this.#count >= registeredMax) continue;
        this.#count += 1;
        const all = this.#registered.get(fn) ?? [];
        all.push({ table, parameter, ...(as !== undefined && { as }) });
        this.#registered.set(fn, all);
      }
    }
  }
}

/** In Python whatever a function assigns is its own, as a rule. */
const isNew = ({ language }: Run, declares: boolean): boolean => declares || language === "python";

const nameOf = (key: Expression | null): string | undefined =>
  key?.kind === "literal" && typeof key.value === "string"
    ? key.value
    : key?.kind === "variable"
      ? key.name
      : undefined;

/** `append(plugins, plugin)`: what Go puts behind the others. */
const appended = (from: Expression): Expression | null =>
  from.kind === "call" && from.callee.kind === "variable" && from.callee.name === "append"
    ? (from.args[1]?.value ?? null)
    : null;
