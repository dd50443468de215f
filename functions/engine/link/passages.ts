import type { Cleaned, ExportedFunction, FileArtefact } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { answersYesOrNo, givesNoText } from "../interpret/calls/call-names.ts";
import {
  anyArgument,
  byDeclaration,
  bySchema,
  either,
  hostPart,
  isGivenBack,
  type Passage,
  shortPart,
  wholeObject,
} from "../interpret/guards/passage.ts";
import { propertyOf } from "../interpret/objects/accessors.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import type { AskedName } from "../interpret/validators/asked-names.ts";
import { asRouteVariable } from "../interpret/validators/route-variables.ts";
import { inFrontOf } from "../interpret/validators/routed-handlers.ts";
import { cleanedBare, cleanedForAny, cleanedForBoth } from "./cleaned.ts";
import { Declarations } from "./declarations.ts";
import { anyParameter, argumentIndex, entered, isConstructor, returnsOf, samePart } from "./exported.ts";
import { HandlerSchemas } from "./handler-schemas.ts";
import { asksBase, asksObjects, type Given, type Made, MadeObjects, ownerOf } from "./made-objects.ts";
import type { Modules, Target } from "./modules.ts";
import { RouteVariables } from "./route-variables.ts";

/** Further than this nobody writes wrappers around wrappers. */
const depthMax = 5;

/** Answers, from the summaries of the functions meant, what values come to that pass functions of other files. */
export class Passages {
  readonly #modules: Modules;
  readonly #declarations: Declarations;
  readonly #handlers: HandlerSchemas;
  readonly #variables: RouteVariables;
  readonly #objects: MadeObjects;
  /** What an application leaves nothing of in objects of declared classes. */
  readonly #cleansDeclared: readonly string[];
  readonly #asked: ReadonlyMap<string, readonly AskedName[]>;
  /** What ways through functions clean, by how deep they are asked about. */
  readonly #ways = new Map<readonly Passage[], string[][]>();
  /** Which fields a file has had looked at, by its path and the name: many values come by the same ones. */
  readonly #looked = new Map<string, boolean>();

