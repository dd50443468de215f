import type { ExportedFunction, FileArtefact, Origin } from "../artefact.ts";
import { partOfObject } from "../interpret/calls/filled-arguments.ts";
import { ofBase } from "../interpret/calls/handover.ts";
import { anyArgument, isGivenBack, type Passage, wholeObject } from "../interpret/guards/passage.ts";
import { propertyOf } from "../interpret/objects/accessors.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { append } from "../multimap.ts";
import { argumentIndex, isConstructor, samePart } from "./exported.ts";
import type { Modules, Target } from "./modules.ts";
import { Takers } from "./takers.ts";

/** An object that has a value in it. */
export interface Made {
  readonly type: string;
  /** The file of the class whose methods have put it in: its own, or one that this extends. */
  readonly artefact: FileArtefact;
  readonly owner: string;
  readonly puts: readonly Put[];
}

/** A parameter of a method, or a field of that, which has come into the object. */
interface Put {
  readonly method: string;
  readonly parameter: number;
  readonly field?: string | undefined;
  /** How many parameters the method has. */
  readonly count: number;
}

export type Given = ExportedFunction["returns"][number];

/** Classes that extend each other, and hand on what their constructors are given. */
const basesMax = 4;
/** A getter that is made of more says nothing: the interpreter keeps no more sources of one value. */
const keptMax = 12;

/** Knows of objects of PHP and Java, whose content is asked for by methods, what went into them and what comes out of it. */
export class MadeObjects {
  readonly #modules: Modules;
  readonly #takers: Takers;
  readonly #named = new Map<FileArtefact, Map<string, ExportedFunction[]>>();

  constructor(modules: Modules) {
    this.#modules = modules;
    this.#takers = new Takers(modules);
  }

  /** The functions that may have been passed a value, of which it is in the result. */
  takers(from: string, { check, argument, target, count }: Passage): readonly Target[] {
    if (check !== "result" || argument === wholeObject || !asksObjects(from)) return [];
    // What a method of PHP is called has a dot.
    const isClass = !/\.(cs|java|kt)$/.test(from) && !target.includes(".");
    const found = this.#takers.of(from, isClass ? `${target}.constructor` : target);
    // A class that extends another is not made in its place.
    if (isClass) return found.slice(0, 1);
    const fitting = found.filter(({ exported }) => exported.parameters.length === count);
    return fitting.length > 0 ? fitting : found;
  }

  /** The object that a method has put an argument into: one that it makes, or the one that it is called on and gives back. */
  madeBy({ artefact, exported }: Target, { argument, field, part, target }: Passage): Made | null {
    const parameters =
      argument === anyArgument ? exported.parameters.map((_, i) => i) : [argumentIndex(exported, argument)];
    const owner = ownerOf(exported);
    const { name, self, makes } = exported;
    const isIn = isConstructor(name) || part === partOfObject || self || makes === owner;
    if (parameters.some((parameter) => parameter < 0) || owner === "" || !isIn) return null;
    const type = artefact.coverage.language === "php" && !target.includes(".") ? target : owner;
    const puts = parameters.map((parameter) => ({ ...methodOf(exported), parameter, field }));
    return { type, artefact, owner, puts };
  }

  /** The object of a class of the same file that a method gives, which has the value in one of its fields. */
  madeWith({ artefact, exported: { makes } }: Target, field: string): Made | null {
    const own = makes === undefined ? [] : artefact.link.exports.filter((exported) => ownerOf(exported) === makes);
    if (makes === undefined || own.length === 0) return null;
    const puts = own.flatMap((exported) =>
      exported.returns.flatMap(({ from, field: kept }) =>
        "parameter" in from && kept === field ? [{ ...methodOf(exported), ...from }] : [],
      ),
    );
    return { type: makes, artefact, owner: makes, puts };
  }

  /** A method of an object: that of its class, or of the nearest one above. */
  methods({ artefact, type }: Made, method: string): readonly Target[] {
    const { language, path } = artefact.coverage;
    const names = language === "kotlin" ? [method, ...gettersOf(method)] : [method];
    const own = names.flatMap((name) => this.#methodsOf(artefact, type, name));
    if (own.length > 0) return own.map((exported) => ({ artefact, exported }));
    return this.#modules.find(path, `${type}.${method}${ofBase}`);
  }

  /** What a method gives of an object is, as far as it is the value; null where nobody can tell. */
  given({ artefact, exported }: Target, made: Made): readonly Given[] | null {
    const kept = exported.returns.filter(({ from, field }) => "kept" in from && !isGivenBack(field));
    const own = this.#inClass(made, ownerOf(exported));
    if (!own || kept.length >= keptMax) return kept.length > 0 ? kept : null;
    const meant = kept.filter(({ from }) => "kept" in from && own.puts.some((put) => isSame(put, from.kept)));
    // What a builder makes may have been filled by any of its methods, where that is not seen.
    const isOpen =
      asksBase(artefact, exported) || (exported.makes !== undefined && kept.length === 0) || !this.#isSeen(own);
    return meant.length === 0 && isOpen ? null : meant;
  }

  /** The same of a field, whose getter nobody may have written. */
  ofField({ artefact, owner, puts }: Made, field: string): readonly Given[] | null {
    const methods = [...new Set(puts.map(({ method }) => method))];
    const fields = methods.flatMap((method) =>
      this.#methodsOf(artefact, owner, method).flatMap((exported) =>
        exported.returns.flatMap((given) =>
          given.field?.split(fieldOf)[0] === field ? [{ given, by: methodOf(exported) }] : [],
        ),
      ),
    );
    const meant = fields.filter(
      ({ given: { from }, by }) => "parameter" in from && puts.some((put) => isSame(put, { ...by, ...from })),
    );
    return fields.length > 0 || this.#isBeside(artefact, owner, puts) ? meant.map(({ given }) => given) : null;
  }

