import type { ExportedFunction } from "../artefact.ts";
import type { ToldArguments } from "../interpret/calls/path-conditions.ts";
import { anyGiven, isGivenBack } from "../interpret/guards/passage.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { anyPart, byFramework, keysPart } from "../interpret/value.ts";
import { wholeMap } from "../ir/ir.ts";

/** Whatever it comes in as. */
export const anyParameter = -2;

/** Whether an argument is one of those behind the first that a parameter takes as a list. */
export const isFurther = ({ parameters }: ExportedFunction, argument: number | string): boolean =>
  typeof argument === "number" && argument >= parameters.length && othersByPlace.test(parameters.at(-1) ?? "");

/** As what a value comes into a function: a parameter, or a field of it. */
interface Entered {
  readonly parameter: number;
  readonly field: string | undefined;
}

/**
 * As which parameter a function has what it is passed by position or by name; -1 where it has no such parameter. What takes all others has
 * it under its position or its name, and what is passed on as a list or map goes by what lies in that.
 */
export function entered({ parameters }: ExportedFunction, argument: number | string, field?: string): Entered {
  const opened = openedAt(argument);
  if (opened === null) return atPlace(parameters, argument, field);
  const [key = "", ...within] = field?.split(fieldOf) ?? [];
  const inside = within.length > 0 ? within.join(fieldOf) : undefined;
  if (opened.isMap) return field === undefined ? { parameter: anyParameter, field } : atPlace(parameters, key, inside);
  // Of what is not known to stand elsewhere the first place is taken.
  return atPlace(parameters, opened.place + (/^\d{1,3}$/.test(key) ? Number(key) : 0), inside);
}

/** The parameters that a map is looked up for which is passed on as arguments by name: those that none before it fills. */
export function lookedUp({ parameters }: ExportedFunction, argument: number | string): [place: number, name: string][] {
  const first = openedAt(argument)?.place ?? 0;
  return [...parameters.slice(0, lookedUpMax).entries()].filter(([place, name]) => place >= first && name[0] !== "*");
}

/** Parameters that are filled from one map; a function with more is written by a machine. */
const lookedUpMax = 30;

/** The parameter alone. */
export const argumentIndex = (exported: ExportedFunction, argument: number | string): number =>
  entered(exported, argument).parameter;

/** The same where nobody knows what lies where in a list or map that is passed on. */
export const mayEnter = (exported: ExportedFunction, argument: number | string): number =>
  openedAt(argument) === null ? argumentIndex(exported, argument) : anyParameter;

/** A list or map that is passed on as arguments, and the position that it stands at: `find(kind, *names)` has "*1". */
function openedAt(argument: number | string): { isMap: boolean; place: number } | null {
  const [, stars, place] = typeof argument === "string" ? (argument.match(/^(\*\*?)(\d{1,3})$/) ?? []) : [];
  if (argument !== wholeMap && place === undefined) return null;
  return { isMap: stars !== "*", place: Number(place ?? 0) };
}

function atPlace(parameters: readonly string[], argument: number | string, field: string | undefined): Entered {
  const under = (name: string) => (field === undefined ? name : `${name}${fieldOf}${field}`);
  if (typeof argument === "number") {
    const others = parameters.findIndex((name) => othersByPlace.test(name));
    return others < 0 || argument < others
      ? { parameter: argument, field }
      : { parameter: others, field: under(String(argument - others)) };
  }
  const parameter = parameters.indexOf(argument);
  return parameter >= 0
    ? { parameter, field }
    : { parameter: parameters.findIndex((name) => name.startsWith(wholeMap)), field: under(argument) };
}

const othersByPlace = /^\*[^*]/;

/** Whether what a function asks for is what it is given, or a part of it. Keys that are given go nowhere else than to whoever asks for them. */
export const takes = (asked: string | undefined, given: string | undefined): boolean =>
  given?.endsWith(keysPart) ? asked === given : samePart(asked, given);

/** What a function gives that is called with so many arguments, of which some are constants; without a number, with all of them. */
export function returnsOf(
  { variants, filled = [], returns }: ExportedFunction,
  count: number | undefined,
  told?: ToldArguments,
): typeof returns {
  if (count === undefined) return returns;
  if (count === byFramework) return [...filled, ...returns];
  const meant = variants?.find(
    ({ count: most, setting }) =>
      (most === undefined || count <= most) && (!setting || told?.[setting.parameter] === setting.is),
  );
  return meant?.returns ?? returns;
}

/** Whether what lies under one field is, or may be, what is read from another; without a field the whole is meant, but for what callbacks get. */
export const samePart = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b || !isGivenBack(a ?? b)
    : a === b || (isGivenBack(a) && b === anyGiven) || mayBeWithin(a, b);

/** Most fields have none within, and taking them apart would cost more than comparing them. */
const mayBeWithin = (a: string, b: string): boolean =>
  a.includes(fieldOf) || b.includes(fieldOf) ? isWithin(a.split(fieldOf), b.split(fieldOf)) : mayBeSame(a, b);

const mayBeSame = (a: string, b: string): boolean =>
  a === b || ((a === anyPart || b === anyPart) && a !== keysPart && b !== keysPart);

/** Whether one of two fields is the other or lies in it, where a key that is not known may be any. */
const isWithin = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((key, i) => {
    const other = b[i];
    return other === undefined || mayBeSame(key, other);
  });

/** `Page.constructor`, `Page.__init__`, and these names alone. */
export const isConstructor = (name: string): boolean => /(?:^|\.)(?:constructor|__init__)$/.test(name);
