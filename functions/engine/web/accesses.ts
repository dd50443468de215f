import type { Assign, Call, ClassStatement, Expression } from "../ir/ir.ts";
import { walk } from "../ir/walk.ts";
import { argumentOf, methodsIn } from "./arguments.ts";
import type { FieldTypes } from "./field-types.ts";
import { type Names, written } from "./names.ts";
import { asAnt } from "./servlet-patterns.ts";
import { isVerb } from "./verbs.ts";
import type { AccessForm, Told, WebKnowledge } from "./web-knowledge.ts";
import type { AccessRecord } from "./web-record.ts";
import type { Within } from "./within.ts";

/** Constants in constants, lists in lists. */
const nestedMax = 4;
const recordsMax = 300;

type Guard = AccessRecord & Required<Pick<AccessRecord, "guards">>;

/** Collects what a file says about requests by their paths. */
export class Accesses {
  readonly #knowledge: WebKnowledge;
  readonly #names: Names;
  readonly #types: FieldTypes;
  readonly #forms: ReadonlySet<AccessForm>;
  /** Whether calls can say anything here. */
  readonly #hasCalls: boolean;
  readonly #entries: AccessRecord[] = [];
  /** By the object that paths are named for. */
  readonly #guards = new Map<string, Guard>();
  /** The calls that go on with a call. */
  readonly #next = new Map<Expression, Call>();
  /** What the variables of functions were first given. */
  readonly #given = new Map<string, Expression>();

  constructor(knowledge: WebKnowledge, names: Names, types: FieldTypes, text: string) {
    this.#forms = new Set(knowledge.accesses.filter(({ isFile }) => isFile?.test(text) ?? true));
    this.#hasCalls = [...this.#forms].some(({ on }) => on === "call");
    this.#knowledge = knowledge;
    this.#names = names;
    this.#types = types;
  }

  /** A guard that nothing stands behind guards nothing. */
  get records(): AccessRecord[] {
    const guards = [...this.#guards.values()].filter(({ guards }) => guards.length > 0);
    return [...this.#entries, ...guards].slice(0, recordsMax);
  }

  /** Variables hold the objects that paths are named for later. */
  assign({ to, from }: Assign, within: Within): void {
    if (!this.#hasCalls || to.kind !== "variable" || from.kind !== "call") return;
    const key = `${listIn(within)}\0${to.name}`;
    if (!this.#given.has(key)) this.#given.set(key, from);
  }

  /** Outer calls are met first, so what goes on with a call is known. */
  call(call: Call, names: readonly string[], within: Within): void {
    if (!this.#hasCalls) return;
    if (call.callee.kind === "field" && call.callee.of.kind === "call") this.#next.set(call.callee.of, call);
    const [form] = this.#formsOf(names, "call");
    if (!form) return;
    if (form.tells === "entry" || form.tells === "scope") this.#entry(call, form, within);
    else this.#guard(call, form, within);
  }

  /** The class that a decorator registers stands in front of paths. */
  decorator(decorator: Expression, { name }: ClassStatement): void {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    const [form] = this.#formsOf(this.#names.of(callee), "decorator");
    if (!form) return;
    const call: Call =
      decorator.kind === "call" ? decorator : { ...decorator, kind: "call", callee, args: [], isNew: false };
    const paths = this.#paths(call, form);
    const guard = this.#guarding(`@${name}`, call.start);
    guard.guards.push(name);
    guard.paths = paths?.length === 0 ? everywhere : paths;
  }

  /** What names say of paths in this file. */
  #formsOf(names: readonly string[], on: AccessForm["on"]): AccessForm[] {
    return this.#knowledge.registers(names).accesses.filter((form) => form.on === on && this.#forms.has(form));
  }

  #entry(call: Call, form: AccessForm, within: Within): void {
    const paths = this.#paths(call, form);
    if (paths?.length === 0 && call.args.length > 0 && !this.#methods(call).length) return;
    const isScope = form.tells === "scope";
    this.#entries.push({
      list: listIn(within),
      order: call.callee.end,
      paths: paths?.length === 0 ? everywhere : paths,
      ...(isScope && { isScope }),
      ...(form.first && { first: true }),
      ...(form.rest === "open" && { restIsOpen: true }),
      methods: this.#methods(call),
      controls: isScope ? [] : this.#asked(call, form),
    });
  }

  #asked(call: Call, { asks, otherwise }: AccessForm): string[] {
    const next = this.#next.get(call);
    const given = asks === undefined ? undefined : argumentOf(call, asks);
    const name = given ? nameOf(given) : next?.callee.kind === "field" ? next.callee.name : "";
    return [...this.#knowledge.tells("access", name === "" ? otherwise : name).controls];
  }

  #guard(call: Call, form: AccessForm, within: Within): void {
    const guard = this.#guarding(this.#object(call, within), call.start);
    const paths = this.#paths(call, form);
    if (form.tells === "paths") guard.paths = joined(guard.paths === everywhere ? [] : guard.paths, paths);
    else if (form.tells === "except") guard.except = joined(guard.except ?? [], paths);
    else
      for (const { value } of call.args) {
        const name = this.#typeOf(value, within);
        guard.guards.push(name);
        const told = [name, written(value)].map((known) => this.#knowledge.tells("use", known));
        const controls = [...told, ...this.#done(value)].flatMap((one) => one.controls);
        guard.controls = [...new Set([...guard.controls, ...controls])];
      }
  }

  /** What the functions do that a guard is given: `addInterceptor(new Interceptor(handler -> checkLogin()))`. */
  #done(value: Expression): Told[] {
    const given = value.kind === "call" ? value.args.map((argument) => argument.value) : [value];
    const told: Told[] = [];
    for (const fn of given.flatMap((one) => (one.kind === "closure" ? [one.fn] : [])))
      walk(fn.body, (node) => {
        if (!("kind" in node) || (node.kind !== "call" && node.kind !== "field")) return;
        const called = node.kind === "call" ? node.callee : node;
        told.push(...this.#names.of(called).map((name) => this.#knowledge.tells("call", name)));
      });
    return told;
  }

  #guarding(object: string, order: number): Guard {
    const known = this.#guards.get(object);
    if (known) return known;
    const guard = { list: null, order, paths: everywhere, methods: [], controls: [], guards: [] };
    this.#guards.set(object, guard);
    return guard;
  }

  /** The object that paths are named for: what a call makes, wherever a chain of calls goes on with it, or a variable that holds it. */
  #object(from: Expression, within: Within): string {
    let here = from;
    while (here.kind === "call" || here.kind === "field") {
      if (here.kind === "call" && this.#makes(here)) return `${here.start}`;
      here = here.kind === "call" ? here.callee : here.of;
    }
    if (here.kind !== "variable") return `${here.start}`;
    const key = `${listIn(within)}\0${here.name}`;
    const given = this.#given.get(key);
    return given?.kind === "call" && this.#makes(given) ? `${given.start}` : key;
  }

  #makes({ callee }: Call): boolean {
    return this.#formsOf(this.#names.of(callee), "call").some(({ made }) => made);
  }

  /** The class of an object where something tells it, else what the object is called. */
  #typeOf(value: Expression, within: Within): string {
    if (value.kind === "call") return lastOf(written(value.callee));
    const name = lastOf(written(value));
    const parameter = within.functions.flatMap(({ parameters }) => parameters.get(name) ?? [])[0];
    if (parameter !== undefined) return lastOf(parameter);
    const given = this.#given.get(`${listIn(within)}\0${name}`);
    if (given?.kind === "call" && given.isNew) return lastOf(written(given.callee));
    return this.#types.named(name, within) ?? name;
  }

