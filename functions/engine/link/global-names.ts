import type { FileArtefact } from "../artefact.ts";
import { anyClass, ofBase } from "../interpret/calls/handover.ts";
import { append } from "../multimap.ts";
import type { Target } from "./modules.ts";

/** More declarations of one name are versions of one another; looking at a few of them is enough. */
const declarationsMax = 4;
/** Methods of one name that are all asked what they do. */
const alikeMax = 12;
/** Classes above or below that a field may be kept in: some bases have hundreds that extend them. */
const kinMax = 40;
/** Methods that are called one on the other: a builder has some for each of its fields. */
const givenMax = 20;
/** How far up or down a class hierarchy a method is looked for. */
const generationsMax = 6;

/**
 * The functions and classes of languages whose names are the same in all files, however a file gets to know another. Paths are `function`,
 * `Name\\Space\\function` and `Name\\Space\\Class.method` in PHP; elsewhere namespaces are segments too, and the last one names the class.
 */
export class GlobalNames {
  readonly #declared = new Map<string, Target[]>();
  /** Functions of PHP, where case does not matter, by their names in lower case. */
  readonly #folded = new Map<string, string>();
  /** By their names without the class. */
  readonly #methods = new Map<string, Target[]>();
  readonly #bases = new Map<string, string[]>();
  readonly #heirs = new Map<string, string[]>();
  /** Classes with a field that says what somebody may do. */
  readonly #withRights = new Set<string>();

  readonly #language: string;

