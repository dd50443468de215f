import type { FileArtefact } from "../artefact.ts";
import { ofCarrier } from "../interpret/calls/carried-objects.ts";
import { append } from "../multimap.ts";
import { aliasesMax, type Target } from "./modules.ts";

/** The functions that a target of a file means, by way of at most as many aliases as are left. */
type Find = (path: string, target: string, aliases: number) => Target[];

/** Objects that go by one name; of more nobody knows which is meant. */
const objectsMax = 3;

/** What files of Python keep for each other in the request or the application, by its names. */
export class CarriedObjects {
  readonly #find: Find;
  readonly #objects = new Map<string, { artefact: FileArtefact; object: string }[]>();

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[], find: Find) {
    this.#find = find;
    for (const artefact of artefacts)
      for (const { name, target } of artefact.link.aliases)
        if (name.startsWith(ofCarrier)) append(this.#objects, name, { artefact, object: target });
  }

  /** @param target the name of an object and its method: "&mailer.send" */
  methods(target: string, aliases: number): Target[] {
    const [name, method] = target.split(".") as [string, string];
    const objects = this.#objects.get(name) ?? [];
    // `g.user = g.user.current()`: an object may be made of what was kept under its own name.
    if (objects.length > objectsMax || aliases >= aliasesMax) return [];
    return objects.flatMap(({ artefact, object }) => {
      const own = artefact.link.exports.find((exported) => exported.name === `${object}.${method}`);
      return own
        ? [{ artefact, exported: own }]
        : this.#find(artefact.coverage.path, `${object}.${method}`, aliases + 1);
    });
  }
}
