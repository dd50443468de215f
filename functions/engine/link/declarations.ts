import type { Cleaned, ExportedFunction, FileArtefact } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { either } from "../interpret/guards/passage.ts";
import { propertyOf } from "../interpret/objects/accessors.ts";
import { groupsOf, keyOf } from "../interpret/validators/constraints.ts";
import { rulesMethod } from "../interpret/validators/request-rules.ts";
import { cleanedForAny, cleanedForBoth } from "./cleaned.ts";
import { aliasesMax, type Modules } from "./modules.ts";
import { memberOfKind } from "./takers.ts";

/** Annotations that are marked with each other, one after the other. */
const annotationsMax = 4;

/** What a class extends, and the first of what it implements. */
const basesMax = 4;

/** Answers what fields let through, as the files say that declare them: see `declared` of link records. */
export class Declarations {
  readonly #modules: Modules;
  readonly #known = new Map<string, Cleaned>();

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  /**
   * What a field of a schema or of a class is clean for, by its declaration: "./schemas.createOrder.body.note",
   * "com.shop.OrderQuery.getSort+dir", of which all have what is told. `validated` is the class of an object whose constraints a framework
   * has looked at.
   */
  cleaned(from: string, target: string, validated?: string): Cleaned {
    const said = this.#said(from, target, 0);
    return validated === undefined || said.length > 0 ? said : this.#constrained(from, target, validated);
  }

  /** The same of what a file itself declares, by the name that it goes by there. */
  ofFile(path: string, name: string): Cleaned {
    const link = this.#modules.at(path)?.link;
    return link ? saidOf(link, [name]) : [];
  }

  /** Whether a class of Python lists all of its objects, so that `Order("asc")` gives one of them or throws. */
  isEnumeration(from: string, target: string, aliases = 0): boolean {
    const found = from.endsWith(".py") ? this.#modules.file(from, target) : null;
    if (!found) return false;
    const { artefact, member } = found;
    const own = artefact.link.classes.find(({ name }) => name === member);
    if (own) return own.bases.some((base) => /^\w*(Enum|Choices)$/.test(base));
    const onward = aliases < aliasesMax ? this.#modules.onward(artefact, member) : [];
    return onward.some((path) => this.isEnumeration(artefact.coverage.path, path, aliases + 1));
  }

