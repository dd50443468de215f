import { allFamilies, type Catalogue, type Families } from "../../catalogue/catalogue.ts";
import type { Frame } from "../run.ts";
import { cleanedByPattern } from "../texts/patterns.ts";
import { named, type Slots, type Value } from "../value.ts";
import { factOfPart } from "./route-schemas.ts";
import { pathOf, textOf } from "./schemas.ts";

/** Rules that leave nothing to attack with. A `date` may be any text that the clock of PHP can make sense of, so it is none. */
const plainRules =
  /^(integer|int|numeric|decimal|digits|digits_between|boolean|in|enum|uuid|ulid|alpha(_num|_dash)?|ipv?[46]?|mac_address|hex_color|date_format|accepted|declined)(:|$)/;

/** Words that stand among rules, whatever else does: a map of other texts is none of rules. */
const rule =
  /^(required|nullable|sometimes|bail|string|array|integer|numeric|boolean|in|uuid|alpha|alpha_num|alpha_dash|regex|max|min|size|between|email|url|date|exists|unique|confirmed|file|image|digits)(:|$)/;

/**
 * `["dir" => "required|in:asc,desc", "name" => ["string", "regex:/^\w+$/"]]`: what comes in by its name, and what a validator asks of it, as
 * a schema. Null where it is none.
 */
export function schemaOfRules(catalogue: Catalogue, { slots }: Value): Value | null {
  if (slots?.shape !== "map") return null;
  const entries = new Map<string, Value>();
  let isRules = false;
  for (const [name, given] of slots.entries) {
    const rules = rulesOf(given);
    isRules ||= rules.some((one) => rule.test(one));
    const [field = name, ...within] = name.split(".");
    entries.set(field, within.length > 0 ? named(pathOf("anything")) : schemaOf(cleanedByRules(catalogue, rules)));
  }
  const rest = slots.rest ? named(pathOf("anything")) : null;
  return isRules ? { ...named(pathOf("fields")), slots: { shape: "map", entries, rest } } : null;
}

/** All that is read of the request by these names has been asked for from here on: `$request->input("dir")`, `$request->dir`. */
export function noteRules(frame: Frame, { entries }: Slots): void {
  for (const [name, schema] of entries)
    if (!schema.paths.includes(pathOf("anything")))
      for (const key of [name, `$${name}`]) frame.scope.refine(factOfPart(key), schema);
}

const schemaOf = (families: Families): Value => (families === 0 ? named(pathOf("anything")) : textOf(families));

/** The rules of a field: a list, or one text between whose rules bars stand. Objects of rules go by the method that makes them. */
function rulesOf({ constants, slots, paths }: Value): string[] {
  const [text] = constants ?? [];
  if (slots?.shape === "list") return slots.rest ? [] : [...slots.entries.values()].flatMap(rulesOf);
  if (typeof text !== "string") return paths.some((path) => /(^|\\)Rule\.(in|enum)\(\)/.test(path)) ? ["in"] : [];
  // A pattern may have bars of its own.
  const at = text.search(/\bregex:/);
  return at < 0 ? text.split("|") : [...text.slice(0, at).split("|"), text.slice(at)];
}

const cleanedByRules = (catalogue: Catalogue, rules: readonly string[]): Families =>
  rules.reduce<Families>((all, one) => all | (plainRules.test(one) ? allFamilies : matched(catalogue, one)), 0);

/** `regex:/^[a-z]+$/i`; where lines are matched, others may stand around them. */
function matched(catalogue: Catalogue, text: string): Families {
  const [, delimiter = "", rest = ""] = text.match(/^regex:(\W)(.*)$/s) ?? [];
  const end = rest.lastIndexOf(delimiter);
  if (delimiter === "" || end < 0 || rest.slice(end).includes("m")) return 0;
  return cleanedByPattern(catalogue, rest.slice(0, end), false, false);
}
