import type { ExportedFunction, FileArtefact, Origin, Passage } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { givesNoText } from "../interpret/calls/call-names.ts";
import { anyArgument, bySchema, either, isGivenBack, wholeObject } from "../interpret/guards/passage.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { asFieldsSay } from "../interpret/validators/asked-fields.ts";
import type { AskedName } from "../interpret/validators/asked-names.ts";
import { asRouteVariable } from "../interpret/validators/route-variables.ts";
import { argumentIndex, type Modules, samePart, type Target } from "./modules.ts";
import { RouteVariables } from "./route-variables.ts";

/** Further than this nobody writes wrappers around wrappers. */
const depthMax = 5;

/** Answers, from the summaries of the functions meant, what values come to that pass functions of other files. */
export class Passages {
  readonly #modules: Modules;
  readonly #variables: RouteVariables;
  readonly #asked: ReadonlyMap<string, readonly AskedName[]>;

  constructor(modules: Modules, artefacts: readonly FileArtefact[]) {
    this.#modules = modules;
    this.#variables = new RouteVariables(artefacts);
    this.#asked = new Map(artefacts.flatMap(({ coverage, link }) => (link.asked ? [[coverage.path, link.asked]] : [])));
  }

  /** Whether a value of this family's kind gets through all of them; `validated` is the class of the object that it came in by, see constraints.ts. */
  lets(from: string, via: readonly Passage[], family: string, validated?: string): boolean {
    return via.every((passage, i) => {
      const { cleans, all } = this.#effect(from, { validated, ...passage }, 0, via[i - 1]);
      return !all && !cleans.has(family);
    });
  }

  /** The families that a value is clean for when it has got through all of them. */
  cleanedBy(from: string, via: readonly Passage[] | undefined, validated?: string, depth = 0): string[] {
    const effects = (via ?? []).map((passage, i) => this.#effect(from, { validated, ...passage }, depth, via?.[i - 1]));
    if (effects.some(({ all }) => all)) return this.#modules.families;
    return [...new Set(effects.flatMap(({ cleans }) => [...cleans]))];
  }

  /** Whether a file has had a field of the request looked at by its name, itself or by a function that knows the names. */
  isLookedAt(from: string, field: string, further = true): boolean {
    return (this.#asked.get(from) ?? []).some(({ target, name }) => {
      if (name !== null && name !== field) return false;
      const targets = this.#modules.find(from, target);
      return name === null
        ? further && targets.some(({ artefact }) => this.isLookedAt(artefact.coverage.path, field, false))
        : targets.some(({ exported }) => exported.validates);
    });
  }

