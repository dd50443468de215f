import type { FileArtefact } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { isBeyondQuality } from "./path-role.ts";

/** Fewer files than this are oversights, however small the project is. */
const filesMin = 10;
/** A project in which more than this share of the files of a language goes its own way has a convention, though another one. */
const shareMin = 0.1;

/** What a project does throughout, so that telling it of each place would tell it nothing. */
export interface Conventions {
  has(ruleId: string, path: string): boolean;
}

/** Counts, of rules about conventions, the files of each language that do otherwise. */
export function conventions(catalogue: Catalogue, artefacts: readonly FileArtefact[]): Conventions {
  const own = artefacts.filter(({ coverage }) => !isBeyondQuality(coverage.path));
  const languages = new Map(artefacts.map(({ coverage }) => [coverage.path, coverage.language]));
  const files = new Map<string, number>();
  const otherwise = new Map<string, number>();
  for (const { coverage, candidates } of own) {
    const { language } = coverage;
    files.set(language, (files.get(language) ?? 0) + 1);
    const rules = new Set(candidates.map(({ ruleId }) => ruleId));
    for (const rule of rules) {
      if (catalogue.rules.get(rule)?.convention !== true) continue;
      const key = `${rule}\0${language}`;
      otherwise.set(key, (otherwise.get(key) ?? 0) + 1);
    }
  }
  return {
    has: (ruleId, path) => {
      const language = languages.get(path) ?? "";
      const count = otherwise.get(`${ruleId}\0${language}`) ?? 0;
      return count >= filesMin && count > (files.get(language) ?? 0) * shareMin;
    },
  };
}
