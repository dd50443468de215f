import { lastName } from "../../ir/called-name.ts";
import type {
  Argument,
  Assign,
  ClassStatement,
  Entry,
  Expression,
  Field,
  FunctionNode,
  Span,
  Statement,
} from "../../ir/ir.ts";
import { append } from "../../multimap.ts";

/**
 * `Page.prototype = { find: function (name) {…}, …}`: what was written as one object is written as `Page.prototype.find = …` by others, and
 * means the same. What is no method stays in the object.
 */
export function prototypeMethods(assign: Assign): Expression {
  const { to, from } = assign;
  if (to.kind !== "field" || to.name !== "prototype" || from.kind !== "collection" || from.shape !== "map")
    return assign;
  const methods = from.entries.filter(isMethod);
  if (methods.length === 0) return assign;
  const entries = from.entries.filter((entry) => !isMethod(entry));
  return {
    start: assign.start,
    end: assign.end,
    kind: "sequence",
    parts: [{ ...assign, from: { ...from, entries } }, ...methods.map((entry) => methodOf(assign, to, entry))],
  };
}

const isMethod = ({ key, value }: Entry): boolean =>
  value.kind === "closure" && key?.kind === "literal" && typeof key.value === "string";

function methodOf(assign: Assign, of: Expression, { start, end, key, value }: Entry): Assign {
  const name = key?.kind === "literal" ? String(key.value) : "";
  return { ...assign, start, end, to: { start, end, kind: "field", of, name }, from: value };
}

/** Whether a file may have what withClasses looks for. */
export const mayHaveClasses = (text: string): boolean =>
  text.includes(".prototype") || text.includes("createClass") || givesFunction.test(text);

