import type { FileArtefact } from "../artefact.ts";
import type { Target } from "./modules.ts";

/** Where an object is made, as the file at `path` calls it. */
interface Handed {
  path: string;
  object: string;
}

/** Objects that go by one name; of more nobody knows which is meant. */
const objectsMax = 3;

/** Which objects the functions of a file are given by those who make an application of its parts. */
export class Wirings {
  readonly #given = new Map<string, Map<string, Handed>>();
  readonly #named = new Map<string, Map<string, Handed>>();

  /** @param find the functions that a target of a file means */
  read(artefacts: readonly FileArtefact[], find: (path: string, target: string) => Target[]): void {
    for (const { coverage, link } of artefacts) {
      const { path } = coverage;
      for (const { name, object } of link.wirings ?? []) note(this.#named, name, { path, object });
      for (const { target, argument, object } of link.givenObjects ?? []) {
        if (target.startsWith("*")) continue;
        for (const { artefact, exported } of find(path, target)) {
          const name = exported.parameters[argument];
          if (name !== undefined) note(this.#given, `${artefact.coverage.path}\0${name}`, { path, object });
        }
      }
    }
  }

  /** What a file knows by a name: what its own functions are given first. */
  of(from: string, name: string): readonly Handed[] {
    const handed = this.#given.get(`${from}\0${name}`) ?? this.#named.get(name);
    return handed && handed.size <= objectsMax ? [...handed.values()] : [];
  }
}

/** No more are kept than it takes to know that they are too many. */
function note(all: Map<string, Map<string, Handed>>, name: string, handed: Handed): void {
  const known = all.get(name);
  if (!known) all.set(name, new Map([[handed.object, handed]]));
  else if (known.size <= objectsMax && !known.has(handed.object)) known.set(handed.object, handed);
}
