import type { Argument, Expression } from "../../ir/ir.ts";
import { type Lowering, positional, span } from "../lowering.ts";

/** Where the format stands in the calls that take one. */
const formatAt: Record<string, number> = {
  printf: 0,
  fprintf: 1,
  sprintf: 1,
  snprintf: 2,
  dprintf: 1,
  syslog: 1,
  asprintf: 1,
};

/** Numbers that a format writes out bring no text along, whatever they were made of. */
export function formattedArguments(l: Lowering, callee: string, args: Argument[]): Argument[] {
  const at = formatAt[callee.replace(/^.*::/s, "")];
  const format = at === undefined ? undefined : args[at]?.value;
  if (at === undefined || format?.kind !== "literal" || typeof format.value !== "string") return args;
  const verbs = [...format.value.matchAll(/%[-+ #0']{0,9}(\*?)\d{0,9}(?:\.(\*?)\d{0,9})?[hlLqjzt]{0,2}([a-zA-Z%])/g)]
    .filter(([, , , verb]) => verb !== "%")
    .flatMap(([, width, precision, verb]) => [...(width ? ["d"] : []), ...(precision ? ["d"] : []), verb as string]);
  return args.map((arg, i) => {
    const verb = i > at ? verbs[i - at - 1] : undefined;
    return verb && /[diouxXeEfFgGcp]/.test(verb) ? positional(asNumber(l, arg.value)) : arg;
  });
}

const asNumber = (l: Lowering, value: Expression): Expression =>
  l.call(value, { ...span(value), kind: "variable", name: "<number>" }, [positional(value)]);
