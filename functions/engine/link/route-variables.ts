import type { FileArtefact } from "../artefact.ts";
import { isStrict } from "../interpret/guards/pattern-tests.ts";

/** `{id:[0-9]+}`, `{name}`, and `:id<int>` of fiber; a pattern may have braces of its own. */
const placeholder = /\{(\w+)(?::((?:[^{}]|\{[^{}]*\})*))?\}|:(\w+)(?:<([^<>]*)>)?/g;

/** Restrictions that are no patterns, by their names. */
const numbers = /^(u?int(8|16|32|64)?|bool|float|guid|uuid|alpha(betical)?|datetime(\(.*\))?|range\(.*\))$/;

/** The variables of routes that all patterns of an application restrict to what carries no attack. Which handler has which pattern is not asked. */
export class RouteVariables {
  readonly #artefacts: readonly FileArtefact[];
  #harmless: ReadonlyMap<string, boolean> | null = null;

  constructor(artefacts: readonly FileArtefact[]) {
    this.#artefacts = artefacts;
  }

  isHarmless(name: string): boolean {
    this.#harmless ??= this.#read();
    return this.#harmless.get(name) === true;
  }

  #read(): Map<string, boolean> {
    const harmless = new Map<string, boolean>();
    for (const { link } of this.#artefacts)
      for (const { path } of [...(link.web?.routes ?? []), ...(link.web?.mounts ?? [])])
        for (const [, braced, pattern, plain, restriction] of (path ?? "").matchAll(placeholder)) {
          const name = braced ?? plain ?? "";
          const isRestricted = isNarrow(pattern ?? restriction ?? "");
          harmless.set(name, isRestricted && harmless.get(name) !== false);
        }
    return harmless;
  }
}

function isNarrow(restriction: string): boolean {
  if (numbers.test(restriction)) return true;
  const pattern = restriction.replace(/^regex\((.*)\)$/, "$1");
  return pattern !== "" && isStrict(pattern, true, true);
}
