import type { ExportedFunction, Handover } from "../artefact.ts";
import { lastSegment, ownerOf } from "../catalogue/paths.ts";
import { ofBase, ofHeirs } from "../interpret/calls/handover.ts";
import { inClasses } from "../interpret/objects/shared-state.ts";
import type { Stored } from "./kept-fields.ts";
import type { Target } from "./modules.ts";
import { ofCount, ofType } from "./overloads.ts";

/** Of what may take a value, what does: of a method that a class leaves open, that of the class which was asked. */
export function meant(
  call: Pick<Handover, "argument" | "count" | "target" | "type"> & { on?: string },
  targets: readonly Target[],
) {
  const { target, on } = call;
  const own = on === undefined ? "" : `${on}.${lastSegment(target)}`;
  const ofAsked = targets.filter(({ exported }) => exported.name === own);
  return ofType(call, ofCount(call, ofAsked.length > 0 ? ofAsked : targets));
}

/**
 * `Pickled().handle(x)`: what the method of its base asks of itself, or of the base of that, is asked of that class; of a class that is
 * named nowhere on the way, what it asks of its base is asked of itself.
 */
export const classAsked = (asked: Asked, { name }: ExportedFunction, next: string): string | undefined =>
  !isOfObject(next) ? undefined : (classOf(asked) ?? (next.endsWith(ofBase) ? ownerOf(name) : undefined));

interface Asked {
  readonly target: string;
  readonly on?: string;
}

/** The class of the object that a method was asked of. */
const classOf = ({ target, on }: Asked): string | undefined => (isOfObject(target) ? on : target.split(".").at(-2));

/** Whether a method is asked of the object that asks. */
const isOfObject = (target: string): boolean => target.startsWith(ofHeirs) || target.endsWith(ofBase);

/**
 * `Report(name)` keeps in its own field what its base does with that: no other class that extends the base has it. What is kept as it came
 * in is kept in the part where it was before.
 */
export function ofClassAsked(
  store: Stored["store"],
  field: string | undefined,
  asked: Asked,
  { name }: ExportedFunction,
): Stored["store"] {
  const own = `${inClasses}${name.split(".")[0]}.`;
  const heir = classOf(asked);
  const isHeirs = heir !== undefined && /^_*\p{Lu}\w*$/u.test(heir) && store.field.startsWith(own);
  return {
    ...store,
    ...(isHeirs && { field: `${inClasses}${heir}.${store.field.slice(own.length)}` }),
    ...(store.same && field !== undefined && { part: field }),
  };
}
