import type { Expression } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";

/**
 * Before there were classes, methods were written as `Image.prototype.convert = …`, or as `this.convert = …` in the function that makes the
 * object; constructors of classes still put some there that know what else they have declared.
 */
export function exportMethod(
  run: Run,
  frame: Frame,
  to: Extract<Expression, { kind: "field" }>,
  of: Value,
  { closures: [closure] }: Value,
): void {
  if (run.language !== "javascript" || !closure) return;
  const made = frame.fn && of.paths.includes("this") ? frame.fn.name || "this" : undefined;
  const owner = accessPath(to.of)?.match(/^([\w$]+)\.prototype$/)?.[1] ?? made ?? constructed(run, frame, of);
  if (owner) run.exports.set(`${owner}.${to.name}`, closure);
}

/** The class that other files know whose constructor this is, where the object is of it. */
function constructed({ exports }: Run, { fn, owner }: Frame, { instance }: Value): string | undefined {
  if (fn?.name !== "constructor" || !owner || instance !== owner) return undefined;
  const { name } = owner.node;
  return exports.get(`${name}.${fn.name}`)?.fn === fn ? name : undefined;
}
