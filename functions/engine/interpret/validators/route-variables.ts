import { joinedPassages, type Passage } from "../guards/passage.ts";
import type { Taint, Value } from "../value.ts";

/** Input that is a part of the address, as the pattern of a route names it: `{id:[0-9]+}`. */
const variableKind = "route-variable";

/** Stands before such a name where linking is asked what the patterns of the application let through. */
export const asRouteVariable = "route:";

/** `mux.Vars(r)["id"]`: of a variable that is asked for by its name linking knows whether all patterns with this name restrict it. */
export const namedInRoute = ({ paths }: Value, taint: readonly Taint[], name: string): readonly Taint[] =>
  taint.some(isVariable) && paths.some((path) => path.endsWith("()")) ? asNamed(taint, name) : taint;

/** `chi.URLParam(r, "id")` */
export function askedInRoute(taint: readonly Taint[], args: readonly Value[]): readonly Taint[] {
  const names = args.flatMap(({ constants }) => (constants?.length === 1 ? constants : []));
  const name = names.find((constant) => typeof constant === "string");
  return typeof name === "string" ? asNamed(taint, name) : taint;
}

const asNamed = (taint: readonly Taint[], name: string): readonly Taint[] =>
  taint.map((t) => (isVariable(t) ? { ...t, via: joinedPassages(t.via, [restricted(name)]) } : t));

/** What a handler gets in a parameter that is called like a placeholder: routes may stand in another file, `<slug:name>`. */
export const calledInRoute = (taint: readonly Taint[], name: string): readonly Taint[] =>
  taint.map((t) => ({ ...t, via: joinedPassages(t.via, [restricted(name)]) }));

const isVariable = ({ source }: Taint): boolean => source.kind === variableKind;

const restricted = (name: string): Passage => ({
  target: `${asRouteVariable}${name}`,
  argument: 0,
  check: "result",
  trusted: false,
});