/** `this.find = function`, `self.find = (name) =>` */
const givesFunction = /\b(?:this|self|that|me|_this)\.[\w$]+ ?= ?(?:async )?(?:function\b|\(|[\w$]+ ?=>)/;

/** A function that objects are made with, as it is declared among other statements; of a class that is one already, none. */
interface Maker {
  readonly fn: FunctionNode | null;
  readonly statement: Statement;
  /** What else it is assigned to: `module.exports = function Page() {…}`. */
  readonly others: readonly Assign[];
}

/** What a statement says of such a function: a method of its objects, or what they have others from. */
type Told = { readonly name: string } & ({ readonly method: FunctionNode } | { readonly base: Expression | null });

/**
 * Classes as they were written before there was a word for them, and as compilers still write them: a function, and what is put into its
 * prototype by the statements around it. They become the classes that they are.
 */
export function withClasses(given: Statement[]): Statement[] {
  const statements = given.flatMap(givenBack).flatMap(unwrapped);
  const makers = makersOf(statements);
  if (makers.size === 0) return statements;
  const told = new Map<Statement, readonly Told[]>();
  const classes = new Map<string, Told[]>();
  for (const [name, { fn }] of makers) if (fn && givesMethods(name, fn)) classes.set(name, [{ name, base: null }]);
  for (const statement of statements) {
    const said = toldBy(statement, makers);
    if (said.length > 0) told.set(statement, said);
    for (const one of said) append(classes, one.name, one);
  }
  if (classes.size === 0) return statements;
  const replaced = new Map([...classes.keys()].map((name) => [makers.get(name)?.statement, name]));
  const result: Statement[] = [];
  const place = (name: string): void => {
    const maker = makers.get(name);
    const said = classes.get(name);
    if (!maker || !said) return;
    classes.delete(name);
    const made = classOf(name, maker, said);
    for (const base of made.bases) if (base.kind === "variable") place(base.name);
    result.push(made, ...maker.others.map((assign) => assigned(assign, name)));
  };
  // A function that is declared is there before what stands above it.
  const around = new Set([...told.values()].flat().map(({ name }) => name));
  for (const [name, { statement }] of makers) if (statement.kind === "function" && !around.has(name)) place(name);
  for (const statement of statements) {
    const said = told.get(statement);
    const own = replaced.get(statement);
    for (const one of said ?? []) place(one.name);
    if (!said) place(namedBy(statement) ?? (statement.kind === "expression" && own ? own : ""));
    if (!said && !own) result.push(statement);
  }
  return result;
}

/**
 * `this.find = function (name) {…}` in a function that is called as classes are, also by another name of it: `var self = this`. Its methods
 * know what the function has declared, and so stay where they are.
 */
function givesMethods(name: string, { body }: FunctionNode): boolean {
  if (!/^\p{Lu}/u.test(name)) return false;
  const itself = new Set(["this"]);
  return body.some((statement) => {
    if (statement.kind !== "expression" || statement.value.kind !== "assign") return false;
    const chain = chainOf(statement.value);
    const from = chain.at(-1)?.from;
    const isItself = from?.kind === "variable" && itself.has(from.name);
    for (const { to } of chain) if (isItself && to.kind === "variable") itself.add(to.name);
    return (
      from?.kind === "closure" &&
      chain.some(({ to }) => to.kind === "field" && to.of.kind === "variable" && itself.has(to.of.name))
    );
  });
}

/** What a statement hands on as it is, `module.exports = Page`: a function that is declared is there before. */
function namedBy(statement: Statement): string | null {
  if (statement.kind !== "expression" || statement.value.kind !== "assign") return null;
  const from = chainOf(statement.value).at(-1)?.from;
  return from?.kind === "variable" ? from.name : null;
}

function makersOf(statements: readonly Statement[]): Map<string, Maker> {
  const makers = new Map<string, Maker>();
  for (const statement of statements) {
    if (statement.kind === "class") makers.set(statement.name, { fn: null, statement, others: [] });
    if (statement.kind === "function" && statement.fn.receiver !== null)
      makers.set(statement.fn.name, { fn: statement.fn, statement, others: [] });
    if (statement.kind !== "expression" || statement.value.kind !== "assign") continue;
    const chain = chainOf(statement.value);
    const from = chain.at(-1)?.from;
    if (from?.kind !== "closure" || from.fn.receiver === null) continue;
    const own = chain.find(({ to }) => to.kind === "variable");
    const name = own?.to.kind === "variable" ? own.to.name : from.fn.name;
    if (name) makers.set(name, { fn: from.fn, statement, others: chain.filter((assign) => assign !== own) });
  }
  return makers;
}

/** `a = b = c` from left to right. */
function chainOf(assign: Assign): Assign[] {
  const chain = [assign];
  for (let { from } = assign; from.kind === "assign"; { from } = from) chain.push(from);
  return chain;
}

function toldBy(statement: Statement, makers: ReadonlyMap<string, Maker>): Told[] {
  if (statement.kind !== "expression") return [];
  const { value } = statement;
  const parts = value.kind === "sequence" ? value.parts : [value];
  const said = parts.map((part) =>
    part.kind === "assign"
      ? toldByAssignment(part, makers)
      : part.kind === "call"
        ? toldByCall(part.callee, part.args)
        : [],
  );
  const known = said.flat().filter(({ name }) => makers.has(name));
  // A statement that does something else beside is left as it is.
  return said.every(({ length }) => length > 0) && known.length === said.flat().length ? known : [];
}

function toldByAssignment(assign: Assign, makers: ReadonlyMap<string, Maker>): Told[] {
  const chain = chainOf(assign);
  const { to: own, from } = chain.at(-1) as Assign;
  const fn = from.kind === "closure" ? from.fn : from.kind === "variable" ? makers.get(from.name)?.fn : null;
  const told = chain.map(({ to, ...at }): Told | null => {
    if (to.kind !== "field") return null;
    const whole = prototypeOwner(to);
    if (whole !== null) return wholePrototype(whole, from);
    const name = prototypeOwner(to.of);
    if (name === null) return null;
    if (to.name === "constructor") return { name, base: null };
    if (to.name === "__proto__") return baseOf(name, from);
    if (!fn) return null;
    if (from.kind === "closure" && to === own) return { name, method: { ...fn, name: to.name } };
    const called = from.kind === "closure" && own.kind === "field" ? ofThis(own) : from;
    return { name, method: handingOn(at, to.name, fn, called) };
  });
  return told.every((one) => one !== null) ? told : [];
}

/** `Page.prototype.on = Page.prototype.listen = function …`, `Page.prototype.find = find`: a method that does no more than call another. */
function handingOn({ start, end }: Span, name: string, fn: FunctionNode, callee: Expression): FunctionNode {
  const params = fn.params.map(({ name, rest }) => {
    return { start, end, name, pattern: null, type: null, decorators: [], default: null, rest };
  });
  const args = params.map(({ name, rest }): Argument => {
    return { name: null, value: { start, end, kind: "variable", name }, spread: rest };
  });
  const value: Expression = { start, end, kind: "call", callee, args, isNew: false };
  const body: Statement[] = [{ start, end, kind: "return", value }];
  return { start, end, name, params, decorators: [], body, receiver: "this", exported: false };
}

function ofThis({ start, end, name }: Field): Expression {
  return { start, end, kind: "field", of: { start, end, kind: "variable", name: "this" }, name };
}

/** What is put in the place of the whole prototype: an object of the base, or methods, which stand in statements of their own by now. */
function wholePrototype(name: string, from: Expression): Told | null {
  if (from.kind === "collection") return from.entries.every(({ spread }) => !spread) ? { name, base: null } : null;
  if (from.kind !== "call") return null;
  if (from.isNew) return { name, base: from.callee };
  const [first] = from.args;
  return lastName(from.callee) === "create" && first ? baseOf(name, first.value) : null;
}

function baseOf(name: string, from: Expression): Told | null {
  return from.kind === "field" && from.name === "prototype" ? { name, base: from.of } : null;
}

/** `Page` of `Page.prototype`. */
const prototypeOwner = (of: Expression): string | null =>
  of.kind === "field" && of.name === "prototype" && of.of.kind === "variable" ? of.of.name : null;

const inherits = /^_*(?:inherits|extends)(?:Loose)?\d*$/;
const createClass = /^_*createClass\d*$/;

/** `util.inherits(Page, View)` and what compilers call, which name methods in lists. */
function toldByCall(callee: Expression, args: readonly Argument[]): Told[] {
  const called = lastName(callee);
  const [first, second, third] = args.map(({ value }) => value);
  if (!first || !second) return [];
  if (inherits.test(called) && first.kind === "variable") return [{ name: first.name, base: second }];
  const owner = mixes.test(called) ? prototypeOwner(first) : null;
  if (owner !== null) return args.slice(1).flatMap(({ value }) => mixedIn(owner, value));
  if (called === "setPrototypeOf") {
    const name = prototypeOwner(first);
    const base = name === null ? null : baseOf(name, second);
    return base ? [base] : [];
  }
  if (!createClass.test(called) || first.kind !== "variable") return [];
  const { name } = first;
  return [{ name, base: null }, ...[second, third].flatMap((list) => listedMethods(name, list))];
}

const mixes = /^(?:assign|extend|mixin)$/;

/** `Object.assign(Page.prototype, { find(id) {…} }, listening)`: methods, or an object that has some. */
function mixedIn(name: string, from: Expression): Told[] {
  if (from.kind !== "collection") return [{ name, base: from }];
  return from.entries.flatMap(({ key, value }): Told[] =>
    value.kind === "closure" && key?.kind === "literal"
      ? [{ name, method: { ...value.fn, name: String(key.value) } }]
      : [{ name, base: null }],
  );
}

/** `[{ key: "find", value: function find(id) {…} }]`. */
function listedMethods(name: string, list: Expression | undefined): Told[] {
  if (list?.kind !== "collection") return [];
  return list.entries.flatMap(({ value }) => {
    if (value.kind !== "collection") return [];
    const entry = (wanted: string) =>
      value.entries.find(({ key }) => key?.kind === "literal" && key.value === wanted)?.value;
    const [key, method] = [entry("key"), entry("value") ?? entry("get")];
    return key?.kind === "literal" && method?.kind === "closure"
      ? [{ name, method: { ...method.fn, name: String(key.value) } }]
      : [];
  });
}

function classOf(name: string, { fn, statement }: Maker, told: readonly Told[]): ClassStatement {
  const { start, end } = statement;
  const bases = told.flatMap((one) => ("base" in one && one.base ? [one.base] : []));
  const made = fn ? [{ ...fn, name: "constructor", body: fn.body.flatMap(superCalled) }] : [];
  const methods = new Map(told.flatMap((one) => ("method" in one ? [[one.method.name, one.method] as const] : [])));
  const body = [...made, ...methods.values()].map(
    (method): Statement => ({
      start: method.start,
      end: method.end,
      kind: "function",
      fn: method,
    }),
  );
  if (statement.kind === "class")
    return { ...statement, bases: [...statement.bases, ...bases], body: [...statement.body, ...body] };
  return { start, end, kind: "class", name, bases, decorators: [], body };
}

/** `View.call(this, name)` and `var _this = _super.call(this, name) || this` are `super(name)`. */
function superCalled(statement: Statement): Statement[] {
  if (statement.kind !== "expression") return [statement];
  const { value } = statement;
  const from = value.kind === "assign" ? value.from : value;
  const call = from.kind === "operation" && from.operator === "||" ? from.operands[0] : from;
  const args = call?.kind === "call" ? superArguments(call.callee, call.args) : null;
  if (!call || !args) return [statement];
  const { start, end } = call;
  const callee: Expression = { start, end, kind: "variable", name: "super" };
  const made: Statement = {
    start,
    end,
    kind: "expression",
    value: { start, end, kind: "call", callee, args, isNew: false },
  };
  if (value.kind !== "assign") return [made];
  return [made, { ...statement, value: { ...value, from: { start, end, kind: "variable", name: "this" } } }];
}

function superArguments(callee: Expression, [first, ...others]: readonly Argument[]): Argument[] | null {
  if (first?.value.kind !== "variable" || first.value.name !== "this") return null;
  // Compilers hand over the class and a list: `_callSuper(this, Page, [name])`.
  if (lastName(callee) === "_callSuper") {
    const list = others[1]?.value;
    return list?.kind === "collection" ? list.entries.map(({ value, spread }) => ({ name: null, value, spread })) : [];
  }
  if (callee.kind !== "field" || !/^(?:\w+\.)*_*[A-Z]|^_super/.test(nameOf(callee.of))) return null;
  if (callee.name === "call") return others;
  const [all] = others;
  return callee.name === "apply" ? (all ? [{ ...all, spread: true }] : []) : null;
}

const nameOf = (of: Expression): string =>
  of.kind === "variable" ? of.name : of.kind === "field" ? `${nameOf(of.of)}.${of.name}` : "";

function assigned(assign: Assign, name: string): Statement {
  const { start, end } = assign;
  return { start, end, kind: "expression", value: { ...assign, from: { start, end, kind: "variable", name } } };
}

/** `return _createClass(Page, […])` names methods, and gives the class. */
function givenBack(statement: Statement): Statement[] {
  if (statement.kind !== "return" || statement.value?.kind !== "call") return [statement];
  const { callee, args } = statement.value;
  const made = args[0]?.value;
  if (!createClass.test(lastName(callee)) || made?.kind !== "variable") return [statement];
  return [
    { ...statement, kind: "expression", value: statement.value },
    { ...statement, value: made },
  ];
}

/** `var Page = (function (_super) {…; return Page; })(View);` */
function unwrapped(statement: Statement): Statement[] {
  if (statement.kind !== "expression" || statement.value.kind !== "assign") return [statement];
  const { to, from } = statement.value;
  if (to.kind !== "variable" || from.kind !== "call" || from.callee.kind !== "closure") return [statement];
  const { params, body } = from.callee.fn;
  const last = body.at(-1);
  const returned = last?.kind === "return" && last.value?.kind === "variable" ? last.value.name : null;
  const own = body.find((one): one is ClassStatement => one.kind === "class" && one.name === returned);
  const others = body.filter((one) => one !== own && one !== last);
  if (!own || !others.every(isHelper)) return [statement];
  const bases = own.bases.map((base) => {
    const given = base.kind === "variable" ? params.findIndex(({ name }) => name === base.name) : -1;
    return from.args[given]?.value ?? base;
  });
  return [...others, { ...own, name: to.name, bases }];
}

/** What stands around a class in a function of its own: `"use strict"`, `var _super = _createSuper(Page)`. */
function isHelper(statement: Statement): boolean {
  if (statement.kind !== "expression") return false;
  const { value } = statement;
  return value.kind === "assign"
    ? value.to.kind === "variable" && value.to.name.startsWith("_")
    : value.kind !== "unknown";
}
