import { anchorOf } from "../findings/anchor.ts";
import { type FileContext, snippetOf, steadySymbol } from "../findings/candidates.ts";
import { pageName } from "../interpret/page.ts";
import type { Run } from "../interpret/run.ts";
import type { Call, ClassStatement, Collection, Expression, FunctionNode, Module, Span, Statement } from "../ir/ir.ts";
import { eachChild, type IrNode, walk } from "../ir/walk.ts";
import type { TimeLimit } from "../time-limit.ts";
import { FunctionFacts, functionRecords } from "./function-facts.ts";
import { closureName, Names, requiredModule, written } from "./names.ts";
import { PackageScope, routerOf } from "./package-scope.ts";
import { anyPage, includedPage, isForIncludersOnly, PageRoute } from "./page-route.ts";
import { Records } from "./records.ts";
import { argumentOf, methodsIn, pathText, type Registered, Registration } from "./registration.ts";
import type { MountForm, RouteForm, WebKnowledge } from "./web-knowledge.ts";
import { itself, type MountRecord, ownPath, type RouteRecord, type WebPlace, type WebRecord } from "./web-record.ts";
import type { Occurrence } from "./web-schema.ts";

/** The path of a route may begin with its method: "POST /orders". */
const methodAndPath = /^([A-Z]{3,7}) +(\S*)$/;
const verbs: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "DEL", "HEAD", "OPTIONS"]);
/** A stream that goes by its name. */
const requestBody = "php://input";
const superglobal = /^\$_[A-Z]+$/;
const firstWords = /^\s*([a-zA-Z]{3,10})\s+([\w."`[]{1,30})/;

/** What a node stands in. */
interface Within {
  /** The functions around it, the innermost last. */
  functions: readonly FunctionFacts[];
  owner: { node: ClassStatement; facts: FunctionFacts } | null;
  /** What stands in front of all that is registered here, and where that lies. */
  group?: Registered & { path: string | null };
}

/** More routes than these in one file are generated. */
const routesMax = 500;

/** Collects the routes of a file and what its functions do; null for a file that says nothing about either. @throws TimeUp */
export function webRecordOf(
  knowledge: WebKnowledge,
  file: FileContext,
  module: Module,
  rules: readonly string[],
  { language, limit }: Pick<Run, "language" | "limit">,
): WebRecord | null {
  const collector = new Collector(knowledge, file, module, rules, language, limit);
  collector.walk(module);
  return collector.record();
}

class Collector {
  readonly #knowledge: WebKnowledge;
  readonly #file: FileContext;
  readonly #names: Names;
  readonly #registration: Registration;
  readonly #records: Records;
  readonly #rules: readonly string[];
  readonly #limit: TimeLimit;
  readonly #facts: FunctionFacts[] = [];
  /** The file itself, where files are asked for by their own path. */
  readonly #page: PageRoute | null;
  /** By class, the simple names of the types that fields are declared with. */
  readonly #fieldTypes = new Map<string, ReadonlyMap<string, string>>();
  readonly #application = new Set<string>();
  /** Functions that stand in front of the whole application. */
  readonly #inFront = new Set<FunctionFacts>();
  readonly #owned = new Set<string>();
  readonly #routes: RouteRecord[] = [];
  readonly #mounts: MountRecord[] = [];
  /** Calls that go on with the result of another, by the call that they go on with: `Route::post(…)->middleware("auth")`. */
  readonly #later = new Map<Expression, Call[]>();
  /** The keys of maps that calls stand under. */
  readonly #keys = new Map<Expression, string>();
  /** The names that a closure is going to get, by where it stands. */
  readonly #given = new Map<FunctionNode, string[]>();
  readonly #scope: PackageScope | null;
  /** Calls whose results nobody takes. */
  readonly #dropped = new Set<Expression>();

  constructor(
    knowledge: WebKnowledge,
    file: FileContext,
    module: Module,
    rules: readonly string[],
    language: string,
    limit: TimeLimit,
  ) {
    this.#knowledge = knowledge;
    this.#file = file;
    const packaged = language === "go";
    this.#names = new Names(module, packaged);
    this.#scope = packaged ? new PackageScope(this.#names, knowledge) : null;
    this.#registration = new Registration(this.#names, knowledge);
    this.#records = new Records(this.#names, knowledge);
    this.#rules = rules;
    this.#page = knowledge.pages.length > 0 ? new PageRoute(knowledge.pages) : null;
    if (this.#page) this.#facts.push(this.#page.facts);
    this.#limit = limit;
  }

  record(): WebRecord | null {
    const referred = [...this.#routes.flatMap(({ handlers }) => handlers), ...this.#mounts.flatMap(({ uses }) => uses)];
    const functions = functionRecords(this.#facts, new Set(referred));
    const inFront = new Set([...this.#inFront].flatMap(({ names }) => [...names]));
    for (const { name, controls } of functions)
      if (inFront.has(name)) for (const control of controls) this.#application.add(control);
    const application = [...this.#application].sort();
    const owned = [...this.#owned].sort();
    if (this.#routes.length + this.#mounts.length + functions.length + application.length + owned.length === 0)
      return null;
    return {
      routes: this.#routes.slice(0, routesMax),
      mounts: this.#mounts,
      functions,
      application,
      ...(owned.length > 0 && { owned }),
    };
  }

  walk({ body }: Module): void {
    const functions = this.#page ? [this.#page.facts] : [];
    for (const statement of body) this.#node(statement, { functions, owner: null });
    const asked = this.#page?.asked();
    if (!asked) return;
    const { methods, at } = asked;
    this.#routes.push({
      ...this.#placed(at, ""),
      methods,
      path: ownPath,
      router: null,
      made: false,
      order: at.start,
      handler: pageName,
      handlers: [`#${pageName}`],
      controls: isForIncludersOnly(this.#file.text) ? ["authentication"] : [],
      anchor: methods.join(","),
    });
  }

  #node(node: IrNode, within: Within): void {
    // Each of these asks for the names of what it is, which costs as much as some steps elsewhere.
    this.#limit.check(4);
    if (this.#scope) this.#scope.functions = within.functions;
    if (!("kind" in node)) {
      // Decorators have been told as such.
      eachChild(node, (child) => {
        if (!node.decorators.includes(child as Expression)) this.#node(child, within);
      });
      return;
    }
    const inside = this.#visit(node, within);
    if (node.kind !== "field" && node.kind !== "index") {
      eachChild(node, (child) => this.#node(child, inside));
      return;
    }
    // The whole name has been told; its parts tell nothing more.
    let of: Expression = node;
    while (of.kind === "field" || of.kind === "index") {
      if (of.kind === "index" && of.key && of.key.kind !== "literal") this.#node(of.key, inside);
      of = of.of;
    }
    if (of.kind !== "variable") this.#node(of, inside);
  }

  /** @returns what the nodes in it stand in */
  #visit(node: Expression | Statement, within: Within): Within {
    switch (node.kind) {
      case "function":
        // What is declared does not happen where it stands.
        return this.#enter(node.fn, { ...within, functions: within.functions.filter((facts) => !this.#isPage(facts)) });
      case "closure":
        return this.#enter(node.fn, within);
      case "class":
        return this.#class(node, within);
      case "call":
        return this.#call(node, within);
      case "expression":
        if (node.value.kind === "call") this.#dropped.add(node.value);
        this.#calledAlone(node.value, within);
        break;
      case "assign":
        this.#scope?.declare(node);
        this.#assign(node.to, node.from, within);
        break;
      case "collection":
        for (const { key, value } of node.entries) {
          if (key?.kind !== "literal") continue;
          if (value.kind === "collection") this.#handlersUnder(String(key.value), value, within);
          if (value.kind === "call") this.#keys.set(value, String(key.value));
          if (value.kind === "closure") this.#name(value.fn, String(key.value));
          else for (const name of this.#names.of(value)) this.#tell("entry", `${key.value}=${name}`, within, value);
        }
        break;
      case "field":
      case "index":
        for (const name of this.#names.of(node)) this.#tell("read", name, within, node);
        break;
      case "variable":
        if (node.bare || this.#names.isImported(node.name) || superglobal.test(node.name))
          this.#tell("read", this.#names.full(node) ?? node.name, within, node);
        break;
      case "literal":
      case "template": {
        const text = node.kind === "literal" ? node.value : pathText(node.parts[0]);
        if (text === requestBody) this.#tell("read", requestBody, within, node);
        const words = typeof text === "string" && text.length > 8 ? text.match(firstWords) : null;
        if (words) this.#tell("text", `${words[1]} ${words[2]}`.toUpperCase(), within, node);
        break;
      }
      case "throw":
        for (const facts of within.functions) facts.effects.add("refuses");
        break;
    }
    return within;
  }

  /** @param isDone whether the functions around do what is told; else it is only in front of them */
  #tell(occurrence: Occurrence, name: string, { functions }: Within, at: Span, isDone = () => true): void {
    if (occurrence === "read" && functions.some((facts) => this.#isPage(facts))) this.#page?.read(name, at);
    const { controls, application, effects, placed } = this.#knowledge.tells(occurrence, name);
    for (const control of application) this.#application.add(control);
    const done = effects.length > 0 && isDone() ? effects : [];
    const places = placed.map((effect) => ({ ...this.#placed(at, nameOf(functions.at(-1))), effect }));
    for (const facts of functions) {
      for (const control of controls) facts.controls.add(control);
      for (const effect of done) facts.effects.add(effect);
      facts.places.push(...places);
    }
  }

  /** Which records a call is about, and whether the request alone chooses them. */
  #use(call: Call, names: readonly string[], { functions }: Within): void {
    const parameters = () => new Set(functions.flatMap((facts) => [...facts.parameters.keys()]));
    const use = this.#records.use(call, names, parameters);
    if (use?.owned) this.#owned.add(use.record);
    if (!use?.byId) return;
    const place = { ...this.#placed(call, nameOf(functions.at(-1))), effect: "by-id", record: use.record };
    for (const facts of functions) {
      facts.effects.add(place.effect);
      facts.places.push(place);
    }
  }

  /** What a finding at a place is going to need. */
  #placed(at: Span, symbol: string): Omit<WebPlace, "effect"> {
    const place = this.#file.lines.place(at.start, at.end);
    const suppressed = this.#rules.flatMap((rule) => {
      const given = this.#file.suppressions.of(rule, place.startLine);
      return given ? [[rule, given.reason]] : [];
    });
    return {
      ...place,
      symbol: steadySymbol(symbol),
      anchor: anchorOf(this.#file.text.slice(at.start, at.end), this.#file.hashComments),
      snippet: snippetOf(this.#file.lines, place),
      suppressed: Object.fromEntries(suppressed),
    };
  }

  #isPage(facts: FunctionFacts): boolean {
    return facts === this.#page?.facts;
  }

  #name(fn: FunctionNode, name: string): void {
    this.#given.set(fn, [...(this.#given.get(fn) ?? []), name]);
  }

  #enter(fn: FunctionNode, within: Within): Within {
    const owner = within.owner?.node.name ?? null;
    const facts = new FunctionFacts(owner === null ? closureName(fn) : `${owner}.${closureName(fn)}`, owner);
    for (const name of this.#given.get(fn) ?? []) facts.names.add(name);
    this.#facts.push(facts);
    for (const { name, type } of fn.params) facts.parameters.set(name, type);
    if (this.#scope) facts.self = fn.receiver;
    const inside = { ...within, functions: [...within.functions, facts], owner: null };
    this.#decorated(fn, facts, within, inside);
    if (fn.exported) this.#exported(fn, facts);
    for (const { pattern } of fn.params) if (pattern) this.#takenApart(pattern, "context", inside);
    return inside;
  }

  /** A function that a framework finds by the name under which the file exports it. */
  #exported(fn: FunctionNode, facts: FunctionFacts): void {
    const name = [...facts.names].find((known) => !known.startsWith("<")) ?? "";
    const { routes, mounts } = this.#knowledge.registers([name]);
    const isMeant = ({ on, isFile }: RouteForm | MountForm) =>
      on === "export" && isFile?.test(this.#file.text) !== false;
    if (mounts.some(isMeant)) this.#inFront.add(facts);
    const model = routes.find(isMeant);
    if (!model) return;
    const at = { start: fn.start, end: headOf(this.#file.text, fn) };
    this.#addRoute(at, { model, call: calling(fn, name), path: ownPath, ...foundByName, symbol: name }, [`#${name}`]);
  }

  /** The handlers of a map under such a key: `Mutation: { addNote }`. */
  #handlersUnder(key: string, { entries, shape }: Collection, within: Within): void {
    const { routes } = this.#knowledge.registers([key]);
    const model = routes.find(({ on, isFile }) => on === "entry" && isFile?.test(this.#file.text) !== false);
    if (!model || shape !== "map") return;
    for (const entry of entries) {
      const path = entry.key?.kind === "literal" ? String(entry.key.value) : null;
      if (path === null) continue;
      const into: Registered = { references: [], controls: new Set() };
      this.#registration.place(entry.value, true, into);
      const symbol = nameOf(within.functions.at(-1));
      const at = entry.key ?? entry;
      if (into.references.length > 0)
        this.#addRoute(
          at,
          { model, call: calling(at, path), path, ...foundByName, symbol },
          into.references,
          into.controls,
        );
    }
  }

  /** `{ user }` of a parameter and `const { user } = req` read as much as `req.user` does. */
  #takenApart(pattern: Expression, of: string, within: Within): void {
    if (pattern.kind !== "collection" || pattern.shape !== "map") return;
    for (const { key } of pattern.entries)
      if (key?.kind === "literal") this.#tell("read", `${of}.${key.value}`, within, key);
  }

  #class(node: ClassStatement, within: Within): Within {
    const facts = new FunctionFacts(node.name, node.name);
    this.#facts.push(facts);
    this.#fieldTypes.set(node.name, fieldTypes(node));
    const owned = this.#records.owned(node);
    if (owned !== null) this.#owned.add(owned);
    const inside = { functions: [facts], owner: { node, facts } };
    for (const base of node.bases) {
      for (const name of this.#names.of(base)) {
        this.#tell("base", name, inside, base);
        this.#tell("base", `${node.name}:${name}`, inside, base);
      }
      const reference = this.#names.reference(base);
      if (reference !== null) facts.calls.add(reference);
    }
    for (const decorator of node.decorators) this.#decorator(decorator, facts, inside);
    for (const decorator of node.decorators) this.#decoratedRoute(node, decorator, facts, null);
    return { functions: within.functions, owner: inside.owner };
  }

  /** What a decorator says by its name and its arguments, and the function that it is. */
  #decorator(decorator: Expression, facts: FunctionFacts, inside: Within): void {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    const names = this.#names.of(callee);
    for (const name of names) this.#tell("decorator", name, inside, decorator);
    if (decorator.kind === "call" && names.some((name) => this.#knowledge.isFront(name))) {
      this.#fronts(decorator, facts);
      return;
    }
    const into: Registered = { references: [], controls: facts.controls };
    for (const { name, value } of decorator.kind === "call" ? decorator.args : []) {
      // `[Authorize(Roles = "Admin")]`
      if (name !== null && value.kind === "literal")
        this.#tell("entry", `${written(callee)}.${name}=${value.value}`, inside, decorator);
      this.#registration.place(value, false, into);
    }
    const reference = this.#names.reference(callee);
    for (const called of [...into.references, ...(reference === null ? [] : [reference])]) facts.fronts.add(called);
  }

  /** Methods of the class that run first. What keeps others out does nothing of the handler's work; what looks its record up does. */
  #fronts({ args }: Call, { owner, controls, calls, fronts }: FunctionFacts): void {
    for (const { name, value } of args) {
      if (name !== null) continue;
      const into: Registered = { references: [], controls: new Set(), byName: true };
      this.#registration.place(value, false, into);
      for (const control of into.controls) controls.add(control);
      const to = into.controls.size > 0 ? fronts : calls;
      for (const reference of into.references) to.add(reference.replace(/^#(?!<)/, `#${owner}.`));
    }
  }

  #decorated(fn: FunctionNode, facts: FunctionFacts, within: Within, inside: Within): void {
    for (const decorator of fn.decorators) this.#decorator(decorator, facts, inside);
    for (const { name: parameter, type, decorators, default: fallback } of fn.params) {
      // Who somebody is may be asked for only to keep strangers out.
      const isUsed = () => mentions(fn, parameter);
      if (type !== null) this.#tell("parameter", type, inside, fn, isUsed);
      for (const decorator of [...decorators, ...(fallback ? [fallback] : [])]) {
        if (decorator.kind !== "call" && decorator.kind !== "variable") continue;
        const callee = decorator.kind === "call" ? decorator.callee : decorator;
        for (const named of [callee, ...(decorator.kind === "call" ? decorator.args.map(({ value }) => value) : [])])
          for (const name of this.#names.of(named)) this.#tell("parameter", name, inside, decorator, isUsed);
        const into: Registered = { references: [], controls: facts.controls };
        this.#registration.place(decorator, false, into);
        for (const reference of into.references) facts.fronts.add(reference);
      }
    }
    for (const decorator of fn.decorators) this.#decoratedRoute(fn, decorator, facts, within.owner?.node ?? null);
  }

  #decoratedRoute(
    on: FunctionNode | ClassStatement,
    decorator: Expression,
    facts: FunctionFacts,
    owner: ClassStatement | null,
  ): void {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    const names = this.#names.of(callee);
    const router = callee.kind === "field" ? written(callee.of) : null;
    const handler = `#${[...facts.names][0]}`;
    const asCall: Call =
      decorator.kind === "call" ? decorator : { ...decorator, kind: "call", callee, args: [], isNew: false };
    const isClass = facts.owner !== null && facts.names.has(facts.owner);
    const { routes, mounts } = this.#knowledge.registers(names);
    const name = "name" in on ? on.name : "";
    const route = routes.find(
      (model) => model.on === "decorator" && (model.classes || !isClass) && (model.isNamed?.test(name) ?? true),
    );
    if (route) {
      const own = route.path.map((key) => pathText(argumentOf(asCall, key))).find((path) => path !== null) ?? null;
      if (route.isPath && !(own !== null && route.isPath.test(own))) return;
      const before = owner ? this.#prefix(owner, route) : null;
      const path = before === null ? own : `${before}/${own ?? ""}`.replace(/\/+/g, "/");
      const at = { start: decorator.start, end: headOf(this.#file.text, on) };
      this.#addRoute(
        at,
        { model: route, call: asCall, path, ...this.#router(owner ? null : router), symbol: handler.slice(1) },
        [handler, ...(owner ? [`#${owner.name}${itself}`] : [])],
        route.controls,
      );
    }
    const mount = mounts.find((model) => model.on === "decorator");
    if (mount && router !== null) this.#mounts.push({ router, path: null, order: 0, controls: [], uses: [handler] });
  }

  #prefix({ decorators }: ClassStatement, { isPrefix, path }: RouteForm): string | null {
    const found = decorators.find(
      (decorator) => decorator.kind === "call" && isPrefix?.test(written(decorator.callee)),
    );
    if (found?.kind !== "call") return null;
    return path.map((key) => pathText(argumentOf(found, key))).find((path) => path !== null) ?? "";
  }

  #addRoute(
    at: Span,
    found: Pick<RouteRecord, "path" | "router" | "made" | "symbol"> & { model: RouteForm; call: Call },
    handlers: string[],
    controls: Iterable<string> = [],
  ): void {
    const { model, call, path: given, router, made, symbol } = found;
    const [, method, rest] = given?.match(methodAndPath) ?? [];
    const path = rest ?? given;
    const methods = method !== undefined && verbs.has(method) ? [method] : this.#methods(model, call);
    this.#routes.push({
      ...this.#placed(at, symbol),
      methods,
      path,
      ...(model.pathIn !== undefined && { pathIn: model.pathIn }),
      router,
      made,
      order: at.start,
      handler: (handlers.findLast((name) => !name.endsWith(itself)) ?? "").replace(/^#/, ""),
      handlers,
      controls: [...new Set(controls)],
      anchor: `${methods.join(",")} ${path ?? symbol}`,
    });
  }

  #methods({ methods, methodsBy, otherwise }: RouteForm, call: Call): string[] {
    const listed = methods === undefined ? undefined : argumentOf(call, methods);
    const later = (this.#later.get(call) ?? []).filter(
      ({ callee }) => callee.kind === "field" && callee.name === methodsBy,
    );
    const all = [...(listed ? [listed] : []), ...later.flatMap(({ args }) => args.map(({ value }) => value))];
    const words = all.flatMap(methodsIn).filter((word) => /^[A-Z]+$/.test(word));
    if (words.length > 0) return words;
    const name = call.callee.kind === "field" || call.callee.kind === "variable" ? call.callee.name : "";
    const word = name.match(/^([A-Z]?[a-z]+|[A-Z]+)/)?.[0].toUpperCase() ?? "";
    const verb = verbs.has(word) ? word : undefined;
    return [verb === "DEL" ? "DELETE" : (verb ?? otherwise)];
  }

  /** @returns what the nodes in it stand in */
  #call(call: Call, within: Within): Within {
    const names = this.#names.of(call.callee);
    // A router may be called anything.
    if (call.callee.kind === "field" && this.#scope?.isRouter(call.callee.of)) names.push(`router.${call.callee.name}`);
    for (const name of names) this.#tell("call", name, within, call);
    const injected = this.#injected(call.callee, within);
    // A field called `orders` is a repository by its type.
    this.#use(call, injected === null ? names : [...names, injected.replace(/^#/, "")], within);
    const [first] = call.args;
    if (first?.value.kind === "literal" && String(first.value.value).length < 40)
      this.#tell("read", `${written(call.callee)}.${first.value.value}`, within, call);
    const reference = this.#names.reference(call.callee);
    if (reference !== null && this.#names.leads(reference))
      for (const facts of within.functions) facts.calls.add(reference);
    if (injected !== null) for (const facts of within.functions) facts.calls.add(injected);
    const included = this.#page ? includedPage(call) : null;
    if (included === anyPage) this.#tell("read", anyPage, within, call);
    else if (included !== null) for (const facts of within.functions) facts.fronts.add(included);
    this.#registered(call, names, within);
    if (this.#scope) this.#handedOn(call, this.#scope);
    return this.#grouped(call, names, within);
  }

  /** `require_login();` means a function of any file; those whose results are used are mostly the language's own. */
  #calledAlone(value: Expression, { functions }: Within): void {
    if (!this.#page || value.kind !== "call" || value.callee.kind !== "variable") return;
    const reference = this.#names.reference(value.callee);
    if (reference !== null && /^[\w\\]+$/.test(reference)) for (const facts of functions) facts.calls.add(reference);
  }

  /** What a function registers that is given to a call such as `Route::middleware("auth")->group(…)`. */
  #grouped(call: Call, names: readonly string[], within: Within): Within {
    const { mounts } = this.#knowledge.registers(names);
    const isWritten = call.args.some(({ value }) => value.kind === "closure");
    // Without a function some only make a router.
    const makes = !isWritten && mounts.some(({ of }) => of === "result");
    if (makes || !mounts.some(({ of }) => of === "closure")) return within;
    const into: Registered = { references: [], controls: new Set(), byName: true };
    this.#chained(call, into);
    for (const { value } of call.args)
      if (value.kind === "collection" && value.shape === "map") this.#options(value, [], into);
      else if (value.kind !== "closure" && value.kind !== "literal") this.#registration.place(value, false, into);
    // Routes of a file that is named here are not followed: what is in front of them may be in front of any.
    if (!isWritten) for (const control of into.controls) this.#application.add(control);
    if (!isWritten) return within;
    const { group } = within;
    const [first] = call.args;
    const own = first?.value.kind === "closure" ? null : pathText(first?.value);
    if (this.#scope) this.#groupedRouter(call, this.#scope);
    return {
      ...within,
      group: {
        path: own === null ? (group?.path ?? null) : joined(group?.path ?? "", own),
        references: [...(group?.references ?? []), ...into.references],
        controls: new Set([...(group?.controls ?? []), ...into.controls]),
      },
    };
  }

  /** The function that is given registers on a router of its own, which lies in the one that it was called on. */
  #groupedRouter({ callee, args, start }: Call, scope: PackageScope): void {
    const fn = args.map(({ value }) => value).find((value) => value.kind === "closure")?.fn;
    const own = fn?.params[0]?.name;
    if (!fn || own === undefined || callee.kind !== "field") return;
    const router = scope.router(routerOf(callee.of));
    this.#mounts.push({ router, path: null, order: start, controls: [], uses: [`#${closureName(fn)}(${own})`] });
  }

  /** The method of another class that is called on a field of this one, as its declared type tells. */
  #injected(callee: Expression, { functions }: Within): string | null {
    if (callee.kind !== "field") return null;
    const { of } = callee;
    const isOwn = of.kind === "field" && of.of.kind === "variable" && /^(this|self|\$this)$/.test(of.of.name);
    if (!isOwn && of.kind !== "variable") return null;
    const owner = functions.findLast((facts) => facts.owner !== null)?.owner;
    const type = this.#fieldTypes.get(owner ?? "")?.get(of.name.replace(/^\$/, ""));
    if (type === undefined) return null;
    const full = this.#names.full({ start: 0, end: 0, kind: "variable", name: type }) ?? type;
    return `${this.#names.declared.has(type) ? "#" : ""}${full}.${callee.name}`;
  }

  #registered(call: Call, names: readonly string[], within: Within): void {
    const { router, made } = this.#router(call.callee.kind === "field" ? routerOf(call.callee.of) : null);
    const { routes, mounts } = this.#knowledge.registers(names);
    const isList = call.callee.kind === "field" && this.#knowledge.listsMethods(call.callee.name);
    if (isList || this.#isChain(call)) this.#goesOn(call);
    const route = routes.find((model) => model.on === "call");
    if (route) {
      const path = route.path.map((key) => argumentOf(call, key)).find((found) => found !== undefined);
      const text = pathText(path) ?? this.#keys.get(call) ?? null;
      const isPath = route.isPath === null || (text !== null && route.isPath.test(text));
      const into: Registered = { references: [], controls: new Set(), byName: route.byName };
      if (isPath) this.#chained(call, into);
      const before = into.references.length;
      if (isPath) this.#handlersOf(call, route, into);
      if (into.references.length === before) into.references.length = 0;
      const inner = isPath ? this.#servedBy(call, route) : null;
      if (inner !== null) {
        this.#mounts.push({ router: inner, path: null, order: 0, controls: [...into.controls], uses: into.references });
        if (router !== null)
          this.#mounts.push({ router, path: text, order: call.start, controls: [], uses: [`#${inner}`] });
        return;
      }
      if (into.references.length > 0) {
        const end = path && path.end > call.start ? path.end : call.callee.end;
        const symbol = nameOf(within.functions.at(-1));
        this.#addRoute(
          { start: call.start, end },
          { model: route, call, path: joined(within.group?.path ?? "", text), router, made, symbol },
          [...(within.group?.references ?? []), ...ownMethods(into.references, within)],
          [...route.controls, ...(within.group?.controls ?? []), ...into.controls],
        );
        return;
      }
    }
    const mount = mounts.find((model) => model.on === "call" && model.of === "receiver");
    if (mount && router !== null) this.#mount(router, call, mount);
  }

  /** What a router is called here and in other files, and whether this one makes it. */
  #router(name: string | null): Pick<RouteRecord, "router" | "made"> {
    const made = name !== null && this.#names.assigned(name)?.kind === "call";
    return { router: name !== null && this.#scope ? this.#scope.router(name) : name, made };
  }

  /** The router at the end of what is registered as a handler: `http.Handle("/api/", auth(api))`. */
  #servedBy({ args }: Call, { handlers }: RouteForm): string | null {
    const last = args[handlers] && args.at(-1)?.value;
    const served = last && this.#scope?.served(last);
    return served ? this.#router(routerOf(served)).router : null;
  }

  /** Routers that a function is given: it registers on them, or its result stands in front of them. */
  #handedOn(call: Call, scope: PackageScope): void {
    const reference = this.#names.reference(call.callee);
    for (const [i, { name, value }] of call.args.entries()) {
      if (name !== null) this.#kept(`${written(call.callee)}.${name}`, value, scope);
      const served = scope.served(value);
      if (!served) continue;
      const { router } = this.#router(routerOf(served));
      if (router === null) continue;
      if (served === value && reference !== null && this.#names.leads(reference)) {
        const into: Registered = { references: [], controls: new Set() };
        if (value.kind === "call")
          for (const argument of value.args) this.#registration.place(argument.value, false, into);
        const path = value.kind === "call" ? pathText(value.args[0]?.value) : null;
        const uses = [...into.references, `${reference.replace(/^#/, "~")}(${i})`];
        this.#mounts.push({ router, path, order: call.start, controls: [...into.controls], uses });
      }
      if (this.#dropped.has(call) || (served === value && value.kind === "call")) continue;
      const into: Registered = { references: [], controls: new Set() };
      this.#registration.place({ ...call, args: [] }, false, into);
      this.#mounts.push({ router, path: null, order: 0, controls: [...into.controls], uses: into.references });
    }
  }

  /** A field holds a router that is made for it, or that was made before. */
  #kept(field: string, value: Expression, scope: PackageScope): void {
    if (!scope.isRouter(value)) return;
    const router = value.kind === "call" ? `${field}:${written(value)}` : scope.router(routerOf(value));
    this.#mounts.push({ router, path: null, order: value.start, controls: [], uses: [`#${field}`] });
  }

  /** What other calls of a chain put in front: `r.With(auth).Post("/a", f)`, `Route::post("/a", f)->middleware("auth")`. */
  #chained(call: Call, into: Registered): void {
    const later = this.#later.get(call) ?? [];
    const before: Call[] = [];
    let here = call.callee;
    for (; here.kind === "field" && here.of.kind === "call"; here = here.of.callee) before.push(here.of);
    const placing = [...later, ...before].filter((other) => this.#isChain(other));
    for (const { callee } of new Set([...later, ...placing]))
      for (const name of this.#names.of(callee))
        for (const control of this.#knowledge.tells("use", name).controls) into.controls.add(control);
    for (const { args } of placing) for (const { value } of args) this.#registration.place(value, false, into);
  }

  #isChain({ callee }: Call): boolean {
    return this.#knowledge.registers(this.#names.of(callee)).mounts.some(({ of }) => of === "chain");
  }

  /** Outer calls are met first: what is registered further in asks for them. */
  #goesOn(call: Call): void {
    for (let here = call.callee; here.kind === "field" && here.of.kind === "call"; here = here.of.callee)
      this.#later.set(here.of, [...(this.#later.get(here.of) ?? []), call]);
  }

  #handlersOf(call: Call, route: RouteForm, into: Registered): void {
    const positional = call.args.filter(({ name }) => name === null).map(({ value }) => value);
    // A handler that is named is alone: numbers and settings come after it.
    const given = positional.slice(route.handlers, route.byName ? route.handlers + 1 : undefined);
    for (const [i, value] of given.entries()) {
      if (value.kind === "collection" && value.shape === "map") this.#options(value, route.handlerKeys, into);
      else this.#registration.place(value, i === given.length - 1, into);
    }
    for (const { name, value } of call.args)
      if (name !== null && name !== route.methods)
        this.#registration.place(value, route.handlerKeys.includes(name), into);
    const last = given.at(-1);
    const hasKey = last?.kind === "collection" && route.handlerKeys.length > 0;
    // What ends in settings is a request that the program makes itself: `api.post("/a", { b })`.
    if (last?.kind === "collection" && last.shape === "map" && !(hasKey && hasHandler(last, route.handlerKeys)))
      into.references.length = 0;
  }

  /** Settings among the arguments: what they are called tells as much as what they hold. */
  #options(map: Extract<Expression, { kind: "collection" }>, keys: readonly string[], into: Registered): void {
    const keyOf = ({ key }: (typeof map.entries)[number]) => (key?.kind === "literal" ? String(key.value) : "");
    const ordered = [...map.entries].sort((a, b) => Number(keys.includes(keyOf(a))) - Number(keys.includes(keyOf(b))));
    for (const entry of ordered) {
      const { value } = entry;
      if (value.kind === "literal" && value.value === false) continue;
      for (const control of this.#knowledge.tells("use", keyOf(entry)).controls) into.controls.add(control);
      if (value.kind === "collection" && value.shape === "map") this.#options(value, keys, into);
      else this.#registration.place(value, keys.includes(keyOf(entry)), into);
    }
  }

  #mount(router: string, call: Call, { path: keys, routers }: MountForm): void {
    const into: Registered = { references: [], controls: new Set() };
    const path = keys.map((key) => pathText(argumentOf(call, key))).find((text) => text !== null) ?? null;
    const last: Registered = { references: into.references, controls: new Set() };
    for (const [i, { name, value }] of call.args.entries()) {
      const isName = value.kind === "variable" || value.kind === "field" || requiredModule(value) !== null;
      const isLast = i > 0 && i === call.args.length - 1 && isName;
      if (routers && name === null) this.#mounted(value, into);
      else this.#registration.place(value, false, isLast ? last : into);
    }
    const named = [...last.controls].filter((control) => !into.controls.has(control));
    const controls = [...into.controls];
    const uses = into.references;
    this.#mounts.push({ router, path, order: call.start, controls, ...(named.length > 0 && { last: named }), uses });
  }

  /** A router that is put into another: a variable, or what a function makes. */
  #mounted(value: Expression, into: Registered): void {
    const served = this.#scope?.served(value);
    if (served) into.references.push(`#${this.#router(routerOf(served)).router}`);
    const maker = this.#scope && value.kind === "call" ? this.#names.reference(value.callee) : null;
    if (maker !== null) into.references.push(`${maker.replace(/^#/, "~")}()`);
    else this.#registration.place(value, true, { references: into.references, controls: new Set() });
  }

  /** `this.save = …` in a function that makes objects, called as interpret/assign.ts exports it. */
  #methodOf(to: Expression, { functions, owner }: Within): string | null {
    const maker = functions.at(-1);
    if (owner || !maker || maker.owner !== null || to.kind !== "field" || written(to.of) !== "this") return null;
    const [name = ""] = maker.names;
    return `${name.startsWith("<") ? "this" : name}.${to.name}`;
  }

  #assign(to: Expression, from: Expression, within: Within): void {
    if (from.kind === "variable" || from.kind === "field") this.#takenApart(to, written(from), within);
    const name = written(to).replace(/^(module\.)?exports\.?/, "");
    if (from.kind === "closure") this.#name(from.fn, this.#methodOf(to, within) ?? (name || "default"));
    // What a file hands out may stand in front of all, as `export { auth as middleware } from "./auth"` does.
    else if (/^(module\.)?exports\b/.test(written(to)))
      for (const given of this.#names.of(from)) this.#tell("entry", `${name || "default"}=${given}`, within, from);
    if (to.kind === "field" || to.kind === "index")
      for (const target of this.#names.of(to)) this.#tell("assign", target, within, to);
    if (to.kind === "field" && this.#scope) this.#kept(this.#scope.router(written(to)), from, this.#scope);
    if (from.kind === "call" && (to.kind === "variable" || (this.#scope && to.kind === "field"))) {
      const names = this.#names.of(from.callee);
      const made = this.#knowledge.registers(names).mounts.find((model) => model.of === "result");
      const { router: own } = this.#router(written(to));
      if (made && own !== null) this.#mount(own, { ...from, start: 0 }, { ...made, path: [] });
      if (made?.within && from.callee.kind === "field") {
        const path = made.path.map((key) => pathText(argumentOf(from, key))).find((text) => text !== null) ?? null;
        const { router } = this.#router(routerOf(from.callee.of));
        if (router !== null) this.#mounts.push({ router, path, order: from.start, controls: [], uses: [`#${own}`] });
      }
    }
    if (within.functions.every((facts) => this.#isPage(facts))) this.#settings(name, from, within);
  }

  /** Texts in what is assigned at the top of a file or class. */
  #settings(name: string, from: Expression, within: Within): void {
    const inside = within.owner ? { ...within, functions: [within.owner.facts] } : within;
    if (from.kind === "literal") this.#tell("setting", `${name}=${from.value}`, inside, from);
    if (from.kind === "variable" || from.kind === "field" || from.kind === "call")
      for (const value of this.#names.of(from)) this.#tell("setting", `${name}=${value}`, inside, from);
    if (from.kind !== "collection") return;
    for (const { key, value } of from.entries)
      this.#settings(key?.kind === "literal" ? `${name}.${key.value}` : name, value, within);
  }
}

/** `$this->save` is a method of the class in which it is registered. */
function ownMethods(references: readonly string[], { functions }: Within): string[] {
  const owner = functions.findLast((facts) => facts.owner !== null)?.owner;
  return references.map((reference) => (owner ? reference.replace(/^#this\./, `#${owner}.`) : reference));
}

/** Types of fields, and of what a constructor takes: that becomes a field of the same name. */
function fieldTypes({ name, body }: ClassStatement): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  const add = (field: string, type: string | null) => {
    const simple = type?.match(/^(?:final\s+)?([A-Z]\w*)/)?.[1];
    if (simple !== undefined) types.set(field.replace(/^\$/, ""), simple);
  };
  for (const statement of body) {
    if (
      statement.kind === "function" &&
      /^(constructor|__construct|__init__)$|^$/.test(statement.fn.name.replace(name, ""))
    )
      for (const { name: field, type } of statement.fn.params) add(field, type);
    if (statement.kind !== "expression" || statement.value.kind !== "assign") continue;
    const { to, type } = statement.value;
    if (to.kind === "variable" || to.kind === "field") add(to.name, type);
  }
  return types;
}

/** Whether the body of a function has a variable of this name. */
function mentions({ body }: FunctionNode, name: string): boolean {
  let found = false;
  walk(body, (node) => {
    found ||= "kind" in node && node.kind === "variable" && node.name === name;
  });
  return found;
}

/** What stands in no function has no name. */
const nameOf = (facts: FunctionFacts | undefined): string => ([...(facts?.names ?? [])][0] ?? "").replace(pageName, "");

const hasHandler = (map: Expression, keys: readonly string[]): boolean =>
  map.kind === "collection" &&
  map.entries.some(({ key }) => key?.kind === "literal" && keys.includes(String(key.value)));

/** A path in a group that lies at another. */
const joined = (before: string, path: string | null): string | null =>
  before === "" ? path : `${before}/${path ?? ""}`.replace(/\/+/g, "/").replace(/(.)\/$/, "$1");

/** A framework finds it by its name, and not by a router. */
const foundByName = { router: null, made: false };

/** What a framework calls by a name, as if it were called by it here. */
const calling = (at: Span, name: string): Call => {
  const span = { start: at.start, end: at.end };
  return { ...span, kind: "call", callee: { ...span, kind: "variable", name }, args: [], isNew: false };
};

/** Where the first line of a function ends. */
function headOf(text: string, fn: Span): number {
  const end = text.indexOf("\n", fn.start);
  return end < 0 ? fn.end : Math.min(end, fn.end);
}
