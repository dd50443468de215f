import type { Severity } from "../finding.ts";
import type { Place } from "../structure/structure-schema.ts";
import type { EntryPoint, Families, Match, SanitizerModel, SourceModel, Test } from "./catalogue.ts";
import { expression, type LazyRegex } from "./expression.ts";
import type { Knowledge } from "./knowledge.ts";
import { expandBraces, lastSegment, PathIndex, segmentOf } from "./paths.ts";
import type { Condition, Family, Model, Rule } from "./schema.ts";
import type { Statement } from "./statements.ts";

/** Which of the names that a statement is about are wanted: by the last segment of a path, or by a key. */
type Wanted = (segment: string) => boolean;

/** What statements refer to. */
export interface Glossary {
  family(name: string): Family;
  bitsOf(families: "all" | readonly string[]): Families;
  /** The kinds of sources that are meant by names of kinds and groups. */
  kinds(names: readonly string[]): ReadonlySet<string>;
}

/** Reads what rules and models say of one language. What a statement means is made once, whatever name it is read for. */
export class StatementReader {
  readonly #glossary: Glossary;
  readonly #rules: readonly Rule[];
  /** The kinds of input that rules ask about. */
  readonly #asked: ReadonlySet<string>;
  readonly #made = new Map<object, unknown>();
  readonly #points = new Map<object, EntryPoint>();
  readonly #matches = new Map<Rule, Map<object, Match>>();

  /** @param rules those of the language that follow values, as far as they are on */
  constructor(glossary: Glossary, rules: readonly Rule[]) {
    this.#glossary = glossary;
    this.#rules = rules;
    this.#asked = new Set(rules.flatMap((rule) => [...glossary.kinds(rule.taint?.sources ?? [])]));
  }

