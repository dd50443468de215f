import type { Candidate, ExportedFunction, FileArtefact, Handover, Origin, OutgoingCall, Way } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { lastSegment } from "../catalogue/paths.ts";
import type { TraceStep } from "../finding.ts";
import { knownFurther, mayHold } from "../interpret/calls/path-conditions.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { inClasses } from "../interpret/objects/shared-state.ts";
import { askedOf } from "../interpret/validators/asked-fields.ts";
import { languageOf } from "../inventory/language.ts";
import { wholeMap } from "../ir/ir.ts";
import { append } from "../multimap.ts";
import { libraryCandidates } from "./library-input.ts";
import { type PlacedCandidate, placeTrace } from "./link.ts";
import { BoundNames } from "./mapper-parameters.ts";
import { argumentIndex, type Modules, returnsOf, samePart, type Target, takes } from "./modules.ts";
import { type Came, type Made, Passages } from "./passages.ts";
import { Settings } from "./settings.ts";
import { FilledTables } from "./tables.ts";

/** Each file a value crosses makes it a little less certain. */
const crossingFactor = 0.9;
/** PHP finds functions and classes of other files by their names alone, each of which may be another's. */
const namesFactor = 0.8;
const crossingsMax = 5;
/** Of what was kept on its way only near uses are told: a setting gets everywhere. */
const keptCrossingsMax = 3;
const stepsMax = 20;
/** Ways that one value may take through other files; a hub that everything runs through must not cost the rest its time. */
const waysMax = 2_000;
/** The same for all values of a scan together. WordPress takes 25,000, a second of work; what takes forty times as many is made to. */
const allWaysMax = 1_000_000;
/** Inputs that one value may be, of which WordPress has eight at most; these show what is wrong as well as all would. */
const arrivalsMax = 100;

/** The kind of what comes out of a database. */
const storedKind = "stored";

/** Attacker input where it comes into sight, with the way it took to there. */
interface Arrival {
  sourceKind: string;
  source: string;
  confidence: number;
  clean: readonly string[];
  /** The class of an object whose constraints were looked at; see interpret/validators/constraints.ts. */
  validated?: string;
  /** The object that it is a part of, where a function has given that as a whole. */
  made?: Made | null;
  trace: readonly TraceStep[];
  crossings: number;
  /** It has been kept by files of one package for each other. */
  isKept?: true;
}

interface Stored {
  readonly path: string;
  readonly store: FileArtefact["link"]["stores"][number];
  /** What a call from another file has put there. */
  readonly arrival?: Arrival;
}

type Kept = Extract<Origin, { kept: unknown }>["kept"];

/** What a file hands to a function of another one; of a function's parameter where it hands that on. */
interface Caller {
  readonly path: string;
  readonly call: Handover;
  readonly of: { readonly name: string; readonly parameter: number } | null;
}

/** Follows attacker input through the files, from where it comes in to the sinks it reaches. */
export class CrossFile {
  readonly #catalogue: Catalogue;
  readonly #artefacts: readonly FileArtefact[];
  readonly #modules: Modules;
  readonly #passages: Passages;
  readonly #settings: Settings;
  readonly #bound: BoundNames;
  /** What files keep, by the field and by the object that it was filled as a part of. */
  readonly #stores = new Map<string, Stored[]>();
  readonly #storesWithin = new Map<string, Stored[]>();
  readonly #tables: FilledTables;
  /** Texts that files make of input, by their paths. */
  readonly #texts: ReadonlyMap<string, readonly Candidate[]>;
  readonly #cleaned: ReadonlySet<string>;
  readonly #arrivals = new Map<string, readonly Arrival[]>();
  readonly #entangled = new Set<string>();
  #calling: ReadonlyMap<string, readonly Caller[]> | null = null;
  #ways = 0;

