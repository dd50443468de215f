import type { FileArtefact } from "../artefact.ts";
import { anyClass, isOfProject } from "../interpret/calls/handover.ts";
import type { Target } from "./modules.ts";

/** Where an object is made, as the file at `path` calls it. */
interface Handed {
  path: string;
  object: string;
}

/** The functions that a target of a file means, by way of at most as many aliases as are left. */
type Find = (path: string, target: string, aliases: number) => Target[];

/** What servers are called that functions are given to, and handed everywhere. */
const isFramework = /^(fastify|server|instance)$/;

/** Objects that go by one name; of more nobody knows which is meant. */
const objectsMax = 3;

/** Which objects the functions of a file are given by those who make an application of its parts. */
export class Wirings {
  readonly #artefacts: readonly FileArtefact[];
  readonly #find: Find;
  readonly #given = new Map<string, Map<string, Handed>>();
  readonly #named = new Map<string, Map<string, Handed>>();
  #isRead = false;

  constructor(artefacts: readonly FileArtefact[], find: Find) {
    this.#artefacts = artefacts;
    this.#find = find;
  }

  /** The methods of an object that a function of the file is given, or that some file has under that name. */
  methodsOf(from: string, name: string, method: string, aliases: number): Target[] {
    if (isFramework.test(name)) return this.#decorated(method, aliases);
    for (const { path, object } of this.#of(from, name)) {
      const owner = object.slice(0, object.lastIndexOf("."));
      const isMember = isOfProject.test(owner) && owner.includes("/");
      const found = [`${object}.${method}`, ...(isMember ? [`${owner}.${method}`] : [])]
        .map((called) => this.#find(path, called, aliases + 1))
        .find(({ length }) => length > 0);
      if (found) return found;
    }
    return [];
  }

  /** `fastify.decorate("find", find)`, then `fastify.find(x)`: a function that the server was given as its own. */
  #decorated(name: string, aliases: number): Target[] {
    this.#read();
    const handed = this.#named.get(name);
    return handed && handed.size <= objectsMax
      ? [...handed.values()].flatMap(({ path, object }) => this.#find(path, object, aliases + 1))
      : [];
  }

  /** What a file knows by a name: what its own functions are given first. */
  #of(from: string, name: string): readonly Handed[] {
    this.#read();
    const handed = this.#given.get(`${from}\0${name}`) ?? this.#named.get(name);
    return handed && handed.size <= objectsMax ? [...handed.values()] : [];
  }

  #read(): void {
    // Whoever asks while they are read is told what was read so far, and does not begin anew.
    if (this.#isRead) return;
    this.#isRead = true;
    for (const { coverage, link } of this.#artefacts) {
      const { path } = coverage;
      for (const { name, object } of link.wirings ?? []) note(this.#named, name, { path, object });
      for (const { target, argument, object } of link.givenObjects ?? []) {
        if (target.startsWith(anyClass)) continue;
        for (const { artefact, exported } of this.#find(path, target, 0)) {
          const name = exported.parameters[argument];
          if (name !== undefined) note(this.#given, `${artefact.coverage.path}\0${name}`, { path, object });
        }
      }
    }
  }
}

/** No more are kept than it takes to know that they are too many. */
function note(all: Map<string, Map<string, Handed>>, name: string, handed: Handed): void {
  const known = all.get(name);
  if (!known) all.set(name, new Map([[handed.object, handed]]));
  else if (known.size <= objectsMax && !known.has(handed.object)) known.set(handed.object, handed);
}
