import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression, Operation } from "../../ir/ir.ts";
import { HtmlReader } from "../../templates/html-place.ts";
import type { Called } from "../calls/called.ts";
import type { Frame, Run } from "../run.ts";
import { constant, nothing, type Value } from "../value.ts";
import { isEscaped, notePlace, placedInPage, type TextPart } from "./page-places.ts";

/** Looks at the places of a page that a call puts escaped text at: by a format, behind what it has put there before, or between pieces of HTML. */
export function notePlacedArguments(run: Run, frame: Frame, call: Call, called: Called): void {
  const { positional, receiver } = called;
  if (!positional.some(isEscaped)) return;
  const args = positional.map((value, i) => ({ value, at: call.args[i]?.value ?? call }));
  const own = receiver?.constants?.[0];
  if (typeof own === "string") placeParts(run, frame, formatParts(own, args, call));
  const first = args.findIndex(({ value }) => isFormat(value.constants?.[0]));
  const format = args[first]?.value.constants?.[0];
  if (typeof format === "string") placeParts(run, frame, formatParts(format, args.slice(first + 1), call));
  if (adds.test(lastName(call.callee))) placeParts(run, frame, [...addedBefore(call), ...args]);
  if (run.language === "php" && shows.test(lastName(call.callee))) noteShown(run, frame, args[0]);
}

const placeParts = (run: Run, frame: Frame, parts: readonly TextPart[]): readonly Value[] =>
  placedInPage(
    run,
    frame,
    parts.map(({ value }) => value),
    parts.map(({ at }) => at),
  );

const adds = /^(append|concat|write|print)$/;
const shows = /^(echo|print)$/;

const hole = /%[-+ #0-9.$]{0,12}[a-zA-Z]|%\(\w*\)[a-z]|\{[^{}]{0,40}\}/;
const holes = new RegExp(hole, "g");
const isFormat = (text: unknown): boolean => typeof text === "string" && hole.test(text);

/** What fills the holes of a format by an operator, for the places of a page that they are at. */
export function placedInFormat(
  run: Run,
  frame: Frame,
  format: string,
  values: readonly Value[],
  { operands: [, given] }: Operation,
): readonly Value[] {
  if (!given || !values.some(isEscaped)) return values;
  const args = values.map((value, i) => ({
    value,
    at: given.kind === "collection" ? (given.entries[i]?.value ?? given) : given,
  }));
  const parts = formatParts(format, args, given);
  const placed = placeParts(run, frame, parts);
  return args.map((arg) => placed[parts.indexOf(arg)] ?? arg.value);
}

/** The pieces of a format with what fills its holes; a hole that is filled by name is not known. */
function formatParts(format: string, args: readonly TextPart[], at: Expression): TextPart[] {
  const parts: TextPart[] = [];
  let next = 0;
  let end = 0;
  for (const { 0: piece, index } of format.matchAll(holes)) {
    parts.push({ value: constant(format.slice(end, index)), at });
    const [position] = piece.match(/(?<=^\{)\d{1,2}(?=[:}])|(?<=^%)\d{1,2}(?=\$)/) ?? [];
    const isNamed = /^(%\(|\{[a-zA-Z_])/.test(piece);
    const first = piece.startsWith("%") ? 1 : 0;
    const filled = isNamed ? undefined : args[position === undefined ? next++ : Number(position) - first];
    parts.push(filled ?? { value: nothing, at });
    end = index + piece.length;
  }
  return [...parts, { value: constant(format.slice(end)), at }];
}

/** More calls in a chain are text that a program has written. */
const chainMax = 40;

/** `page.append("<a href='").append(escape(url))`: what the calls in front have added, as far as it is written out. */
function addedBefore(call: Call): TextPart[] {
  const before: TextPart[] = [];
  const name = lastName(call.callee);
  let at = call.callee.kind === "field" ? call.callee.of : null;
  while (at?.kind === "call" && at.callee.kind === "field" && at.callee.name === name && before.length < chainMax) {
    const [added] = at.args;
    if (added)
      before.push({
        value: added.value.kind === "literal" ? constant(added.value.value) : nothing,
        at: added.value,
      });
    at = at.callee.of;
  }
  return before.reverse();
}

type Places = ReadonlyMap<number, Pick<HtmlReader, "place" | "quote">>;
const placesOf = new WeakMap<Run, Places>();

/** `<a href="<?= escape($url) ?>">`: what stands around a piece of PHP. */
function noteShown(run: Run, frame: Frame, shown: TextPart | undefined): void {
  if (!shown || !isEscaped(shown.value)) return;
  const { start } = frame.statement;
  const [tag] = run.text.slice(Math.max(0, start - 40), start).match(/<\?(?:=|php\b)?\s*$/i) ?? [];
  if (tag === undefined) return;
  const places = placesOf.get(run) ?? placesIn(run.text);
  placesOf.set(run, places);
  const place = places.get(start - tag.length);
  if (place) notePlace(run, frame, shown, place);
}

/** Where in its page each piece of PHP stands, by the offset at which it begins. */
function placesIn(text: string): Places {
  const places = new Map<number, Pick<HtmlReader, "place" | "quote">>();
  const html = new HtmlReader(false);
  let end = 0;
  for (let begin = text.indexOf("<?"); begin >= 0; begin = text.indexOf("<?", end)) {
    html.read(text.slice(end, begin));
    places.set(begin, { place: html.place, quote: html.quote });
    const close = text.indexOf("?>", begin);
    if (close < 0) break;
    if (/^<\?(=|(php)?\s+(echo|print)\b)/i.test(text.slice(begin, begin + 40))) html.fill();
    end = close + 2;
  }
  return places;
}