  /** Empty where none are named. */
  #paths(call: Call, { path, asks, style, isIgnored }: AccessForm): string[] | null {
    const meant = path
      ? path.flatMap((key) => argumentOf(call, key) ?? [])
      : call.args.flatMap(({ value }, i) => (i === asks ? [] : [value]));
    if (style === "unknown") return null;
    const all: string[] = [];
    for (const value of meant) {
      if (isMethod(value) || isIgnored?.test(written(value))) continue;
      const texts = this.#texts(value, 0);
      if (texts === null) return null;
      all.push(...texts.filter((text) => !isVerb(text)));
    }
    return style === "servlet" ? all.map(asAnt) : all;
  }

  /** The texts that a value holds; null where some are computed. */
  #texts(value: Expression, depth: number): string[] | null {
    if (depth > nestedMax) return null;
    if (value.kind === "literal") return typeof value.value === "string" ? [value.value] : [];
    if (value.kind === "collection")
      return this.#all(
        value.entries.map((entry) => entry.value),
        depth,
      );
    if (value.kind === "operation" && value.operator === "+") {
      const parts = value.operands.map((part) => this.#texts(part, depth + 1));
      return parts.every((part) => part?.length === 1) ? [parts.join("")] : null;
    }
    // `antMatcher("/notes/**")`, `List.of("/notes")`
    if (value.kind === "call" && value.args.length > 0)
      return this.#all(
        value.args.filter(({ value: given }) => !isMethod(given)).map(({ value: given }) => given),
        depth,
      );
    if (value.kind !== "variable" && value.kind !== "field") return null;
    const from = this.#names.assigned(value.name);
    return from && from !== value ? this.#texts(from, depth + 1) : null;
  }

  #all(values: readonly Expression[], depth: number): string[] | null {
    const all = values.map((value) => this.#texts(value, depth + 1));
    return all.every((texts) => texts !== null) ? all.flat() : null;
  }

  #methods({ args }: Call): string[] {
    return args.flatMap(({ value }) => {
      if (isMethod(value)) return methodsIn(value);
      // `antMatcher(HttpMethod.POST, "/notes")`, `new AntPathRequestMatcher("/notes", "POST")`
      return value.kind === "call"
        ? value.args.flatMap(({ value: inner }) =>
            isMethod(inner) || (inner.kind === "literal" && isVerb(inner.value)) ? methodsIn(inner) : [],
          )
        : [];
    });
  }
}

const everywhere: string[] = ["/**"];

/** The function around, but not those that are written in it. */
const listIn = ({ functions }: Within): string =>
  (functions.findLast(({ owner }) => owner !== null) ?? functions[0])?.name ?? "";

const isMethod = (value: Expression): boolean => value.kind === "field" && isVerb(value.name);

const nameOf = (value: Expression): string => (value.kind === "literal" ? String(value.value) : written(value));

const lastOf = (name: string): string =>
  name
    .replace(/<.*$|\(\)/g, "")
    .split(".")
    .at(-1) ?? "";

const joined = (known: string[] | null, more: string[] | null): string[] | null =>
  known && more ? [...known, ...more] : null;
