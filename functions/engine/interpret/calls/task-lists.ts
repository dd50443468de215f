import type { Frame, Run } from "../run.ts";
import { Scope } from "../scope.ts";
import { answering, settledName } from "../settling.ts";
import { anyElement, type ClosureValue, nothing, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { callBack } from "./invoke.ts";

/**
 * Runs what libraries do with lists of functions: each is handed, last, a function to say what it has come to, which goes to the next one, or
 * with all others to the one behind the list. @returns whether the call is one of those
 */
export function runTasks(run: Run, frame: Frame, { models, positional: [tasks, ...others] }: Called): boolean {
  const does = models.containers.find((one) => /^(tasks|tasks-in-turn|for-each)$/.test(one));
  if (!does || !tasks) return false;
  const [then, ...more] = others.flatMap(({ closures }) => closures.slice(0, 1));
  if (does === "for-each") {
    if (then) callBack(run, frame, then, null, [anyElement(tasks), nothing]);
    for (const closure of more) callBack(run, frame, closure, null, [nothing]);
    return true;
  }
  const results = new Map<string, Value>();
  let given: readonly Value[] = [];
  for (const [key, { closures }] of tasks.slots?.entries ?? []) {
    const [task] = closures;
    given = task ? answered(run, frame, task, does === "tasks-in-turn" ? given : []) : [];
    results.set(key, given[0] ?? nothing);
  }
  const all: Value = { ...nothing, slots: { shape: tasks.slots?.shape ?? "list", entries: results, rest: null } };
  if (then) callBack(run, frame, then, null, [nothing, ...(does === "tasks-in-turn" ? given : [all])]);
  return true;
}

/** What a task says that it has come to, behind the error. */
function answered(run: Run, frame: Frame, task: ClosureValue, given: readonly Value[]): readonly Value[] {
  const scope = new Scope(null);
  scope.set(settledName, nothing);
  const answer: Value = { ...nothing, closures: [{ fn: answering, scope, self: null, owner: null }] };
  callBack(run, frame, task, null, [...given, answer]);
  return [...(scope.get(settledName)?.slots?.entries.values() ?? [])];
}
