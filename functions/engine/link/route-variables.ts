import type { Cleaned, FileArtefact } from "../artefact.ts";
import { allFamilies, type Catalogue, type Families } from "../catalogue/catalogue.ts";
import { cleanedByPattern } from "../interpret/texts/patterns.ts";
import { append } from "../multimap.ts";
import { cleanedNames } from "./cleaned.ts";
import type { Modules } from "./modules.ts";

/** `{id:[0-9]+}`, `{name}`, `:id<int>` of fiber, and `<slug:name>` and `(?P<name>[a-z]+)` of Python; a pattern may have braces of its own. */
const placeholder =
  /\{(\w+)(?::((?:[^{}]|\{[^{}]*\})*))?\}|\(\?P<(\w+)>([^()]*)\)|<(?:(\w+):)?(\w+)>|:(\w+)(?:<([^<>]*)>)?/g;

/** Restrictions that are no patterns, by their names. */
const numbers = /^(u?int(8|16|32|64)?|bool|float|guid|uuid|slug|alpha(betical)?|datetime(\(.*\))?|range\(.*\))$/;

/** What a pattern leaves of a variable, and the route that has it. */
interface Restricted {
  readonly families: Families;
  readonly artefact: FileArtefact;
  readonly handlers: readonly string[];
}

/**
 * What the variables of routes are clean for by the patterns of an application: by those of routes whose handlers the asking file has, where
 * that is seen. Which of the handlers of one file has which pattern is not asked.
 */
export class RouteVariables {
  readonly #catalogue: Catalogue;
  readonly #modules: Modules;
  readonly #artefacts: readonly FileArtefact[];
  #read: ReadonlyMap<string, readonly Restricted[]> | null = null;
  readonly #answers = new Map<string, Cleaned>();

  constructor(catalogue: Catalogue, modules: Modules, artefacts: readonly FileArtefact[]) {
    this.#catalogue = catalogue;
    this.#modules = modules;
    this.#artefacts = artefacts;
  }

  cleaned(from: string, name: string): Cleaned {
    const key = `${from}\0${name}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    this.#read ??= this.#readAll();
    const all = this.#read.get(name) ?? [];
    const own = all.filter((one) => this.#isHandledIn(from, one));
    const meant = own.length > 0 ? own : all;
    const families = meant.reduce((clean, one) => clean & one.families, meant.length > 0 ? allFamilies : 0);
    const answer = cleanedNames(this.#catalogue, families);
    this.#answers.set(key, answer);
    return answer;
  }

  #isHandledIn(from: string, { artefact: { coverage }, handlers }: Restricted): boolean {
    return handlers.some((handler) =>
      handler.startsWith("#")
        ? coverage.path === from
        : this.#modules.file(coverage.path, handler)?.artefact.coverage.path === from ||
          this.#modules.find(coverage.path, handler).some(({ artefact }) => artefact.coverage.path === from),
    );
  }

  #readAll(): Map<string, Restricted[]> {
    const restricted = new Map<string, Restricted[]>();
    const note = (artefact: FileArtefact, path: string | null | undefined, handlers: readonly string[]): void => {
      for (const [, braced, pattern, named, group, type, typed, plain, kind] of (path ?? "").matchAll(placeholder)) {
        const name = braced ?? named ?? typed ?? plain ?? "";
        // A converter is no pattern.
        const restriction = pattern ?? group ?? kind ?? (numbers.test(type ?? "") ? type : "");
        append(restricted, name, { families: this.#cleanedBy(restriction ?? ""), artefact, handlers });
      }
    };
    for (const artefact of this.#artefacts) {
      const { routes = [], mounts = [] } = artefact.link.web ?? {};
      for (const { path, handlers } of routes) note(artefact, path, handlers);
      for (const { path } of mounts) note(artefact, path, []);
    }
    return restricted;
  }

  #cleanedBy(restriction: string): Families {
    if (numbers.test(restriction)) return allFamilies;
    const pattern = restriction.replace(/^regex\((.*)\)$/, "$1");
    return pattern === "" ? 0 : cleanedByPattern(this.#catalogue, pattern, true, true);
  }
}
