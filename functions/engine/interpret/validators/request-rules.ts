import { remembered } from "../../catalogue/remembered.ts";
import { through } from "../guards/guard-functions.ts";
import { bySchema } from "../guards/passage.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";

/** The method by which a class of PHP says what the fields of a request may be. */
export const rulesMethod = "rules";

/**
 * `$request->input("sort")` of a request that is an object of a class of the project: frameworks hold it against the rules of that class
 * before anybody sees it. Linking knows whether it has such; without a name it is all of the request, of which fields are read later.
 */
export function byRules(run: Run, of: Value | null, given: Value, field?: string): Value {
  if (run.language !== "php" || !of || given.taint.length === 0) return given;
  const target = of.paths.find((path) => isClassOfProject(path) && !run.knowledge.known.has(path));
  if (target === undefined) return given;
  const passage = { target, argument: bySchema, part: field, check: "result" as const, trusted: false };
  const asked = through(given, passage);
  return field === undefined ? { ...asked, paths: [...asked.paths, `${target}()`] } : asked;
}

const isClassOfProject = remembered((path) => /^(?:\w+\\)+\p{Lu}\w*$/u.test(path));
