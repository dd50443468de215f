import type { HelperModel } from "../../catalogue/catalogue.ts";
import { callable } from "../../ir/callable.ts";
import type { Call, FunctionNode } from "../../ir/ir.ts";
import { helperTarget, shownHelperTarget } from "../../templates/template-target.ts";
import type { Called } from "../calls/called.ts";
import { targetOf } from "../calls/handover.ts";
import { summarise } from "../calls/invoke.ts";
import { calleeOf, subjectOfDecorator } from "../calls/parameters.ts";
import { argumentsAt, holds, type Subject } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import type { ClosureValue, Value } from "../value.ts";

/** A file that makes more functions known to templates is none that somebody has written. */
const helpersMax = 200;

/** `Handlebars.registerHelper("loud", loud)`, `new TwigFilter('loud', [$this, 'loud'])`: templates call the function by that name. */
export function registerHelpers(run: Run, frame: Frame, call: Call, { models }: Called, subject: Subject): void {
  for (const helper of models.helpers) {
    if (!helper.when.every((test) => holds(frame, test, subject))) continue;
    const [name] = argumentsAt(subject, helper.name);
    const written = typeof helper.given === "number" ? call.args[helper.given]?.value : undefined;
    const meant = written && run.language === "php" ? evaluate(run, frame, callable(written)) : undefined;
    const [given] = argumentsAt(subject, helper.given);
    for (const value of [given, meant])
      if (value && name?.constants?.length === 1) register(run, frame, helper, String(name.constants[0]), value);
    // Handlebars takes a map of them as well, or all that another file exports.
    for (const [key, value] of name?.slots?.entries ?? []) register(run, frame, helper, key, value);
    if (name && !given && name.constants === null && !name.slots) register(run, frame, helper, "", name);
  }
}

/** `@app.template_filter("loud")`; without a name the function has its own in templates. */
export function registerDecorated(run: Run, frame: Frame, fn: FunctionNode, closure: ClosureValue): void {
  for (const decorator of fn.decorators)
    for (const helper of run.knowledge.helperDecorators.findAll(calleeOf(run, frame, decorator).paths)) {
      const [given] =
        decorator.kind === "call" ? argumentsAt(subjectOfDecorator(run, frame, decorator), helper.name) : [];
      const [name = fn.name] = given?.constants ?? [];
      keep(run, helper, String(name), closure);
    }
}

/** `env.filters["loud"] = loud` */
export function registerInTable(run: Run, frame: Frame, table: Value, name: string, value: Value): void {
  for (const helper of run.knowledge.helperTables.findAll(table.paths)) register(run, frame, helper, name, value);
}

function register(run: Run, frame: Frame, helper: HelperModel, name: string, { closures, paths }: Value): void {
  const [closure] = closures;
  if (closure) {
    summarise(run, closure);
    keep(run, helper, name, closure);
    return;
  }
  const target = targetOf(run, frame, paths);
  if (target !== null) for (const known of namesOf(helper, name)) run.alias(known, target);
}

function keep(run: Run, helper: HelperModel, name: string, closure: ClosureValue): void {
  if (run.exports.size < helpersMax || run.exports.has(helperTarget(name)))
    for (const known of namesOf(helper, name)) run.exports.set(known, closure);
}

const namesOf = ({ shown }: HelperModel, name: string): readonly string[] =>
  shown ? [helperTarget(name), shownHelperTarget(name)] : [helperTarget(name)];
