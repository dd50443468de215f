import type { Handover } from "../artefact.ts";
import type { Target } from "./modules.ts";

/** Of functions that go by one name in one file, those that take as many arguments as they are given, if there are such. */
export function ofCount({ count }: Pick<Handover, "count">, targets: readonly Target[]): readonly Target[] {
  if (count === undefined) return targets;
  return fitting(targets, ({ exported }) => exported.parameters.length === count);
}

/** The same by the type of the argument that is looked at: of one that is more than the declared one, all may be meant. */
export function ofType(
  { argument, type }: Pick<Handover, "argument" | "type">,
  targets: readonly Target[],
): readonly Target[] {
  if (type === undefined || typeof argument !== "number") return targets;
  return fitting(targets, ({ exported: { types } }) => !types || types[argument] === type);
}

function fitting(targets: readonly Target[], fits: (target: Target) => boolean): readonly Target[] {
  if (targets.length < 2) return targets;
  const isNamesake = (target: Target, other: Target) =>
    other.artefact === target.artefact && other.exported.name === target.exported.name;
  return targets.filter((target) => fits(target) || !targets.some((other) => isNamesake(target, other) && fits(other)));
}
