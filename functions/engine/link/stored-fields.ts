import type { FileArtefact } from "../artefact.ts";
import type { PlacedCandidate } from "./link.ts";
import { placeTrace } from "./link.ts";
import { homeOfCode, inTestCode } from "./path-role.ts";

/** What people who run an application write into it is theirs to format. */
const isForStaff = (path: string): boolean =>
  /(^|[/._-])(admin\w*|backend|backoffice|cms|manage(r|ment)?|staff|seeds?|seeders?|migrations?)([/._-]|$)/i.test(path);

/**
 * Fields of records that templates show as they are, where visitors fill a field of that name and nothing in the application makes HTML
 * harmless. Which record a form fills is not followed: databases, mappers and frameworks between the two have too many shapes.
 */
export function storedFields(artefacts: readonly FileArtefact[]): PlacedCandidate[] {
  const shown = artefacts.filter(({ link }) => link.shown !== undefined);
  if (shown.length === 0 || artefacts.some(({ link }) => link.cleansHtml)) return [];
  const home = homeOfCode(artefacts);
  const submitted = new Set(
    artefacts
      .filter(({ coverage: { path } }) => !isForStaff(path) && !inTestCode(path, home))
      .flatMap(({ link }) => link.submitted ?? []),
  );
  return shown.flatMap(({ coverage: { path }, link }) =>
    (link.shown ?? [])
      .filter(({ field }) => submitted.has(field))
      .map(({ candidate }) => ({ path, candidate, trace: placeTrace(path, candidate.trace) })),
  );
}
