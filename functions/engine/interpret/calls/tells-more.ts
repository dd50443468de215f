import type { Frame, Run } from "../run.ts";
import type { Scope } from "../scope.ts";
import { type ClosureValue, nothing, type Value } from "../value.ts";
import { summarise } from "./invoke.ts";

/**
 * Whether following a call tells more than the summary does. Most methods are called by others of the same object, with what these were
 * given themselves: only what comes in with its input, its facts or other objects is more than the summary knows.
 */
export function tellsMore(
  run: Run,
  caller: Frame,
  closure: ClosureValue,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): boolean {
  const { self } = closure;
  const given = [...args, ...named.values()];
  if (run.language === "php" && closure.fn.params[args.length]?.default) return true;
  // A command that begins as it is written is not one that is passed as a whole.
  if (run.language === "javascript" && given.some(({ prefix, taint }) => prefix !== null && taint.length > 0))
    return true;
  if (!self?.instance) return [...given, ...(self?.slots ? [self] : [])].some((arg) => isMore(arg, nothing, isNamed));
  const { self: any, parameters } = summarise(run, closure);
  const says = (path: string) => isNamed(path) && leadsOn(run, path);
  return (
    // An object goes by the name of its class, which the summary knows.
    isMore(self, any ? { ...any, paths: self.paths } : nothing, says) ||
    hasFacts(caller.scope) ||
    [self, ...given].some(isInput) ||
    given.some(({ prefix }) => prefix !== null) ||
    parameters.some(({ name, value }, i) => isMore(named.get(name) ?? args[i] ?? nothing, value, says)) ||
    args.slice(parameters.length).some((arg) => isMore(arg, nothing, says))
  );
}

/** Whether a value tells more than another one that stands for any; of the paths it may go by, those count that say something. */
const isMore = (value: Value, any: Value, says: (path: string) => boolean): boolean =>
  value.constants !== null ||
  value.slots !== null ||
  value.closures.length > 0 ||
  value.instance !== any.instance ||
  Boolean(value.own) ||
  Boolean(value.region) ||
  value.paths.some((path) => !any.paths.includes(path) && says(path));

const isNamed = (path: string): boolean => !path.startsWith("?");

/**
 * Whether a path says what can be called on a value: a model begins with it, or it names something of another file. What a function of
 * another file gives has no name there, unless the function is a class; in JavaScript it may be made of functions that go by theirs.
 */
const leadsOn = ({ knowledge, language }: Run, path: string): boolean =>
  language === "javascript" || !path.includes("()") || knowledge.known.has(path) || isMade.test(path);

const isMade = /(^|\.)_*\p{Lu}\w*\(\)$/u;

const isInput = ({ taint }: Value): boolean =>
  taint.some(({ source }) => source.parameter === null && source.outside === null);

function hasFacts(from: Scope): boolean {
  for (let scope: Scope | null = from; scope; scope = scope.parent) if (scope.facts.length > 0) return true;
  return false;
}
