import type * as z from "zod";
import { expression, type LazyRegex } from "../catalogue/expression.ts";
import { nameTester } from "./name-tester.ts";
import type {
  AccessModel,
  ControlModel,
  EffectModel,
  FrontModel,
  InputModel,
  MountModel,
  Occurrence,
  OwnerModel,
  RecordModel,
  RouteModel,
  RouterModel,
} from "./web-schema.ts";
import { occurrences } from "./web-schema.ts";

type Named<T> = T & { readonly test: (name: string) => boolean };

interface WebModel {
  routes: z.output<typeof RouteModel>[];
  mounts: z.output<typeof MountModel>[];
  fronts: z.output<typeof FrontModel>[];
  controls: z.output<typeof ControlModel>[];
  effects: z.output<typeof EffectModel>[];
  records: z.output<typeof RecordModel>[];
  owners: z.output<typeof OwnerModel>[];
  inputs: z.output<typeof InputModel>[];
  routers: z.output<typeof RouterModel>[];
  accesses: z.output<typeof AccessModel>[];
}

/** Names of a kind that have been looked at, and how long they may be; the same few are met again and again, and these are short. */
const rememberedMax = 20_000;
const rememberedLengthMax = 100;

/** What the models of a file's language and imports say about routes, ready to be asked by name. */
export class WebKnowledge {
  readonly #routes: RouteForm[] = [];
  readonly #mounts: MountForm[] = [];
  readonly #records: RecordForm[] = [];
  readonly #inputs: Named<z.output<typeof InputModel>>[] = [];
  readonly #routers: Named<z.output<typeof RouterModel>>[] = [];
  readonly #fronts: Named<z.output<typeof FrontModel>>[] = [];
  readonly #owners: Named<z.output<typeof OwnerModel>>[] = [];
  /** Calls and decorators that say what is asked by path. */
  readonly accesses: AccessForm[] = [];
  readonly #controls: Named<z.output<typeof ControlModel>>[] = [];
  readonly #effects: Named<z.output<typeof EffectModel>>[] = [];
  readonly #told = new Map<Occurrence, Map<string, Told>>(occurrences.map((occurrence) => [occurrence, new Map()]));
  readonly #registered = new Map<string, Registers>();
  /** One call after the other is asked about by all who want to know, with the same names. */
  #last: { readonly names: readonly string[]; readonly found: Registers } = { names: [], found: noRegisters };

  constructor(models: readonly WebModel[]) {
    for (const model of models) this.#add(model);
  }

