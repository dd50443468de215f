import { createHash } from "node:crypto";
import { append } from "../multimap.ts";
import { Catalogue, modelLanguage } from "./catalogue.ts";
import type { CatalogueData } from "./catalogue-data.ts";
import type { NeededBySource } from "./expression.ts";
import { Knowledge } from "./knowledge.ts";
import { languages } from "./languages.ts";
import { type CatalogueHead, type LanguageModels, ModelFiles } from "./model-files.ts";
import { neededWords } from "./needed-words.ts";
import { statementsOf } from "./statements.ts";

/** Brings rules and models into the shape in which the engine reads them, so that it has nothing to build when it starts. */
export function compileCatalogue({ models, ...data }: CatalogueData): {
  head: CatalogueHead;
  languages: ReadonlyMap<string, LanguageModels>;
} {
  const shallow = models.flatMap(({ sources }) => sources.flatMap(({ shallow, kind }) => (shallow ? [kind] : [])));
  const version = createHash("sha256")
    .update(JSON.stringify({ ...data, models }))
    .digest("hex")
    .slice(0, 12);
  const head = { ...data, shallowKinds: [...new Set(shallow)], version, needed: neededIn(data) };
  const byDetection = models.toSorted((a, b) => Number(b.detect !== undefined) - Number(a.detect !== undefined));
  const spoken = new Set(languages.map(modelLanguage));
  const compiled = [...spoken].map((language) => {
    const its = byDetection.filter((model) => model.language === language);
    return [language, { models: its, index: indexOf(language, head, its), needed: neededIn(its) }] as const;
  });
  return { head, languages: new Map(compiled) };
}

/** Asks every statement for the names that it is about, whatever rules are on. */
function indexOf(language: string, head: CatalogueHead, models: LanguageModels["models"]): LanguageModels["index"] {
  const codes = head.rules.flatMap(({ code }) => (code === undefined ? [] : [code]));
  const reader = new Catalogue(head, new ModelFiles(() => Promise.reject()), codes).readerOf(language);
  const nothing = new Knowledge([], () => {});
  const index = new Map<string, number[]>();
  for (const [place, statement] of statementsOf(language, head.rules, models).entries()) {
    const names = new Set<string>();
    const note = (name: string) => {
      names.add(name);
      return false;
    };
    reader.read(statement, nothing, note);
    for (const name of names) append(index, name, place);
  }
  return Object.fromEntries(index);
}

/** Where rules and models have expressions that are run as they stand. */
const expressionKeys = new Set(
  "matches notMatches near notNear notBefore file notFile receiver notReceiver result ofClass safePrefix begins regex regexes pathMatches prefix ignores allow".split(
    " ",
  ),
);

function neededIn(data: unknown): NeededBySource {
  const found: Record<string, readonly string[]> = {};
  const look = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const item of value) look(item, key);
    else if (value && typeof value === "object") for (const [name, item] of Object.entries(value)) look(item, name);
    else if (typeof value === "string" && expressionKeys.has(key)) {
      const words = neededWords(value);
      if (words) found[value] = words;
    }
  };
  look(data, "");
  return found;
}
