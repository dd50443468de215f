import type { ExportedFunction, Handover } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { ofBase, ofHeirs } from "../interpret/calls/handover.ts";
import { inClasses } from "../interpret/objects/shared-state.ts";
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

/** `Pickled().handle(x)`: what the method of its base asks of itself, or of the base of that, is asked of that class. */
export const classAsked = (asked: { target: string; on?: string }, next: string): string | undefined =>
  isOfObject(next) ? classOf(asked) : undefined;

/** The class of the object that a method was asked of. */
const classOf = ({ target, on }: { target: string; on?: string }): string | undefined =>
  isOfObject(target) ? on : target.split(".").at(-2);

/** Whether a method is asked of the object that asks. */
const isOfObject = (target: string): boolean => target.startsWith(ofHeirs) || target.endsWith(ofBase);

/** `Report(name)` keeps in its own field what its base does with that: no other class that extends the base has it. */
export function ofClassAsked<Store extends { field: string }>(
  store: Store,
  asked: { target: string; on?: string },
  { name }: ExportedFunction,
): Store {
  const own = `${inClasses}${name.split(".")[0]}.`;
  const heir = classOf(asked);
  return heir !== undefined && /^_*\p{Lu}/u.test(heir) && store.field.startsWith(own)
    ? { ...store, field: `${inClasses}${heir}.${store.field.slice(own.length)}` }
    : store;
}