  constructor(catalogue: Catalogue, modules: Modules, artefacts: readonly FileArtefact[]) {
    this.#modules = modules;
    this.#declarations = new Declarations(modules);
    this.#handlers = new HandlerSchemas(modules, this.#declarations, artefacts, (path, via) =>
      this.cleanedBy(path, via, {}, depthMax - 1),
    );
    this.#variables = new RouteVariables(catalogue, modules, artefacts);
    this.#objects = new MadeObjects(modules);
    this.#cleansDeclared = artefacts.flatMap(({ link }) => link.cleansDeclared ?? []);
    this.#asked = new Map(artefacts.flatMap(({ coverage, link }) => (link.asked ? [[coverage.path, link.asked]] : [])));
  }

  /** Whether a value of this family's kind gets through all of them; `validated` is the class of the object that it came in by, see constraints.ts. */
  lets(from: string, via: readonly Passage[], family: string, { validated, made, given }: Came = {}): boolean {
    const last = via.at(-1);
    if (given && last && this.#givesRecord(from, last)) return false;
    const stops = (cleaned: Cleaned) => cleaned === "all" || cleaned.includes(family);
    // Elsewhere no object is asked, and the first passage that stops the value decides.
    return asksObjects(from)
      ? !this.#along(from, via, { validated, made }, 0).effects.some(stops)
      : !via.some((passage) => stops(this.#effect(from, { validated, ...passage }, 0)));
  }

  /** The families that a value is clean for when it has got through all of them. */
  cleanedBy(from: string, via: readonly Passage[] | undefined, { validated, made }: Came = {}, depth = 0): string[] {
    const { effects } = this.#along(from, via ?? [], { validated, made }, depth);
    const cleaned = effects.reduce<Cleaned>(cleanedForAny, []);
    return cleaned === "all" ? this.#modules.families : [...new Set(cleaned)];
  }

  /** Goes along a way: what each passage of it cleans, and the object that the value is a part of at its end. */
  #along(from: string, via: readonly Passage[], { validated, made = null }: Came, depth: number): Along {
    if (!asksObjects(from))
      return { effects: via.map((passage) => this.#effect(from, { validated, ...passage }, depth)), made: null };
    const effects: Cleaned[] = [];
    let object = made;
    for (const [i, passage] of via.entries()) {
      const asked = { validated, ...passage };
      const { check, argument, target } = passage;
      const member = object && argument === wholeObject ? this.#memberOf(object, target, depth) : null;
      if (member) {
        effects.push(cleanedForAny(member.cleaned, this.#effect(from, asked, depth, true)));
        object = member.made;
        continue;
      }
      const into = check === "result" ? this.#madeOf(from, passage, depth) : null;
      const next = into && via.slice(i + 1).find((further) => further.check === "result");
      // In which of its fields an object has it is asked together with what the object is asked for.
      const isAsked = next?.argument === wholeObject && this.#memberOf(into as Made, next.target, depth) !== null;
      const isPart = isAsked && !isGivenBack(asked.part);
      effects.push(this.#effect(from, isPart ? { ...asked, part: undefined } : asked, depth));
      if (check === "result" || check === "either") object = into;
    }
    return { effects, made: object };
  }

  /** What is asked of an object that has the value in a field; null where nobody knows. */
  #memberOf(object: Made, target: string, depth: number): { cleaned: Cleaned; made: Made | null } | null {
    const name = lastSegment(target);
    if (depth >= depthMax || name.includes(either)) return null;
    const methods = this.#objects.methods(object, name);
    if (methods.some(({ exported }) => exported.self)) return { cleaned: [], made: object };
    if (methods.length === 0) {
      const ways = this.#objects.ofField(object, propertyOf(name));
      return ways && { cleaned: this.#cleanedOnAny(object.artefact.coverage.path, ways, depth), made: null };
    }
    let cleaned: Cleaned = "all";
    let made: Made | null = null;
    for (const method of methods) {
      const ways = this.#objects.given(method, object);
      if (!ways) return null;
      const { path } = method.artefact.coverage;
      cleaned = cleanedForBoth(cleaned, this.#cleanedOnAny(path, ways, depth));
      for (const { field, via } of ways)
        made ??= via
          ? this.#along(path, via, {}, depth + 1).made
          : field === undefined
            ? null
            : this.#objects.madeWith(method, field);
    }
    return { cleaned, made };
  }

  /** Whichever of these ways it took, what all of them clean is sure. */
  #cleanedOnAny(path: string, ways: readonly Given[], depth: number): Cleaned {
    return ways
      .map(({ clean, via }): Cleaned => [...clean, ...this.#cleanedOn(path, via, depth + 1)])
      .reduce(cleanedForBoth, "all");
  }

  /** The same of a way through a function, which many values take: each is followed once. */
  #cleanedOn(path: string, via: readonly Passage[] | undefined, depth: number): readonly string[] {
    if (!via) return [];
    const byDepth = this.#ways.get(via) ?? [];
    if (byDepth.length === 0) this.#ways.set(via, byDepth);
    const cleaned = byDepth[depth] ?? this.cleanedBy(path, via, {}, depth);
    byDepth[depth] = cleaned;
    return cleaned;
  }

  /** Whether a file has had a field of the request looked at by its name, itself or by a function that knows the names. */
  isLookedAt(from: string, field: string): boolean {
    const key = `${from}\0${field}`;
    const known = this.#looked.get(key);
    if (known !== undefined) return known;
    const looked = this.#asks(from, field, true);
    this.#looked.set(key, looked);
    return looked;
  }

  #asks(from: string, field: string, further: boolean): boolean {
    return (this.#asked.get(from) ?? []).some(({ target, name }) => {
      if (name !== null && name !== field) return false;
      const targets = this.#modules.find(from, target);
      return name === null
        ? further && targets.some(({ artefact }) => this.#asks(artefact.coverage.path, field, false))
        : targets.some(({ exported }) => exported.validates);
    });
  }

  /** @param isKnown the object that is asked is known, and only its declaration has not been asked yet */
  #effect(from: string, passage: Passage, depth: number, isKnown = false): Cleaned {
    const { target, part, validated } = passage;
    if (passage.check === "either") return this.#either(from, passage, depth);
    if (passage.argument === bySchema) {
      const asked = part === undefined ? [target] : part.split(either).map((field) => `${target}.${field}`);
      const cleaned = (one: string) =>
        one.startsWith(inFrontOf)
          ? this.#handlers.cleaned(from, one.slice(inFrontOf.length))
          : this.#declarations.cleaned(from, one);
      return asked.map(cleaned).reduce(cleanedForBoth);
    }
    if (passage.argument === byDeclaration) return this.#isClass(from, target) ? this.#cleansDeclared : [];
    if (passage.check === "named") return this.isLookedAt(from, part ?? "") ? "all" : [];
    if (target.startsWith(asRouteVariable)) return this.#variables.cleaned(from, target.slice(asRouteVariable.length));
    if (passage.argument === wholeObject && (passage.check === "result" || !from.endsWith(".go"))) {
      const ofObject = from.endsWith(".go") ? this.#ofObject(from, target, depth) : null;
      if (ofObject) return passage.bare ? cleanedBare(ofObject) : ofObject;
      const methods = this.#modules.methodsOf(from, target);
      if (methods.length === 0) return this.#declarations.cleaned(from, target, validated);
      return isKnown ? [] : methods.map((method) => this.#given(method, depth)).reduce(cleanedForBoth);
    }
    const named = this.#modules.candidates(from, target);
    // `new Email($text)` goes by the name of its class in PHP.
    const isClass = named.length === 0 && asksObjects(from) && !target.includes(".");
    const targets = isClass ? this.#objects.takers(from, passage) : doing(named);
    if (
      targets.length === 0 &&
      isConstructor(target) &&
      this.#declarations.isEnumeration(from, ownerOf({ name: target }))
    )
      return "all";
    if (targets.length === 0 || depth >= depthMax) return unread(from, passage);
    if (passage.check === "left") return this.#spared(from, targets, passage, depth);
    const effects = targets.map((target) =>
      passage.check === "result" ? this.#result(target, passage, depth) : this.#guarded(target, passage, depth),
    );
    // Whichever implementation runs, only what all of them do is sure.
    const sure = effects.reduce(cleanedForBoth);
    return passage.bare ? cleanedBare(sure) : sure;
  }

  /** What methods of Go give of their object, where all that are asked have looked at it. */
  #ofObject(from: string, target: string, depth: number): Cleaned | null {
    if (depth >= depthMax) return null;
    const dot = target.lastIndexOf(".") + 1;
    const targets = target
      .slice(dot)
      .split(either)
      .map((name) => this.#modules.find(from, target.slice(0, dot) + name));
    if (!targets.every((found) => found.length > 0 && found.every(({ exported }) => exported.ofObject))) return null;
    return targets
      .flat()
      .map(({ artefact, exported }) => this.#cleanedOnAny(artefact.coverage.path, exported.ofObject ?? [], depth))
      .reduce(cleanedForBoth, "all");
  }

  /** Whether a type is a class that says what its fields may be, or has that from another: of an interface nothing is known when a program runs. */
  #isClass(from: string, target: string): boolean {
    const found = this.#modules.file(from, target) ?? { artefact: this.#modules.at(from), member: target };
    const { classes = [], declared = {} } = found.artefact?.link ?? {};
    const isOf = (field: string) => field.startsWith(`${found.member}.`);
    return classes.some(({ name }) => name === found.member) || Object.keys(declared).some(isOf);
  }

  /** Whichever way it came by, what all of them do is sure; `ways` do not nest, so that this goes down once. */
  #either(from: string, { ways = [], validated }: Passage, depth: number): Cleaned {
    if (depth >= depthMax) return [];
    const cleaned = (via: readonly Passage[]): Cleaned => this.cleanedBy(from, via, { validated }, depth + 1);
    return ways.map(cleaned).reduce(cleanedForBoth, "all");
  }

  /** What is known of a value that only goes on where the function called was not: any that may be meant must never come back. */
  #spared(from: string, targets: readonly Target[], { spared }: Passage, depth: number): Cleaned {
    if (!spared || !targets.every(({ exported }) => exported.leaves)) return [];
    return cleanedForAny(spared.clean, this.cleanedBy(from, spared.via, {}, depth + 1));
  }

  #result({ artefact, exported }: Target, passage: Passage, depth: number): Cleaned {
    const back = waysBack(exported, passage);
    const { part } = passage;
    const ways =
      part === undefined || asksObjects(artefact.coverage.path) ? back : back.map((way) => asking(way, part));
    const [field] = part?.split(fieldOf) ?? [];
    if (ways.length === 0 && field !== undefined && exported.plain?.includes(field)) return "all";
    // What a constructor has tested before it makes the object is in it as it was tested.
    if (ways.length === 0 && isConstructor(exported.name) && !isKeptBeside(artefact, exported, passage))
      return this.#guarded({ artefact, exported }, { ...passage, check: "after", part: undefined }, depth);
    return this.#cleanedOnAny(artefact.coverage.path, ways, depth);
  }

  /** What a function has found out about its argument, itself or by asking functions of further files. */
  #guarded({ artefact, exported }: Target, passage: Passage, depth: number): Cleaned {
    const asked = (via: readonly Passage[]) => this.#cleanedOn(artefact.coverage.path, via, depth + 1);
    return guardEffect(exported, passage, asked);
  }

  /** Whether what the value comes back in is an object, whichever of the functions meant is called. */
  #givesRecord(from: string, passage: Passage): boolean {
    const ways = this.#modules.candidates(from, passage.target).flatMap(({ exported }) => waysBack(exported, passage));
    return ways.length > 0 && ways.every(({ record }) => record);
  }

  /** What a method gives of an object's content: what it has kept of what its methods were given, but for other objects. */
  #given({ artefact, exported }: Target, depth: number): Cleaned {
    const { coverage } = artefact;
    if (asksBase(artefact, exported)) return [];
    const isObject = ({ target }: Passage) =>
      this.#modules.methodsOf(coverage.path, `${target}.constructor`).length > 0;
    const kept = exported.returns.filter(({ from, via }) => "kept" in from && !via?.some(isObject));
    return depth < depthMax
      ? this.#cleanedOnAny(coverage.path, kept, depth)
      : kept.map(({ clean }): Cleaned => clean).reduce(cleanedForBoth, "all");
  }

  /** The object that a function gives, which has the value in that field. */
  madeWith(target: Target, field: string): Made | null {
    return this.#objects.madeWith(target, field);
  }

  /** The object that a value has become a part of on its way, if it is one at the end of it. */
  madeOn(from: string, via: readonly Passage[] | undefined, made: Made | null | undefined): Made | null {
    if (!asksObjects(from)) return null;
    return via ? this.#along(from, via, { made }, 0).made : (made ?? null);
  }

  /** The object that a function has put the value into that was passed to it, or that it was given by another one. */
  #madeOf(from: string, passage: Passage, depth: number): Made | null {
    const takers = this.#objects.takers(from, passage);
    const [made] = takers.flatMap((taker) => this.#objects.madeBy(taker, passage) ?? []);
    if (made || depth >= depthMax) return made ?? null;
    const [taker] = takers;
    const way = taker && waysBack(taker.exported, passage).find(({ via }) => via);
    return way ? this.#along(taker.artefact.coverage.path, way.via ?? [], {}, depth + 1).made : null;
  }
}

