import type { AskedSetting } from "../artefact.ts";
import type { Severity, Text } from "../finding.ts";
import { StructureScanner } from "../structure/scan.ts";
import type { Place } from "../structure/structure-schema.ts";
import { WebKnowledge } from "../web/web-knowledge.ts";
import type { CatalogueData } from "./catalogue-data.ts";
import { expression, type LazyRegex, learnNeeded } from "./expression.ts";
import { Knowledge } from "./knowledge.ts";
import type { CatalogueHead, ModelFiles } from "./model-files.ts";
import type { Model } from "./model-schema.ts";
import type { Found, PathIndex } from "./paths.ts";
import type { Family, Rule } from "./rule-schema.ts";
import { StatementReader } from "./statement-reader.ts";
import type { Condition } from "./statement-schema.ts";
import { type Statement, statementsOf } from "./statements.ts";

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
  always: LazyRegex | null;
  begins: LazyRegex | null;
  below: number | null;
  called: LazyRegex | null;
  path: PathIndex<true> | null;
  shape: Condition["shape"] | null;
  fact: string | null;
  madeOf: string | null;
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
  /** The releases of a package that it is a problem of. */
  release: AskedSetting | null;
  confidence: number;
  /** For sinks: the family's bit and the kinds of sources that count. Null for patterns, which need no source. */
  taint: { family: Families; sources: ReadonlySet<string>; safePrefix: LazyRegex | null } | null;
}

export interface EntryPoint {
  self: string | null;
  /** Objects that a call is passed have their methods called. */
  methods: boolean;
  parameters: string[];
  /** The parameters are these alone, whatever they are declared as. */
  instead: boolean;
  others: string | null;
  /** The position of the first parameter after the others. */
  othersEnd: number;
  returns: readonly Match[];
  /** What its functions give is looked at as the argument `given` of the call. */
  gives: boolean;
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
  /** The list of what fills its parameters, and what in it hands on where a file was stored. */
  fields: Test | null;
  /** What its parameters are clean for, by their names. */
  clean: ReadonlyMap<string, Families>;
}

/** What a decorated parameter gets: input of a kind, or an object of a type that models know. */
export interface PassedParameter {
  kind: string | null;
  type: string | null;
  /** An object of the class that the parameter declares. */
  isDeclared: boolean;
  unless: Test[];
  /** The argument that is called to make the value, by an entry point of its own. */
  calls: number | string | null;
  point: EntryPoint;
}

/** What a decorator of a parameter or field refuses: what a regular expression does not match, or what is no harmless thing. */
export interface Constraint {
  /** The argument that is the expression. */
  pattern: number | string | null;
  cleans: Families;
  /** The argument with the class that is asked, and its method. */
  asks: { argument: string; method: string } | null;
}

/** Whose constraints a decorator asks for. */
export interface Validation {
  of: "parameters" | "fields";
  report: PathIndex<true> | null;
}

/** What a call or an assignment settles for the rest of the function, where the tests hold. */
export interface Fact {
  sets: string;
  /** Of the object that is called on, not of the function. */
  ofReceiver: boolean;
  when: Test[];
}

/** What models can say of something that is called. */
export interface CallKinds {
  checks: Match;
  sources: SourceModel;
  sanitizers: SanitizerModel;
  /** What the values that come out are not clean for any more. */
  decoders: Families;
  guards: {
    of: string | number;
    cleans: Families;
    asksFields: boolean;
    ofParts: boolean;
    when: Test[];
    unless: Test[];
    answer: boolean;
    throws: boolean;
  };
  containers: Model["containers"][number]["does"];
  schemas: SchemaModel;
  parsers: ParserModel;
  /** Nothing goes on afterwards. */
  exits: true;
  /** What the first argument is wherever it comes back. */
  asserts: boolean;
  /** It cleans the input of the whole application, or objects of declared classes. */
  everywhere: { cleans: Families; of: Model["everywhere"][number]["of"]; when: Test[] };
  facts: Fact;
  settings: Model["settings"][number];
  templates: Model["templates"][number];
  fills: Model["fills"][number];
  keeps: Model["keeps"][number];
  returns: string;
  /** What it gives when its arguments are such and such. */
  makes: { gives: string; when: Test[] };
  outputs: OutputModel;
  announcements: string | number;
  helpers: HelperModel;
  entries: EntryPoint;
}
/** How a call, or a decorator, makes a function known to templates. */
export interface HelperModel {
  readonly name: string | number;
  readonly given: string | number;
  /** The engine does not escape what it gives. */
  readonly shown: boolean;
  readonly when: readonly Test[];
}

