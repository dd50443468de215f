import type { Fact } from "../../catalogue/catalogue.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import type { Called } from "../calls/called.ts";
import { holds, type Subject, setFacts } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";

/**
 * Notes what a call settles: of the object that it is called on where the fact is about that, so that the next factory of the same function
 * is not taken for hardened; else, and where nobody knows a name for the object, of the rest of the function.
 */
export function settleByCall(run: Run, frame: Frame, call: Call, facts: readonly Fact[], subject: Subject): void {
  for (const fact of facts) {
    if (!fact.ofReceiver || call.callee.kind !== "field") setFacts(frame, [fact], subject);
    else if (fact.when.every((test) => holds(frame, test, subject)) && !settleObject(run, frame, call.callee.of, fact))
      setFacts(frame, [fact], subject);
  }
}

/** What is made by an object goes by the object's names, so one that is settled lends the fact to all that it makes. */
function settleObject(run: Run, frame: Frame, object: Expression, { sets }: Fact): boolean {
  const key = accessPath(object);
  // What was done to a parameter is done to something that the caller has.
  if (key === null || frame.fn?.params.some(({ name }) => name === key)) return false;
  const value = evaluate(run, frame, object);
  const settled: Value = { ...value, paths: [settledAs(sets), ...value.paths] };
  const field = object.kind === "variable" || isOwn(object) ? object.name : null;
  const scope = frame.scope.binding(key);
  if (scope) scope.refine(key, settled);
  if (field !== null && frame.owner?.fields.has(field)) run.storeField(frame.owner, field, settled);
  else if (!scope) return false;
  return true;
}

const isOwn = (object: Expression): object is Expression & { kind: "field" } =>
  object.kind === "field" && object.of.kind === "variable" && object.of.name === "this";

/** `new SAXSource(reader, input)`: what a constructor puts around a settled object is settled as well. */
export function withFactsOf({ isNew }: Call, { positional }: Called, made: Value): Value {
  if (!isNew) return made;
  const facts = positional.flatMap(({ paths }) => paths.filter(isFactOf));
  return facts.length === 0 ? made : { ...made, paths: [...facts, ...made.paths] };
}

/** What an object is known as of which a fact is settled. No name of a language looks like this, and no other file has it. */
const settledAs = (fact: string): string => `${beginsFact}${fact}`;
const beginsFact = "?@";

/** Whether a name of an object tells of a fact. */
export const isFactOf = (path: string): boolean => path.startsWith(beginsFact);

/** Whether a fact is settled of an object, or of what has made it. */
export function isSettled(object: Value | null, fact: string): boolean {
  return object?.paths.some((path) => isFactOf(path) && isOrLeadsOn(path, settledAs(fact))) === true;
}

const isOrLeadsOn = (path: string, mark: string): boolean => path === mark || path.startsWith(`${mark}.`);
