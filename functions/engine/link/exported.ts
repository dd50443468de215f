import type { ExportedFunction } from "../artefact.ts";
import type { ToldArguments } from "../interpret/calls/path-conditions.ts";
import { anyGiven, isGivenBack } from "../interpret/guards/passage.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { anyPart, byFramework, keysPart } from "../interpret/value.ts";
import { wholeMap } from "../ir/ir.ts";

/** The position of an argument that is passed by position or by name; -1 where the function has no such parameter. */
export const argumentIndex = (exported: ExportedFunction, argument: number | string): number =>
  typeof argument === "number" ? argument : named(exported.parameters, argument);

/** What no parameter is called like is in the map of all that is passed by name. */
function named(parameters: readonly string[], name: string): number {
  const index = parameters.indexOf(name);
  return index < 0 ? parameters.findIndex((parameter) => parameter.startsWith(wholeMap)) : index;
}

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
