import type { FunctionNode } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import type { ClassInfo, ClosureValue, Value } from "../value.ts";

/** Languages in which methods of one name are told apart by what they take. */
export const hasOverloads: ReadonlySet<string> = new Set(["csharp", "java"]);

/** The name under which a class keeps a method: its own, then that with the number of its parameters, then with a number more. */
export function methodKey({ methods }: ClassInfo, { name, params }: FunctionNode): string {
  if (!methods.has(name)) return name;
  const counted = `${name}/${params.length}`;
  let key = counted;
  for (let further = 2; methods.has(key); further++) key = `${counted}/${further}`;
  return key;
}

/** The name that the method has in the source. */
export const nameOfMethod = (key: string): string => key.replace(/(\/\d+)+$/, "");

/**
 * The method of that name which is meant by its arguments: by how many there are, then by their types. Where these do not tell, one that
 * calls its name means another.
 */
export function overloaded(run: Run, closure: ClosureValue, args: readonly Value[]): ClosureValue {
  const { fn, owner } = closure;
  if (!owner) return closure;
  const others = furtherTaking(owner, fn.name, args.length);
  if (others.length === 0) return closure;
  const fits = fn.params.length === args.length || fn.params.at(-1)?.rest === true;
  const able = fits ? [closure, ...others] : others;
  const likest = Math.max(...able.map((one) => likeness(one.fn, args)));
  const meant = able.filter((one) => likeness(one.fn, args) === likest);
  const best = meant.find((one) => !run.active.has(one.fn)) ?? meant[0] ?? closure;
  return { ...best, self: closure.self };
}

function furtherTaking({ methods }: ClassInfo, name: string, count: number): ClosureValue[] {
  const counted = `${name}/${count}`;
  const found: ClosureValue[] = [];
  let method = methods.get(counted);
  for (let further = 2; method; further++) {
    found.push(method);
    method = methods.get(`${counted}/${further}`);
  }
  return found;
}

/** How many parameters are declared to be what their arguments are, less those that are declared to be something else. */
const likeness = ({ params }: FunctionNode, args: readonly Value[]): number =>
  params.reduce((sum, { type }, i) => sum + (type && args[i] ? matching(plainType(type), args[i]) : 0), 0);

function matching(type: string, arg: Value): number {
  if (arg.prefix !== null || arg.constants?.every((constant) => typeof constant === "string"))
    return /^[sS]tring$/.test(type) ? 1 : /^(CharSequence|[oO]bject|[A-Z])$/.test(type) ? 0 : -1;
  const types = typesOf(arg);
  return types.includes(type) ? 1 : types.length > 0 && /^[sS]tring$/.test(type) ? -1 : 0;
}

const typesOf = ({ paths }: Value): string[] => paths.filter((path) => /^[^?]*\b\p{Lu}\w*$/u.test(path)).map(plainType);

/** The one type that an argument is known to have, by its last name; other files tell their methods apart by it. */
export function typeOfArgument(run: Run, arg: Value): string | undefined {
  if (!hasOverloads.has(run.language)) return undefined;
  const types = new Set(typesOf(arg));
  return types.size === 1 ? [...types][0] : undefined;
}

/** The types that a method is declared to take, where its class has another of that name and as many parameters. */
export function typesTaken({ fn, owner }: ClosureValue): string[] | undefined {
  const isOne = !owner || furtherTaking(owner, fn.name, fn.params.length).length === 0;
  return isOne ? undefined : fn.params.map(({ type }) => (type ? plainType(type) : ""));
}

const plainType = (type: string): string => type.replace(/<.*$/s, "").replace(/^.*[./]/, "");
