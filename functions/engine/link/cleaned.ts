import type { Cleaned } from "../artefact.ts";
import { allFamilies, type Catalogue, type Families } from "../catalogue/catalogue.ts";

/** Families as link records have them. */
export const cleanedNames = (catalogue: Catalogue, families: Families): Cleaned =>
  families === allFamilies ? "all" : catalogue.namesOf(families);

/** What two ways, or two parts, are both clean for. */
export const cleanedForBoth = (a: Cleaned, b: Cleaned): Cleaned =>
  a === "all" ? b : b === "all" ? a : a.filter((family) => b.includes(family));

/** What one value is clean for that two things say something of. */
export const cleanedForAny = (a: Cleaned, b: Cleaned): Cleaned =>
  a === "all" || b === "all" ? "all" : a.length === 0 ? b : [...a, ...b];

/** Among the families that a result is clean for: of these it is for SQL within quotes only. */
export const insideQuotes = "escaped";

/** What is clean of a text that stands in SQL outside of quotes. */
export const cleanedBare = (cleaned: Cleaned): Cleaned =>
  cleaned !== "all" && cleaned.includes(insideQuotes)
    ? cleaned.filter((family) => family !== "sql_injection")
    : cleaned;
