import type { Candidate, ExportedFunction, FileArtefact } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import { argumentIndex } from "./exported.ts";
import { type PlacedCandidate, placeTrace } from "./link.ts";
import type { Target } from "./modules.ts";
import { homeOfCode, inTestCode } from "./path-role.ts";
import { onward } from "./placing.ts";

/** What the callers of a library pass to the functions that its files export. */
const sourceKind = "library-input";

/** What a wrapper does is told of this many ways into it; a function that more go into runs whatever the library does. */
const waysInMax = 10;

/** What is asked about the functions of other files. */
export interface OtherFiles {
  find(from: string, target: string): readonly Target[];
  /** Whether a value comes to its sink as it was passed, by way of functions that are all known. */
  getsThrough(path: string, value: Pick<Candidate, "ruleId" | "via">): boolean;
}

/**
 * Sinks that a library's callers reach with what they pass, for the rules that ask about it. Which files belong to a library is told by
 * the manifest in the nearest folder above.
 */
export function libraryCandidates(
  catalogue: Catalogue,
  artefacts: readonly FileArtefact[],
  others: OtherFiles,
): PlacedCandidate[] {
  const manifests = new Map<string, boolean>();
  for (const { coverage, link } of artefacts)
    if (/(^|\/)package\.json$/.test(coverage.path)) manifests.set(folderOf(coverage.path), link.library === true);
  if (![...manifests.values()].includes(true)) return [];
  const home = homeOfCode(artefacts);
  const asking = [...catalogue.rules.values()].filter((rule) => catalogue.counts(rule, sourceKind));
  const waysIn = new Map<string, number>();
  return artefacts
    .filter(({ coverage: { path } }) => isInLibrary(manifests, path) && !inTestCode(path, home))
    .flatMap(({ coverage: { path }, link }) =>
      link.exports.flatMap((exported) => [
        ...ownSinks(catalogue, path, exported, others),
        ...sinksOfWrappers(catalogue, asking, path, exported, others).filter(
          ({ path: there, candidate: { startLine } }) => {
            const place = `${there}:${startLine}`;
            waysIn.set(place, (waysIn.get(place) ?? 0) + 1);
            return (waysIn.get(place) as number) <= waysInMax;
          },
        ),
      ]),
    );
}

function ownSinks(
  catalogue: Catalogue,
  path: string,
  { parameters, flows }: ExportedFunction,
  others: OtherFiles,
): PlacedCandidate[] {
  return flows
    .filter(({ candidate }) => {
      const rule = catalogue.rules.get(candidate.ruleId);
      return rule && catalogue.counts(rule, sourceKind) && !isNumber(candidate) && others.getsThrough(path, candidate);
    })
    .map(({ parameter, candidate }) => ({
      path,
      candidate: { ...candidate, source: parameters[parameter] ?? candidate.source, sourceKind },
      trace: placeTrace(path, candidate.trace),
    }));
}

/** `run("git log " + ref)`: what runs the commands of a library is in a file of its own, and takes them as a whole. */
function sinksOfWrappers(
  catalogue: Catalogue,
  asking: readonly Rule[],
  path: string,
  { parameters, passes }: ExportedFunction,
  others: OtherFiles,
): PlacedCandidate[] {
  return passes
    .filter(({ led, trace }) => led && !isNumber({ trace }))
    .flatMap((pass) =>
      others.find(path, pass.target).flatMap(({ artefact: { coverage }, exported }) =>
        exported.flows
          .filter(
            ({ parameter, field }) => field === pass.field && parameter === argumentIndex(exported, pass.argument),
          )
          .flatMap(({ candidate }) => {
            const told = catalogue.rules.get(candidate.ruleId);
            const rule = told && asking.find(({ family, id }) => family === told.family && id !== told.id);
            if (!rule || candidate.via || pass.clean.includes(rule.family)) return [];
            if (!others.getsThrough(path, { ruleId: rule.id, ...(pass.via && { via: pass.via }) })) return [];
            const { id: ruleId, severity, confidence } = rule;
            const source = parameters[pass.parameter] ?? candidate.source;
            const trace = [...placeTrace(path, pass.trace), ...onward(coverage.path, candidate.trace)];
            return [
              {
                path: coverage.path,
                candidate: { ...candidate, ruleId, severity, confidence, source, sourceKind },
                trace,
              },
            ];
          }),
      ),
    );
}

/** What callers compile against: a parameter that is declared to be a number is one. */
const isNumber = ({ trace: [source] }: Pick<Candidate, "trace">): boolean =>
  /^(?:(?:public|private|protected|readonly|override) ){0,3}[\w$]+\??:\s*(number|boolean|bigint)\b(?!\s*\|)/.test(
    source?.code.trim() ?? "",
  );

function isInLibrary(manifests: ReadonlyMap<string, boolean>, path: string): boolean {
  for (let folder = folderOf(path); ; folder = folderOf(folder.slice(0, -1))) {
    const known = manifests.get(folder);
    if (known !== undefined || folder === "") return known === true;
  }
}

/** With the slash at its end; empty for the folder that is scanned. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
