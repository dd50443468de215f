import type { Severity } from "../finding.ts";
import { StructureScanner } from "../structure/scan.ts";
import type { Place } from "../structure/structure-schema.ts";
import { WebKnowledge } from "../web/web-knowledge.ts";
import { expression, type LazyRegex } from "./expression.ts";
import { expandBraces, type Found, PathIndex, PathTable } from "./paths.ts";
import type { CatalogueData, Condition, Family, Model, Rule } from "./schema.ts";

/** A set of families as bits; a value is clean for those whose bit is set. */
export type Families = number;
/** One bit of a number is spoken for, and one is its sign. */
export const taintFamiliesMax = 30;
export const allFamilies: Families = -1;
/** Not a family: the path was brought into its shortest form, so that a prefix test on it means something. */
export const normalised: Families = 1 << 30;
/** Not a family either: made safe for the inside of quotes in SQL, and nowhere else there. The sign bit, so that all 30 families keep theirs. */
export const escaped: Families = 1 << 31;
/** What models may write among families. */
export const marks: Readonly<Record<string, Families>> = { normalised, escaped };

export interface Test {
  arguments: (string | number)[] | null;
  is: readonly (string | number | boolean | null)[] | null;
  matches: LazyRegex | null;
  begins: LazyRegex | null;
  below: number | null;
  path: PathIndex<true> | null;
  shape: Condition["shape"] | null;
  fact: string | null;
}

/** The language whose models and rules speak about files of this grammar. */
export const modelLanguage = (grammar: string): string => spokenAs[grammar] ?? grammar;
const spokenAs: Record<string, string> = {
  typescript: "javascript",
  tsx: "javascript",
  cpp: "c",
  kotlin: "java",
  bash: "shell",
};

/** What to look at where, as sinks and patterns share it. */
export interface Match {
  rule: Rule;
  arguments: (string | number)[];
  receiver: LazyRegex | null;
  notReceiver: LazyRegex | null;
  when: Test[];
  unless: Test[];
  near: LazyRegex | null;
  notNear: LazyRegex | null;
  file: LazyRegex | null;
  notFile: LazyRegex | null;
  within: Place | null;
  result: LazyRegex | null;
  severity: Severity;
  confidence: number;
  /** For sinks: the family's bit and the kinds of sources that count. Null for patterns, which need no source. */
  taint: { family: Families; sources: ReadonlySet<string>; safePrefix: LazyRegex | null } | null;
}

export interface EntryPoint {
  self: string | null;
  parameters: string[];
  others: string | null;
  /** The position of the first parameter after the others. */
  othersEnd: number;
  returns: Match[];
  confidence: number;
  names: string[][];
  receiver: LazyRegex | null;
  when: Test[];
  unless: Test[];
  with: PathIndex<true> | null;
  without: PathIndex<true> | null;
  result: LazyRegex | null;
  of: PathIndex<true> | null;
  file: LazyRegex | null;
  except: string[];
}

/** What a decorated parameter gets: input of a kind, or an object of a type that models know. */
export interface PassedParameter {
  kind: string | null;
  type: string | null;
  unless: Test[];
  /** The argument that is called to make the value, by an entry point of its own. */
  calls: number | string | null;
  point: EntryPoint;
}

/** All that is known about one language for one set of imports, ready to be asked by path. */
export class Knowledge {
  readonly calls = new PathTable<CallKinds>({
    checks: [],
    sources: [],
    sanitizers: [],
    decoders: [],
    guards: [],
    containers: [],
    exits: [],
    asserts: [],
    everywhere: [],
    facts: [],
    settings: [],
    templates: [],
    fills: [],
    returns: [],
    makes: [],
    outputs: [],
    entries: [],
  });
  readonly reads = new PathTable<ReadKinds>({ checks: [], sources: [], sanitizers: [], holds: [] });
  readonly assigns = new PathIndex<Match>();
  readonly assignedFacts = new PathIndex<Fact>();
  readonly entries = new Map<string, Match[]>();
  readonly definitions = new Map<string, DefinitionModel[]>();
  readonly entryDecorators = new PathIndex<EntryPoint>();
  readonly entryNames: EntryPoint[] = [];
  readonly entryExports = new Map<string, EntryPoint[]>();
  readonly entryMethods = new Map<string, EntryPoint[]>();
  readonly parameterDecorators = new PathIndex<PassedParameter>();
  readonly cleanTypes = new Set<string>();
  readonly shallowKinds = new Set<string>();
  /** What is handed from file to file while one request is answered: fields that one file fills, others read. */
  readonly carriers = new Set<string>();
  /** Every prefix of every path some model names: resolves a wildcard import to the class that matters. */
  readonly known = new Set<string>();
  web = new WebKnowledge([]);
}

