import { RE2JS } from "re2js";
import type { AskedSetting, FileArtefact } from "../artefact.ts";

/** Answers what the files of settings say about a key. */
export class Settings {
  readonly #files: { folder: string; settings: Record<string, string> }[];
  readonly #patterns = new Map<string, RE2JS>();

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[]) {
    this.#files = artefacts.flatMap(({ coverage: { path }, link: { settings } }) =>
      settings ? [{ folder: path.slice(0, path.lastIndexOf("/") + 1), settings }] : [],
    );
  }

  /** Whether the setting matches for code at `from`: of several modules' files the one with the longest way in common counts. */
  fits(from: string, { key, matches, otherwise }: AskedSetting): boolean {
    let near = -1;
    let answer = otherwise;
    for (const { folder, settings } of this.#files) {
      if (!Object.hasOwn(settings, key)) continue;
      const common = inCommon(from, folder);
      const fits = this.#pattern(matches).test(settings[key] as string);
      // Files for different surroundings stand side by side: what one of them says can be so.
      if (common === near) answer ||= fits;
      else if (common > near) [near, answer] = [common, fits];
    }
    return answer;
  }

  #pattern(text: string): RE2JS {
    const pattern = this.#patterns.get(text) ?? RE2JS.compile(text);
    this.#patterns.set(text, pattern);
    return pattern;
  }
}

/** The folders that two paths begin with. */
function inCommon(a: string, b: string): number {
  const left = a.split("/");
  const right = b.split("/");
  const differs = left.findIndex((part, i) => part !== right[i]);
  return differs < 0 ? left.length : differs;
}
