import type { FileContext } from "../findings/candidates.ts";
import type { Run } from "../interpret/run.ts";
import type { Call, ClassStatement, Expression, FunctionNode, Module, Statement } from "../ir/ir.ts";
import { eachChild, type IrNode } from "../ir/walk.ts";
import type { TimeLimit } from "../time-limit.ts";
import { Accesses } from "./accesses.ts";
import { pathText } from "./arguments.ts";
import { Assignments } from "./assignments.ts";
import { Calls } from "./calls.ts";
import { Chains } from "./chains.ts";
import { DecoratedRoutes } from "./decorated-routes.ts";
import { Decorators } from "./decorators.ts";
import { FieldTypes } from "./field-types.ts";
import { FileFacts } from "./file-facts.ts";
import { allMethods, functionRecords } from "./function-facts.ts";
import { Groups } from "./groups.ts";
import { NamedHandlers } from "./named-handlers.ts";
import { Names } from "./names.ts";
import { PackageScope } from "./package-scope.ts";
import { isForIncludersOnly } from "./page-route.ts";
import { Records } from "./records.ts";
import { Registration } from "./registration.ts";
import { RouteCalls } from "./route-calls.ts";
import { Routers } from "./routers.ts";
import { Routes, routesMax } from "./routes.ts";
import type { WebKnowledge } from "./web-knowledge.ts";
import { WebPlaces } from "./web-places.ts";
import type { WebRecord } from "./web-record.ts";
import type { Within } from "./within.ts";

