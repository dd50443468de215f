import type { EntryPoint, Match } from "../../catalogue/catalogue.ts";
import { callable } from "../../ir/callable.ts";
import type { Call } from "../../ir/ir.ts";
import { argumentsAt, holds, receiverFits, type Subject } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { variablesCleaned } from "../validators/constraints.ts";
import { harmlessByRoute, passingOf, withHarmless, withPassed } from "../validators/let-through.ts";
import { schemasBefore } from "../validators/route-schemas.ts";
import { noteRouted } from "../validators/routed-handlers.ts";
import { type ClosureValue, elementAt, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { enter } from "./invoke.ts";
import { handToRegistered } from "./registered-elsewhere.ts";

/** What others may call of an object. */
const methodsOf = ({ instance }: Value): ClosureValue[] =>
  [...(instance?.methods ?? [])].flatMap(([name, method]) => (name.startsWith("_") ? [] : [method]));

/** Whether a pattern is about what functions give that a call is passed. */
const asksGiven = ({ when }: Match): boolean =>
  when.some(({ arguments: places }) => places?.some((place) => `${place}.`.startsWith("given.")));

/** Functions passed to a framework's registration are its entry points. */
export function enterFrameworkCalls(run: Run, frame: Frame, call: Call, called: Called, subject: Subject): boolean {
  const points = called.models.entries;
  if (points.length === 0) return false;
  const closures = [...called.positional, ...called.named.values()].flatMap((arg) => [
    ...arg.closures,
    ...[...(arg.slots?.entries.values() ?? [])].flatMap((v) => v.closures),
  ]);
  if (run.language === "php")
    for (const { value } of call.args) {
      const meant = callable(value);
      if (meant !== value) closures.push(...evaluate(run, frame, meant).closures);
    }
  if (points.some(({ methods }) => methods)) closures.push(...called.positional.flatMap(methodsOf));
  const mayBeRouted =
    run.language === "javascript" &&
    called.positional.some(({ paths, slots }) => paths.length > 0 || slots?.shape === "map");
  const mayBeElsewhere = run.language === "python" && closures.length === 0;
  if (closures.length === 0 && !mayBeRouted && !mayBeElsewhere) return false;
  const receiver = called.names;
  const entry = points.find(
    (point) =>
      (!point.receiver || receiverFits(point.receiver, receiver)) &&
      point.when.every((test) => holds(frame, test, subject)) &&
      !point.unless.some((test) => holds(frame, test, subject)),
  );
  if (!entry) return false;
  if (mayBeElsewhere) handToRegistered(run, call, called, entry);
  const asked = run.language === "javascript" ? schemasBefore(frame, call, called) : null;
  const schemas = asked && withHarmless(asked, harmlessByRoute(run, call));
  const handler = schemas && mayBeRouted ? noteRouted(run, frame, call, schemas) : null;
  const variables = variablesCleaned(run, call);
  const around = run.passing;
  let passed = schemas;
  const entered = entry.gives ? { ...entry, returns: called.models.checks.filter(asksGiven) } : entry;
  for (const closure of closures) {
    if (!entry.gives) run.entries.add(closure.fn);
    run.passing = passed && closures.length > 1 ? passingOf(closure.fn) : null;
    enter(run, frame, closure, withStored(run, entered, closure, subject), call, {
      schemas: passed,
      variables,
      handler,
    });
    if (passed) passed = withPassed(passed, run.passing);
  }
  run.passing = around;
  return closures.length > 0;
}

/** `send.click(show, inputs=[words, video])`: a field for files hands on where the framework has stored what it was sent. */
function withStored(run: Run, entry: EntryPoint, { fn }: ClosureValue, subject: Subject): EntryPoint {
  const { fields } = entry;
  if (!fields) return entry;
  const [given] = (fields.arguments ?? [0]).flatMap((argument) => argumentsAt(subject, argument));
  const isForFiles = ({ paths }: Value) => paths.some((path) => (fields.path?.find(path).length ?? 0) > 0);
  const stored = fn.params.filter((_, i) => {
    const field = given?.slots ? elementAt(given, String(i)) : i === 0 ? given : null;
    return field && isForFiles(field);
  });
  const ownPath = run.catalogue.bitsOf(["path_traversal"]);
  return { ...entry, clean: new Map(stored.map(({ name }) => [name, ownPath] as const)) };
}
