import type { FileArtefact } from "../artefact.ts";
import { givenOfHeld, isHolding } from "../interpret/held-objects.ts";
import { aliasesMax, type Modules, type Target } from "./modules.ts";

/** `getItem.getName`, as "Item.getName": what is asked of that which a member of a file's class is declared to give, or of what this holds. */
export function memberOfKind({ link: { kinds = {} } }: FileArtefact, member: string): string | null {
  const [giving = "", ...others] = member.split(".");
  const kind = Object.hasOwn(kinds, giving) ? kinds[giving] : undefined;
  if (kind === undefined || others.length === 0) return null;
  let of = kind;
  while (isHolding(of)) {
    const given = others.length > 1 ? givenOfHeld(`${of}.${others.shift()}`) : null;
    if (given === null) return null;
    of = given;
  }
  return `${of}.${others.join(".")}`;
}

/**
 * What takes the arguments of a call: `Stores.get().load(key)` is a method of what a member of a class of Java is declared to give. What
 * such a method gives is not asked for: the hubs of an application hand out all that there is, and all would come out of everything.
 */
export class Takers {
  readonly #modules: Modules;
  readonly #known = new Map<string, Target[]>();

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  of(from: string, target: string): Target[] {
    const found = this.#modules.find(from, target);
    if (found.length > 0 || !from.endsWith(".java")) return found;
    const key = `${from.slice(0, from.lastIndexOf("/") + 1)}\0${target}`;
    const known = this.#known.get(key);
    if (known) return known;
    const takers = this.#ofGiven(from, target);
    this.#known.set(key, takers);
    return takers;
  }

  #ofGiven(from: string, target: string): Target[] {
    let asker = from;
    let asked = target;
    for (let members = 0; members < aliasesMax; members++) {
      const { artefact, member = "" } = this.#modules.file(asker, asked) ?? {};
      const onward = artefact && memberOfKind(artefact, member);
      if (!artefact || !onward) return [];
      asker = artefact.coverage.path;
      asked = onward;
      const found = this.#modules.find(asker, asked);
      if (found.length > 0) return found;
    }
    return [];
  }
}
