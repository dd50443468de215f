import type { ExportedFunction } from "../artefact.ts";
import type { Run } from "../interpret/run.ts";

/** `Order::query()->open($since)` calls `scopeOpen($query, $since)`: the same method by its short name, as callers see it. */
export function shortened({ knowledge }: Run, exported: ExportedFunction): ExportedFunction | null {
  const dot = exported.name.lastIndexOf(".") + 1;
  const [, prefix = "", first = "", rest = ""] = exported.name.slice(dot).match(/^(\p{Ll}+)(\p{Lu})(\w*)$/u) ?? [];
  const [own] = knowledge.shortened.get(prefix) ?? [];
  if (own === undefined) return null;
  const { flows, passes, returns, guards, parameters } = exported;
  const isGiven = ({ parameter }: { parameter: number }) => parameter >= own;
  const seen = <T extends { parameter: number }>(one: T): T => ({ ...one, parameter: one.parameter - own });
  return {
    name: `${exported.name.slice(0, dot)}${first.toLowerCase()}${rest}`,
    parameters: parameters.slice(own),
    flows: flows.filter(isGiven).map(seen),
    passes: passes.filter(isGiven).map(seen),
    returns: returns.flatMap((way) => {
      if (!("parameter" in way.from)) return [way];
      return isGiven(way.from) ? [{ ...way, from: seen(way.from) }] : [];
    }),
    guards: guards.filter(isGiven).map(seen),
  };
}
