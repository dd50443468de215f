import type { ExportedFunction, Way } from "../artefact.ts";
import { lastSegment, ownerOf } from "../catalogue/paths.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import type { Arrival } from "./arrival.ts";
import { isConstructor, samePart } from "./exported.ts";
import type { Modules, Target } from "./modules.ts";

/** A function that gives what is asked for, and the part of its result that is meant. */
export interface Giver extends Target {
  readonly field: string | undefined;
}

/**
 * Who gives what a file asks others for: "./pages.load!title". A field of what a class makes may be a property that is computed, which is
 * called by reading it.
 */
export function giversOf(modules: Modules, from: string, outside: string): readonly Giver[] {
  const [target, ...parts] = outside.split(fieldOf) as [string, ...string[]];
  const [property, ...within] = parts;
  const named = modules.find(from, target).map((found) => ({ ...found, field: partOf(parts) }));
  if (property === undefined || !isConstructor(target)) return named;
  const computed = propertiesOf(modules, from, ownerOf(target), named, property);
  return [...named, ...computed.map((found) => ({ ...found, field: partOf(within) }))];
}

/** A class may have properties and nothing that makes its objects ready. */
function propertiesOf(modules: Modules, from: string, type: string, makers: readonly Target[], property: string) {
  const isProperty = ({ exported: { name, parameters } }: Target, owner: string) =>
    parameters.length === 0 && name === `${owner}.${property}`;
  if (makers.length === 0)
    return modules.find(from, `${type}.${property}`).filter((found) => isProperty(found, lastSegment(type)));
  return makers.flatMap(({ artefact, exported: maker }) =>
    artefact.link.exports
      .map((exported) => ({ artefact, exported }))
      .filter((found) => isProperty(found, ownerOf(maker.name))),
  );
}

const partOf = (parts: readonly string[]): string | undefined => (parts.length > 0 ? parts.join(fieldOf) : undefined);

/** Where in the part that is asked for a function has put what lies in one of its parts. */
function withinPart(given: string | undefined, asked: string | undefined, within?: string): string | undefined {
  if (given === asked) return within;
  if (given === undefined) return undefined;
  return asked === undefined ? given : given.startsWith(asked + fieldOf) ? given.slice(asked.length + 1) : undefined;
}

/**
 * `return Search(request.args["words"], "name")`: in which field it lies of what is given, by this function or one that it has asked. Elements
 * of lists are gone through, and are objects themselves.
 */
export function fieldGiven(
  path: string,
  { field, via }: Way & { field?: string | undefined },
  asked: string | undefined,
  inner: Arrival,
) {
  if (path.endsWith(".go")) return withinPart(field, asked, inner.within);
  if (!path.endsWith(".py")) return undefined;
  if (field === undefined) return via ? undefined : inner.within;
  return /^[A-Za-z_]/.test(field) ? field : undefined;
}

/**
 * What lies in a field of an object that a class of another file makes, as far as it is the part that is asked for; null where it is another
 * one, or where functions have made something else of the object.
 */
export function inMade(
  { name }: ExportedFunction,
  { field: given, via }: Way & { field?: string | undefined },
  asked: string | undefined,
  arrival: Arrival,
): Arrival | null {
  const { ofMade } = arrival;
  if (ofMade === undefined && !(asked === undefined && isConstructor(name))) return arrival;
  if (ofMade !== undefined && via) return null;
  const place = [given, ofMade].filter((part) => part !== undefined).join(fieldOf);
  if (asked === undefined) return { ...arrival, ofMade: place };
  if (place.startsWith(asked + fieldOf)) return { ...arrival, ofMade: place.slice(asked.length + fieldOf.length) };
  return samePart(place, asked) ? { ...arrival, ofMade: undefined } : null;
}
