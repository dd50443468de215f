import type { Model } from "./model-schema.ts";
import type { Bilingual, Family, Rule } from "./rule-schema.ts";

/** Everything that rules and models say, as one JSON document. */
export interface CatalogueData {
  families: Record<string, Family>;
  sourceGroups: Record<string, string[]>;
  /** By kind or group of sources, the words for `{origin}` in the texts of rules. */
  origins: Record<string, Bilingual>;
  rules: Rule[];
  models: Model[];
}
