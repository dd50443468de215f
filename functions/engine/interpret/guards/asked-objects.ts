import type { FunctionNode, Parameter } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import type { ClosureValue } from "../value.ts";

/** UTF-16 units of a method that looks at its object; a form of fifty fields takes a tenth of them. */
const lengthMax = 20_000;

/** What asks an object about itself says so, and takes a context at most. */
const asks = /valid|check|verif|ensure|allow|known|support|sane|safe|^(is|must|has)[A-Z_]|^ok$/i;

/** What gives something of its object, and looks at it before: `for _, safe := range f.Safelist { if f.Sort == safe { return f.Sort } }`. */
const gives = /\b(?:if|switch)\b.{0,400}\breturn\b/s;
const givingMax = 1_500;

const known = new WeakMap<FunctionNode, ClosureValue | null>();

/**
 * `func (q *Query) Validate() error`: the method as a function that is given its object, so that what it finds out of that is known as of any
 * parameter; null for methods that ask nothing.
 */
export function askingObject({ language, text }: Run, closure: ClosureValue): ClosureValue | null {
  const { fn, owner } = closure;
  if (language !== "go" || !owner || !fn.receiver || fn.params.length > 1) return null;
  const length = fn.end - fn.start;
  if (!asks.test(fn.name) && (fn.params.length > 0 || length > givingMax || !gives.test(text.slice(fn.start, fn.end))))
    return null;
  if (length > lengthMax) return null;
  const made = known.get(fn);
  if (made !== undefined) return made;
  const { start } = fn;
  const object: Parameter = {
    start,
    end: start,
    name: fn.receiver,
    pattern: null,
    type: owner.node.name,
    decorators: [],
    default: null,
    rest: false,
  };
  const asking = { ...closure, self: null, owner: null, fn: { ...fn, params: [object, ...fn.params], receiver: null } };
  known.set(fn, asking);
  return asking;
}
