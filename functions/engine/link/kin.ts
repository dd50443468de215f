import type { FileArtefact } from "../artefact.ts";
import { append } from "../multimap.ts";

/** Classes that have their fields in common with one; a class of a framework that more extend says nothing of any of them. */
const kinMax = 30;

/** Which classes of Python and JavaScript extend each other, by their names: what one keeps in its fields the others have. */
export class Kin {
  readonly #artefacts: readonly FileArtefact[];
  #related: { bases: ReadonlyMap<string, string[]>; heirs: ReadonlyMap<string, string[]> } | null = null;

  constructor(artefacts: readonly FileArtefact[]) {
    this.#artefacts = artefacts.filter(({ coverage }) => /^(python|(java|type)script)$/.test(coverage.language ?? ""));
  }

  /** A class, what it extends, and what extends it. */
  of(type: string): string[] {
    this.#related ??= this.#read();
    const { bases, heirs } = this.#related;
    const kin = [...new Set([...along(bases, type), ...along(heirs, type)])];
    return kin.length > kinMax ? [type] : kin;
  }

  #read() {
    const [bases, heirs] = [new Map<string, string[]>(), new Map<string, string[]>()];
    for (const { link } of this.#artefacts)
      for (const { name, bases: extended } of link.classes)
        for (const base of extended) {
          append(bases, name, base);
          append(heirs, base, name);
        }
    return { bases, heirs };
  }
}

function along(related: ReadonlyMap<string, string[]>, type: string): Set<string> {
  const found = new Set([type]);
  for (const name of found) for (const next of related.get(name) ?? []) if (found.size <= kinMax) found.add(next);
  return found;
}
