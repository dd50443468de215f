import type { Call, FunctionNode } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, type Value } from "../value.ts";
import { placesMax } from "./callbacks.ts";
import { isShared } from "./filled-arguments.ts";
import { storeReceiver } from "./receivers.ts";

/** What a function has put into the lists, maps and builders it was given is there for its caller. */
export function giveBack(
  run: Run,
  caller: Frame,
  frame: Frame,
  fn: FunctionNode,
  bound: readonly Value[],
  call: Call,
): void {
  if (run.language === "c" || call.args.some(({ spread }) => spread)) return;
  for (const [i, { name }] of fn.params.slice(0, placesMax).entries()) {
    const given = bound[i];
    const filled = frame.scope.known?.get(name);
    if (!given || !filled || filled === given || !gains(given, filled)) continue;
    const argument = (call.args.find((arg) => arg.name === name) ?? call.args.filter((arg) => arg.name === null)[i])
      ?.value;
    if (!argument || !isShared(run, fn, i)) continue;
    const known = evaluate(run, caller, argument);
    const { taint, slots } = filled;
    storeReceiver(run, caller, argument, { ...known, taint, slots, constants: null, prefix: null });
  }
}

/** Whether input has been added to a value. */
function gains(before: Value, after: Value): boolean {
  const known = allTaint(before);
  return allTaint(after).some(({ source, clean }) => !known.some((t) => t.source === source && t.clean === clean));
}
