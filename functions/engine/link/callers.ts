import type { FileArtefact, Handover } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { append } from "../multimap.ts";

/** What a file hands to a function of another one; of a function's parameter where it hands that on. */
export interface Caller {
  readonly path: string;
  readonly call: Handover;
  readonly of: { readonly name: string; readonly parameter: number } | null;
}

/** All that files of Java, Kotlin, JavaScript and Python hand to functions of others, by the last name of what is called; put together when somebody asks. */
export class Callers {
  readonly #artefacts: readonly FileArtefact[];
  #calling: ReadonlyMap<string, readonly Caller[]> | null = null;

  constructor(artefacts: readonly FileArtefact[]) {
    this.#artefacts = artefacts;
  }

  /** Those of all functions that are called like this one. */
  of(name: string): readonly Caller[] {
    this.#calling ??= callersOf(this.#artefacts);
    return this.#calling.get(lastSegment(name)) ?? [];
  }
}

function callersOf(artefacts: readonly FileArtefact[]): ReadonlyMap<string, readonly Caller[]> {
  const calling = new Map<string, Caller[]>();
  const note = (caller: Caller) => append(calling, lastSegment(caller.call.target), caller);
  for (const { coverage, link } of artefacts) {
    if (!keepsForAll.test(coverage.language)) continue;
    const { path } = coverage;
    for (const call of link.calls) note({ path, call, of: null });
    for (const { name, passes } of link.exports)
      for (const call of passes) note({ path, call, of: { name, parameter: call.parameter } });
  }
  return calling;
}

/** Languages whose classes or modules keep something for all who ask. */
const keepsForAll = /^(java|kotlin|javascript|typescript|python)$/;
