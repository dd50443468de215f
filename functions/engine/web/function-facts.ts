import type { Expression } from "../ir/ir.ts";
import { append } from "../multimap.ts";
import type { FunctionRecord, Reference, WebPlace } from "./web-record.ts";

/** Calls of calls that are looked into, inside one file. */
const depthMax = 4;
const callsMax = 60;
const placesMax = 20;

/** What is collected about a function or class while its file is walked. */
export class FunctionFacts {
  /** What it is declared as; it may go by other names too. */
  readonly name: string;
  readonly names: Set<string>;
  /** The class that a method belongs to; what `this` means. */
  readonly owner: string | null;
  /** What a method calls its object, where it has chosen the name. */
  self: string | null = null;
  readonly controls = new Set<string>();
  readonly effects = new Set<string>();
  readonly calls = new Set<Reference>();
  /** What stands in front of it: it adds controls, and what it does is not done by the function. */
  readonly fronts = new Set<Reference>();
  /** The types of parameters by name, as far as they are written. */
  readonly parameters = new Map<string, string | null>();
  /** Variables that it declares, with what they are given; null where that is one of several results. */
  readonly locals = new Map<string, Expression | null>();
  readonly places: WebPlace[] = [];

  constructor(name: string, owner: string | null) {
    this.name = name;
    this.names = new Set([name]);
    this.owner = owner;
  }
}

/** Where a function leads: the functions of the file that it calls, these and those in front of it, and what is in other files. */
interface Links {
  readonly calls: readonly FunctionFacts[];
  readonly next: readonly FunctionFacts[];
  readonly away: readonly Reference[];
}

/** Behind a class of the same file: its methods, as far as that tells of what stands in front. */
export const allMethods = ".*";

const leadsAway = (reference: Reference): boolean => !reference.startsWith("#");

/** All functions of a file, each with what the functions of the file that it calls do. */
export function functionRecords(all: readonly FunctionFacts[], referred: ReadonlySet<Reference>): FunctionRecord[] {
  const byName = new Map<string, FunctionFacts>();
  const methods = new Map<string, FunctionFacts[]>();
  for (const facts of all) {
    for (const name of facts.names) if (!byName.has(name)) byName.set(name, facts);
    if (facts.owner !== null) append(methods, facts.owner, facts);
  }
  const called = ({ owner }: FunctionFacts, references: Iterable<Reference>): readonly FunctionFacts[] =>
    [...references].flatMap((reference) => {
      if (leadsAway(reference)) return [];
      const name = reference.replace(/^#((this|self)\.)?/, (_, own) => (own ? `${owner}.` : ""));
      if (name.endsWith(allMethods)) return methods.get(name.slice(0, -allMethods.length)) ?? [];
      return byName.get(name) ?? [];
    });
  const known = new Map<FunctionFacts, Links>();
  /** Looked up once: most functions are reached from several. */
  const linksOf = (facts: FunctionFacts): Links => {
    let links = known.get(facts);
    if (!links) {
      const calls = called(facts, facts.calls);
      links = { calls, next: [...calls, ...called(facts, facts.fronts)], away: [...facts.calls].filter(leadsAway) };
      known.set(facts, links);
    }
    return links;
  };
  return all.flatMap((facts) => {
    if (facts.controls.size + facts.effects.size + facts.calls.size + facts.fronts.size === 0) return [];
    const reached = new Set([facts]);
    let last: readonly FunctionFacts[] = [facts];
    const direct = linksOf(facts).calls;
    for (let depth = 0; depth < depthMax && last.length > 0; depth++) {
      last = [...new Set(last.flatMap((from) => linksOf(from).next))].filter((to) => !reached.has(to));
      for (const to of last) reached.add(to);
    }
    const union = (part: (from: FunctionFacts) => Iterable<string>) =>
      [...new Set([...reached].flatMap((from) => [...part(from)]))].sort();
    const controls = union((from) => from.controls);
    // What is done further away is done to something else, as a rule.
    const effects = [...new Set([facts, ...direct].flatMap((from) => [...from.effects]))].sort();
    const calls = union((from) => linksOf(from).away).slice(0, callsMax);
    const places = [...new Set([facts, ...direct].flatMap((from) => from.places))].slice(0, placesMax);
    const fronts = [...facts.fronts].filter((reference) => leadsAway(reference) && !calls.includes(reference));
    if (controls.length + effects.length + calls.length + fronts.length === 0) return [];
    // Anonymous functions are found by their place only where something refers to it.
    const names = [...facts.names].filter((name) => !/<\d+>$/.test(name) || referred.has(`#${name}`));
    return names.map((name) => ({
      name,
      controls,
      effects,
      calls,
      ...(fronts.length > 0 && { fronts }),
      ...(places.length > 0 && { places }),
    }));
  });
}
