import type { Call, FunctionNode } from "../ir/ir.ts";
import { evaluate } from "./evaluate.ts";
import { storeReceiver } from "./receivers.ts";
import type { Frame, Run } from "./run.ts";
import { allTaint, type Value } from "./value.ts";

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
  for (const [i, { name, rest, pattern, type, ...param }] of fn.params.entries()) {
    const given = bound[i];
    const filled = frame.scope.known?.get(name);
    if (!given || !filled || filled === given || rest || pattern || !gains(given, filled)) continue;
    const argument = (call.args.find((arg) => arg.name === name) ?? call.args.filter((arg) => arg.name === null)[i])
      ?.value;
    const written = run.text.slice(param.start, param.end);
    // A name that is assigned anew is another's from there on; arrays of PHP are copies, and so are structures of Go.
    const isShared =
      run.language === "php"
        ? written.includes("&")
        : !(run.language === "go" && type && /^\w+$/.test(type)) &&
          !new RegExp(`(?<![\\w.$])${name.replaceAll("$", "\\$")}\\s*=(?!=)`).test(run.text.slice(fn.start, fn.end));
    if (!argument || !isShared) continue;
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
