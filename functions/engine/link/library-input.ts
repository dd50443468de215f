import type { Candidate, FileArtefact } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type PlacedCandidate, placeTrace } from "./link.ts";
import { homeOfCode, inTestCode } from "./path-role.ts";

/** What the callers of a library pass to the functions that its files export. */
const sourceKind = "library-input";

/**
 * Sinks that a library's callers reach with what they pass, for the rules that ask about it. Which files belong to a library is told by
 * the manifest in the nearest folder above.
 */
export function libraryCandidates(catalogue: Catalogue, artefacts: readonly FileArtefact[]): PlacedCandidate[] {
  const manifests = new Map<string, boolean>();
  for (const { coverage, link } of artefacts)
    if (/(^|\/)package\.json$/.test(coverage.path)) manifests.set(folderOf(coverage.path), link.library === true);
  if (![...manifests.values()].includes(true)) return [];
  const home = homeOfCode(artefacts);
  return artefacts
    .filter(({ coverage: { path } }) => isInLibrary(manifests, path) && !inTestCode(path, home))
    .flatMap(({ coverage: { path }, link }) =>
      link.exports.flatMap(({ parameters, flows }) =>
        flows
          .filter(({ candidate }) => {
            const rule = catalogue.rules.get(candidate.ruleId);
            return rule !== undefined && !candidate.via && !isNumber(candidate) && catalogue.counts(rule, sourceKind);
          })
          .map(({ parameter, candidate }) => ({
            path,
            candidate: { ...candidate, source: parameters[parameter] ?? candidate.source, sourceKind },
            trace: placeTrace(path, candidate.trace),
          })),
      ),
    );
}

/** What callers compile against: a parameter that is declared to be a number is one. */
const isNumber = ({ trace: [source] }: Candidate): boolean =>
  /^[\w$]+\??:\s*(number|boolean|bigint)\b(?!\s*\|)/.test(source?.code.trim() ?? "");

function isInLibrary(manifests: ReadonlyMap<string, boolean>, path: string): boolean {
  for (let folder = folderOf(path); ; folder = folderOf(folder.slice(0, -1))) {
    const known = manifests.get(folder);
    if (known !== undefined || folder === "") return known === true;
  }
}

/** With the slash at its end; empty for the folder that is scanned. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