/** What a call or an assignment settles for the rest of the function, where the tests hold. */
export interface Fact {
  sets: string;
  when: Test[];
}

/** What models can say of something that is called. */
interface CallKinds {
  checks: Match;
  sources: SourceModel;
  sanitizers: SanitizerModel;
  /** What the values that come out are not clean for any more. */
  decoders: Families;
  guards: { of: string | number; cleans: Families; when: Test[]; unless: Test[]; answer: boolean; throws: boolean };
  containers: Model["containers"][number]["does"];
  /** Nothing goes on afterwards. */
  exits: true;
  asserts: true;
  /** It cleans the input of the whole application. */
  everywhere: Families;
  facts: Fact;
  settings: Model["settings"][number];
  templates: Model["templates"][number];
  fills: Model["fills"][number];
  returns: string;
  /** What it gives when its arguments are such and such. */
  makes: { gives: string; when: Test[] };
  outputs: OutputModel;
  entries: EntryPoint;
}
/** What models can say of something that is read. */
interface ReadKinds {
  checks: Match;
  sources: SourceModel;
  sanitizers: SanitizerModel;
  holds: string;
}
export type CallModels = Found<CallKinds>;
export type ReadModels = Found<ReadKinds>;

export interface DefinitionModel {
  match: Match;
  body: "empty" | "true";
  parameters: LazyRegex | null;
}
export interface SourceModel {
  kind: string;
  /** What cannot be done with what comes in. */
  cleans: Families;
  receiver: LazyRegex | null;
  when: Test[];
  unless: Test[];
  unlessFact: string | null;
  ofClass: LazyRegex | null;
  ofInput: boolean;
}
export interface OutputModel {
  arguments: (string | number)[];
  from: string | number;
  kind: string | null;
  unless: Test[];
}
export interface SanitizerModel {
  cleans: Families;
  receiver: LazyRegex | null;
  when: Test[];
  unless: Test[];
}

/** The compiled rules and models. */
export class Catalogue {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly secretRules: readonly Rule[];
  readonly textRules: readonly Rule[];
  readonly controlRules: readonly Rule[];
  readonly configRules: readonly Rule[];
  readonly templateRules: readonly Rule[];
  /** Null where no rule asks about the shape of code. */
  readonly structure: StructureScanner | null;
  readonly #data: CatalogueData;
  readonly #codes: ReadonlySet<string>;
  /** By language; what is imported says more than what is guessed from names, so it is asked first. */
  readonly #models: ReadonlyMap<string, readonly Model[]>;
  /** Kinds of input that are lost in what is made of it. */
  readonly shallowKinds: ReadonlySet<string>;
  #asked: { key: string; catalogue: Catalogue } | null = null;
  readonly #bits: Map<string, Families>;
  readonly #leads: readonly { bit: Families; safe: LazyRegex }[];
  readonly #knowledge = new Map<string, Knowledge>();
  readonly #web = new Map<string, WebKnowledge>();