  #said(from: string, target: string, aliases: number): Cleaned {
    const key = `${aliases}\0${from}\0${target}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const said = this.#look(from, target, aliases);
    this.#known.set(key, said);
    return said;
  }

  #look(from: string, target: string, aliases: number): Cleaned {
    if (from.endsWith(".go")) return this.#ofStruct(from, target);
    if (from.endsWith(".php")) return this.#ofRequest(from, target);
    const found = this.#modules.file(from, target);
    if (!found) return [];
    const { coverage, link } = found.artefact;
    const given = coverage.language === "java" ? memberOfKind(found.artefact, found.member) : null;
    if (given !== null) return aliases < aliasesMax ? this.#said(coverage.path, given, aliases + 1) : [];
    const isQualified = /^(java|type)script$/.test(coverage.language ?? "");
    const names = isQualified
      ? [found.member.includes(".") ? found.member : `default.${found.member}`]
      : lastSegment(found.member).split(either);
    const said = names
      .map(
        (name): Cleaned =>
          this.#isEnumeration(coverage.path, link.kinds, name)
            ? "all"
            : saidOf(link, [name, propertyOf(name), ...(isQualified ? [found.member] : [])]),
      )
      .reduce(cleanedForBoth);
    if (said.length > 0 || aliases >= aliasesMax) return said;
    for (const path of this.#modules.onward(found.artefact, found.member)) {
      const onward = this.#said(coverage.path, path, aliases + 1);
      if (onward.length > 0) return onward;
    }
    return this.#inherited(found.artefact, target, aliases + 1);
  }

  /** What a class of Java has from another that it extends says nothing of itself: `orders.getPage()`, where all queries have a page. */
  #inherited({ coverage, link }: FileArtefact, target: string, aliases: number): Cleaned {
    const [owner, name] = target.split(".").slice(-2) as [string, string | undefined];
    if (coverage.language !== "java" || name === undefined) return [];
    if (link.exports.some((exported) => exported.name === `${owner}.${name}`)) return [];
    const bases = link.classes.find((own) => own.name === owner)?.bases ?? [];
    return bases
      .slice(0, basesMax)
      .map((base) => (base === owner ? [] : this.#said(coverage.path, `${base}.${name}`, aliases)))
      .reduce<Cleaned>(cleanedForAny, []);
  }

  /** Whether a member gives one of the names that an enumeration of another file has. */
  #isEnumeration(from: string, kinds: FileArtefact["link"]["kinds"], name: string): boolean {
    // Fields may be called like what all objects have: `getConstructor()`.
    const declared = [name, propertyOf(name)].find((field) => kinds && Object.hasOwn(kinds, field));
    // All that a list of such holds is one.
    const type = declared === undefined ? undefined : kinds?.[declared]?.replace("[]", "");
    const simple = lastSegment(type ?? "");
    const found = type === undefined ? null : (this.#modules.file(from, type) ?? this.#modules.file(from, simple));
    const classes = found?.artefact.link.classes ?? [];
    return classes.some(({ name, bases }) => name === simple && bases.includes("Enum"));
  }

  /** What the rules of a class of requests say of a field. */
  #ofRequest(from: string, target: string): Cleaned {
    const type = target.slice(0, target.indexOf("."));
    return this.#modules
      .find(from, `${type}.${rulesMethod}`)
      .map(({ artefact }) => saidOf(artefact.link, [target]))
      .reduce<Cleaned>(cleanedForAny, []);
  }

  #ofStruct(from: string, target: string): Cleaned {
    const type = target.slice(0, target.lastIndexOf("."));
    const field = `${lastSegment(type).replace("~", "")}.${lastSegment(target)}`;
    return this.#modules
      .filesOfType(from, type)
      .map(({ link }) => saidOf(link, [field]))
      .reduce<Cleaned>(cleanedForAny, []);
  }

  /** What the constraints of an object's class say of its members. */
  #constrained(from: string, target: string, validated: string): Cleaned {
    const dot = target.lastIndexOf(".");
    const owner = target.slice(0, dot);
    const type = lastSegment(owner);
    const groups = groupsOf(validated, type);
    // A class inside of the one that asks goes by its name alone.
    const [made] = from.endsWith(".php") ? this.#modules.find(from, `${owner}.constructor`) : [];
    const declaring = made?.artefact ?? this.#modules.file(from, owner)?.artefact ?? this.#modules.at(from);
    const { link, coverage: { path = from } = {} } = declaring ?? {};
    if (groups.length === 0 || !link) return [];
    return target
      .slice(dot + 1)
      .split(either)
      .map((name) => {
        const fields = [name, propertyOf(name)];
        const keys = fields.flatMap((field) => groups.map((group) => `${type}.${keyOf(field, group)}`));
        const asked = fields.map((field) => this.#askedFor(path, link, `${type}.${field}`));
        return [saidOf(link, keys), ...asked].reduce(cleanedForAny);
      })
      .reduce(cleanedForBoth);
  }

  /** What annotations of the project ask of a field, and the classes that these leave it to; annotations may stand before each other. */
  #askedFor(path: string, { declaredBy }: FileArtefact["link"], name: string, depth = 0): Cleaned {
    if (depth > annotationsMax) return [];
    const targets = declaredBy && Object.hasOwn(declaredBy, name) ? (declaredBy[name] as readonly string[]) : [];
    return targets
      .map((target): Cleaned => {
        const annotation = this.#modules.file(path, target);
        const named = lastSegment(target);
        if (annotation && annotation.member === "") {
          const { coverage, link } = annotation.artefact;
          return cleanedForAny(saidOf(link, [named]), this.#askedFor(coverage.path, link, named, depth + 1));
        }
        const sure = this.#modules.find(path, target).map(({ exported }) => surelyClean(exported));
        return sure.length === 0 ? [] : sure.reduce(cleanedForBoth);
      })
      .reduce(cleanedForAny, [] as Cleaned);
  }
}

/** What the first argument is clean for where a method says that it is valid. */
const surelyClean = ({ guards }: ExportedFunction): Cleaned =>
  guards.find(({ check, parameter, field }) => check === "true" && parameter === 0 && field === undefined)?.clean ?? [];

/** What a file says under any of these names. */
const saidOf = ({ declared }: FileArtefact["link"], names: readonly string[]): Cleaned =>
  declared
    ? names
        .map((name): Cleaned => (Object.hasOwn(declared, name) ? (declared[name] as Cleaned) : []))
        .reduce(cleanedForAny)
    : [];
