import type { SourceFile } from "../artefact.ts";
import type { Excerpt, ReviewUnit } from "./review.ts";
import { reviewLanguage } from "./review-language.ts";
import type { SlicePlace, Slices } from "./slices.ts";
import { shownLines } from "./units.ts";
import { visible } from "./visible.ts";

/** What all excerpts of a unit may add to its prompt, in bytes: a quarter of what a unit has. */
export const sliceBytesMax = 6_000;
/** What one may: so that there is room for two at least. */
const excerptBytesMax = 3_000;

/** Marks around the code, and the line of the task that says what it is. */
const frameBytes = 200;
/** "X12:12345| " */
const prefixBytes = 12;

/**
 * Cuts functions out of a file. Whole functions only, as half of one can hide the very check that a verdict is about.
 * @param mask see `unitsOf`
 */
export function excerptsOf(file: SourceFile, places: readonly SlicePlace[], mask: (text: string) => string): Excerpt[] {
  const lines = shownLines(file, mask);
  const language = reviewLanguage(file.path) ?? "text";
  return places
    .map(({ startLine, endLine }) => {
      return { path: file.path, language, startLine, text: lines.slice(startLine - 1, endLine).join("\n") };
    })
    .filter((excerpt) => bytesOf(excerpt) <= excerptBytesMax);
}

/**
 * Gives a unit the excerpts that its findings need, as far as there is room: first the nearest of each finding, then the second nearest,
 * and so on.
 * @param cut the excerpts of the scan, by `placeKey`
 */
export function withExcerpts(unit: ReviewUnit, slices: Slices, cut: ReadonlyMap<string, Excerpt>): ReviewUnit {
  const wanted = unit.findings.map(({ fingerprint }) =>
    (slices[fingerprint] ?? []).filter((place) => !isInside(place, unit.path, unit.startLine, lastLine(unit))),
  );
  const excerpts: Excerpt[] = [];
  let room = sliceBytesMax;
  for (const place of byRank(wanted)) {
    const excerpt = cut.get(placeKey(place));
    const shown = excerpts.some((known) => isInside(place, known.path, known.startLine, lastLine(known)));
    if (!excerpt || shown || bytesOf(excerpt) > room) continue;
    excerpts.push(excerpt);
    room -= bytesOf(excerpt);
  }
  return { ...unit, excerpts };
}

export const placeKey = ({ path, startLine, endLine }: SlicePlace): string => `${path}\0${startLine}\0${endLine}`;

export const lastLine = ({ startLine, text }: Pick<Excerpt, "startLine" | "text">): number =>
  startLine + text.split("\n").length - 1;

const isInside = (place: SlicePlace, path: string, first: number, last: number): boolean =>
  place.path === path && place.startLine >= first && place.endLine <= last;

function* byRank<T>(lists: readonly (readonly T[])[]): Generator<T> {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let rank = 0; rank < longest; rank++) for (const list of lists) if (rank < list.length) yield list[rank] as T;
}

/** What an excerpt adds to a prompt at most. */
const bytesOf = ({ path, text }: Excerpt): number =>
  text.split("\n").reduce((sum, line) => sum + Buffer.byteLength(visible(line)) + prefixBytes, frameBytes) +
  Buffer.byteLength(JSON.stringify(visible(path)));
