import type { FileArtefact } from "../artefact.ts";
import type { PlacedCandidate } from "./link.ts";
import { placeTrace } from "./link.ts";
import { homeOfCode, inTestCode } from "./path-role.ts";

/** What people who run an application write into it is theirs to format. */
const isForStaff = (path: string): boolean =>
  /(^|[/._-])(admin\w*|backend|backoffice|cms|manage(r|ment)?|staff|seeds?|seeders?|migrations?)([/._-]|$)/i.test(path);

/**
 * Fields of records that templates show as they are, where visitors fill a field of that name and the application does not make its HTML
 * harmless. Which record a form fills is not followed: databases, mappers and frameworks between the two have too many shapes.
 */
export function storedFields(artefacts: readonly FileArtefact[]): PlacedCandidate[] {
  const shown = artefacts.filter(({ link }) => link.shown !== undefined);
  if (shown.length === 0) return [];
  const home = homeOfCode(artefacts);
  const submitted = new Set(
    artefacts
      .filter(({ coverage: { path } }) => !isForStaff(path) && !inTestCode(path, home))
      .flatMap(({ link }) => link.submitted ?? []),
  );
  const cleaned = cleanedFields(artefacts, submitted);
  if (cleaned === null) return [];
  return shown.flatMap(({ coverage: { path }, link }) =>
    (link.shown ?? [])
      .filter(({ field }) => submitted.has(field) && !cleaned.has(field))
      .map(({ candidate }) => ({ path, candidate, trace: placeTrace(path, candidate.trace) })),
  );
}

/**
 * The fields that are named where HTML is made harmless, in the same line or else beside it. Null where such a place names none that
 * visitors fill: what a function does for whoever calls it, or for all input, may be done for every field.
 */
function cleanedFields(artefacts: readonly FileArtefact[], submitted: ReadonlySet<string>): ReadonlySet<string> | null {
  const cleaned = new Set<string>();
  for (const { line, near } of artefacts.flatMap(({ link }) => link.cleansHtml ?? [])) {
    const named = [line, near]
      .map((words) => words.filter((word) => submitted.has(word)))
      .find((words) => words.length > 0);
    if (!named) return null;
    for (const field of named) cleaned.add(field);
  }
  return cleaned;
}
