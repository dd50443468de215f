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
  "cleanTypes",
  "checked",
  "fieldChecks",
  "deferred",
  "announcements",
  "listeners",
  "constraints",
  "validations",
  "carriers",
  "bags",
  "entryPoints",
] as const;
type Section = (typeof sections)[number];
type Sink = NonNullable<Rule["taint"]>["sinks"][number];

/** One entry of a rule or a model. */
export type Statement =
  | { readonly section: "patterns"; readonly by: Rule; readonly entry: NonNullable<Rule["patterns"]>[number] }
  | { readonly section: "ownSinks"; readonly by: Rule; readonly entry: Sink }
  | { [S in Section]: { readonly section: S; readonly by: Model; readonly entry: Model[S][number] } }[Section];

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