  /** Whether all of the object has it in fields of their own, and no method makes up further ones: none of them is the one that is asked for. */
  #isBeside(artefact: FileArtefact, owner: string, puts: Made["puts"]): boolean {
    const isKept = ({ method, parameter }: Put) =>
      this.#methodsOf(artefact, owner, method).some(({ returns, passes }) => {
        const isOfIt = (from: Origin) => "parameter" in from && from.parameter === parameter;
        return (
          returns.some(({ from, field }) => isOfIt(from) && field !== undefined && !isGivenBack(field)) &&
          !passes.some((pass) => pass.parameter === parameter)
        );
      });
    return puts.length > 0 && puts.every(isKept) && this.#methodsOf(artefact, owner, "__get").length === 0;
  }

  /** The same object as a class sees it that its own extends: `super(name)`. */
  #inClass(made: Made, owner: string): Made | null {
    let seen: Made | null = made;
    for (let bases = 0; seen && seen.owner !== owner; bases++) seen = bases < basesMax ? this.#inBase(seen) : null;
    return seen;
  }

  #inBase(made: Made): Made | null {
    const { artefact, owner, puts } = made;
    const { coverage, link } = artefact;
    const bases = link.classes.find(({ name }) => name === owner)?.bases ?? [];
    const passes = puts.flatMap(({ method, parameter }) =>
      this.#methodsOf(artefact, owner, method).flatMap((exported) =>
        exported.passes.filter((pass) => pass.parameter === parameter),
      ),
    );
    const [pass, ...others] = passes.filter(({ target }) =>
      [owner, ...bases].some((name) => `.${target}`.includes(`.${name}.`)),
    );
    const [base] = bases.flatMap((name) => this.#modules.find(coverage.path, `${name}.constructor`));
    // What stays in the fields of the class is in none of the other.
    if (!pass)
      return base && this.#isSeen(made)
        ? { ...made, artefact: base.artefact, owner: ownerOf(base.exported), puts: [] }
        : null;
    const [to] =
      others.length === 0 && isConstructor(pass.target.replace(ofBase, ""))
        ? this.#modules.find(coverage.path, pass.target)
        : [];
    const inBase = to && this.madeBy(to, { ...pass, check: "result", trusted: false });
    return inBase && inBase.owner !== owner ? { ...inBase, type: made.type } : null;
  }

  /** Whether it is known where the object has it: what is handed on to functions of other files may be anywhere. */
  #isSeen({ artefact, owner, puts }: Made): boolean {
    return puts.every(({ method, parameter }) =>
      this.#methodsOf(artefact, owner, method).some(
        ({ returns, passes }) =>
          returns.some(
            ({ from, field }) =>
              "parameter" in from && from.parameter === parameter && (field === partOfObject || !isGivenBack(field)),
          ) || !passes.some((pass) => pass.parameter === parameter),
      ),
    );
  }

  /** What a file has under the name of a method, of which there may be several: many values ask for the same. */
  #methodsOf(artefact: FileArtefact, owner: string, method: string): readonly ExportedFunction[] {
    const known = this.#named.get(artefact) ?? new Map<string, ExportedFunction[]>();
    if (known.size === 0) {
      for (const exported of artefact.link.exports) append(known, exported.name, exported);
      this.#named.set(artefact, known);
    }
    return known.get(`${owner}.${method}`) ?? [];
  }
}

const hasGetters = /\.(cs|java|kt|php|inc|phtml)$/;

/** Whether the language of a file asks objects by methods, so that it has to be known what is in them. */
export const asksObjects = (path: string): boolean => hasGetters.test(path);

/** What is called to read a property of Kotlin that has a getter of its own: `quoted`, and `getQuoted()` in Java. */
const gettersOf = (method: string): readonly string[] => [`getter_${method}`, `getter_${propertyOf(method)}`];

const isSame = (put: Put, kept: Omit<Put, "count"> & Partial<Pick<Put, "count">>): boolean =>
  put.method === kept.method &&
  (kept.count === undefined || put.count === kept.count) &&
  put.parameter === kept.parameter &&
  (put.field === undefined || samePart(put.field, kept.field) || kept.field === undefined);

/** Whether a method gives what one of a class above gives, in another file. */
export function asksBase({ link }: FileArtefact, exported: ExportedFunction): boolean {
  const owner = ownerOf(exported);
  const { bases = [] } = link.classes.find(({ name }) => name === owner) ?? {};
  return exported.returns.some(
    ({ from }) => "outside" in from && bases.some((base) => from.outside.includes(`${base}.`)),
  );
}

export const ownerOf = ({ name }: Pick<ExportedFunction, "name">): string => name.slice(0, name.lastIndexOf("."));

const methodOf = ({ name, parameters }: ExportedFunction): Pick<Put, "method" | "count"> => ({
  method: name.slice(name.lastIndexOf(".") + 1),
  count: parameters.length,
});
