import { functionName } from "../../ir/called-name.ts";
import type { Call, Expression, Field } from "../../ir/ir.ts";
import { lineageOf, methodOf } from "../objects/members.ts";
import { variable } from "../reads.ts";
import type { Frame, Run } from "../run.ts";
import { type ClosureValue, constant, nothing, type Value } from "../value.ts";
import { invoke } from "./invoke.ts";

/** What a class answers with where text is made of one of its objects. */
const textMethods: Readonly<Record<string, string>> = {
  php: "__toString",
  javascript: "toString",
  python: "__str__",
  java: "toString",
  csharp: "ToString",
  ruby: "to_s",
};

/** `checker(name)` calls a method of the object that has a name. */
const callMethods: Readonly<Record<string, string>> = { python: "__call__", php: "__invoke" };

/** Parts of a text that is put together: of objects of the file what they say of themselves. */
export function asTexts(
  run: Run,
  frame: Frame,
  values: readonly Value[],
  parts: readonly Expression[],
): readonly Value[] {
  const name = textMethods[run.language];
  if (name === undefined || !values.some(({ instance }) => instance)) return values;
  return values.map((value, i) => {
    const method = value.instance && methodOf(value.instance, name);
    const at = parts[i];
    return method && at ? invoke(run, frame, { ...method, self: value }, [], new Map(), at) : value;
  });
}

/** `str(order)`, `(string) $order` */
export const makesText = (call: Call): boolean =>
  call.args.length === 1 && /^(str|String|strval)$/.test(functionName(call));

/** What is called where an object is, or in PHP a text that is known. */
export function asFunction(run: Run, frame: Frame, { callee }: Call, found: Value): Value {
  if (found.closures.length > 0) return found;
  const name = callMethods[run.language];
  const method = name !== undefined && found.instance ? methodOf(found.instance, name) : null;
  if (method) return { ...nothing, closures: [{ ...method, self: found }] };
  const [only, ...others] = found.constants ?? [];
  const isNamed =
    run.language === "php" && callee.kind === "variable" && typeof only === "string" && others.length === 0;
  return isNamed && /^\w+$/.test(only) ? variable(run, frame, only, callee) : found;
}

/** `$mailer->sendNow($text)` where the class has no such method: the one that is asked for all others is given the name and a list. */
export function askedForAll(run: Run, { callee }: Call, receiver: Value | null, found: Value): ClosureValue | null {
  const info = receiver?.instance ?? receiver?.type;
  if (run.language !== "php" || callee.kind !== "field" || !receiver || !info || found.closures.length > 0) return null;
  const method = methodOf(info, receiver.instance ? "__call" : "__callStatic");
  return method && { ...method, self: receiver };
}

/** `$row->title` where the class has no such property: the one method that is asked for all that it has not. */
export function readForAll(run: Run, frame: Frame, of: Value, { name, start, end }: Field): Value | null {
  if (run.language !== "php" || !of.instance || !name.startsWith("$")) return null;
  const method = methodOf(of.instance, "__get");
  if (!method || lineageOf(of.instance).some(({ fields }) => fields.has(name))) return null;
  return invoke(run, frame, { ...method, self: of }, [constant(name.slice("$".length))], new Map(), { start, end });
}

/** What that method is given. */
export const givenForAll = ({ callee }: Call, args: readonly Value[]): Value[] => [
  constant(callee.kind === "field" ? callee.name : ""),
  { ...nothing, slots: { shape: "list", entries: new Map(args.map((arg, i) => [String(i), arg])), rest: null } },
];
