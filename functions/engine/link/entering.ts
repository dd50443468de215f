import type { ExportedFunction, Handover } from "../artefact.ts";
import { fieldOf } from "../interpret/objects/members.ts";
import { wholeMap } from "../ir/ir.ts";
import { anyParameter, entered, lookedUp } from "./exported.ts";

/**
 * Where a value comes into sight in a function. A template that is given a map has what lies in it under its own names; given all of the
 * input it finds that under every name, as a function of Python does whose arguments are a map.
 */
export function comesInto(
  exported: ExportedFunction,
  { target, argument, field }: Pick<Handover, "target" | "argument" | "field">,
): readonly Place[] {
  const found = entered(exported, argument, field);
  const isPage = argument === wholeMap && target.startsWith("template:");
  if (found.parameter === anyParameter && !isPage)
    return lookedUp(exported, argument).map(([parameter, asked]) => ({ parameter, field, asked }));
  if (found.parameter >= 0 || !isPage || field === undefined) return [found];
  const [name, ...parts] = field.split(fieldOf) as [string, ...string[]];
  const inside = parts.length > 0 ? parts.join(fieldOf) : undefined;
  return [{ parameter: exported.parameters.indexOf(`$${name}`), field: inside }];
}

/** A parameter, and the field of it that a value comes in as; `asked` where the value is all of a map, of which this is looked up. */
interface Place {
  readonly parameter: number;
  readonly field: string | undefined;
  readonly asked?: string;
}