/** How a value has come to where it is asked about: the class whose constraints were looked at, and the object that it is a part of. */
export interface Came {
  validated?: string | undefined;
  made?: Made | null | undefined;
  /** It is what the last function gives, as it is, where objects do no harm. */
  given?: true | undefined;
}

interface Along {
  readonly effects: readonly Cleaned[];
  readonly made: Made | null;
}

/**
 * Whether an object has what its constructor was given in other fields than the one that is asked for. What is kept in none may be anywhere,
 * and a property that is computed may be made of any.
 */
function isKeptBeside(
  { link }: FileArtefact,
  exported: ExportedFunction,
  { part, field, ...passage }: Passage,
): boolean {
  if (part === undefined || waysBack(exported, passage).length === 0) return false;
  const [asked = ""] = part.split(fieldOf);
  const owner = ownerOf(exported);
  // What gives a property may be called `title`, `getTitle`, or `getter_title`.
  return !link.exports.some((other) => {
    const member = lastSegment(other.name).replace("getter_", "");
    return ownerOf(other) === owner && (member === asked || propertyOf(member) === asked);
  });
}

/** By which ways a function gives back what it was passed, in the part that is asked for. */
function waysBack(
  exported: ExportedFunction,
  { argument, field, part, count, told }: Passage,
): ExportedFunction["returns"] {
  const fields = field?.includes(either) ? field.split(either) : [field];
  const given = fields.map((one) => entered(exported, argument, one));
  return returnsOf(exported, count, told).filter(
    ({ from, field: of, same }) =>
      "parameter" in from &&
      given.some(
        ({ parameter, field }) =>
          samePart(of ?? (same ? field : undefined), part) &&
          (argument === anyArgument ||
            parameter === anyParameter ||
            (from.parameter === parameter && samePart(from.field, field))),
      ),
  );
}