/** What models can say of something that is read. */
export interface ReadKinds {
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
  notBefore: LazyRegex | null;
  unlessFact: string | null;
  ofClass: LazyRegex | null;
  ofInput: boolean;
}
export interface SchemaModel extends Pick<Model["schemas"][number], "is" | "of" | "part" | "lets"> {
  when: Test[];
}
export interface ParserModel
  extends Pick<Model["parsers"][number], "argument" | "schema" | "gives" | "tells" | "hands"> {
  receiver: LazyRegex | null;
}
export interface OutputModel {
  arguments: (string | number)[];
  from: string | number;
  kind: string | null;
  unless: Test[];
}
export interface SanitizerModel {
  cleans: Families;
  /** It is told by its name alone, whoever has it. */
  isAnybodys: boolean;
  receiver: LazyRegex | null;
  notReceiver: LazyRegex | null;
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
  /** Kinds of input that are lost in what is made of it. */
  readonly shallowKinds: ReadonlySet<string>;
  /** The families that ask about no other kinds. */
  readonly shallowFamilies: Families;
  readonly #data: CatalogueHead;
  readonly #files: ModelFiles;
  readonly #codes: ReadonlySet<string>;
  #asked: { key: string; catalogue: Catalogue } | null = null;
  readonly #bits: Map<string, Families>;
  readonly #leads: readonly { bit: Families; safe: LazyRegex }[];
  readonly #languages = new Map<string, LanguageKnowledge>();
  readonly #knowledge = new Map<string, Knowledge>();
  readonly #web = new Map<string, WebKnowledge>();
  readonly #origins: ReadonlyMap<string, Text>;

