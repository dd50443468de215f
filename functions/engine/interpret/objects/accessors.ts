import type { Knowledge } from "../../catalogue/knowledge.ts";
import type { Assign, Call, Expression, Field } from "../../ir/ir.ts";
import { memberPaths } from "../names.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";

/** The call that reading a property is, where models know one: `file.canonicalPath` is `file.getCanonicalPath()`. */
export function getterOf(run: Run, of: Value, field: Field): Call | null {
  if (!field.accessor || of.instance) return null;
  const name = /^is\p{Lu}/u.test(field.name) ? field.name : `get${capital(field.name)}`;
  return asCall(run, of, field, name, []);
}

/** The call that assigning a property is: `cookie.isHttpOnly = true` is `cookie.setHttpOnly(true)`. */
export function setterOf(run: Run, of: Value, to: Field, at: Assign | Expression): Call | null {
  if (!to.accessor || of.instance || at.kind !== "assign") return null;
  const name = `set${capital(to.name.replace(/^is(?=\p{Lu})/u, ""))}`;
  return asCall(run, of, to, name, [{ name: null, spread: false, value: at.from }]);
}

/** The property that a getter is for, whatever is written for it: `name` of `name`, `getName` and `isName`. */
export function propertyOf(getter: string): string {
  const name = getter.replace(/^(get|is)(?=\p{Lu})/u, "");
  return name === getter ? getter : name.charAt(0).toLowerCase() + name.slice(1);
}

/** The property that a setter is for: `name` of `setName`; null for what is none. */
export function propertySetBy(setter: string): string | null {
  const name = /^set(\p{Lu}.*)$/u.exec(setter)?.[1];
  return name === undefined ? null : name.charAt(0).toLowerCase() + name.slice(1);
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function asCall(run: Run, of: Value, field: Field, name: string, args: Call["args"]): Call | null {
  const paths = memberPaths(of, name);
  if (!paths.some((path) => isCalled(run.knowledge, path))) return null;
  const callee: Field = { ...field, name, accessor: false };
  return { start: field.start, end: field.end, kind: "call", callee, args, isNew: false };
}

/** Whether a model or a rule says anything about a call of this path, or about what is called on its result. */
const isCalled = ({ calls, known }: Knowledge, path: string): boolean => known.has(path) || calls.has(path);
