import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression, Index } from "../../ir/ir.ts";
import type { Frame } from "../run.ts";

/** What is left of a path behind its last slash is a name, which has no folder before it; what is left behind its last dot has no `..` to climb with. */

const splits = /^(r?(split|partition)|splitext)$/i;
const lasts = /^last_?index_?of$/i;
const cuts = /^(sub_?str(ing)?|slice)$/i;

/** `path.split("/")[-1]`, `name.rsplit(".", 1)[-1]`, `os.path.splitext(name)[1]`, `parts[parts.length - 1]`. */
export function isLastPart(frame: Frame, { of, key }: Index): boolean {
  const split = madeBy(frame, of, splits);
  if (!split || !endsClimbing(split) || !key) return false;
  if (key.kind === "operation" && key.operator === "-") return isOne(key.operands.at(-1)) && isFromEnd(key.operands);
  return key.kind === "literal" && typeof key.value === "number" && key.value === placeOfLast(split);
}

/** The same where the parts are taken apart: `root, ending = os.path.splitext(name)`. */
export function takesLastPart(frame: Frame, from: Expression, place: number): boolean {
  const split = madeBy(frame, from, splits);
  return split !== null && endsClimbing(split) && place === placeOfLast(split);
}

/** Where the last part stands, if the call says how many there are. */
function placeOfLast(split: Call): number | null {
  const name = calledName(split);
  if (name === "splitext" || isOfPath(split)) return 1;
  return name === "rpartition" ? 2 : name === "rsplit" && isOne(split.args[1]?.value) ? 1 : null;
}

/** `path.split("/").pop()`, `path.substring(path.lastIndexOf("/") + 1)`. */
export function isLastName(frame: Frame, call: Call): boolean {
  const { callee, args } = call;
  if (callee.kind !== "field") return false;
  const [first] = args;
  if (callee.name === "pop" && !first) return endsClimbing(madeBy(frame, callee.of, splits));
  if (args.length !== 1 || first?.value.kind !== "operation" || !cuts.test(callee.name)) return false;
  const { operator, operands } = first.value;
  const [from, one] = operands;
  return operator === "+" && isOne(one) && from !== undefined && endsClimbing(madeBy(frame, from, lasts));
}

/** `os.path.split(name)`, also as `path.split(name)`; what splits a text that is called `path` says by what. */
const isOfPath = ({ callee, args: [first] }: Call): boolean =>
  callee.kind === "field" &&
  callee.name === "split" &&
  (callee.of.kind === "field" || callee.of.kind === "variable") &&
  /^(posix|nt)?path$/.test(callee.of.name) &&
  first !== undefined &&
  first.value.kind !== "literal";

/** `-1`, `parts.length - 1`. */
const isFromEnd = ([length, ...others]: readonly Expression[]): boolean =>
  others.length === 0 ||
  (length?.kind === "field" && length.name === "length") ||
  (length?.kind === "call" && /^(size|len|count)$/i.test(calledName(length)));

/** The call that gives a value, also by way of a variable. */
function madeBy(frame: Frame, e: Expression, name: RegExp): Call | null {
  const made = e.kind === "variable" ? frame.scope.binding(e.name)?.origins.get(e.name) : e;
  return made?.kind === "call" && name.test(calledName(made)) ? made : null;
}

const isOne = (e: Expression | undefined): boolean => e?.kind === "literal" && e.value === 1;

/** Behind the last slash no folder is left, behind the last dot no step upwards. */
function endsClimbing(call: Call | null): boolean {
  const [first] = call?.args ?? [];
  if (call !== null && (calledName(call) === "splitext" || isOfPath(call))) return true;
  return isAnySlash(first?.value) || (first?.value.kind === "literal" && first.value.value === ".");
}

/** `/`, or an expression for either slash, which Java writes as text: `name.split("[\\\\/]")`. */
const isAnySlash = (e: Expression | undefined): boolean =>
  isSlash(e) || (e?.kind === "literal" && typeof e.value === "string" && eitherSlash.test(e.value));

const eitherSlash = /^(\[[/\\]*\/[/\\]*\]|[\\|]*\/[/\\|]*)\+?$/;

/** A slash, or what the system has in its place. */
export const isSlash = (e: Expression | undefined): boolean =>
  (e?.kind === "literal" && (e.value === "/" || e.value === "\\")) || (e?.kind === "field" && namesSlash.test(e.name));

/** What libraries call that. */
export const namesSlash = /^(sep|separator|separatorChar)$/;
