import { fieldOf } from "../objects/members.ts";
import type { Run } from "../run.ts";
import { allTaint, anyPart, isOfWhole, joinTaint, keysPart, partsMax, type Taint, type Value } from "../value.ts";
import { hasOverloads } from "./overloads.ts";

type Parts = [field: string | undefined, taint: readonly Taint[]][];

/** What taints an argument as a whole, and what taints its fields. */
export const partsOf = (run: Run, value: Value): Parts =>
  value.slots?.shape === "map" || isMixed(run, value) ? slotsOf(run, value) : [[undefined, taintWithin(run, value)]];

/** Elements of a list that are told apart; longer ones are data, of which one is like the other. */
export const elementsMax = 16;

/** `run(["git", "log", branch])`: of a list that input is a part of, each element goes by its place. */
const isMixed = ({ language }: Run, { slots, taint }: Value): boolean =>
  slots?.shape === "list" &&
  language !== "php" &&
  taint.length === 0 &&
  slots.entries.size <= elementsMax &&
  slots.entries.values().some((entry) => allTaint(entry).length === 0);

/** The same of a result: several results are a list, and each goes by its place; an object that was made goes by its fields. */
export const partsOfResult = (run: Run, value: Value): Parts =>
  value.slots?.shape === "list" && !value.slots.rest
    ? run.language === "go"
      ? resultsOf(run, value)
      : slotsOf(run, value)
    : [...partsWithin(run, value).filter(([field]) => !field?.endsWith(keysPart)), ...fieldsOf(run, value)];

/** `{ page: { q: req.query.q, size: 20 } }`: a map within a result goes by its fields, too. */
const partsWithin = (run: Run, value: Value): Parts =>
  partsOf(run, value).flatMap(([field, taint]): Parts => {
    const within = field !== undefined && tellsWithin.has(run.language) ? value.slots?.entries.get(field) : undefined;
    return within?.slots?.shape === "map" && taint.length > 0
      ? slotsOf(run, within).map(([part, given]) => [part === undefined ? field : `${field}${fieldOf}${part}`, given])
      : [[field, taint]];
  });

const tellsWithin: ReadonlySet<string> = new Set(["javascript", "python"]);

/** `return Query{Word: word, Size: size}, nil`: a struct among several results goes by its fields. */
const resultsOf = (run: Run, value: Value): Parts =>
  slotsOf(run, value).flatMap(([place, taint]): Parts => {
    const result = place === undefined ? undefined : value.slots?.entries.get(place);
    if (result?.slots?.shape !== "map") return [[place, taint]];
    return slotsOf(run, result).map(([field, part]) => [
      field === undefined ? place : `${place}${fieldOf}${field}`,
      part,
    ]);
  });

/** What an object of Java was given by the function that has made it; see own-fields.ts for those that only it has. */
function fieldsOf({ language }: Run, { instance, own }: Value): Parts {
  if (language === "php" && own) return [...own].map(([name, value]) => [name, allTaint(value)]);
  if (!hasOverloads.has(language) || !instance) return [];
  const given = (value: Value) => allTaint(value).filter(({ source }) => source.parameter !== null);
  return [...new Map([...instance.fields, ...(own ?? [])])].flatMap(([name, value]): Parts => {
    const taint = given(value);
    return taint.length > 0 ? [[name, taint]] : [];
  });
}

function slotsOf(run: Run, value: Value): Parts {
  if (!value.slots) return [[undefined, taintWithin(run, value)]];
  if (run.language === "php") return [[undefined, value.taint], ...changedFields(run, value)];
  const { entries, rest } = value.slots;
  const whole = rest ? joinTaint(value.taint, taintWithin(run, rest)) : value.taint;
  return [
    [undefined, whole],
    ...[...entries].map(([key, entry]): [string, readonly Taint[]] => [key, taintWithin(run, entry)]),
  ];
}

/** What came in as a whole is handed on as a whole, under all of its keys; what a join has put under single keys would be more than that. */
const changedFields = (run: Run, value: Value): [string, readonly Taint[]][] =>
  fieldsWithin(run, value, "", partsMax).map(([field, taint]) => [field, changed(value, taint)]);

/** What taints a field of a map besides the map that it came in with. */
export const changed = ({ taint: whole }: Value, taint: readonly Taint[]): readonly Taint[] =>
  whole.length === 0
    ? taint
    : taint.filter((t) => !t.source.parameter || t.source.parameter.field || !whole.some((all) => isOfWhole(t, all)));

/** Fields of arrays of PHP, and of arrays in them. */
function fieldsWithin(run: Run, { slots }: Value, before: string, depth: number): [string, readonly Taint[]][] {
  const elements = [...(slots?.entries ?? []), ...(slots?.rest ? [[anyPart, slots.rest] as const] : [])];
  return elements.flatMap(([key, element]): [string, readonly Taint[]][] => {
    const field = before + key;
    return depth > 1 && element.slots?.shape === "map"
      ? [[field, element.taint], ...fieldsWithin(run, element, `${field}${fieldOf}`, depth - 1)]
      : [[field, taintWithin(run, element)]];
  });
}

/** What is somewhere in it, but for a password deep down: settings that have one are no password. */
export const taintWithin = (run: Run, value: Value): readonly Taint[] =>
  value.slots === null || run.knowledge.shallowKinds.size === 0
    ? allTaint(value)
    : joinTaint(
        value.taint,
        allTaint(value).filter(({ source }) => !run.knowledge.shallowKinds.has(source.kind)),
      );
