import { RE2JS } from "re2js";
import type { AskedConstant } from "../artefact.ts";
import type { Modules } from "./modules.ts";

/** Answers what constants of other files are: see constant-records.ts. */
export class Constants {
  readonly #modules: Modules;
  readonly #patterns = new Map<string, RE2JS>();

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  /** Whether a constant is what was asked for, whichever of those may be meant that go by the name. */
  fit(from: string, { target, is, matches }: AskedConstant): boolean {
    const found = this.#modules.find(from, target).flatMap(({ exported: { value } }) => value ?? []);
    return (
      found.length > 0 &&
      found.every(
        (value) =>
          (!is || is.includes(value)) &&
          (matches === undefined || (typeof value === "string" && this.#pattern(matches).test(value))),
      )
    );
  }

  #pattern(text: string): RE2JS {
    const pattern = this.#patterns.get(text) ?? RE2JS.compile(text);
    this.#patterns.set(text, pattern);
    return pattern;
  }
}