  /** @param artefacts of this language, in path order */
  constructor(language: string, artefacts: readonly FileArtefact[]) {
    this.#language = language;
    for (const artefact of artefacts) {
      for (const exported of artefact.link.exports) {
        const name = inClass(exported.name);
        const method = name.slice(name.lastIndexOf(".") + 1);
        append(this.#declared, name, { artefact, exported });
        if (artefact.coverage.language === "php" && !name.includes(".")) this.#folded.set(name.toLowerCase(), name);
        if (name.includes(".")) append(this.#methods, method, { artefact, exported });
      }
      for (const { name, bases, rights } of artefact.link.classes) {
        if (rights) this.#withRights.add(name);
        for (const base of bases) {
          append(this.#bases, name, base);
          append(this.#heirs, base, name);
        }
      }
    }
  }

  find(path: string): Target[] {
    const isOfBase = path.endsWith(ofBase);
    const written = isOfBase ? path.slice(0, -ofBase.length) : path;
    const [, field, called] = written.match(fieldAndMethod) ?? [];
    if (field !== undefined && called !== undefined) return this.#meant(field, called);
    const target = this.#language === "php" ? this.#ofGiven(written) : inClass(written);
    const dot = target.lastIndexOf(".");
    // What is not found in a namespace is looked for in the global one.
    if (dot < 0) return this.#at(target) ?? this.#inGlobalSpace(target.slice(target.lastIndexOf("\\") + 1));
    const type = target.slice(0, dot);
    const method = target.slice(dot + 1);
    if (type.startsWith(anyClass)) return this.#meant(type, method);
    // A function goes by the class of what it gives, once: two of them may give what the other is called like.
    const made = this.#bases.has(type) ? undefined : this.#declared.get(type)?.[0]?.exported.makes;
    const owner = made === undefined ? type : inClass(`${made}.${method}`).slice(0, -method.length - 1);
    const own = this.#along(this.#bases, owner, method, true);
    const overriding = isOfBase ? [] : this.#along(this.#heirs, owner, method, false);
    return [...new Set([...own, ...overriding])].slice(0, declarationsMax);
  }

  /** `Shop\\Query.builder.name`: the method of what the methods before it give, as far as they say what that is. */
  #ofGiven(written: string): string {
    const [first, ...names] = written.split(".") as [string, ...string[]];
    const method = names.pop();
    if (names.length === 0 || names.length > givenMax || first.startsWith(anyClass)) return inClass(written);
    let type = first;
    for (const name of names) {
      const [{ exported } = {}] = this.#along(this.#bases, type, name, true);
      if (!exported?.makes) return inClass(written);
      type = exported.self ? type : exported.makes;
    }
    return `${type}.${method}`;
  }

  /** Whether a class, by its name with or without namespaces, has a field that says what somebody may do. */
  hasRights(type: string): boolean {
    return this.#withRights.has(type.slice(type.lastIndexOf(".") + 1));
  }

  /** A class, what it extends and includes, and what extends or includes it: they have their fields in common. */
  kin(type: string): ReadonlySet<string> {
    const along = (related: ReadonlyMap<string, string[]>): Set<string> => {
      const found = new Set([type]);
      for (const name of found) for (const next of related.get(name) ?? []) if (found.size < kinMax) found.add(next);
      return found;
    };
    return new Set([...along(this.#bases), ...along(this.#heirs)]);
  }

  /** Of the methods of many classes that one is meant whose class the object is called after: `$this->user_model` is a User_model or a User. */
  #meant(object: string, method: string): Target[] {
    const declared = (this.#methods.get(method) ?? []).filter(({ exported }) => !exported.static);
    if (declared.length === 1) return declared;
    const of = kindOf(object);
    const named = declared.filter(({ exported }) => kindOf(classIn(exported.name)) === of);
    if (named.length > 0 || this.#language !== "ruby") return named.length === 1 ? named : [];
    const related = declared.filter(({ exported }) => this.#isRelation(object, classIn(exported.name)));
    return related.length === 1 ? related : [];
  }

  /**
   * `current_user.tickets.search(text)`: what belongs to a record of Rails is called after its class, in the plural, and answers to the
   * methods of the class; so does what scopes of the class give.
   */
  #isRelation(object: string, type: string): boolean {
    const called = object.slice(anyClass.length).replace("()", "");
    return kindOf(singular(called)) === kindOf(type) || this.#declared.has(`${type}.${called}`);
  }

  /** The methods of helpers that pages call by their names alone. */
  helpers(method: string): Target[] {
    const declared = this.#methods.get(method) ?? [];
    return declared.filter(({ exported }) => classIn(exported.name).endsWith("Helper")).slice(0, declarationsMax);
  }

  /** The methods that are called like this one, of whatever class; none where they are too many to say anything. */
  methods(target: string): Target[] {
    const declared = this.#methods.get(target.slice(target.lastIndexOf(".") + 1)) ?? [];
    return declared.length > alikeMax ? [] : declared;
  }

  #inGlobalSpace(name: string): Target[] {
    return this.#at(name) ?? this.#at(this.#folded.get(name.toLowerCase()) ?? "") ?? [];
  }

  #at(name: string): Target[] | undefined {
    return this.#declared.get(name)?.slice(0, declarationsMax);
  }

  /** Upwards the nearest declaration counts, downwards all do: any of them may be the one that runs. */
  #along(related: ReadonlyMap<string, string[]>, type: string, method: string, nearest: boolean): Target[] {
    const found: Target[] = [];
    const seen = new Set<string>();
    let types = [type];
    for (let generation = 0; types.length > 0 && generation < generationsMax; generation++) {
      for (const name of types) seen.add(name);
      const here = types.flatMap((name) => this.#at(`${name}.${method}`) ?? []);
      found.push(...here);
      if (nearest && here.length > 0) break;
      types = types.flatMap((name) => related.get(name) ?? []).filter((name) => !seen.has(name));
    }
    return found;
  }
}

/** `MY_Controller.$user_model.find`: the field of an object, of which nothing is known but its name. */
const fieldAndMethod = /\.(\$\w+)\.(\w+)$/;

const singular = (name: string): string =>
  name
    .replace(/ies$/, "y")
    .replace(/(?<=s|x|ch|sh)es$/, "")
    .replace(/(?<!s)s$/, "");

const classIn = (name: string): string => name.slice(0, name.lastIndexOf(".")).replace(/^.*[.\\]/, "");

/** What an object and its class have in common when both are called after what they are about. */
const kindOf = (name: string): string =>
  name
    .replace(/[^a-z\d]/gi, "")
    .toLowerCase()
    .replace(/(?<=.)(model|repository|repo|service|dao|manager|obj|object)$/, "");

/** The class and its method without the modules around them; what calls on a class make is taken for one of the class. */
function inClass(path: string): string {
  const names = path.replace(/\.new$/, ".initialize").split(".");
  const method = names.pop() as string;
  const type = names.findLast((name) => /^\p{Lu}/u.test(name)) ?? names.at(-1);
  return type === undefined ? method : `${type}.${method}`;
}
