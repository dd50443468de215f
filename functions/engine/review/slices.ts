import type { FileArtefact, FunctionPlace } from "../artefact.ts";
import type { Finding } from "../finding.ts";
import type { Modules } from "../link/modules.ts";
import { byCodeUnits } from "../link/order.ts";
import { append } from "../multimap.ts";
import { nameOf, placeAround, symbolAt } from "./function-places.ts";

/** A function that helps to judge a finding. Lines count from 1. */
export interface SlicePlace {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** By the fingerprint of a finding the functions that its value passes, from the sink back to the source, then those that call there. */
export type Slices = Readonly<Record<string, readonly SlicePlace[]>>;

/** More is not shown anyway: a unit has room for two functions of ordinary length. */
const placesMax = 12;
const callerLevels = 2;

/**
 * Finds what a reader of each finding would look up: the functions on the way of the value, and the callers of those in the finding's own
 * file. Calls are known as far as values of interest go with them, see LinkRecord. Findings without a way stand for themselves.
 * @returns the same whatever order the artefacts come in
 */
export function slicesOf(
  findings: readonly Finding[],
  artefacts: readonly FileArtefact[],
  modules: Pick<Modules, "find">,
): Slices {
  const flowing = findings.filter((finding) => finding.trace.length > 0 && !finding.suppressed);
  if (flowing.length === 0) return {};
  const functions = new Map(artefacts.map((artefact) => [artefact.coverage.path, artefact.functions]));
  const calls = callsIn(artefacts, modules);
  return Object.fromEntries(
    flowing.map((finding) => {
      const way = [finding, ...finding.trace.toReversed()].map(({ path, startLine: line }) => ({ path, line }));
      const own = way.filter(({ path }) => path === finding.path);
      const places = [...way, ...callersOf(own, functions, calls)].flatMap((site) => placeOf(site, functions));
      return [finding.fingerprint, distinct(places).slice(0, placesMax)];
    }),
  );
}

interface Site {
  readonly path: string;
  readonly line: number;
}

type Functions = ReadonlyMap<string, readonly FunctionPlace[]>;

function placeOf({ path, line }: Site, functions: Functions): SlicePlace[] {
  const place = placeAround(functions.get(path) ?? [], line);
  return place ? [{ path, startLine: place.startLine, endLine: place.endLine }] : [];
}

/** The calls of the functions at some places, then the calls of the functions that make those. */
function callersOf(from: readonly Site[], functions: Functions, calls: ReadonlyMap<string, readonly Site[]>): Site[] {
  const found: Site[] = [];
  let level = from;
  for (let levels = 0; levels < callerLevels; levels++) {
    const called = new Set(
      level.map(({ path, line }) => keyOf(path, nameOf(symbolAt(functions.get(path) ?? [], line)))),
    );
    level = [...called].flatMap((key) => calls.get(key) ?? []).sort(siteOrder);
    found.push(...level);
  }
  return found;
}

/** Where each function that others can call is called from, by its path and name. */
function callsIn(artefacts: readonly FileArtefact[], modules: Pick<Modules, "find">): Map<string, Site[]> {
  const calls = new Map<string, Site[]>();
  for (const { coverage, link } of artefacts) {
    const { path } = coverage;
    for (const { target, trace } of [...link.calls, ...link.exports.flatMap(({ passes }) => passes)]) {
      const line = trace.at(-1)?.startLine;
      if (line === undefined) continue;
      for (const { artefact, exported } of modules.find(path, target)) {
        append(calls, keyOf(artefact.coverage.path, exported.name), { path, line });
      }
    }
  }
  return calls;
}

const keyOf = (path: string, name: string): string => `${path}\0${name}`;

const siteOrder = (a: Site, b: Site): number => byCodeUnits(a.path, b.path) || a.line - b.line;

const distinct = (places: readonly SlicePlace[]): SlicePlace[] => [
  ...new Map(places.map((place) => [Object.values(place).join("\0"), place])).values(),
];
