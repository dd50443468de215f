import type { Candidate, FileArtefact, Handover, Origin, OutgoingCall, Way } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { TraceStep } from "../finding.ts";
import { anyClass } from "../interpret/calls/handover.ts";
import { knownFurther, mayHold } from "../interpret/calls/path-conditions.ts";
import { bySchema, type Passage } from "../interpret/guards/passage.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { askedOf } from "../interpret/validators/asked-fields.ts";
import type { Arrival } from "./arrival.ts";
import { classAsked, meant, ofClassAsked } from "./asked-class.ts";
import { Callers } from "./callers.ts";
import { Constants } from "./constants.ts";
import { comesInto } from "./entering.ts";
import { argumentIndex, isFurther, returnsOf, samePart, takes } from "./exported.ts";
import { fieldGiven, giversOf, inMade } from "./given-parts.ts";
import { KeptFields, placeOf } from "./kept-fields.ts";
import { Leads } from "./leads.ts";
import { libraryCandidates, type OtherFiles } from "./library-input.ts";
import { type PlacedCandidate, placeTrace } from "./link.ts";
import { BoundNames } from "./mapper-parameters.ts";
import type { Modules } from "./modules.ts";
import { type Came, Passages } from "./passages.ts";
import { onward, Placing } from "./placing.ts";
import { isUnder } from "./registries.ts";
import { Settings } from "./settings.ts";
import { FilledTables } from "./tables.ts";
import { Takers } from "./takers.ts";

const crossingsMax = 5;
/** Of what was kept on its way only near uses are told: a setting gets everywhere. */
const keptCrossingsMax = 3;
/** Objects of JavaScript known by their names alone that one value may go through: a handler's service, and what that stores by. */
const handedMax = 2;
/** Ways that one value may take through other files; a hub that everything runs through must not cost the rest its time. */
const waysMax = 2_000;
/** The same for all values of a scan together. WordPress takes 25,000, a second of work; what takes forty times as many is made to. */
const allWaysMax = 1_000_000;
/** Inputs that one value may be, of which WordPress has eight at most; these show what is wrong as well as all would. */
const arrivalsMax = 100;

/** The kind of what comes out of a database. */
const storedKind = "stored";

type Kept = Extract<Origin, { kept: unknown }>["kept"];

/** Follows attacker input through the files, from where it comes in to the sinks it reaches. */
export class CrossFile {
  readonly #catalogue: Catalogue;
  readonly #artefacts: readonly FileArtefact[];
  readonly #modules: Modules;
  readonly #passages: Passages;
  readonly #settings: Settings;
  readonly #constants: Constants;
  readonly #bound: BoundNames;
  readonly #kept: KeptFields;
  readonly #callers: Callers;
  readonly #placing: Placing;
  readonly #tables: FilledTables;
  readonly #takers: Takers;
  readonly #leads: Leads;
  readonly #cleaned: ReadonlySet<string>;
  readonly #arrivals = new Map<string, readonly Arrival[]>();
  readonly #entangled = new Set<string>();
  #ways = 0;

  /** @param artefacts in path order */
  constructor(catalogue: Catalogue, artefacts: readonly FileArtefact[], modules: Modules) {
    this.#catalogue = catalogue;
    this.#artefacts = artefacts;
    this.#modules = modules;
    this.#passages = new Passages(catalogue, this.#modules, artefacts);
    this.#settings = new Settings(artefacts);
    this.#constants = new Constants(modules);
    this.#bound = new BoundNames(artefacts);
    this.#cleaned = new Set(artefacts.flatMap(({ link }) => link.cleans ?? []));
    this.#tables = new FilledTables(artefacts);
    this.#takers = new Takers(modules);
    this.#leads = new Leads(this.#takers, modules);
    this.#kept = new KeptFields(artefacts, modules);
    this.#callers = new Callers(artefacts);
    this.#placing = new Placing(catalogue, artefacts);
  }

