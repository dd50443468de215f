import type { ExportedFunction } from "../artefact.ts";
import type { Catalogue, Families } from "../catalogue/catalogue.ts";
import type { Run } from "../interpret/run.ts";
import type { Outcome } from "../interpret/summary.ts";
import { capturedAnyhow } from "../interpret/texts/groups.ts";
import { cleanedByAbsence, cleanedByPattern, type Extent, type Use, usedPattern } from "../interpret/texts/patterns.ts";
import { leftBy } from "../interpret/texts/replaced.ts";
import { hasGlobalMark, isCompiled, undelimited } from "../interpret/texts/replacements.ts";
import type { Value } from "../interpret/value.ts";
import type { ShownConstants } from "../secrets/shown-constants.ts";
import { cleanedNames } from "./cleaned.ts";

/** More patterns of one file are a table of data, and so are more entries of a table. */
const patternsMax = 60;

/**
 * What constants of a file tell others who ask them like objects. `export const NAME = /^[a-z]+$/`, `patterns = { name: /^[a-z]+$/ }`: what
 * they find out of a text by asking a pattern. `export const columns = new Map([["name", "i.name"]])`: what a map gives is none of its keys.
 */
export function constantsOf(catalogue: Catalogue, run: Run, shown: ShownConstants): ExportedFunction[] {
  const named = [...(run.file.known ?? [])].flatMap(([written, value]): [string, Value][] => {
    const name = written.replace(/^(module\.)?exports\./, "").replace(/^module\.exports$/, "default");
    return withMembers(name, value, membersDepth);
  });
  const ofClasses = run.classes.flatMap(({ node, fields }) =>
    [...fields].map(([name, value]): [string, Value] => [`${node.name}.${name}`, value]),
  );
  const all = [...named, ...ofClasses];
  return [
    ...all
      .map(([name, value]) => [...patternOf(catalogue, run, name, value), ...mapOf(name, value)])
      .filter(({ length }) => length > 0)
      .slice(0, patternsMax)
      .flat(),
    ...all.flatMap(([name, value]) => constantOf(run, shown, name, value)).slice(0, valuesMax),
  ];
}

/** Settings that one file keeps; of more they are texts of the application. */
const valuesMax = 60;

/** What a constant is that others ask for: a switch, or a word, as names of algorithms and of hosts are. */
function constantOf(run: Run, shown: ShownConstants, name: string, { constants }: Value): ExportedFunction[] {
  const [value, ...others] = constants ?? [];
  const isWord = typeof value === "string" && word.test(value) && shown.stands(value);
  if (others.length > 0 || (typeof value !== "boolean" && !isWord) || !/^[\w$.]+$/.test(name)) return [];
  // What is assigned again may be something else when it is asked for.
  if (!name.includes(".") && run.assignmentsOf(name).length > 1) return [];
  return [{ name: usedPattern(name, "value"), parameters: [], flows: [], passes: [], returns: [], guards: [], value }];
}

const word = /^[\w./*+-]{1,40}$/;

/** `patterns.forms.name`: deeper nobody keeps them. */
const membersDepth = 2;

/** A value and what lies in it, by the names that other files ask for; what is the whole module goes by the names of its members. */
function withMembers(name: string, value: Value, depth: number): [string, Value][] {
  const within = name === "default" ? "" : `${name}.`;
  const entries = value.slots?.shape === "map" && depth > 0 ? [...value.slots.entries].slice(0, patternsMax) : [];
  return [[name, value], ...entries.flatMap(([key, entry]) => withMembers(`${within}${key}`, entry, depth - 1))];
}

function patternOf(catalogue: Catalogue, run: Run, name: string, value: Value): ExportedFunction[] {
  const all = value.constants ?? value.slots?.entries.get("pattern")?.constants;
  const [written] = all?.length === 1 ? all : [];
  if (typeof written !== "string" || !isPattern.test(written) || !/^[\w$.]+$/.test(name)) return [];
  const pattern = run.language === "php" ? undelimited(written) : written;
  const exported = (use: Use, guards: ExportedFunction["guards"]): ExportedFunction[] =>
    guards.length === 0
      ? []
      : [{ name: usedPattern(name, use), parameters: ["text"], flows: [], passes: [], returns: [], guards }];
  const matches = (use: Extent) =>
    guard(catalogue, "true", cleanedByPattern(catalogue, pattern, use === "whole", use !== "any"));
  return [
    ...exported("whole", matches("whole")),
    ...exported("start", matches("start")),
    ...exported("any", [...matches("any"), ...guard(catalogue, "false", cleanedByAbsence(catalogue, pattern))]),
    ...exported("captured", guard(catalogue, "after", capturedAnyhow(catalogue, pattern))),
    ...exported("left", takesOut(run, name, value) ? guard(catalogue, "after", leftBy(run, pattern)) : []),
  ];
}

/** A text that lists characters, or stands for several texts, is meant as a pattern. */
const isPattern = /[[\\*+{]/;

/** `/[^\w]/g` of JavaScript takes out what it matches wherever it stands; without the mark, the first of it. A text is no pattern there. */
function takesOut(run: Run, name: string, value: Value): boolean {
  if (run.language !== "javascript") return run.language !== "ruby" || isCompiled(value);
  const made = run.file.origins.get(name);
  return isCompiled(value) && made !== undefined && hasGlobalMark(run, made);
}

function mapOf(name: string, { slots }: Value): ExportedFunction[] {
  const entries = slots?.shape === "map" && !slots.rest ? [...slots.entries] : [];
  const isOfConstants =
    entries.length > 0 && entries.every(([key, { constants }]) => constants !== null && key !== "get");
  return isOfConstants && /^[\w$.]+$/.test(name)
    ? [{ name: `${name}.get`, parameters: ["key"], flows: [], passes: [], returns: [], guards: [] }]
    : [];
}

const guard = (catalogue: Catalogue, check: Outcome, cleans: Families): ExportedFunction["guards"] =>
  cleans === 0 ? [] : [{ check, parameter: 0, clean: cleanedNames(catalogue, cleans) }];