  #effect(from: string, passage: Passage, depth: number, before?: Passage): Effect {
    if (passage.argument === bySchema) {
      const { target, part } = passage;
      const asked = part === undefined ? [target] : part.split(either).map((field) => `${target}.${field}`);
      return asked.map((one) => effectOf(this.#modules.declaredAs(from, one))).reduce(both);
    }
    if (passage.check === "named") return this.isLookedAt(from, passage.part ?? "") ? everything : none;
    if (passage.target.startsWith(asRouteVariable))
      return this.#variables.isHarmless(passage.target.slice(asRouteVariable.length)) ? everything : none;
    if (passage.target.startsWith(asFieldsSay)) {
      const [type, field] = passage.target.slice(asFieldsSay.length).split(fieldOf) as [string, string | undefined];
      return field !== undefined && this.#modules.isChecked(from, type, field) ? everything : none;
    }
    if (passage.argument === wholeObject) {
      const methods = this.#modules.methodsOf(from, passage.target);
      if (methods.length > 0)
        return methods.map((method) => this.#given(method, depth, this.#madeOf(from, before))).reduce(both);
      const said = this.#modules.declaredAs(from, passage.target);
      if (said !== null) return effectOf(said);
      const cleans = passage.validated ? this.#modules.constrained(from, passage.target, passage.validated) : [];
      return cleans === "all" ? everything : { all: false, cleans: new Set(cleans) };
    }
    const targets = this.#modules.candidates(from, passage.target);
    if (targets.length === 0 || depth >= depthMax) return unread(from, passage);
    const effects = targets.map((target) =>
      passage.check === "result" ? this.#result(target, passage, depth) : guardEffect(target.exported, passage),
    );
    // Whichever implementation runs, only what all of them do is sure.
    return effects.reduce(both);
  }

  #result({ artefact, exported }: Target, { argument, field, part, count }: Passage, depth: number): Effect {
    const parameter = argumentIndex(exported, argument);
    const { byDefault } = exported;
    const returns = byDefault && count !== undefined && count <= byDefault.count ? byDefault.returns : exported.returns;
    const ways = returns.filter(
      ({ from, field: of, same }) =>
        "parameter" in from &&
        samePart(of ?? (same ? field : undefined), part) &&
        (argument === anyArgument || (from.parameter === parameter && samePart(from.field, field))),
    );
    return ways
      .map(({ clean, via }): Effect => {
        const further = this.cleanedBy(artefact.coverage.path, via, undefined, depth + 1);
        return { all: false, cleans: new Set([...clean, ...further]) };
      })
      .reduce(both, everything);
  }

  /** What a method gives of an object's content: what it has kept of what its methods were given, but for other objects. */
  #given({ artefact: { coverage }, exported }: Target, depth: number, made: Made | null): Effect {
    const isObject = ({ target }: Passage) =>
      this.#modules.methodsOf(coverage.path, `${target}.constructor`).length > 0;
    const isMeant = (from: Origin) =>
      "kept" in from &&
      (made === null ||
        (from.kept.method === "constructor" &&
          (ownerOf(exported) !== made.owner || from.kept.parameter === made.parameter)));
    return exported.returns
      .filter(({ from, via }) => isMeant(from) && !via?.some(isObject))
      .map(({ clean, via }): Effect => {
        const further = depth < depthMax ? this.cleanedBy(coverage.path, via, undefined, depth + 1) : [];
        return { all: false, cleans: new Set([...clean, ...further]) };
      })
      .reduce(both, everything);
  }

  /** As which parameter of which constructor an object was given the value, where it was made in the step before. */
  #madeOf(from: string, before: Passage | undefined): Made | null {
    if (before?.check !== "result") return null;
    const made = this.#constructorOf(from, before.target);
    if (!made) return null;
    const { exported } = made;
    return { owner: ownerOf(exported), parameter: argumentIndex(exported, before.argument) };
  }

  /** Of a class; what a method of one is called has a dot. */
  #constructorOf(from: string, target: string): Target | undefined {
    return target.includes(".") ? undefined : this.#modules.methodsOf(from, `${target}.constructor`)[0];
  }
}

interface Made {
  owner: string;
  parameter: number;
}

const ownerOf = ({ name }: ExportedFunction): string => name.slice(0, name.lastIndexOf("."));

/** What becomes of a value: clean for some families, or for all because nothing of it comes out. */
interface Effect {
  all: boolean;
  cleans: ReadonlySet<string>;
}
/** What a function that is not among the files does, by its name. */
function unread(from: string, { trusted, fetched, check, target, part }: Passage): Effect {
  if (trusted || isGivenBack(part)) return everything;
  const isNoText = check === "result" && from.endsWith(".py") && givesNoText(lastSegment(target));
  return fetched === true || isNoText ? recordOnly : none;
}

const everything: Effect = { all: true, cleans: new Set() };
const none: Effect = { all: false, cleans: new Set() };
/** Text brings no operators along. */
const textOnly: Effect = { all: false, cleans: new Set(["nosql_injection"]) };

const effectOf = (said: "number" | "text" | null): Effect =>
  said === "number" ? everything : said === "text" ? textOnly : none;

/** A record is answered as data. */
const recordOnly: Effect = { all: false, cleans: new Set(["xss"]) };

const both = (a: Effect, b: Effect): Effect => {
  if (a.all) return b;
  return b.all ? a : { all: false, cleans: new Set([...a.cleans].filter((family) => b.cleans.has(family))) };
};

function guardEffect(exported: ExportedFunction, { check, argument }: Passage): Effect {
  const parameter = argumentIndex(exported, argument);
  const guard = exported.guards.find((known) => known.check === check && known.parameter === parameter);
  if (!guard) return none;
  return guard.clean === "all" ? everything : { all: false, cleans: new Set(guard.clean) };
}