  #add(model: WebModel): void {
    for (const route of model.routes)
      this.#routes.push({
        ...compiled(route),
        isPath: regex(route.pathMatches),
        isPrefix: regex(route.prefix),
        isNamed: regex(route.named),
        isFile: regex(route.file),
      });
    for (const mount of model.mounts) this.#mounts.push({ ...compiled(mount), isFile: regex(mount.file) });
    for (const access of model.accesses)
      this.accesses.push({ ...compiled(access), isFile: regex(access.file), isIgnored: regex(access.ignores) });
    this.#controls.push(...model.controls.map(compiled));
    this.#effects.push(...model.effects.map(compiled));
    this.#records.push(...model.records.map(compiled));
    this.#inputs.push(...model.inputs.map(compiled));
    this.#routers.push(...model.routers.map(compiled));
    this.#fronts.push(...model.fronts.map(compiled));
    this.#owners.push(...model.owners.map(compiled));
  }

  /** Names that make a page of the file that reads them. */
  get pages(): readonly RouteForm[] {
    return this.#routes.filter(({ on }) => on === "page");
  }

  /** Whether something called like this comes with the request. */
  isInput(name: string): boolean {
    return this.#inputs.some((input) => input.test(name));
  }

  /** Whether routes are registered on what has this type or is made by this call. */
  isRouter(name: string): boolean {
    return this.#routers.some((router) => router.test(name));
  }

  /** Whether a call of this name can list the methods of the route that its chain begins with. */
  listsMethods(name: string): boolean {
    return this.#routes.some(({ methodsBy }) => methodsBy === name);
  }

  /** Whether a decorator called like this names what runs first. */
  isFront(name: string): boolean {
    return this.#fronts.some((front) => front.test(name));
  }

  /** Whether a call of this name in a class names what its records belong to. */
  namesOwner(name: string): boolean {
    return this.#owners.some((owner) => owner.test(name));
  }

  /** What a name that stands somewhere tells. */
  tells(occurrence: Occurrence, name: string): Told {
    const names = this.#told.get(occurrence) as Map<string, Told>;
    const known = names.get(name);
    if (known) return known;
    const told = this.#look(occurrence, name);
    if (name.length <= rememberedLengthMax && names.size < rememberedMax) names.set(name, told);
    return told;
  }

  #look(occurrence: Occurrence, name: string): Told {
    const meant = this.#controls.filter((control) => control.in.includes(occurrence) && control.test(name));
    const done = this.#effects.filter((effect) => effect.in === occurrence && effect.test(name));
    if (meant.length + done.length === 0) return nothing;
    return {
      controls: meant.filter(({ application }) => !application).map(({ control }) => control),
      application: [...meant, ...done].filter(({ application }) => application === true).map(factOf),
      standing: meant.filter(({ application }) => typeof application === "string"),
      effects: done.filter(({ application }) => !application).map(({ effect }) => effect),
      placed: done.filter(({ placed }) => placed).map(({ effect }) => effect),
    };
  }

  /** What a call or decorator that goes by any of these names can register, keep or say of paths, in the order of the models. */
  registers(names: readonly string[]): Registers {
    if (this.#last.names !== names) this.#last = { names, found: this.#registersOf(names) };
    return this.#last.found;
  }

  #registersOf(names: readonly string[]): Registers {
    let all = noRegisters;
    for (const name of names) {
      const its = this.#registersBy(name);
      if (its !== noRegisters) all = all === noRegisters ? its : this.#joined(all, its);
    }
    return all;
  }

  #registersBy(name: string): Registers {
    const known = this.#registered.get(name);
    if (known) return known;
    const fits = ({ test }: { test: (name: string) => boolean }) => test(name);
    const routes = this.#routes.filter(fits);
    const mounts = this.#mounts.filter(fits);
    const records = this.#records.filter(fits);
    const accesses = this.accesses.filter(fits);
    const isNone = routes.length + mounts.length + records.length + accesses.length === 0;
    const found = isNone ? noRegisters : { routes, mounts, records, accesses };
    if (name.length <= rememberedLengthMax && this.#registered.size < rememberedMax) this.#registered.set(name, found);
    return found;
  }

  #joined(one: Registers, other: Registers): Registers {
    return {
      routes: together(this.#routes, one.routes, other.routes),
      mounts: together(this.#mounts, one.mounts, other.mounts),
      records: together(this.#records, one.records, other.records),
      accesses: together(this.accesses, one.accesses, other.accesses),
    };
  }
}

export interface MountForm extends Named<z.output<typeof MountModel>> {
  /** Whether a file can have such a function; null where any can. */
  readonly isFile: LazyRegex | null;
}
type RecordForm = Named<z.output<typeof RecordModel>>;

export interface Registers {
  readonly routes: readonly RouteForm[];
  readonly mounts: readonly MountForm[];
  readonly records: readonly RecordForm[];
  readonly accesses: readonly AccessForm[];
}

const noRegisters: Registers = { routes: [], mounts: [], records: [], accesses: [] };

/** What is in one of two lists, in the order of all. */
function together<T>(all: readonly T[], one: readonly T[], other: readonly T[]): readonly T[] {
  if (other.every((each) => one.includes(each))) return one;
  if (one.every((each) => other.includes(each))) return other;
  return all.filter((each) => one.includes(each) || other.includes(each));
}

export interface RouteForm extends Named<z.output<typeof RouteModel>> {
  /** Whether a text can be the path; null where anything can. */
  readonly isPath: LazyRegex | null;
  /** Whether a file can have such handlers; null where any can. */
  readonly isFile: LazyRegex | null;
  /** Whether a decorator of the class gives the beginning of the path. */
  readonly isPrefix: LazyRegex | null;
  /** Whether a decorated function is called like a handler; null where any is. */
  readonly isNamed: LazyRegex | null;
}

export interface AccessForm extends Named<z.output<typeof AccessModel>> {
  readonly isFile: LazyRegex | null;
  readonly isIgnored: LazyRegex | null;
}

export interface Told {
  readonly controls: readonly string[];
  readonly application: readonly string[];
  /** Those of a class that may be registered for some paths only. */
  readonly standing: readonly z.output<typeof ControlModel>[];
  readonly effects: readonly string[];
  /** Those of the effects whose place counts. */
  readonly placed: readonly string[];
}

/** What most names tell. */
export const nothing: Told = { controls: [], application: [], standing: [], effects: [], placed: [] };

const factOf = (model: { control: string } | { effect: string }): string =>
  "control" in model ? model.control : model.effect;

const regex = (source: string | undefined): LazyRegex | null => (source === undefined ? null : expression(source));

function compiled<T extends { matches: string; notMatches?: string | undefined }>(model: T): Named<T> {
  const wanted = nameTester(model.matches);
  const unwanted = model.notMatches === undefined ? null : nameTester(model.notMatches);
  return { ...model, test: (name) => wanted(name) && !unwanted?.(name) };
}