/** Of what another function has given, the part that is asked for is that of it. */
function asking(way: Given, part: string): Given {
  const { field, via } = way;
  const last = via?.at(-1);
  if (!via || field !== undefined || last?.check !== "result" || last.part !== undefined) return way;
  const asked = askedWays.get(via) ?? new Map<string, Passage[]>();
  askedWays.set(via, asked);
  const further = asked.get(part) ?? [...via.slice(0, -1), { ...last, part }];
  asked.set(part, further);
  return { ...way, via: further };
}

/** The same question is asked about many values, and the answer is remembered by the way. */
const askedWays = new WeakMap<readonly Passage[], Map<string, Passage[]>>();

/** Of what may be called, what does something: the method that an interface declares only stands for those of its classes. */
function doing(targets: readonly Target[]): readonly Target[] {
  const written = targets.filter(({ exported }) => !exported.open);
  return written.length > 0 ? written : targets;
}

/** What a function that is not among the files does, by its name. */
function unread(from: string, { trusted, fetched, check, target, part, returned }: Passage): Cleaned {
  if (trusted || isGivenBack(part)) return "all";
  const called = lastSegment(isConstructor(target) ? ownerOf({ name: target }) : target);
  if (check === "result" && !returned && answersYesOrNo(called)) return "all";
  const isNoText = check === "result" && !returned && from.endsWith(".py") && givesNoText(called);
  // A record is answered as data.
  return fetched === true || isNoText ? ["xss"] : [];
}

function guardEffect(
  exported: ExportedFunction,
  { check, argument, field, part, short }: Passage,
  asked: (via: readonly Passage[]) => Cleaned,
): Cleaned {
  const parameter = argumentIndex(exported, argument);
  const guards = exported.guards.filter(
    (known) =>
      known.check === check && known.parameter === parameter && (known.field === undefined || known.field === field),
  );
  const always = guards
    .map(({ clean, via }) => (via ? cleanedForAny(clean, asked(via)) : clean))
    .reduce<Cleaned>(cleanedForAny, []);
  const clean = guards.some(({ below }) => below) && short ? cleanedForAny(always, ["path_traversal"]) : always;
  const decided = part === hostPart ? decidedByHost : part === shortPart ? decidedByPath : null;
  if (!decided) return clean;
  return clean === "all" ? decided : clean.filter((family) => decided.includes(family));
}

/** What is harmless of an address whose host is one that is allowed. */
const decidedByHost: readonly string[] = ["ssrf", "open_redirect"];

/** What is harmless of a path that leads where it may. */
const decidedByPath: readonly string[] = ["path_traversal", "file_inclusion"];