  /** @param codes the rules of the seeded sets that are on; rules that belong to one of them are off without it */
  constructor(data: CatalogueHead, files: ModelFiles, codes: readonly string[] = []) {
    this.#data = data;
    this.#files = files;
    this.#codes = new Set(codes);
    this.shallowKinds = new Set(data.shallowKinds);
    learnNeeded(data.needed);
    const asked = data.rules.filter((rule) => rule.code !== undefined && this.#codes.has(rule.code));
    this.structure = asked.length > 0 ? new StructureScanner(asked) : null;
    this.rules = new Map(data.rules.map((rule) => [rule.id, rule]));
    this.secretRules = data.rules.filter((rule) => rule.secret);
    this.textRules = data.rules.filter((rule) => rule.text);
    this.controlRules = data.rules.filter((rule) => rule.control);
    this.configRules = data.rules.filter((rule) => rule.config);
    this.templateRules = data.rules.filter((rule) => rule.taint?.templates);
    this.#origins = new Map(
      Object.entries(data.origins).flatMap(([name, text]) => [...this.kinds([name])].map((kind) => [kind, text])),
    );
    this.#bits = new Map(taintFamilies(data).map((family, i) => [family, 1 << i]));
    const lasting = new Set(
      data.rules.flatMap(({ taint, family }) =>
        taint?.sources.some((kind) => !this.shallowKinds.has(kind)) ? [family] : [],
      ),
    );
    this.shallowFamilies = [...this.#bits].reduce(
      (all, [family, bit]) =>
        data.rules.some((rule) => rule.taint && rule.family === family) && !lasting.has(family) ? all | bit : all,
      0,
    );
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
    if (this.#asked?.key !== key) this.#asked = { key, catalogue: new Catalogue(this.#data, this.#files, codes) };
    return this.#asked.catalogue;
  }

  /** Whether a rule asks about sources of this kind. */
  counts(rule: Rule, kind: string): boolean {
    return rule.taint !== undefined && this.kinds(rule.taint.sources).has(kind);
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

  /** Reads what models say about a language; what is known of a file in it can be asked then. */
  load(language: string): Promise<void> {
    return this.#files.load(modelLanguage(language));
  }

  /** What is known about a file in this language that imports these modules. Cached per set of models. */
  knowledge(language: string, imports: ReadonlySet<string>, text = ""): Knowledge {
    const base = modelLanguage(language);
    const its = this.#languages.get(base) ?? this.#languageKnowledge(base);
    this.#languages.set(base, its);
    const models = its.models.filter((model) => isImported(model, imports) || isNamed(model, text));
    const key = `${base}|${models.map((model) => model.framework).join("|")}`;
    const known = this.#knowledge.get(key) ?? this.#build(its, models);
    this.#knowledge.set(key, known);
    return known;
  }

  /** Reads what is said about a language by the rules that are on. */
  readerOf(language: string): StatementReader {
    const rules = this.#data.rules.filter((rule) => this.#isOn(rule) && rule.languages.some((l) => l === language));
    return new StatementReader(
      this,
      rules.filter((rule) => rule.taint),
    );
  }

  #isOn({ code }: Rule): boolean {
    return code === undefined || this.#codes.has(code);
  }

  #languageKnowledge(language: string): LanguageKnowledge {
    const { models, index } = this.#files.of(language);
    const statements = statementsOf(language, this.#data.rules, models);
    return { models, index: new Map(Object.entries(index)), statements, reader: this.readerOf(language) };
  }

  #build({ index, statements, reader }: LanguageKnowledge, models: readonly Model[]): Knowledge {
    const isAsked = ({ by }: Statement) => ("framework" in by ? models.includes(by) : this.#isOn(by));
    const knowledge = new Knowledge(index.keys(), (known, segment) => {
      for (const place of index.get(segment) ?? []) {
        const statement = statements[place] as Statement;
        if (isAsked(statement)) reader.read(statement, known, (wanted) => wanted === segment);
      }
    });
    reader.begin(knowledge, models);
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

  /** What the texts of rules call the place that sources of a kind come from; undefined for kinds that no text names. */
  originOf(kind: string): Text | undefined {
    return this.#origins.get(kind);
  }

  /** The kinds of sources that are meant by names of kinds and groups. */
  kinds(names: readonly string[]): ReadonlySet<string> {
    return new Set(names.flatMap((name) => this.#data.sourceGroups[name] ?? [name]));
  }
}

/** A language and how what is said about it is read. */
interface LanguageKnowledge {
  readonly models: readonly Model[];
  /** By name, the places of the statements about it. */
  readonly index: ReadonlyMap<string, readonly number[]>;
  readonly statements: readonly Statement[];
  readonly reader: StatementReader;
}

function isImported(model: Model, imports: ReadonlySet<string>): boolean {
  if (!model.detect) return true;
  return model.detect.imports.some((wanted) => {
    for (const module of imports)
      if (module.startsWith(wanted) && /^([./]|$)/.test(module.slice(wanted.length))) return true;
    return false;
  });
}

/** Whether a file calls what only those call that have the framework. */
const isNamed = ({ detect }: Model, text: string): boolean =>
  detect?.texts.some((call) => text.includes(call)) === true;

/** Only what a value can be clean for needs a bit: the families that some rule follows values to. */
export const taintFamilies = ({ families, rules }: Pick<CatalogueData, "families" | "rules">): string[] =>
  Object.keys(families).filter((family) => rules.some((rule) => rule.taint && rule.family === family));

const regex = (source: string | undefined): LazyRegex | null => (source === undefined ? null : expression(source));