  /** @param artefacts in path order */
  constructor(catalogue: Catalogue, artefacts: readonly FileArtefact[], modules: Modules) {
    this.#catalogue = catalogue;
    this.#artefacts = artefacts;
    this.#modules = modules;
    this.#passages = new Passages(catalogue, this.#modules, artefacts);
    this.#settings = new Settings(artefacts);
    this.#bound = new BoundNames(artefacts);
    this.#cleaned = new Set(artefacts.flatMap(({ link }) => link.cleans ?? []));
    this.#texts = new Map(artefacts.flatMap(({ coverage, link }) => (link.texts ? [[coverage.path, link.texts]] : [])));
    this.#tables = new FilledTables(artefacts);
    for (const { coverage, link } of artefacts) {
      for (const store of link.stores) {
        const stored = { path: coverage.path, store };
        append(this.#stores, placeOf(coverage.path, store.field), stored);
        if (store.within) append(this.#storesWithin, store.within, stored);
      }
    }
  }

  /** Whether a candidate of one file holds when the other files are looked at. */
  holds(path: string, candidate: Candidate, came: Came = {}): boolean {
    if (candidate.setting && !this.#settings.fits(path, candidate.setting)) return false;
    if (candidate.bound && (this.#bound.isPlain(candidate.bound) || this.#isGivenClean(candidate))) return false;
    if (candidate.entity && !this.#modules.hasRights(path, candidate.entity)) return false;
    const rule = this.#catalogue.rules.get(candidate.ruleId);
    if (rule?.taint && this.#cleaned.has(rule.family)) return false;
    return !candidate.via || !rule || this.#passages.lets(path, candidate.via, rule.family, came);
  }

  /** Whether all who call the method of a statement hand over what they have tested, or what nobody outside has a part in. */
  #isGivenClean({ bound, ruleId }: Candidate): boolean {
    const given = bound ? this.#bound.given(bound) : null;
    const family = this.#catalogue.rules.get(ruleId)?.family;
    if (!given || family === undefined) return false;
    return (this.#callers().get(lastSegment(given.method)) ?? [])
      .filter(
        ({ call: { target, argument, field } }) =>
          `.${target}`.endsWith(`.${given.method}`) && argument === given.parameter && samePart(field, given.field),
      )
      .every(({ path, call }) => [...call.clean, ...this.#passages.cleanedBy(path, call.via)].includes(family));
  }

  /** Whether rows that a file shows may hold what somebody has sent: the application fills one of the tables that it reads. */
  isFilled(path: string, candidate: Candidate): boolean {
    const sources = this.#catalogue.rules.get(candidate.ruleId)?.taint?.sources;
    return !sources?.includes(storedKind) || this.#tables.holdInput(path, candidate);
  }

  /** What no file shows on its own. */
  candidates(): PlacedCandidate[] {
    // What functions are given to keep has to be known before anybody asks what is kept.
    const entering = this.#artefacts.flatMap(({ coverage: { path }, link }) =>
      link.calls
        .filter(({ from }) => "sourceKind" in from)
        .flatMap((call) => this.#origins(path, call).flatMap((arrival) => this.#follow(path, call, arrival))),
    );
    const across = this.#artefacts.flatMap(({ coverage: { path }, link }) => [
      ...link.pending.flatMap(({ candidate, ...from }) => this.#arrived(path, from, candidate)),
      ...link.calls
        .filter(({ from }) => !("sourceKind" in from))
        .flatMap((call) => this.#origins(path, call).flatMap((arrival) => this.#follow(path, call, arrival))),
    ]);
    return [...withoutFurther([...entering, ...across]), ...libraryCandidates(this.#catalogue, this.#artefacts)];
  }

  /** Files whose values take more ways through the others than were followed. */
  get entangled(): ReadonlySet<string> {
    return this.#entangled;
  }

  #arrived(path: string, from: Origin, candidate: Candidate): PlacedCandidate[] {
    return this.#origins(path, { from, trace: [] })
      .filter((arrival) => this.#counts(candidate, arrival) && this.holds(path, candidate, arrival))
      .map((arrival) => this.#placed(path, candidate, arrival, [...arrival.trace, ...onward(path, candidate.trace)]));
  }

  /** The attacker input that a value of one file is, found by asking the files it comes from. */
  #origins(path: string, way: Pick<Way, "trace"> & { from: Origin }, depth = 0): readonly Arrival[] {
    const { from } = way;
    if ("sourceKind" in from)
      return from.sourceKind === storedKind && !this.#tables.holdInput(path, way)
        ? []
        : [{ ...from, clean: [], trace: [], crossings: 0 }];
    if ("parameter" in from || depth >= crossingsMax) return [];
    if ("kept" in from) return this.#keptByClass(path, from.kept, depth);
    const isKept = from.outside.startsWith("#");
    const key = isKept
      ? `#${placeOf(path, from.outside.slice(1))}`
      : `${path.slice(0, path.lastIndexOf("/") + 1)}\0${from.outside}\0${from.count}`;
    const known = this.#arrivals.get(key);
    if (known) return known;
    // What goes round in a circle comes from nowhere.
    this.#arrivals.set(key, []);
    const [target, ...parts] = from.outside.split(fieldOf) as [string, ...string[]];
    const field = parts.length > 0 ? parts.join(fieldOf) : undefined;
    const arriving = isKept
      ? this.#kept(placeOf(path, target.slice(1)))
          .filter(({ store }) => store.part === undefined || (samePart(store.part, field) && !(store.isOwn && !field)))
          .flatMap(({ path: there, store, arrival }) =>
            (arrival ? [arrival] : this.#through(there, store, depth)).map(/^[~@]/.test(store.field) ? asKept : asIs),
          )
          .values()
      : this.#modules
          .find(path, target)
          .values()
          .flatMap(({ artefact, exported }) =>
            returnsOf(exported, from.count)
              .filter((way) => samePart(way.field, field))
              .flatMap((way) => {
                const arrivals = this.#through(artefact.coverage.path, way, depth);
                // A pool that has a password is no password, and a server that keeps a name does not lie under it.
                const isDeep = field === undefined && way.field !== undefined;
                return isDeep
                  ? arrivals.filter(
                      ({ sourceKind, isKept }) => !isKept && !this.#catalogue.shallowKinds.has(sourceKind),
                    )
                  : arrivals;
              }),
          );
    const found = arriving.take(arrivalsMax + 1).toArray();
    if (found.length > arrivalsMax) this.#entangled.add(path);
    const followed = found.slice(0, arrivalsMax);
    this.#arrivals.set(key, followed);
    return followed;
  }

  /** What any file has a class keep that keeps it for all who ask: `TenantHolder.set(name)`. */
  #keptByClass(path: string, { of, method, parameter }: Kept, depth: number): readonly Arrival[] {
    return of === undefined ? [] : this.#passedTo(path, `${of}.${method}`, parameter, depth);
  }

  /** The attacker input that other files pass as a parameter of a function, themselves or for those who call them. */
  #passedTo(path: string, name: string, parameter: number, depth: number): readonly Arrival[] {
    const key = `>${path}\0${name}\0${parameter}`;
    const known = this.#arrivals.get(key);
    if (known || depth >= crossingsMax) return known ?? [];
    this.#arrivals.set(key, []);
    const isMeant = (from: string, { target, argument }: Handover) =>
      this.#modules
        .find(from, target)
        .some(
          ({ artefact, exported }) =>
            artefact.coverage.path === path &&
            exported.name === name &&
            argumentIndex(exported, argument) === parameter,
        );
    const found = (this.#callers().get(lastSegment(name)) ?? [])
      .filter(({ path: from, call }) => isMeant(from, call))
      .flatMap(({ path: from, call, of }) => {
        if (of === null) return this.#through(from, call as OutgoingCall, depth);
        const arrivals = this.#passedTo(from, of.name, of.parameter, depth + 1);
        return arrivals.map((arrival) => this.#onWay(from, call, arrival));
      })
      .slice(0, arrivalsMax);
    this.#arrivals.set(key, found);
    return found;
  }

  /** All that files hand to functions of others, by the last name of what is called; `of` is the parameter that is handed on. */
  #callers(): ReadonlyMap<string, readonly Caller[]> {
    if (this.#calling) return this.#calling;
    const calling = new Map<string, Caller[]>();
    const note = (caller: Caller) => append(calling, lastSegment(caller.call.target), caller);
    for (const { coverage, link } of this.#artefacts) {
      if (coverage.language !== "java" && coverage.language !== "kotlin") continue;
      const { path } = coverage;
      for (const call of link.calls) note({ path, call, of: null });
      for (const { name, passes } of link.exports)
        for (const call of passes) note({ path, call, of: { name, parameter: call.parameter } });
    }
    this.#calling = calling;
    return calling;
  }

  /** What files keep in a field, in the object that it is a field of, or, where the field was filled as a whole, in one of its own. */
  #kept(field: string): Stored[] {
    if (field.startsWith(inClasses)) {
      const fields = this.#modules.fieldsOfKin(field.slice(inClasses.length));
      return fields.flatMap((name) => this.#stores.get(inClasses + name) ?? []);
    }
    const parts = field.split(".");
    const around = parts.map((_, i) => parts.slice(0, i + 1).join("."));
    const stored = around.flatMap((name) => this.#stores.get(name) ?? []);
    return [...new Set([...stored, ...(this.#storesWithin.get(field) ?? [])])];
  }

  #through(path: string, way: Way & { from: Origin }, depth: number): Arrival[] {
    return this.#origins(path, way, depth + 1).map((arrival) => this.#onWay(path, way, arrival, depth));
  }

  #onWay(path: string, way: Way, arrival: Arrival, depth = 1): Arrival {
    return {
      ...arrival,
      made: this.#passages.madeOn(path, way.via) ?? (way.via ? null : arrival.made),
      // What a function of a third file has done to it is not asked per class here: it either lets everything through or nothing.
      clean: [...new Set([...arrival.clean, ...way.clean, ...this.#passages.cleanedBy(path, way.via, arrival)])],
      trace: [
        ...arrival.trace,
        ...(depth === 0 && arrival.trace.length === 0 ? placeTrace(path, way.trace) : onward(path, way.trace)),
      ],
      crossings: arrival.crossings + 1,
    };
  }

  #counts(candidate: Candidate, arrival: Arrival): boolean {
    const rule = this.#catalogue.rules.get(candidate.ruleId);
    return (
      rule !== undefined &&
      !(arrival.isKept && arrival.crossings > keptCrossingsMax) &&
      !arrival.clean.includes(rule.family) &&
      this.#catalogue.counts(rule, arrival.sourceKind)
    );
  }

  #follow(path: string, call: OutgoingCall, arrival: Arrival): PlacedCandidate[] {
    const found: PlacedCandidate[] = [];
    const clean = [...new Set([...arrival.clean, ...call.clean, ...this.#passages.cleanedBy(path, call.via, arrival)])];
    const trace = [
      ...arrival.trace,
      ...(arrival.trace.length === 0 ? placeTrace(path, call.trace) : onward(path, call.trace)),
    ];
    const declared = (field: string | undefined) =>
      field === undefined ? [] : this.#passages.cleanedBy(path, askedOf(call.via, field));
    const open = [{ ...call, ...arrival, from: path, clean, trace, crossings: arrival.crossings + 1 }];
    const seen = new Set<string>();
    for (let way = open.pop(); way; way = open.pop()) {
      if (seen.size === waysMax || this.#ways === allWaysMax) {
        this.#entangled.add(path);
        break;
      }
      this.#ways += 1;
      for (const { artefact, exported } of taking(way.count, this.#modules.find(way.from, way.target))) {
        const there = artefact.coverage.path;
        const { parameter, field, isAny } = entered(exported, way);
        const key = `${there}|${exported.name}|${parameter}|${field}|${[...way.clean].sort()}`;
        if (seen.has(key)) continue;
        seen.add(key);
        for (const flow of exported.flows) {
          if (
            (flow.parameter !== parameter && !isAny) ||
            !mayHold(flow.conditions, way.known) ||
            !takes(flow.field, field) ||
            (flow.leads && way.led) ||
            (flow.whole && flow.field === undefined && field !== undefined) ||
            !this.#counts(flow.candidate, { ...way, clean: [...way.clean, ...declared(flow.field)] }) ||
            !this.holds(there, flow.candidate, way)
          )
            continue;
          found.push(this.#placed(there, flow.candidate, way, [...way.trace, ...onward(there, flow.candidate.trace)]));
        }
        for (const store of exported.keeps ?? [])
          if ("parameter" in store.from && store.from.parameter === parameter && takes(store.from.field, field))
            this.#keep(there, store, way);
        for (const pass of exported.passes) {
          if (
            (pass.parameter !== parameter && !isAny) ||
            !(pass.same ? samePart(pass.of, field) : takes(pass.of, field)) ||
            way.crossings >= crossingsMax
          )
            continue;
          if (!mayHold(pass.conditions, way.known)) continue;
          open.push({
            ...way,
            target: pass.target,
            argument: pass.argument,
            field: pass.field ?? (pass.same && pass.of === undefined ? field : undefined),
            count: pass.count,
            known: knownFurther(pass.known, way.known),
            from: there,
            clean: [
              ...new Set([
                ...way.clean,
                ...pass.clean,
                ...declared(pass.of),
                ...this.#passages.cleanedBy(there, pass.via, way),
              ]),
            ],
            trace: [...way.trace, ...onward(there, pass.trace)],
            crossings: way.crossings + 1,
          });
        }
      }
    }
    return found;
  }

  /** A function was given something that it keeps. */
  #keep(path: string, store: Stored["store"], way: Arrival): void {
    const clean = [...new Set([...way.clean, ...store.clean, ...this.#passages.cleanedBy(path, store.via)])];
    const trace = [...way.trace, ...onward(path, store.trace)];
    const { sourceKind, source, confidence, crossings } = way;
    const arrival = { sourceKind, source, confidence, clean, trace, crossings };
    append(this.#stores, placeOf(path, store.field), { path, store, arrival });
  }

  /** Where one function shows or runs the texts of all files, each text is a finding of its own, in the file that made it of input. */
  #placed(path: string, candidate: Candidate, arrival: Arrival, trace: readonly TraceStep[]): PlacedCandidate {
    const factor = languageOf(path).name === "php" ? namesFactor : crossingFactor;
    const certainty = candidate.confidence * arrival.confidence * factor ** Math.max(1, arrival.crossings);
    const confidence = Math.round(certainty * 100) / 100;
    const { source, sourceKind } = arrival;
    const found = { ...candidate, source, sourceKind, confidence };
    const made = this.#textOn(
      trace.filter((step) => step.path !== path),
      candidate.ruleId,
    );
    if (!made) return { path, candidate: found, trace: fold(trace) };
    const { ruleId, severity, sink } = found;
    return {
      path: made.path,
      candidate: { ...made.text, ruleId, severity, sink, source, sourceKind, confidence },
      trace: fold(trace),
    };
  }

  /** The first text that is made on a way in a file before the last. */
  #textOn(trace: readonly TraceStep[], ruleId: string): { path: string; text: Candidate } | null {
    const family = this.#catalogue.rules.get(ruleId)?.family;
    for (const path of new Set(trace.map((step) => step.path))) {
      const here = trace.filter((step) => step.path === path);
      const text = this.#texts
        .get(path)
        ?.find(
          ({ ruleId: id, trace: [input], startLine, endLine }) =>
            this.#catalogue.rules.get(id)?.family === family &&
            here.some((step) => step.startLine === input?.startLine && step.startColumn === input.startColumn) &&
            here.some((step) => startLine <= step.startLine && step.startLine <= endLine),
        );
      if (text) return { path, text };
    }
    return null;
  }
}

/**
 * Where a value comes into sight in a function. A template that is given a map has what lies in it under its own names; given all of the
 * input it finds that under every name.
 */
function entered(
  exported: ExportedFunction,
  { target, argument, field }: Pick<Handover, "target" | "argument" | "field">,
): { parameter: number; field: string | undefined; isAny: boolean } {
  const isMap = argument === wholeMap && target.startsWith("template:");
  if (!isMap || field === undefined) return { parameter: argumentIndex(exported, argument), field, isAny: isMap };
  const [name, ...parts] = field.split(fieldOf) as [string, ...string[]];
  const parameter = Math.max(argumentIndex(exported, name), exported.parameters.indexOf(`$${name}`));
  return { parameter, field: parts.length > 0 ? parts.join(fieldOf) : undefined, isAny: false };
}

/** Of functions that go by one name in one file, those that take as many arguments as they are given, if there are such. */
function taking(count: number | undefined, targets: readonly Target[]): readonly Target[] {
  if (count === undefined || targets.length < 2) return targets;
  const fits = ({ exported }: Target) => exported.parameters.length === count;
  return targets.filter(
    (target) =>
      fits(target) ||
      !targets.some(
        (other) => other.artefact === target.artefact && other.exported.name === target.exported.name && fits(other),
      ),
  );
}

/** What is a finding when it is handed to a wrapper is not another one inside of the wrapper. */
function withoutFurther(found: readonly PlacedCandidate[]): PlacedCandidate[] {
  const keyOf = (rule: string, [source]: readonly TraceStep[], path: string, line: number) =>
    `${rule}|${source?.path}:${source?.startLine}:${source?.startColumn}|${path}:${line}`;
  const told = new Set(
    found.map(({ path, candidate, trace }) => keyOf(candidate.ruleId, trace, path, candidate.startLine)),
  );
  return found.filter(({ path, candidate: { ruleId }, trace }) =>
    trace.every((step) => step.path === path || !told.has(keyOf(ruleId, trace, step.path, step.startLine))),
  );
}

const asIs = (arrival: Arrival): Arrival => arrival;

const asKept = (arrival: Arrival): Arrival => ({ ...arrival, isKept: true });

/** What a package of Go shares is its folder's alone; fields of requests and their like are the same everywhere. */
const placeOf = (path: string, field: string): string =>
  field.startsWith("~") ? `${path.slice(0, path.lastIndexOf("/") + 1)}\0${field}` : field;

/** In the middle of a way neither a parameter nor the result of a call is a source. */
const onward = (path: string, steps: Way["trace"]): TraceStep[] =>
  placeTrace(path, steps).map((step) => (step.role === "source" ? { ...step, role: "step" } : step));

const fold = (trace: readonly TraceStep[]): TraceStep[] =>
  trace.length <= stepsMax ? [...trace] : [...trace.slice(0, stepsMax / 2), ...trace.slice(-stepsMax / 2)];
