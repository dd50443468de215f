import type { FileArtefact } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { inClasses } from "../interpret/objects/shared-state.ts";
import { append } from "../multimap.ts";
import type { Arrival } from "./arrival.ts";
import type { Modules } from "./modules.ts";

export interface Stored {
  readonly path: string;
  readonly store: FileArtefact["link"]["stores"][number];
  /** What a call from another file has put there. */
  readonly arrival?: Arrival;
}

/** What files keep for others, by the field and by the object that it was filled as a part of. */
export class KeptFields {
  readonly #modules: Modules;
  readonly #stores = new Map<string, Stored[]>();
  readonly #storesWithin = new Map<string, Stored[]>();

  constructor(artefacts: readonly FileArtefact[], modules: Modules) {
    this.#modules = modules;
    for (const { coverage, link } of artefacts) {
      for (const store of link.stores) {
        const stored = { path: coverage.path, store };
        append(this.#stores, this.#storedAt(coverage.path, store.field), stored);
        if (store.within) append(this.#storesWithin, store.within, stored);
      }
    }
  }

  /** Files of Go fill structs of other packages by the path of those: "example.org/shop/jobs.Job.Name". */
  #storedAt(path: string, field: string): string {
    const [, type, name] = path.endsWith(".go") ? (field.match(/^([^~@]*\/[\w.-]+\.\w+)\.(\w+)$/) ?? []) : [];
    const [declaring] = type === undefined ? [] : this.#modules.filesOfType(path, type);
    return type && declaring ? placeOf(declaring.coverage.path, `~${lastSegment(type)}.${name}`) : placeOf(path, field);
  }

  /** What files keep in a field, in the object that it is a field of, or, where the field was filled as a whole, in one of its own. */
  under(path: string, name: string): Stored[] {
    // A page has what it is shown with, and not what is kept under that name for another.
    if (isPage.test(path)) return [];
    const field = placeOf(path, name);
    if (field.startsWith(inClasses)) {
      const fields = this.#modules.fieldsOfKin(path, field.slice(inClasses.length));
      return fields.flatMap((name) => this.#stores.get(inClasses + name) ?? []);
    }
    const parts = field.split(".");
    const around = parts.map((_, i) => parts.slice(0, i + 1).join("."));
    const stored = around.flatMap((name) => this.#stores.get(name) ?? []);
    return [...new Set([...stored, ...(this.#storesWithin.get(field) ?? [])])];
  }

  /** A function was given something that it keeps. */
  give(path: string, store: Stored["store"], arrival: Arrival): void {
    append(this.#stores, placeOf(path, store.field), { path, store, arrival });
  }
}

const isPage = /\.(jsp[fx]?|tagx?)$/i;

/** What a package of Go shares is its folder's alone; fields of requests and their like are the same everywhere. */
export const placeOf = (path: string, field: string): string =>
  field.startsWith("~") ? `${path.slice(0, path.lastIndexOf("/") + 1)}\0${field}` : field;
