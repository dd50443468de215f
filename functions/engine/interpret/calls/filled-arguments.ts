import type { Argument, Call, FunctionNode } from "../../ir/ir.ts";
import { isGivenBack } from "../guards/passage.ts";
import { accessPath } from "../names.ts";
import { fieldOf, fieldTaint } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import type { Summary } from "../summary.ts";
import { allTaint, arriving, join, joinTaint, nothing, type Slots, type Taint, tainted, type Value } from "../value.ts";
import { givenMax, placesMax } from "./callbacks.ts";
import type { Called } from "./called.ts";
import { passedThrough } from "./carried-taint.ts";

/** What a function puts into an argument is a part of what it gives, by the argument's place: `(>1`. */
const partOfArgument = (index: number): string => `(>${index}`;

/** What a method puts into the object that it is called on. */
export const partOfObject = "(>this";

/** Languages in which objects have what their methods are given. */
export const keepsGiven: ReadonlySet<string> = new Set(["csharp", "javascript", "python", "php", "java"]);

/** Whether a part is an argument as a whole, of which fields may be read. */
export const isFilled = (part: string | undefined): boolean => isGivenBack(part) && /^\(>\d+$/.test(part ?? "");

/** Whether what a function does to a parameter is done to what its caller has passed. */
export function isShared(run: Run, fn: FunctionNode, index: number): boolean {
  const param = fn.params[index];
  if (!param || param.rest || param.pattern) return false;
  const written = run.text.slice(param.start, param.end);
  // Arrays of PHP are copies, and so are structures of Go.
  if (run.language === "php") return written.includes("&");
  if (run.language === "go" && param.type && /^\w+$/.test(param.type) && !written.includes("*")) return false;
  // A name that is assigned anew is another's from there on; what a pointer of Go leads to is not.
  const before = run.language === "go" ? "[\\w.$*]" : "[\\w.$]";
  const assigned = new RegExp(`(?<!${before})${param.name.replaceAll("$", "\\$")}\\s*=(?!=)`);
  return !assigned.test(run.text.slice(fn.start, fn.end));
}

/** Notes what a function that is summarised has put into its parameters, for callers in other files. */
export function noteFilled(run: Run, { scope }: Frame, fn: FunctionNode, { given, parameters }: Summary): void {
  if (run.language === "c" || !scope.known) return;
  for (const [index, { name }] of fn.params.slice(0, placesMax).entries()) {
    if (scope.known.get(name) === parameters[index]?.value && scope.fields === null) continue;
    const written = [...writtenTo(scope.known, name)].filter(
      ([, { source }]) => source.parameter?.fn !== fn || source.parameter.index !== index,
    );
    if (written.length === 0 || !isShared(run, fn, index)) continue;
    for (const [field, taint] of written.slice(0, givenMax - given.length))
      given.push({ part: [partOfArgument(index), ...(field === "" ? [] : [field])].join(fieldOf), taint });
  }
}

/** What has been written to an object or list, by its fields. */
function* writtenTo(known: ReadonlyMap<string, Value>, name: string): Generator<[field: string, taint: Taint]> {
  for (const [key, value] of known) {
    if (key !== name && !key.startsWith(`${name}.`)) continue;
    const field = key.slice(name.length + 1);
    const slots = field === "" && value.slots?.shape === "map" ? value.slots : null;
    for (const taint of slots ? value.taint : allTaint(value)) yield [field, taint];
    for (const [slot, entry] of slots?.entries ?? []) for (const taint of allTaint(entry)) yield [slot, taint];
    for (const taint of slots?.rest ? allTaint(slots.rest) : []) yield [field, taint];
  }
}

/** `fill(out, input)`: what a function of another file may have put into the lists and objects that it was given. */
export function fillArguments(run: Run, frame: Frame, call: Call, called: Called): void {
  const { target, positional } = called;
  if (target === null && called.callee.closures.length === 0 && run.language !== "php") leaveOpen(frame, call);
  if (target === null || run.language === "c" || call.args.some(({ spread }) => spread)) return;
  for (const [i, argument] of call.args.slice(0, placesMax).entries()) {
    const given = positional[i];
    const name = argument.value.kind === "variable" ? argument.value.name : null;
    if (!given || name === null || argument.name !== null || !isFillable(run, frame, argument, given)) continue;
    const part = partOfArgument(i);
    const at = argument.value;
    const others = {
      ...called,
      positional: positional.map((value, k) => (k === i ? { ...value, taint: [], slots: null } : value)),
    };
    const own: Taint = arriving(run.outside(`${target}${fieldOf}${part}`, at), at);
    const taint = passedThrough(run, call, others, target, false, part).reduce(joinTaint, [own]);
    const known = frame.scope.get(name) ?? given;
    const filled = { ...known, constants: null, prefix: null, taint: joinTaint(known.taint, taint) };
    frame.scope.set(name, { ...filled, slots: known.slots && filledSlots(run, filled, known.slots, taint) });
  }
}

/**
 * `query.where(clause)`: an object of a class of another file, made in this function, has what its methods put into it. Of an object that
 * lives longer others may ask what they put there themselves.
 */
export function fillObject(run: Run, { scope }: Frame, call: Call, called: Called): void {
  const { receiver, target } = called;
  if (target === null || !isOfClass.test(target) || !keepsGiven.has(run.language)) return;
  const name = call.callee.kind === "field" && call.callee.of.kind === "variable" ? call.callee.of.name : null;
  if (name === null || !receiver || receiver.instance || receiver.slots) return;
  if (scope.binding(name) !== scope || scope.origins.get(name)?.kind !== "call") return;
  const taint = passedThrough(run, call, called, target, false, partOfObject).reduce(joinTaint, []);
  if (taint.length === 0) return;
  // The call may have changed it already, as one of what the language has: `text.Append(word)`.
  const known = scope.get(name) ?? receiver;
  scope.set(name, { ...known, taint: joinTaint(known.taint, taint) });
}

/** A method of a class, and not of what a function has given, which may be a list. */
const isOfClass = /(^|[.\\])\p{Lu}\w*\.\w+$/u;

/** `collect(request, parts)`: whether a list that was empty still is, nobody knows behind a function that is not written here. */
function leaveOpen({ scope }: Frame, { args }: Call): void {
  for (const { value } of args.slice(0, placesMax)) {
    const known = value.kind === "variable" ? scope.get(value.name) : undefined;
    if (value.kind !== "variable" || known?.slots?.shape !== "list") continue;
    if (known.slots.entries.size > 0 || known.slots.rest) continue;
    scope.refine(value.name, { ...known, slots: { ...known.slots, rest: nothing } });
  }
}

/** Fields that the caller has set may have been set anew. */
function filledSlots(run: Run, of: Value, slots: Slots, taint: readonly Taint[]): Slots {
  const entries = [...slots.entries].map(
    ([key, entry]) => [key, join(entry, tainted(fieldTaint(run, of, taint, key)))] as const,
  );
  return { ...slots, entries: new Map(entries) };
}

const isUnset = ({ fn, scope }: Frame, name: string): boolean =>
  /^\$[a-z]/.test(name) && scope.binding(name) === null && fn?.sees?.has(name) !== true;

/** A list or object that the caller has made, or a variable that is handed over by reference and still empty. */
function isFillable(run: Run, frame: Frame, { value: argument }: Argument, given: Value): boolean {
  const key = accessPath(argument);
  // `parse($text, $parts)`: a variable that nothing was put into before is there to be filled.
  if (run.language === "php" && frame.fn && argument.kind === "variable" && isUnset(frame, argument.name)) return true;
  if (key === null || frame.scope.binding(key) !== frame.scope || given.taint.length > 0) return false;
  if (given.closures.length > 0 || given.type) return false;
  const isEmpty = given.constants?.length === 1 && !given.constants[0];
  if (run.language === "php") return isEmpty || given.slots?.entries.size === 0;
  const isAddress = run.language === "go" && run.text[argument.start - 1] === "&";
  const origin = frame.scope.origins.get(key);
  return given.slots !== null || isAddress || (origin?.kind === "call" && origin.isNew);
}