  /** What holds whatever is asked. */
  begin(knowledge: Knowledge, models: readonly Model[]): void {
    for (const { sources, entryPoints } of models) {
      for (const { shallow, kind } of sources) if (shallow && this.#asked.has(kind)) knowledge.shallowKinds.add(kind);
      for (const entry of entryPoints) {
        if (entry.names && !entry.method && !entry.exported) knowledge.entryNames.push(this.#entryPoint(entry));
        if (entry.exported) knowledge.hasEntryExports = true;
      }
    }
  }

  /** Adds a statement, as far as it is about names that are wanted. */
  read(statement: Statement, knowledge: Knowledge, wanted: Wanted): void {
    const remember = (pattern: string, add: (path: string) => void) => addPaths(knowledge, pattern, wanted, add);
    switch (statement.section) {
      case "patterns": {
        const { by, entry } = statement;
        const unless = by.unlessFact === undefined ? entry.unless : [...entry.unless, { fact: by.unlessFact }];
        const match = this.#match(by, { ...entry, unless });
        this.#place(knowledge, entry, match, wanted);
        if (!entry.define || !wanted(entry.define.method)) break;
        const { method, body, parameters } = entry.define;
        knowledge.definitions.add(method, { match, body, parameters: regex(parameters) });
        break;
      }
      case "ownSinks":
        this.#place(knowledge, statement.entry, this.#match(statement.by, statement.entry), wanted);
        break;
      case "sinks": {
        const { entry } = statement;
        for (const rule of this.#rules)
          if (rule.family === entry.family && !rule.taint?.ownSinks)
            this.#place(knowledge, entry, this.#match(rule, entry), wanted);
        break;
      }
      case "sources": {
        const { call, read, kind } = statement.entry;
        // What no rule asks about is nobody's input: configuration, arguments of a command line.
        if (!this.#asked.has(kind)) break;
        const source = this.#source(statement.entry);
        if (call) remember(call, (path) => knowledge.calls.put("sources", path, source));
        if (read) remember(read, (path) => knowledge.reads.put("sources", path, source));
        break;
      }
      case "sanitizers": {
        const { call, read } = statement.entry;
        const sanitizer = this.#sanitizer(statement.entry);
        if (call) remember(call, (path) => knowledge.calls.put("sanitizers", path, sanitizer));
        if (read) remember(read, (path) => knowledge.reads.put("sanitizers", path, sanitizer));
        break;
      }
      case "decoders": {
        const undone = this.#glossary.bitsOf(statement.entry.undoes);
        remember(statement.entry.call, (path) => knowledge.calls.put("decoders", path, undone));
        break;
      }
      case "guards": {
        const { call } = statement.entry;
        const guard = this.#once(statement.entry, ({ of, cleans, asksFields, when, unless, answer, throws }) => {
          const tests = { when: when.map(compileTest), unless: unless.map(compileTest) };
          return { of, cleans: this.#glossary.bitsOf(cleans), asksFields, ...tests, answer, throws };
        });
        for (const path of expanded(call)) if (wanted(segmentOf(path))) knowledge.calls.put("guards", path, guard);
        break;
      }
      case "everywhere": {
        const cleans = this.#glossary.bitsOf(statement.entry.cleans);
        remember(statement.entry.call, (path) => knowledge.calls.put("everywhere", path, cleans));
        break;
      }
      case "containers": {
        const { call, does } = statement.entry;
        remember(call, (path) => knowledge.calls.put("containers", path, does));
        break;
      }
      case "schemas": {
        const { entry } = statement;
        const made = this.#once(entry, ({ is, of, part, when }) => ({ is, of, part, when: when.map(compileTest) }));
        remember(entry.call, (path) => knowledge.calls.put("schemas", path, made));
        break;
      }
      case "parsers": {
        const { entry } = statement;
        const parser = this.#once(entry, ({ argument, schema, gives, tells, receiver }) => {
          return { argument, schema, gives, tells, receiver: regex(receiver) };
        });
        remember(entry.call, (path) => knowledge.calls.put("parsers", path, parser));
        break;
      }
      case "facts": {
        const { call, assign } = statement.entry;
        const fact = this.#once(statement.entry, ({ sets, of, when }) => {
          return { sets, ofReceiver: of === "receiver", when: when.map(compileTest) };
        });
        if (call) remember(call, (path) => knowledge.calls.put("facts", path, fact));
        if (assign) remember(assign, (path) => knowledge.assignedFacts.put(path, fact));
        break;
      }
      case "settings": {
        const { entry } = statement;
        remember(entry.call, (path) => knowledge.calls.put("settings", path, entry));
        break;
      }
      case "fills": {
        const { entry } = statement;
        remember(entry.call, (path) => knowledge.calls.put("fills", path, entry));
        break;
      }
      case "keeps": {
        const { entry } = statement;
        remember(entry.call, (path) => knowledge.calls.put("keeps", path, entry));
        break;
      }
      case "templates": {
        const { entry } = statement;
        remember(entry.call, (path) => knowledge.calls.put("templates", path, entry));
        break;
      }
      case "returns": {
        const { call, read, gives, when } = statement.entry;
        if (call && when.length > 0) {
          const made = this.#once(statement.entry, () => ({ gives, when: when.map(compileTest) }));
          remember(call, (path) => knowledge.calls.put("makes", path, made));
        } else if (call) remember(call, (path) => knowledge.calls.put("returns", path, gives));
        if (read) remember(read, (path) => knowledge.reads.put("holds", path, gives));
        break;
      }
      case "outputs": {
        const { call, argument, from, kind, unless } = statement.entry;
        if (kind !== undefined && !this.#asked.has(kind)) break;
        const output = this.#once(statement.entry, () => {
          return { arguments: argument, from, kind: kind ?? null, unless: unless.map(compileTest) };
        });
        remember(call, (path) => knowledge.calls.put("outputs", path, output));
        break;
      }
      case "library":
        remember(statement.entry, () => {});
        break;
      case "exits":
        remember(statement.entry, (path) => knowledge.calls.put("exits", path, true));
        break;
      case "asserts":
        remember(statement.entry, (path) => knowledge.calls.put("asserts", path, true));
        break;
      case "cleanTypes":
        if (wanted(lastSegment(statement.entry))) knowledge.cleanTypes.add(statement.entry);
        break;
      case "checked":
        if (wanted(statement.entry)) knowledge.checked.add(statement.entry);
        break;
      case "fieldChecks":
        remember(statement.entry, (path) => knowledge.fieldChecks.add(path));
        break;
      case "deferred": {
        const { method, packed } = statement.entry;
        if (wanted(method)) knowledge.deferred.add(method, { packed });
        break;
      }
      case "announcements": {
        const { call, argument } = statement.entry;
        remember(call, (path) => knowledge.calls.put("announcements", path, argument));
        break;
      }
      case "listeners": {
        const { decorator, parameterDecorator, method } = statement.entry;
        if (decorator) remember(decorator, (path) => knowledge.listeners.put(path, "function"));
        if (parameterDecorator) remember(parameterDecorator, (path) => knowledge.listeners.put(path, "parameter"));
        if (method && wanted(method)) knowledge.listeners.put(method, "method");
        break;
      }
      case "constraints": {
        const { decorator, pattern = null, cleans = [], asks = null } = statement.entry;
        const constraint = this.#once(statement.entry, () => ({
          pattern,
          cleans: this.#glossary.bitsOf(cleans),
          asks,
        }));
        remember(decorator, (path) => knowledge.constraints.put(path, constraint));
        break;
      }
      case "validations": {
        const { decorator, of, report } = statement.entry;
        const validation = this.#once(statement.entry, () => ({ of, report: pathIndex(report) }));
        if (report) remember(report, () => {});
        remember(decorator, (path) => knowledge.validations.put(path, validation));
        break;
      }
      case "carriers":
        remember(statement.entry, (carrier) => knowledge.carriers.add(carrier));
        break;
      case "bags":
        remember(statement.entry, (bag) => knowledge.bags.add(bag));
        break;
      case "entryPoints":
        this.#addEntryPoint(knowledge, statement.entry, wanted);
        break;
    }
  }

  #addEntryPoint(knowledge: Knowledge, entry: Model["entryPoints"][number], wanted: Wanted): void {
    const remember = (pattern: string, add: (path: string) => void) => addPaths(knowledge, pattern, wanted, add);
    const point = this.#entryPoint(entry);
    for (const path of [entry.with, entry.without]) if (path) remember(path, () => {});
    for (const type of [...entry.parameters, entry.self, entry.type].filter((path) => path !== undefined)) {
      remember(type, () => {});
      if (wanted(lastSegment(type))) knowledge.carriers.add(type);
    }
    if (entry.call) remember(entry.call, (path) => knowledge.calls.put("entries", path, point));
    if (entry.decorator) remember(entry.decorator, (path) => knowledge.entryDecorators.put(path, point));
    if (entry.of) remember(entry.of, () => {});
    for (const name of entry.method ? expanded(entry.method) : [])
      if (wanted(name)) knowledge.entryMethods.add(name, point);
    if (entry.parameterDecorator) {
      const passed = this.#once(entry, () => {
        const kind = entry.type ? null : (entry.others ?? "http-query");
        return { kind, type: entry.type ?? null, unless: point.unless, calls: entry.calls ?? null, point };
      });
      remember(entry.parameterDecorator, (path) => knowledge.parameterDecorators.put(path, passed));
    }
    for (const name of entry.exported ? expanded(entry.exported) : [])
      if (wanted(name)) knowledge.entryExports.add(name, point);
  }

  #place(knowledge: Knowledge, at: Where, match: Match, wanted: Wanted): void {
    if (at.call) addPaths(knowledge, at.call, wanted, (path) => knowledge.calls.put("checks", path, match));
    if (at.read) addPaths(knowledge, at.read, wanted, (path) => knowledge.reads.put("checks", path, match));
    if (at.assign) addPaths(knowledge, at.assign, wanted, (path) => knowledge.assigns.put(path, match));
    for (const key of at.entry ? expanded(at.entry) : []) if (wanted(key)) knowledge.entries.add(key, match);
  }

  #source(entry: Model["sources"][number]): SourceModel {
    return this.#once(entry, ({ kind, receiver, when, unless, unlessFact = null, ofClass, ofInput, cleans }) => ({
      kind,
      cleans: this.#glossary.bitsOf(cleans),
      ofInput,
      receiver: regex(receiver),
      when: when.map(compileTest),
      unless: unless.map(compileTest),
      unlessFact,
      ofClass: regex(ofClass),
    }));
  }

  #sanitizer(entry: Model["sanitizers"][number]): SanitizerModel {
    return this.#once(entry, ({ call, cleans, receiver, when, unless }) => ({
      cleans: this.#glossary.bitsOf(cleans),
      isAnybodys: call?.startsWith("*.") === true && receiver === undefined && cleans !== "all",
      receiver: regex(receiver),
      when: when.map(compileTest),
      unless: unless.map(compileTest),
    }));
  }

  #entryPoint(entry: Model["entryPoints"][number]): EntryPoint {
    const point = this.#points.get(entry) ?? this.#entryPointOf(entry);
    this.#points.set(entry, point);
    return point;
  }

  #entryPointOf(entry: Model["entryPoints"][number]): EntryPoint {
    return {
      self: entry.self ?? null,
      parameters: entry.parameters,
      others: entry.others ?? null,
      othersEnd: entry.parameters.length + (entry.othersMax ?? Number.POSITIVE_INFINITY),
      returns: entry.returns.flatMap(({ argument, family, when, unless, notNear, confidence = entry.confidence }) =>
        this.#rules
          .filter((rule) => rule.family === family)
          .map((rule) => this.#matchOf(rule, { argument, confidence, when, unless, notNear })),
      ),
      confidence: entry.confidence ?? 1,
      names: entry.names ?? [],
      receiver: regex(entry.receiver),
      when: entry.when.map(compileTest),
      unless: entry.unless.map(compileTest),
      with: pathIndex(entry.with),
      without: pathIndex(entry.without),
      result: regex(entry.result),
      of: pathIndex(entry.of),
      file: regex(entry.file),
      except: entry.except.flatMap(expandBraces),
    };
  }

  #match(rule: Rule, at: Where): Match {
    const known = this.#matches.get(rule) ?? new Map<object, Match>();
    if (known.size === 0) this.#matches.set(rule, known);
    const match = known.get(at) ?? this.#matchOf(rule, at);
    known.set(at, match);
    return match;
  }

  #matchOf(rule: Rule, at: Where): Match {
    const family = this.#glossary.family(rule.family);
    return {
      rule,
      arguments: at.argument ?? [0],
      receiver: regex(at.receiver),
      notReceiver: regex(at.notReceiver),
      when: at.when.map(compileTest),
      unless: at.unless.map(compileTest),
      near: regex(at.near),
      notNear: regex(at.notNear),
      file: regex(at.file),
      notFile: regex(at.notFile),
      within: at.within ?? null,
      result: regex(at.result),
      severity: at.severity ?? rule.severity,
      confidence: rule.confidence * (at.confidence ?? 1),
      taint: rule.taint
        ? {
            family: this.#glossary.bitsOf([rule.family]),
            sources: this.#glossary.kinds(rule.taint.sources),
            safePrefix: regex(family.safePrefix),
          }
        : null,
    };
  }

  #once<Entry extends object, Made>(entry: Entry, make: (entry: Entry) => Made): Made {
    const known = this.#made.get(entry) as Made | undefined;
    if (known !== undefined) return known;
    const made = make(entry);
    this.#made.set(entry, made);
    return made;
  }
}

