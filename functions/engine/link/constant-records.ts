import type { ExportedFunction } from "../artefact.ts";
import type { Catalogue, Families } from "../catalogue/catalogue.ts";
import type { Run } from "../interpret/run.ts";
import { cleanedByAbsence, cleanedByPattern } from "../interpret/texts/patterns.ts";
import type { Value } from "../interpret/value.ts";
import { cleanedNames } from "./cleaned.ts";

/** More patterns of one file are a table of data, and so are more entries of a table. */
const patternsMax = 60;

/**
 * What constants of a file tell others who ask them like objects. `export const NAME = /^[a-z]+$/`, `patterns = { name: /^[a-z]+$/ }`: what
 * they find out of a text by asking a pattern. `export const columns = new Map([["name", "i.name"]])`: what a map gives is none of its keys.
 */
export function constantsOf(catalogue: Catalogue, run: Run): ExportedFunction[] {
  if (run.language !== "javascript") return [];
  const named = [...(run.file.known ?? [])].flatMap(([written, value]): [string, Value][] => {
    const name = written.replace(/^(module\.)?exports\./, "").replace(/^module\.exports$/, "default");
    return withMembers(name, value, membersDepth);
  });
  const ofClasses = run.classes.flatMap(({ node, fields }) =>
    [...fields].map(([name, value]): [string, Value] => [`${node.name}.${name}`, value]),
  );
  return [...named, ...ofClasses]
    .flatMap(([name, value]) => [...patternOf(catalogue, name, value), ...mapOf(name, value)])
    .slice(0, patternsMax);
}

/** `patterns.forms.name`: deeper nobody keeps them. */
const membersDepth = 2;

/** A value and what lies in it, by the names that other files ask for; what is the whole module goes by the names of its members. */
function withMembers(name: string, value: Value, depth: number): [string, Value][] {
  const within = name === "default" ? "" : `${name}.`;
  const entries = value.slots?.shape === "map" && depth > 0 ? [...value.slots.entries].slice(0, patternsMax) : [];
  return [[name, value], ...entries.flatMap(([key, entry]) => withMembers(`${within}${key}`, entry, depth - 1))];
}

function patternOf(catalogue: Catalogue, name: string, { constants, slots }: Value): ExportedFunction[] {
  const all = constants ?? slots?.entries.get("pattern")?.constants;
  const [pattern] = all?.length === 1 ? all : [];
  if (typeof pattern !== "string" || !/^[\w$.]+$/.test(name)) return [];
  const guards = [
    ...guard(catalogue, "true", cleanedByPattern(catalogue, pattern, false, false)),
    ...guard(catalogue, "false", cleanedByAbsence(catalogue, pattern)),
  ];
  return guards.length === 0
    ? []
    : [{ name: `${name}.test`, parameters: ["text"], flows: [], passes: [], returns: [], guards }];
}

function mapOf(name: string, { slots }: Value): ExportedFunction[] {
  const entries = slots?.shape === "map" && !slots.rest ? [...slots.entries] : [];
  const isOfConstants =
    entries.length > 0 && entries.every(([key, { constants }]) => constants !== null && key !== "get");
  return isOfConstants && /^[\w$.]+$/.test(name)
    ? [{ name: `${name}.get`, parameters: ["key"], flows: [], passes: [], returns: [], guards: [] }]
    : [];
}

const guard = (catalogue: Catalogue, check: "true" | "false", cleans: Families): ExportedFunction["guards"] =>
  cleans === 0 ? [] : [{ check, parameter: 0, clean: cleanedNames(catalogue, cleans) }];
