import type { FileArtefact } from "../artefact.ts";
import { anyClass } from "../interpret/calls/handover.ts";
import { append } from "../multimap.ts";
import type { Target } from "./modules.ts";

/** More classes that fit are variants of one interface, or have nothing to do with each other. */
const classesMax = 3;

/**
 * The methods of Python's classes by what objects are called that a constructor was given without a type: `self.user_repo.find(x)` is a
 * method of `UserRepository`, as its words begin like those of the name.
 */
export class Layers {
  readonly #methods = new Map<string, { type: string[]; target: Target }[]>();

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[]) {
    for (const artefact of artefacts) {
      if (artefact.coverage.language !== "python") continue;
      for (const exported of artefact.link.exports) {
        const [type, method, ...more] = exported.name.split(".") as [string, ...string[]];
        if (method === undefined || more.length > 0) continue;
        append(this.#methods, method, { type: wordsOf(type), target: { artefact, exported } });
      }
    }
  }

  /** @param target the name of an object and its method: "*user_repo.find" */
  find(target: string): Target[] {
    const [name, method] = target.slice(anyClass.length).split(".") as [string, string];
    const asked = wordsOf(name);
    const found = (this.#methods.get(method) ?? []).filter(({ type }) =>
      asked.every((word) => type.some((own) => own.startsWith(word))),
    );
    return found.length <= classesMax ? found.map(({ target: fitting }) => fitting) : [];
  }
}

/** `user_repo`, `UserRepository` and `DBUser` by their words. */
function wordsOf(name: string): string[] {
  const words = name.split(/_+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());
  return words.filter((word) => word !== "").map((word) => (word === "db" ? "data" : word));
}
