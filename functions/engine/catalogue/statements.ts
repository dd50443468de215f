import type { Model } from "./model-schema.ts";
import type { Rule } from "./rule-schema.ts";

/** What models say about names, in the order in which it is asked. What they say about routes is no part of it. */
const sections = [
  "sinks",
  "sources",
  "sanitizers",
  "decoders",
  "guards",
  "everywhere",
  "containers",
  "schemas",
  "parsers",
  "facts",
  "settings",
  "fills",
  "keeps",
  "templates",
  "returns",
  "outputs",
  "library",
  "exits",
  "asserts",
  "refutes",
  "cleanTypes",
  "checked",
  "fieldChecks",
  "generated",
  "deferred",
  "shortened",
  "announcements",
  "listeners",
  "helpers",
  "constraints",
  "validations",
  "carriers",
  "holders",
  "bags",
  "entryPoints",
] as const;
type ModelSection = (typeof sections)[number];

/** What the entries of each section are, and who says them. */
type Entries = { [S in ModelSection]: Model[S][number] } & {
  patterns: NonNullable<Rule["patterns"]>[number];
  ownSinks: NonNullable<Rule["taint"]>["sinks"][number];
};
type Speakers = { [S in ModelSection]: Model } & { patterns: Rule; ownSinks: Rule };

export type Section = keyof Entries;

/** One entry of a rule or a model. */
export type Statement<S extends Section = Section> = {
  [One in S]: { readonly section: One; readonly by: Speakers[One]; readonly entry: Entries[One] };
}[S];

/** One function for each section. */
export type BySection<To> = { readonly [S in Section]: (entry: Entries[S], to: To, by: Speakers[S]) => void };

/**
 * All that is said about one language, always in this order.
 * @param models those of the language, in the order in which they are asked
 */
export function statementsOf(language: string, rules: readonly Rule[], models: readonly Model[]): Statement[] {
  const its = rules.filter((rule) => rule.languages.some((spoken) => spoken === language));
  return [
    ...its.flatMap((by) => (by.patterns ?? []).map((entry) => ({ section: "patterns" as const, by, entry }))),
    ...its.flatMap((by) => (by.taint?.sinks ?? []).map((entry) => ({ section: "ownSinks" as const, by, entry }))),
    ...models.flatMap((by) =>
      sections.flatMap((section) => by[section].map((entry) => ({ section, by, entry }) as Statement)),
    ),
  ];
}
