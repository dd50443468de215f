import type { Call, Expression } from "../ir/ir.ts";
import type { FileFacts } from "./file-facts.ts";
import { type Names, written } from "./names.ts";
import type { Routers } from "./routers.ts";
import type { Within } from "./within.ts";

/** Reads what is assigned: names of closures, settings, routers, and what a file hands out. */
export class Assignments {
  readonly #names: Names;
  readonly #file: FileFacts;
  readonly #routers: Routers;

  constructor(names: Names, file: FileFacts, routers: Routers) {
    this.#names = names;
    this.#file = file;
    this.#routers = routers;
  }

  read(to: Expression, from: Expression, within: Within): void {
    if (from.kind === "variable" || from.kind === "field") this.#file.takenApart(to, written(from), within);
    const name = written(to).replace(/^(module\.)?exports\.?/, "");
    if (from.kind === "closure") this.#file.name(from.fn, methodOf(to, within) ?? (name || "default"));
    // What a file hands out may stand in front of all, as `export { auth as middleware } from "./auth"` does.
    else if (/^(module\.)?exports\b/.test(written(to)))
      for (const given of this.#names.of(from)) this.#file.tell("entry", `${name || "default"}=${given}`, within, from);
    if (to.kind === "field" || to.kind === "index")
      for (const target of this.#names.of(to)) this.#file.tell("assign", target, within, to);
    this.#routers.assign(to, from);
    if (within.functions.every((facts) => this.#file.isPage(facts))) this.#settings(name, from, within);
  }

  /** Texts in what is assigned at the top of a file or class. */
  #settings(name: string, from: Expression, within: Within): void {
    const inside = within.owner ? { ...within, functions: [within.owner.facts] } : within;
    if (from.kind === "literal") this.#file.tell("setting", `${name}=${from.value}`, inside, from);
    if (from.kind === "variable" || from.kind === "field" || from.kind === "call")
      for (const value of this.#names.of(from)) this.#file.tell("setting", `${name}=${value}`, inside, from);
    if (from.kind === "call") this.#made(from, inside);
    if (from.kind !== "collection") return;
    for (const { key, value } of from.entries)
      this.#settings(key?.kind === "literal" ? `${name}.${key.value}` : name, value, within);
  }

  /** `api = NinjaAPI(auth=django_auth)`: what an object at the top of a file is made with. */
  #made({ callee, args }: Call, inside: Within): void {
    for (const { name, value } of args) {
      const given = value.kind === "collection" ? value.entries[0]?.value : value;
      if (name !== null && given)
        for (const told of this.#names.of(given))
          this.#file.tell("entry", `${written(callee)}.${name}=${told}`, inside, value);
    }
  }
}

/** `this.save = …` in a function that makes objects, or a constructor, called as interpret/assign.ts exports it. */
function methodOf(to: Expression, { functions, owner }: Within): string | null {
  const maker = functions.at(-1);
  if (owner || !maker || to.kind !== "field" || written(to.of) !== "this") return null;
  const [name = ""] = maker.names;
  if (maker.owner !== null) return name === `${maker.owner}.constructor` ? `${maker.owner}.${to.name}` : null;
  return `${name.startsWith("<") ? "this" : name}.${to.name}`;
}