type Where = {
  call?: string | undefined;
  read?: string | undefined;
  assign?: string | undefined;
  entry?: string | undefined;
  receiver?: string | undefined;
  notReceiver?: string | undefined;
  near?: string | undefined;
  notNear?: string | undefined;
  file?: string | undefined;
  notFile?: string | undefined;
  within?: Place | undefined;
  result?: string | undefined;
  argument?: (string | number)[];
  severity?: Severity | undefined;
  confidence?: number | undefined;
  when: Condition[];
  unless: Condition[];
};

/** Registers the wanted ones of the paths that a pattern stands for, and notes their prefixes as known names. */
function addPaths(knowledge: Knowledge, pattern: string, wanted: Wanted, add: (path: string) => void): void {
  for (const path of expanded(pattern)) {
    if (wanted(segmentOf(path))) add(path);
    if (path.startsWith("*")) continue;
    const known = (name: string) => wanted(lastSegment(name)) && knowledge.known.add(name);
    for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) known(path.slice(0, dot));
    known(path.endsWith("()") ? path.slice(0, -2) : path);
  }
}

/** The paths of a pattern; it is read for each name that it has. */
function expanded(pattern: string): readonly string[] {
  const paths = expansions.get(pattern) ?? expandBraces(pattern);
  expansions.set(pattern, paths);
  return paths;
}
const expansions = new Map<string, readonly string[]>();

function compileTest(condition: Condition): Test {
  const paths = condition.path ? new PathIndex<true>() : null;
  for (const path of condition.path ?? []) paths?.add(path, true);
  return {
    arguments: condition.argument ?? null,
    is: condition.is ?? null,
    matches: regex(condition.matches),
    always: regex(condition.always),
    begins: regex(condition.begins),
    below: condition.below ?? null,
    called: regex(condition.called),
    path: paths,
    shape: condition.shape ?? null,
    fact: condition.fact ?? null,
  };
}

function pathIndex(path: string | undefined): PathIndex<true> | null {
  if (path === undefined) return null;
  const index = new PathIndex<true>();
  index.add(path, true);
  return index;
}

const regex = (source: string | undefined): LazyRegex | null => (source === undefined ? null : expression(source));