  /** @param codes the rules of the seeded sets that are on; rules that belong to one of them are off without it */
  constructor(data: CatalogueData, codes: readonly string[] = []) {
    this.#data = data;
    this.#codes = new Set(codes);
    const byDetection = data.models.toSorted((a, b) => Number(b.detect !== undefined) - Number(a.detect !== undefined));
    this.#models = Map.groupBy(byDetection, (model) => model.language);
    this.shallowKinds = new Set(
      data.models.flatMap(({ sources }) => sources.flatMap(({ shallow, kind }) => (shallow ? [kind] : []))),
    );
    const asked = data.rules.filter((rule) => rule.code !== undefined && this.#codes.has(rule.code));
    this.structure = asked.length > 0 ? new StructureScanner(asked) : null;
    this.rules = new Map(data.rules.map((rule) => [rule.id, rule]));
    this.secretRules = data.rules.filter((rule) => rule.secret);
    this.textRules = data.rules.filter((rule) => rule.text);
    this.controlRules = data.rules.filter((rule) => rule.control);
    this.configRules = data.rules.filter((rule) => rule.config);
    this.templateRules = data.rules.filter((rule) => rule.taint?.templates);
    this.#bits = new Map(taintFamilies(data).map((family, i) => [family, 1 << i]));
    this.#leads = [...this.#bits].flatMap(([family, bit]) => {
      const safe = regex(data.families[family]?.safePrefix);
      return safe ? [{ bit, safe }] : [];
    });
  }

  family(name: string): Family {
    return this.#data.families[name] as Family;
  }

  /** The same with the rules of these codes on. The last answer is kept: one scan asks the same for every file. */
  withCodes(codes: readonly string[]): Catalogue {
    if (codes.length === 0) return this;
    const key = [...new Set(codes)].sort().join();
    if (this.#asked?.key !== key) this.#asked = { key, catalogue: new Catalogue(this.#data, codes) };
    return this.#asked.catalogue;
  }

  /** Whether a rule asks about sources of this kind. */
  counts(rule: Rule, kind: string): boolean {
    return rule.taint !== undefined && this.#kinds(rule.taint.sources).has(kind);
  }

  /** The names of the families in a set, for records that outlive this catalogue's numbering. */
  namesOf(families: Families): string[] {
    if (families === 0) return [];
    return [...this.#bits].filter(([, bit]) => (families & bit) !== 0).map(([name]) => name);
  }

  bitsOf(families: "all" | readonly string[]): Families {
    if (families === "all") return allFamilies;
    return families.reduce((bits, name) => bits | (marks[name] ?? this.#bits.get(name) ?? 0), 0);
  }

  /** The families for which a text that begins like this leaves an attacker no choice of what matters. */
  ledFamilies(beginning: string): Families {
    return this.#leads.reduce((bits, { bit, safe }) => (safe.test(beginning) ? bits | bit : bits), 0);
  }

  /** What is known about a file in this language that imports these modules. Cached per set of models. */
  knowledge(language: string, imports: ReadonlySet<string>): Knowledge {
    const base = modelLanguage(language);
    const models = (this.#models.get(base) ?? []).filter((model) => isImported(model, imports));
    const key = `${language}|${models.map((model) => model.framework).join("|")}`;
    const known = this.#knowledge.get(key) ?? this.#build(base, models);
    this.#knowledge.set(key, known);
    return known;
  }

  #build(language: string, models: Model[]): Knowledge {
    const knowledge = new Knowledge();
    const rules = this.#data.rules.filter(
      (rule) => rule.languages.some((l) => l === language) && (rule.code === undefined || this.#codes.has(rule.code)),
    );
    const taintRules = rules.filter((rule) => rule.taint);
    for (const rule of rules)
      for (const pattern of rule.patterns ?? []) {
        const { unlessFact: fact } = rule;
        const unless = fact === undefined ? pattern.unless : [...pattern.unless, { fact }];
        const match = this.#match(rule, { ...pattern, unless });
        this.#place(knowledge, pattern, match);
        if (!pattern.define) continue;
        const { method, body, parameters } = pattern.define;
        const known = knowledge.definitions.get(method) ?? [];
        knowledge.definitions.set(method, [...known, { match, body, parameters: regex(parameters) }]);
      }
    for (const rule of taintRules) {
      for (const sink of rule.taint?.sinks ?? []) this.#place(knowledge, sink, this.#match(rule, sink));
    }
    for (const model of models) this.#addModel(knowledge, model, taintRules);
    knowledge.web = this.#webOf(models);
    return knowledge;
  }

  /** Most sets of models say the same about routes; what has been looked up for one file serves the next. */
  #webOf(models: readonly Model[]): WebKnowledge {
    const telling = models.filter((m) =>
      [m.routes, m.mounts, m.fronts, m.controls, m.effects, m.records, m.owners, m.inputs, m.routers, m.accesses].some(
        (said) => said.length > 0,
      ),
    );
    const key = telling.map((model) => `${model.language}/${model.framework}`).join("|");
    const known = this.#web.get(key) ?? new WebKnowledge(telling);
    this.#web.set(key, known);
    return known;
  }

  #addModel(knowledge: Knowledge, model: Model, rules: Rule[]): void {
    for (const sink of model.sinks) {
      for (const rule of rules.filter((r) => r.family === sink.family && !r.taint?.ownSinks))
        this.#place(knowledge, sink, this.#match(rule, sink));
    }
    for (const {
      call,
      read,
      kind,
      receiver,
      when,
      unless,
      unlessFact = null,
      ofClass,
      ofInput,
      cleans,
      shallow,
    } of model.sources) {
      // What no rule asks about is nobody's input: configuration, arguments of a command line.
      if (!rules.some((rule) => this.counts(rule, kind))) continue;
      if (shallow) knowledge.shallowKinds.add(kind);
      const tests = {
        receiver: regex(receiver),
        when: when.map(compileTest),
        unless: unless.map(compileTest),
        unlessFact,
        ofClass: regex(ofClass),
      };
      const source = { kind, cleans: this.bitsOf(cleans), ofInput, ...tests };
      if (call) remember(knowledge, call, (path) => knowledge.calls.add("sources", path, source));
      if (read) remember(knowledge, read, (path) => knowledge.reads.add("sources", path, source));
    }
    for (const { call, read, cleans, receiver, when, unless } of model.sanitizers) {
      const tests = { when: when.map(compileTest), unless: unless.map(compileTest) };
      const sanitizer = { cleans: this.bitsOf(cleans), receiver: regex(receiver), ...tests };
      if (call) remember(knowledge, call, (path) => knowledge.calls.add("sanitizers", path, sanitizer));
      if (read) remember(knowledge, read, (path) => knowledge.reads.add("sanitizers", path, sanitizer));
    }
    for (const { call, undoes } of model.decoders)
      remember(knowledge, call, (path) => knowledge.calls.add("decoders", path, this.bitsOf(undoes)));
    for (const { call, of, cleans, when, unless, answer, throws } of model.guards) {
      const tests = { when: when.map(compileTest), unless: unless.map(compileTest) };
      const guard = { of, cleans: this.bitsOf(cleans), ...tests, answer, throws };
      knowledge.calls.add("guards", call, guard);
    }
    for (const { call, cleans } of model.everywhere)
      remember(knowledge, call, (path) => knowledge.calls.add("everywhere", path, this.bitsOf(cleans)));
    for (const { call, does } of model.containers)
      remember(knowledge, call, (path) => knowledge.calls.add("containers", path, does));
    for (const { call, assign, sets, when } of model.facts) {
      const fact = { sets, when: when.map(compileTest) };
      if (call) remember(knowledge, call, (path) => knowledge.calls.add("facts", path, fact));
      if (assign) remember(knowledge, assign, (path) => knowledge.assignedFacts.add(path, fact));
    }
    for (const setting of model.settings)
      remember(knowledge, setting.call, (path) => knowledge.calls.add("settings", path, setting));
    for (const fill of model.fills) remember(knowledge, fill.call, (path) => knowledge.calls.add("fills", path, fill));
    for (const template of model.templates)
      remember(knowledge, template.call, (path) => knowledge.calls.add("templates", path, template));
    for (const { call, read, gives, when } of model.returns) {
      if (call && when.length > 0) {
        const made = { gives, when: when.map(compileTest) };
        remember(knowledge, call, (path) => knowledge.calls.add("makes", path, made));
      } else if (call) remember(knowledge, call, (path) => knowledge.calls.add("returns", path, gives));
      if (read) remember(knowledge, read, (path) => knowledge.reads.add("holds", path, gives));
    }
    for (const { call, argument, from, kind, unless } of model.outputs) {
      if (kind !== undefined && !rules.some((rule) => this.counts(rule, kind))) continue;
      const output = { arguments: argument, from, kind: kind ?? null, unless: unless.map(compileTest) };
      remember(knowledge, call, (path) => knowledge.calls.add("outputs", path, output));
    }
    for (const call of model.library) remember(knowledge, call, () => {});
    for (const call of model.exits) remember(knowledge, call, (path) => knowledge.calls.add("exits", path, true));
    for (const call of model.asserts) remember(knowledge, call, (path) => knowledge.calls.add("asserts", path, true));
    for (const type of model.cleanTypes) knowledge.cleanTypes.add(type);
    for (const path of model.carriers) remember(knowledge, path, (carrier) => knowledge.carriers.add(carrier));
    for (const entry of model.entryPoints) this.#addEntryPoint(knowledge, entry, rules);
  }

  #addEntryPoint(knowledge: Knowledge, entry: Model["entryPoints"][number], rules: Rule[]): void {
    const point: EntryPoint = {
      self: entry.self ?? null,
      parameters: entry.parameters,
      others: entry.others ?? null,
      othersEnd: entry.parameters.length + (entry.othersMax ?? Number.POSITIVE_INFINITY),
      returns: entry.returns.flatMap(({ argument, family, when, unless, notNear, confidence = entry.confidence }) =>
        rules
          .filter((rule) => rule.family === family)
          .map((rule) => this.#match(rule, { argument, confidence, when, unless, notNear })),
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
    for (const path of [entry.with, entry.without]) if (path) remember(knowledge, path, () => {});
    for (const type of [...entry.parameters, entry.self, entry.type].filter((path) => path !== undefined)) {
      remember(knowledge, type, () => {});
      knowledge.carriers.add(type);
    }
    if (entry.call) remember(knowledge, entry.call, (path) => knowledge.calls.add("entries", path, point));
    if (entry.decorator) remember(knowledge, entry.decorator, (path) => knowledge.entryDecorators.add(path, point));
    if (entry.of) remember(knowledge, entry.of, () => {});
    for (const name of entry.method ? expandBraces(entry.method) : [])
      knowledge.entryMethods.set(name, [...(knowledge.entryMethods.get(name) ?? []), point]);
    if (entry.names && !entry.method && !entry.exported) knowledge.entryNames.push(point);
    if (entry.parameterDecorator) {
      const kind = entry.type ? null : (entry.others ?? "http-query");
      const passed = { kind, type: entry.type ?? null, unless: point.unless, calls: entry.calls ?? null, point };
      remember(knowledge, entry.parameterDecorator, (path) => knowledge.parameterDecorators.add(path, passed));
    }
    for (const name of entry.exported ? expandBraces(entry.exported) : [])
      knowledge.entryExports.set(name, [...(knowledge.entryExports.get(name) ?? []), point]);
  }

  #place(knowledge: Knowledge, at: Where, match: Match): void {
    if (at.call) remember(knowledge, at.call, (path) => knowledge.calls.add("checks", path, match));
    if (at.read) remember(knowledge, at.read, (path) => knowledge.reads.add("checks", path, match));
    if (at.assign) remember(knowledge, at.assign, (path) => knowledge.assigns.add(path, match));
    for (const key of at.entry ? expandBraces(at.entry) : []) {
      knowledge.entries.set(key, [...(knowledge.entries.get(key) ?? []), match]);
    }
  }

  #match(rule: Rule, at: Where): Match {
    const family = this.family(rule.family);
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
            family: this.#bits.get(rule.family) ?? 0,
            sources: this.#kinds(rule.taint.sources),
            safePrefix: regex(family.safePrefix),
          }
        : null,
    };
  }

  #kinds(names: string[]): ReadonlySet<string> {
    return new Set(names.flatMap((name) => this.#data.sourceGroups[name] ?? [name]));
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

function isImported(model: Model, imports: ReadonlySet<string>): boolean {
  if (!model.detect) return true;
  return model.detect.imports.some((wanted) => {
    for (const module of imports)
      if (module.startsWith(wanted) && /^([./]|$)/.test(module.slice(wanted.length))) return true;
    return false;
  });
}

/** Registers a path and notes its prefixes as known names. */
function remember(knowledge: Knowledge, pattern: string, add: (path: string) => void): void {
  for (const path of expandBraces(pattern)) {
    add(path);
    if (path.startsWith("*")) continue;
    for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1))
      knowledge.known.add(path.slice(0, dot));
    knowledge.known.add(path.replace(/\(\)$/, ""));
  }
}

function compileTest(condition: Condition): Test {
  const paths = condition.path ? new PathIndex<true>() : null;
  for (const path of condition.path ?? []) paths?.add(path, true);
  return {
    arguments: condition.argument ?? null,
    is: condition.is ?? null,
    matches: regex(condition.matches),
    begins: regex(condition.begins),
    below: condition.below ?? null,
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

/** Only what a value can be clean for needs a bit: the families that some rule follows values to. */
export const taintFamilies = ({ families, rules }: Pick<CatalogueData, "families" | "rules">): string[] =>
  Object.keys(families).filter((family) => rules.some((rule) => rule.taint && rule.family === family));

const regex = (source: string | undefined): LazyRegex | null => (source === undefined ? null : expression(source));