/** A stream that goes by its name. */
const requestBody = "php://input";
const superglobal = /^\$_[A-Z]+$/;
const firstWords = /^\s*([a-zA-Z]{3,10})\s+([\w."`[]{1,30})/;

/** Collects the routes of a file and what its functions do; null for a file that says nothing about either. @throws TimeUp */
export function webRecordOf(
  knowledge: WebKnowledge,
  file: FileContext,
  module: Module,
  rules: readonly string[],
  run: Pick<Run, "language" | "limit" | "isForCommandLine">,
): WebRecord | null {
  const collector = new Collector(knowledge, file, module, rules, run);
  collector.walk(module);
  return collector.record();
}

/** Walks over a file and asks those who know about each kind of node. */
class Collector {
  readonly #limit: TimeLimit;
  readonly #isForCommandLine: boolean;
  readonly #text: string;
  readonly #names: Names;
  readonly #scope: PackageScope | null;
  readonly #file: FileFacts;
  readonly #records: Records;
  readonly #fieldTypes: FieldTypes;
  readonly #routes: Routes;
  readonly #routers: Routers;
  readonly #calls: Calls;
  readonly #routeCalls: RouteCalls;
  readonly #groups: Groups;
  readonly #namedHandlers: NamedHandlers;
  readonly #decorators: Decorators;
  readonly #decoratedRoutes: DecoratedRoutes;
  readonly #assignments: Assignments;
  readonly #accesses: Accesses;
  /** Calls whose results nobody takes. */
  readonly #dropped = new Set<Expression>();

  constructor(
    knowledge: WebKnowledge,
    file: FileContext,
    module: Module,
    rules: readonly string[],
    { language, limit, isForCommandLine }: Pick<Run, "language" | "limit" | "isForCommandLine">,
  ) {
    const isPackaged = language === "go";
    const names = new Names(module, isPackaged);
    const registration = new Registration(names, knowledge);
    const chains = new Chains(registration);
    const places = new WebPlaces(file, rules);
    this.#limit = limit;
    this.#isForCommandLine = isForCommandLine;
    this.#text = file.text;
    this.#names = names;
    this.#scope = isPackaged ? new PackageScope(names, knowledge) : null;
    this.#file = new FileFacts(knowledge, places);
    this.#records = new Records(names, knowledge);
    this.#fieldTypes = new FieldTypes(names);
    this.#routes = new Routes(places, chains);
    this.#routers = new Routers(knowledge, names, this.#scope, registration);
    this.#calls = new Calls(names, this.#file, this.#records, this.#fieldTypes);
    this.#routeCalls = new RouteCalls(knowledge, registration, chains, this.#routers, this.#routes);
    this.#groups = new Groups(knowledge, registration, chains, this.#routers, this.#routes, this.#file);
    this.#namedHandlers = new NamedHandlers(knowledge, registration, this.#routes, file.text);
    this.#decorators = new Decorators(knowledge, names, registration, this.#file);
    this.#decoratedRoutes = new DecoratedRoutes(knowledge, names, this.#routers, this.#routes, file.text);
    this.#assignments = new Assignments(names, this.#file, this.#routers);
    this.#accesses = new Accesses(knowledge, names, this.#fieldTypes, file.text);
  }

  record(): WebRecord | null {
    const routes = this.#routes.records;
    const { mounts } = this.#routers;
    const referred = [...routes.flatMap(({ handlers }) => handlers), ...mounts.flatMap(({ uses }) => uses)];
    const functions = functionRecords(this.#file.functions, new Set(referred));
    const inFront = this.#namedHandlers.inFront();
    const controls = functions.flatMap((one) => (inFront.has(one.name) ? one.controls : []));
    const application = [...new Set([...this.#file.application, ...controls])].sort();
    const owned = [...this.#file.owned].sort();
    const standing = [...this.#file.standing.values()];
    const accesses = this.#accesses.records;
    if ([routes, mounts, functions, application, standing, accesses, owned].every(({ length }) => length === 0))
      return null;
    return {
      routes: routes.slice(0, routesMax),
      mounts,
      functions,
      application,
      ...(standing.length > 0 && { standing }),
      ...(accesses.length > 0 && { accesses }),
      ...(owned.length > 0 && { owned }),
    };
  }

  walk({ body }: Module): void {
    const { page } = this.#file;
    const functions = page ? [page.facts] : [];
    for (const statement of body) this.#node(statement, { functions, owner: null });
    const asked = page && !this.#isForCommandLine ? page.asked() : null;
    if (asked) this.#routes.addPage(asked, isForIncludersOnly(this.#text) ? ["authentication"] : []);
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
        return this.#enter(node.fn, {
          ...within,
          functions: within.functions.filter((facts) => !this.#file.isPage(facts)),
        });
      case "closure":
        return this.#enter(node.fn, within);
      case "class":
        return this.#class(node, within);
      case "call":
        return this.#call(node, within);
      case "expression":
        if (node.value.kind !== "call") break;
        this.#dropped.add(node.value);
        this.#calls.alone(node.value, within);
        break;
      case "assign":
        this.#scope?.declare(node);
        this.#routes.hold(node);
        this.#assignments.read(node.to, node.from, within);
        this.#accesses.assign(node, within);
        break;
      case "collection":
        this.#namedHandlers.row(node, within);
        for (const { key, value } of node.entries) {
          if (key?.kind !== "literal") continue;
          if (value.kind === "collection") this.#namedHandlers.entries(String(key.value), value, within);
          if (value.kind === "call") this.#routeCalls.standsUnder(String(key.value), value);
          if (value.kind === "closure") this.#file.name(value.fn, String(key.value));
          else
            for (const name of this.#names.of(value)) this.#file.tell("entry", `${key.value}=${name}`, within, value);
        }
        break;
      case "field":
      case "index":
        for (const name of this.#names.of(node)) this.#file.tell("read", name, within, node);
        break;
      case "variable":
        if (node.bare || this.#names.isImported(node.name) || superglobal.test(node.name))
          this.#file.tell("read", this.#names.full(node) ?? node.name, within, node);
        break;
      case "literal":
      case "template": {
        const text = node.kind === "literal" ? node.value : pathText(node.parts[0]);
        if (text === requestBody) this.#file.tell("read", requestBody, within, node);
        const words = typeof text === "string" && text.length > 8 ? text.match(firstWords) : null;
        if (words) this.#file.tell("text", `${words[1]} ${words[2]}`.toUpperCase(), within, node);
        break;
      }
      case "throw":
        for (const facts of within.functions) facts.effects.add("refuses");
        break;
    }
    return within;
  }

  /** @returns what the nodes in it stand in */
  #call(call: Call, within: Within): Within {
    const { callee } = call;
    const own = this.#names.of(callee);
    // A router may be called anything.
    const isRouters = callee.kind === "field" && this.#scope?.isRouter(callee.of);
    const names = isRouters ? [...own, `router.${callee.name}`] : own;
    this.#calls.read(call, names, within);
    this.#accesses.call(call, names, within);
    this.#routeCalls.register(call, names, within);
    this.#routers.handOn(call, this.#dropped.has(call));
    this.#routes.placeAt(call, within);
    return this.#groups.enter(call, names, within);
  }

  #enter(fn: FunctionNode, within: Within): Within {
    const owner = within.owner?.node ?? null;
    const facts = this.#file.ofFunction(fn, owner?.name ?? null);
    if (this.#scope) facts.self = fn.receiver;
    const inside = { ...within, functions: [...within.functions, facts], owner: null };
    for (const decorator of fn.decorators) this.#decorators.read(decorator, facts, inside);
    this.#decorators.parameters(fn, facts, inside);
    for (const decorator of fn.decorators) this.#decoratedRoutes.add(fn, decorator, facts, owner);
    if (fn.exported) this.#namedHandlers.exported(fn, facts);
    for (const { pattern } of fn.params) if (pattern) this.#file.takenApart(pattern, "context", inside);
    return inside;
  }

  #class(node: ClassStatement, within: Within): Within {
    const facts = this.#file.ofClass(node);
    this.#fieldTypes.learn(node);
    const owned = this.#records.owned(node);
    if (owned !== null) this.#file.owned.add(owned);
    const inside = { functions: [facts], owner: { node, facts } };
    for (const base of node.bases) {
      for (const name of this.#names.of(base)) {
        this.#file.tell("base", name, inside, base);
        this.#file.tell("base", `${node.name}:${name}`, inside, base);
      }
      const reference = this.#names.reference(base);
      if (reference === null) continue;
      facts.calls.add(reference);
      // What is inherited stands in front: `dispatch` of a base asks for a login before the class's own methods run.
      if (reference.startsWith("#")) facts.fronts.add(`${reference}${allMethods}`);
    }
    for (const decorator of node.decorators) this.#decorators.read(decorator, facts, inside);
    for (const decorator of node.decorators) {
      this.#decoratedRoutes.add(node, decorator, facts, null);
      this.#accesses.decorator(decorator, node);
    }
    return { functions: within.functions, owner: inside.owner };
  }
}