  /** Whether a candidate of one file holds when the other files are looked at. */
  holds(path: string, candidate: Candidate, came: Came = {}): boolean {
    if (candidate.setting && !this.#settings.fits(path, candidate.setting)) return false;
    if (candidate.constant && !this.#constants.fit(path, candidate.constant)) return false;
    if (candidate.bound && (this.#bound.isPlain(candidate.bound) || this.#isGivenClean(candidate))) return false;
    if (candidate.entity && !this.#modules.hasRights(path, candidate.entity)) return false;
    const rule = this.#catalogue.rules.get(candidate.ruleId);
    if (rule?.taint && this.#cleaned.has(rule.family)) return false;
    return (
      !candidate.via ||
      !rule ||
      this.#passages.lets(path, candidate.via, rule.family, { ...came, given: candidate.given })
    );
  }

  /** Whether all who call the method of a statement hand over what they have tested, or what nobody outside has a part in. */
  #isGivenClean({ bound, ruleId }: Candidate): boolean {
    const given = bound ? this.#bound.given(bound) : null;
    const family = this.#catalogue.rules.get(ruleId)?.family;
    if (!given || family === undefined) return false;
    return this.#callers
      .of(given.method)
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
      this.#handed(
        path,
        link.calls.filter(({ from }) => "sourceKind" in from),
      ),
    );
    const across = this.#artefacts.flatMap(({ coverage: { path }, link }) => [
      ...link.pending.flatMap(({ candidate, ...from }) => this.#arrived(path, from, candidate)),
      ...this.#handed(
        path,
        link.calls.filter(({ from }) => !("sourceKind" in from)),
      ),
    ]);
    return [
      ...withoutFurther([...entering, ...across]),
      ...libraryCandidates(this.#catalogue, this.#artefacts, this.#others),
    ];
  }

  /** What other files do with what one hands them. */
  #handed(path: string, calls: readonly OutgoingCall[]): PlacedCandidate[] {
    return calls
      .filter((call) => this.#leads.isLead(path, call))
      .flatMap((call) => this.#origins(path, call).flatMap((arrival) => this.#follow(path, call, arrival)));
  }

  /** What callers pass to a library gets nowhere by a function that nobody has read: it may do anything. */
  readonly #others: OtherFiles = {
    find: (from, target) => this.#modules.find(from, target),
    getsThrough: (path, { ruleId, via = [] }) =>
      via.every(({ target }) => this.#modules.candidates(path, target).length > 0) &&
      this.#passages.lets(path, via, this.#catalogue.rules.get(ruleId)?.family ?? ""),
  };

  /** Files whose values take more ways through the others than were followed. */
  get entangled(): ReadonlySet<string> {
    return this.#entangled;
  }

  #arrived(path: string, from: Origin, candidate: Candidate): PlacedCandidate[] {
    return this.#origins(path, { from, trace: [] })
      .filter(
        (arrival) =>
          arrival.ofMade === undefined &&
          !(candidate.given && arrival.inRecord) &&
          this.#counts(candidate, arrival) &&
          this.holds(path, candidate, arrival),
      )
      .map((arrival) =>
        this.#placing.place(path, candidate, arrival, [...arrival.trace, ...onward(path, candidate.trace)]),
      );
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
      : `${path.slice(0, path.lastIndexOf("/") + 1)}\0${from.outside}\0${from.count}\0${from.told ? JSON.stringify(from.told) : ""}`;
    const known = this.#arrivals.get(key);
    if (known) return known;
    // What goes round in a circle comes from nowhere.
    this.#arrivals.set(key, []);
    const [target, ...parts] = from.outside.split(fieldOf) as [string, ...string[]];
    const field = parts.length > 0 ? parts.join(fieldOf) : undefined;
    const arriving = isKept
      ? this.#kept
          .under(path, target.slice(1))
          .filter(({ store }) => store.part === undefined || (samePart(store.part, field) && !(store.isOwn && !field)))
          .flatMap(({ path: there, store, arrival }) =>
            (arrival ? [arrival] : this.#through(there, store, depth)).map(
              /^[~@]/.test(store.field) ? asKept : store.within === target.slice(1) ? inRecord : asIs,
            ),
          )
          .values()
      : giversOf(this.#modules, path, from.outside)
          .values()
          .flatMap(({ artefact, exported, field }) =>
            returnsOf(exported, from.count, from.told)
              .filter((way) => samePart(way.field, field))
              .flatMap((way) => {
                const isRecord = way.record && field === undefined;
                // A pool that has a password is no password, and a server that keeps a name does not lie under it.
                const isDeep = field === undefined && way.field !== undefined;
                const made = isDeep ? this.#passages.madeWith({ artefact, exported }, way.field as string) : null;
                const arrivals = this.#through(artefact.coverage.path, way, depth).flatMap((one) => {
                  const arrival = {
                    ...one,
                    inRecord: isRecord,
                    within: fieldGiven(artefact.coverage.path, way, field, one),
                    ...(made && { made }),
                  };
                  return inMade(exported, way, field, arrival) ?? [];
                });
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

  /** What any file has a class or a module keep that keeps it for all who ask: `TenantHolder.set(name)`. */
  #keptByClass(path: string, { of, method, parameter }: Kept, depth: number): readonly Arrival[] {
    return of === undefined ? [] : this.#passedTo(path, of === "" ? method : `${of}.${method}`, parameter, depth);
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
    const found = this.#callers
      .of(name)
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

  #through(path: string, way: Way & { from: Origin }, depth: number): Arrival[] {
    return this.#origins(path, way, depth + 1).map((arrival) => this.#onWay(path, way, arrival, depth));
  }

  #onWay(path: string, way: Way, arrival: Arrival, depth = 1): Arrival {
    return {
      ...arrival,
      made: this.#passages.madeOn(path, way.via, arrival.made),
      // What a function of a third file has done to it is not asked per class here: it either lets everything through or nothing.
      clean: cleanFor(arrival.clean, way.clean, this.#passages.cleanedBy(path, way.via, arrival)),
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
    const clean = cleanFor(arrival.clean, call.clean, this.#passages.cleanedBy(path, call.via, arrival));
    const trace = [
      ...arrival.trace,
      ...(arrival.trace.length === 0 ? placeTrace(path, call.trace) : onward(path, call.trace)),
    ];
    const declared = (field: string | undefined) =>
      field === undefined
        ? []
        : this.#passages.cleanedBy(path, [...askedOf(call.via, field), ...askedOfResult(call, field)]);
    const handed = handsOn(path, call.target);
    const made = this.#passages.madeOn(path, call.via, arrival.made);
    const crossings = arrival.crossings + 1;
    const isWhole = path.endsWith(".py") ? !call.via : call.same;
    if (arrival.ofMade !== undefined && (!isWhole || call.field !== undefined)) return [];
    const field = call.field ?? (isWhole ? (arrival.within ?? arrival.ofMade) : undefined);
    const entry = {
      ...call,
      ...arrival,
      field,
      from: path,
      clean,
      cleanKey: keyOf(clean),
      trace,
      crossings,
      handed,
      made,
    };
    const open: (typeof entry & { on?: string })[] = [entry];
    const seen = new Set<string>();
    for (let way = open.pop(); way; way = open.pop()) {
      if (seen.size === waysMax || this.#ways === allWaysMax) {
        this.#entangled.add(path);
        break;
      }
      this.#ways += 1;
      const { known } = way;
      const taking = this.#takers.of(way.from, way.target).filter((target) => isUnder(target, known));
      const places = meant(way, taking).flatMap((target) =>
        comesInto(target.exported, way).map((place) => ({ ...target, ...place })),
      );
      for (const { artefact, exported, parameter, field, asked } of places) {
        const there = artefact.coverage.path;
        const entrance = this.#leads.into({ artefact, exported }, parameter);
        if (!entrance) continue;
        const key = `${there}|${exported.name}|${parameter}|${field}|${way.cleanKey}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const behind = way.starts && isFurther(exported, way.argument) ? behindProgram : [];
        for (const flow of entrance.flows) {
          if (
            !mayHold(flow.conditions, way.known) ||
            !takes(flow.field, field) ||
            (flow.leads && way.led) ||
            (flow.whole && flow.field === undefined && field !== undefined) ||
            !this.#counts(flow.candidate, {
              ...way,
              clean: [...way.clean, ...declared(asked ?? flow.field), ...behind],
            }) ||
            !this.holds(there, flow.candidate, way)
          )
            continue;
          found.push(
            this.#placing.place(there, flow.candidate, way, [...way.trace, ...onward(there, flow.candidate.trace)]),
          );
        }
        for (const store of entrance.keeps)
          if ("parameter" in store.from && takes(store.from.field, field))
            this.#kept.give(there, ofClassAsked(store, field, way, exported), this.#keeping(there, store, way));
        for (const pass of entrance.passes) {
          if (!(pass.same ? samePart(pass.of, field) : takes(pass.of, field)) || way.crossings >= crossingsMax)
            continue;
          const handed = way.handed + handsOn(there, pass.target);
          if (handed > handedMax || !mayHold(pass.conditions, way.known)) continue;
          const clean = cleanFor(
            way.clean,
            pass.clean,
            declared(asked ?? pass.of),
            behind,
            this.#passages.cleanedBy(there, pass.via, way),
          );
          open.push({
            ...way,
            target: pass.target,
            argument: pass.argument,
            field: pass.field ?? (pass.same && pass.of === undefined ? field : undefined),
            count: pass.count,
            type: pass.type,
            starts: pass.starts,
            known: knownFurther(pass.known, way.known),
            made: this.#passages.madeOn(there, pass.via, way.made),
            from: there,
            on: classAsked(way, exported, pass.target),
            handed,
            clean,
            cleanKey: clean === way.clean ? way.cleanKey : keyOf(clean),
            trace: [...way.trace, ...onward(there, pass.trace)],
            crossings: way.crossings + 1,
          });
        }
      }
    }
    return found;
  }

  /** What a function keeps that was given something. */
  #keeping(path: string, store: Way, { sourceKind, source, confidence, crossings, ...way }: Arrival): Arrival {
    const clean = cleanFor(way.clean, store.clean, this.#passages.cleanedBy(path, store.via));
    return { sourceKind, source, confidence, crossings, clean, trace: [...way.trace, ...onward(path, store.trace)] };
  }
}

/** What words do no harm for that a program is given which is written out: `run("git", "log", branch)`. */
const behindProgram: readonly string[] = ["command_injection"];

/** What is a finding when it is handed to a wrapper is not another one inside of the wrapper. */
function withoutFurther(found: readonly PlacedCandidate[]): PlacedCandidate[] {
  const placeKey = (rule: string, [source]: readonly TraceStep[], path: string, line: number) =>
    `${rule}|${source?.path}:${source?.startLine}:${source?.startColumn}|${path}:${line}`;
  const told = new Set(
    found.map(({ path, candidate, trace }) => placeKey(candidate.ruleId, trace, path, candidate.startLine)),
  );
  return found.filter(({ path, candidate: { ruleId }, trace }) =>
    // Where the way ends may be told of for another text: all texts of a project go through one wrapper.
    trace.every(
      (step, i) =>
        step.path === path || i === trace.length - 1 || !told.has(placeKey(ruleId, trace, step.path, step.startLine)),
    ),
  );
}

/** The families that a value is clean for which was clean for some; the same list where nothing is added, as is mostly so. */
function cleanFor(known: readonly string[], ...further: readonly (readonly string[])[]): readonly string[] {
  const added = further.flatMap((families) => families.filter((family) => !known.includes(family)));
  return added.length === 0 ? known : [...new Set([...known, ...added])];
}

const keyOf = (families: readonly string[]): string => [...families].sort().join();

/** `execute(parse(body))`: of what a function gives only a field gets there, and of that more may be known than of all fields. */
function askedOfResult({ via, field }: OutgoingCall, asked: string): Passage[] {
  // What is held against a schema stays what it is.
  const last = via?.findLast(({ argument }) => argument !== bySchema);
  return last?.check === "result" && last.part === undefined && field === undefined ? [{ ...last, part: asked }] : [];
}

/** 1 where the object that is called is known by no more than its name. */
const handsOn = (path: string, target: string): number =>
  target.startsWith(anyClass) && /\.[cm]?[jt]sx?$/.test(path) ? 1 : 0;

const asIs = ({ within: _, ...arrival }: Arrival): Arrival => arrival;

/** The object that is asked for was filled as a whole, and what arrives is in one of its fields. */
const inRecord = (arrival: Arrival): Arrival => ({ ...asIs(arrival), inRecord: true });

const asKept = (arrival: Arrival): Arrival => ({ ...asIs(arrival), isKept: true });
