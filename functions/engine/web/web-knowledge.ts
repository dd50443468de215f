import type * as z from "zod";
import { expression, type LazyRegex } from "../catalogue/expression.ts";
import type {
  ControlModel,
  EffectModel,
  InputModel,
  MountModel,
  Occurrence,
  RecordModel,
  RouteModel,
} from "./web-schema.ts";

type Named<T> = T & { readonly test: (name: string) => boolean };

interface WebModel {
  routes: z.output<typeof RouteModel>[];
  mounts: z.output<typeof MountModel>[];
  controls: z.output<typeof ControlModel>[];
  effects: z.output<typeof EffectModel>[];
  records: z.output<typeof RecordModel>[];
  inputs: z.output<typeof InputModel>[];
}

/** Names that have been looked at, and how long they may be; the same few are met again and again, and these are short. */
const rememberedMax = 20_000;
const rememberedLengthMax = 100;

/** What the models of a file's language and imports say about routes, ready to be asked by name. */
export class WebKnowledge {
  readonly #routes: RouteForm[] = [];
  readonly #mounts: MountForm[] = [];
  readonly #records: RecordForm[] = [];
  readonly #inputs: Named<z.output<typeof InputModel>>[] = [];
  readonly #controls: Named<z.output<typeof ControlModel>>[] = [];
  readonly #effects: Named<z.output<typeof EffectModel>>[] = [];
  readonly #known = new Map<string, Told>();
  readonly #registered = new Map<string, Registers>();
  #registersAnything: ((name: string) => boolean) | null = null;
  /** For each occurrence whether a name tells anything: most tell nothing, and one expression says so faster than all do. */
  readonly #telling = new Map<Occurrence, (name: string) => boolean>();

  constructor(models: readonly WebModel[]) {
    for (const model of models) this.#add(model);
  }

  #add(model: WebModel): void {
    for (const route of model.routes)
      this.#routes.push({ ...compiled(route), isPath: regex(route.pathMatches), isPrefix: regex(route.prefix) });
    this.#mounts.push(...model.mounts.map(compiled));
    this.#controls.push(...model.controls.map(compiled));
    this.#effects.push(...model.effects.map(compiled));
    this.#records.push(...model.records.map(compiled));
    this.#inputs.push(...model.inputs.map(compiled));
  }

  /** Whether something called like this comes with the request. */
  isInput(name: string): boolean {
    return this.#inputs.some((input) => input.test(name));
  }

  /** What a name that stands somewhere tells. */
  tells(occurrence: Occurrence, name: string): Told {
    const key = `${occurrence} ${name}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (!this.#tellsAnything(occurrence, name)) return this.#remember(key, nothing);
    const meant = this.#controls.filter((control) => control.in.includes(occurrence) && control.test(name));
    const done = this.#effects.filter((effect) => effect.in === occurrence && effect.test(name));
    return this.#remember(key, {
      controls: meant.filter(({ application }) => !application).map(({ control }) => control),
      application: [...meant, ...done].filter(({ application }) => application).map(factOf),
      effects: done.filter(({ application }) => !application).map(({ effect }) => effect),
      placed: done.filter(({ placed }) => placed).map(({ effect }) => effect),
    });
  }

  #tellsAnything(occurrence: Occurrence, name: string): boolean {
    let telling = this.#telling.get(occurrence);
    if (!telling) {
      const meant = [
        ...this.#controls.filter((control) => control.in.includes(occurrence)),
        ...this.#effects.filter((effect) => effect.in === occurrence),
      ];
      telling = anyOf(meant);
      this.#telling.set(occurrence, telling);
    }
    return telling(name);
  }

  #remember(key: string, told: Told): Told {
    if (key.length <= rememberedLengthMax && this.#known.size < rememberedMax) this.#known.set(key, told);
    return told;
  }

  /** What a call or decorator that goes by any of these names can register or keep, in the order of the models. */
  registers(names: readonly string[]): Registers {
    const key = names.join(" ");
    const known = this.#registered.get(key);
    if (known) return known;
    this.#registersAnything ??= anyOf([...this.#routes, ...this.#mounts, ...this.#records]);
    const fits = ({ test }: { test: (name: string) => boolean }) => names.some(test);
    const found = names.some(this.#registersAnything)
      ? { routes: this.#routes.filter(fits), mounts: this.#mounts.filter(fits), records: this.#records.filter(fits) }
      : noRegisters;
    if (key.length <= rememberedLengthMax && this.#registered.size < rememberedMax) this.#registered.set(key, found);
    return found;
  }
}

export type MountForm = Named<z.output<typeof MountModel>>;
type RecordForm = Named<z.output<typeof RecordModel>>;

export interface Registers {
  readonly routes: readonly RouteForm[];
  readonly mounts: readonly MountForm[];
  readonly records: readonly RecordForm[];
}

const noRegisters: Registers = { routes: [], mounts: [], records: [] };

export interface RouteForm extends Named<z.output<typeof RouteModel>> {
  /** Whether a text can be the path; null where anything can. */
  readonly isPath: LazyRegex | null;
  /** Whether a decorator of the class gives the beginning of the path. */
  readonly isPrefix: LazyRegex | null;
}

export interface Told {
  readonly controls: readonly string[];
  readonly application: readonly string[];
  readonly effects: readonly string[];
  /** Those of the effects whose place counts. */
  readonly placed: readonly string[];
}

const nothing: Told = { controls: [], application: [], effects: [], placed: [] };

const factOf = (model: { control: string } | { effect: string }): string =>
  "control" in model ? model.control : model.effect;

const regex = (source: string | undefined): LazyRegex | null => (source === undefined ? null : expression(source));

/** Most names are nobody's, and one expression says so faster than all do. */
function anyOf(models: readonly { matches: string }[]): (name: string) => boolean {
  if (models.length === 0) return () => false;
  const wanted = expression(models.map(({ matches }) => `(?:${matches})`).join("|"));
  return (name) => wanted.test(name);
}

function compiled<T extends { matches: string; notMatches?: string | undefined }>(model: T): Named<T> {
  const wanted = expression(model.matches);
  const unwanted = regex(model.notMatches);
  return { ...model, test: (name) => wanted.test(name) && !unwanted?.test(name) };
}
