import type { Cleaned, FileArtefact } from "../artefact.ts";
import { allFamilies, type Catalogue, type Families } from "../catalogue/catalogue.ts";
import { cleanedByPattern } from "../interpret/texts/patterns.ts";
import { cleanedNames } from "./cleaned.ts";

/** `{id:[0-9]+}`, `{name}`, `:id<int>` of fiber, and `<slug:name>` and `(?P<name>[a-z]+)` of Python; a pattern may have braces of its own. */
const placeholder =
  /\{(\w+)(?::((?:[^{}]|\{[^{}]*\})*))?\}|\(\?P<(\w+)>([^()]*)\)|<(?:(\w+):)?(\w+)>|:(\w+)(?:<([^<>]*)>)?/g;

/** Restrictions that are no patterns, by their names. */
const numbers = /^(u?int(8|16|32|64)?|bool|float|guid|uuid|slug|alpha(betical)?|datetime(\(.*\))?|range\(.*\))$/;

/** What the variables of routes are clean for by all patterns of an application. Which handler has which pattern is not asked. */
export class RouteVariables {
  readonly #catalogue: Catalogue;
  readonly #artefacts: readonly FileArtefact[];
  #read: ReadonlyMap<string, Families> | null = null;

  constructor(catalogue: Catalogue, artefacts: readonly FileArtefact[]) {
    this.#catalogue = catalogue;
    this.#artefacts = artefacts;
  }

  cleaned(name: string): Cleaned {
    this.#read ??= this.#readAll();
    return cleanedNames(this.#catalogue, this.#read.get(name) ?? 0);
  }

  #readAll(): Map<string, Families> {
    const cleaned = new Map<string, Families>();
    for (const { link } of this.#artefacts)
      for (const { path } of [...(link.web?.routes ?? []), ...(link.web?.mounts ?? [])])
        for (const [, braced, pattern, named, group, type, typed, plain, kind] of (path ?? "").matchAll(placeholder)) {
          const name = braced ?? named ?? typed ?? plain ?? "";
          // A converter is no pattern.
          const restriction = pattern ?? group ?? kind ?? (numbers.test(type ?? "") ? type : "");
          cleaned.set(name, this.#cleanedBy(restriction ?? "") & (cleaned.get(name) ?? allFamilies));
        }
    return cleaned;
  }

  #cleanedBy(restriction: string): Families {
    if (numbers.test(restriction)) return allFamilies;
    const pattern = restriction.replace(/^regex\((.*)\)$/, "$1");
    return pattern === "" ? 0 : cleanedByPattern(this.#catalogue, pattern, true, true);
  }
}
