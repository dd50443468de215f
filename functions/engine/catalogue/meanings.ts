import type { Severity } from "../finding.ts";
import { releaseOf } from "../inventory/library-manifest.ts";
import type { Place } from "../structure/structure-schema.ts";
import type { EntryPoint, Families, Match, SanitizerModel, SourceModel, Test } from "./catalogue.ts";
import { expression, type LazyRegex } from "./expression.ts";
import type { Model } from "./model-schema.ts";
import { expandBraces, PathIndex } from "./paths.ts";
import type { Family, Rule } from "./rule-schema.ts";
import type { Condition } from "./statement-schema.ts";

/** What statements refer to. */
export interface Glossary {
  family(name: string): Family;
  bitsOf(families: "all" | readonly string[]): Families;
  /** The kinds of sources that are meant by names of kinds and groups. */
  kinds(names: readonly string[]): ReadonlySet<string>;
}

/** What statements mean. Each is made once, whatever name it is read for. */
export class Meanings {
  readonly #glossary: Glossary;
  readonly #rules: readonly Rule[];
  readonly #made = new Map<object, unknown>();
  readonly #points = new Map<object, EntryPoint>();
  readonly #matches = new Map<Rule, Map<object, Match>>();

  /** @param rules those of the language that follow values, as far as they are on */
  constructor(glossary: Glossary, rules: readonly Rule[]) {
    this.#glossary = glossary;
    this.#rules = rules;
  }

  source(entry: Model["sources"][number]): SourceModel {
    return this.once(
      entry,
      ({ kind, receiver, when, unless, notBefore, unlessFact = null, ofClass, ofInput, cleans }) => ({
        kind,
        cleans: this.#glossary.bitsOf(cleans),
        ofInput,
        receiver: regex(receiver),
        when: when.map(compiledTest),
        unless: unless.map(compiledTest),
        notBefore: regex(notBefore),
        unlessFact,
        ofClass: regex(ofClass),
      }),
    );
  }

  sanitizer(entry: Model["sanitizers"][number]): SanitizerModel {
    return this.once(entry, ({ call, cleans, receiver, notReceiver, when, unless }) => ({
      cleans: this.#glossary.bitsOf(cleans),
      isAnybodys: call?.startsWith("*.") === true && receiver === undefined && cleans !== "all",
      receiver: regex(receiver),
      notReceiver: regex(notReceiver),
      when: when.map(compiledTest),
      unless: unless.map(compiledTest),
    }));
  }

  entryPoint(entry: Model["entryPoints"][number]): EntryPoint {
    const point = this.#points.get(entry) ?? this.#entryPointOf(entry);
    this.#points.set(entry, point);
    return point;
  }

  #entryPointOf(entry: Model["entryPoints"][number]): EntryPoint {
    return {
      self: entry.self ?? null,
      methods: entry.methods === true,
      parameters: entry.parameters,
      instead: entry.instead === true,
      others: entry.others ?? null,
      othersEnd: entry.parameters.length + (entry.othersMax ?? Number.POSITIVE_INFINITY),
      returns: entry.returns.flatMap(({ argument, family, when, unless, notNear, confidence = entry.confidence }) =>
        this.#rules
          .filter((rule) => rule.family === family)
          .map((rule) => this.#matchOf(rule, { argument, confidence, when, unless, notNear })),
      ),
      gives: entry.gives === true,
      confidence: entry.confidence ?? 1,
      names: entry.names ?? [],
      receiver: regex(entry.receiver),
      when: entry.when.map(compiledTest),
      unless: entry.unless.map(compiledTest),
      with: pathIndex(entry.with),
      without: pathIndex(entry.without),
      result: regex(entry.result),
      of: pathIndex(entry.of),
      file: regex(entry.file),
      except: entry.except.flatMap(expandBraces),
      fields: entry.fields ? compiledTest(entry.fields) : null,
      clean: new Map(),
    };
  }

  /** What is looked for at the places that a statement names, for a rule. */
  match(rule: Rule, at: Where): Match {
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
      when: at.when.map(compiledTest),
      unless: at.unless.map(compiledTest),
      near: regex(at.near),
      notNear: regex(at.notNear),
      file: regex(at.file),
      notFile: regex(at.notFile),
      within: at.within ?? null,
      result: regex(at.result),
      severity: at.severity ?? rule.severity,
      release: at.release ? { key: releaseOf(at.release.of), matches: at.release.matches, otherwise: true } : null,
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

  /** What is made of an entry, by who makes nothing else of it. */
  once<Entry extends object, Made>(entry: Entry, make: (entry: Entry) => Made): Made {
    const known = this.#made.get(entry) as Made | undefined;
    if (known !== undefined) return known;
    const made = make(entry);
    this.#made.set(entry, made);
    return made;
  }
}

/** What statements of several kinds say about a place. */
export interface Where {
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
  release?: { of: string; matches: string } | undefined;
  confidence?: number | undefined;
  when: Condition[];
  unless: Condition[];
}

export function compiledTest(condition: Condition): Test {
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
    madeOf: condition.madeOf ?? null,
  };
}

export function pathIndex(path: string | undefined): PathIndex<true> | null {
  if (path === undefined) return null;
  const index = new PathIndex<true>();
  index.add(path, true);
  return index;
}

export const regex = (source: string | undefined): LazyRegex | null =>
  source === undefined ? null : expression(source);
