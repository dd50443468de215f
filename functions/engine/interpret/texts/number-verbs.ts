import type { Call } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import { allTaint, nothing, type Value } from "../value.ts";

const verbs = /%[-+# 0]{0,9}(\*|\d{1,9})?(?:\.(\*|\d{1,9}))?(\[)?([a-zA-Z%])/g;
/** Of what is no number nothing comes out that is as it came in. */
const ofNumbers = /[dboOUeEfFgGtpxX]/;

/** `fmt.Sprintf("… LIMIT %d", n)`: what a format of Go writes as a number carries no text, whatever the value is made of. */
export function withNumbers({ language }: Run, { callee }: Call, given: Value[]): Value[] {
  if (language !== "go" || callee.kind !== "field" || !callee.name.endsWith("f")) return given;
  const at = given.findIndex(({ constants }) => typeof constants?.[0] === "string" && constants[0].includes("%"));
  const format = given[at]?.constants;
  if (at < 0 || at > 1 || format?.length !== 1) return given;
  const values = [...given];
  let next = at + 1;
  for (const [, width, precision, numbered, verb] of String(format[0]).matchAll(verbs)) {
    if (numbered) return given;
    if (verb === "%") continue;
    next += Number(width === "*") + Number(precision === "*");
    const value = values[next];
    if (value && ofNumbers.test(verb ?? "") && allTaint(value).length > 0) values[next] = nothing;
    next++;
  }
  return values;
}
