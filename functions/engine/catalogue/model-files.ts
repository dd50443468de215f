import type { CatalogueData } from "./catalogue-data.ts";
import { learnNeeded, type NeededBySource } from "./expression.ts";
import type { Model } from "./model-schema.ts";

/** What is needed from the start: everything but what models say. */
export interface CatalogueHead extends Omit<CatalogueData, "models"> {
  /** Changes with whatever rules and models say. */
  readonly version: string;
  /** Kinds of input that are lost in what is made of it. */
  readonly shallowKinds: readonly string[];
  readonly needed: NeededBySource;
}

/** What is known about one language, as it is asked. */
export interface LanguageModels {
  /** What is imported says more than what is guessed from names, so it comes first. */
  readonly models: readonly Model[];
  /** The statements about each name, by the last segment of paths and by keys: their places among all of the language. */
  readonly index: Readonly<Record<string, readonly number[]>>;
  readonly needed: NeededBySource;
}

export const headFile = "catalogue.json";
export const modelsFile = (language: string): string => `models-${language}.json`;

/** The models of a process. Those of a language are read with the first file in it. */
export class ModelFiles {
  readonly #read: (name: string) => Promise<Uint8Array>;
  readonly #loading = new Map<string, Promise<void>>();
  readonly #models = new Map<string, LanguageModels>();

  constructor(read: (name: string) => Promise<Uint8Array>) {
    this.#read = read;
  }

  /** @param language one that models are written for */
  load(language: string): Promise<void> {
    const known = this.#loading.get(language);
    if (known) return known;
    const loading = this.#read(modelsFile(language)).then((bytes) => {
      const models = JSON.parse(new TextDecoder().decode(bytes)) as LanguageModels;
      learnNeeded(models.needed);
      this.#models.set(language, models);
    });
    this.#loading.set(language, loading);
    // What could not be read once may be read the next time.
    loading.catch(() => this.#loading.delete(language));
    return loading;
  }

  of(language: string): LanguageModels {
    const models = this.#models.get(language);
    if (!models) throw new Error(`the models of ${language} have not been loaded`);
    return models;
  }
}
