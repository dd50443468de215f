import type { Call, Expression } from "./ir.ts";

/** What a function or a method is called by: `read` of `fs.read`; "" where it is no name. */
export const lastName = (callee: Expression): string =>
  callee.kind === "field" || callee.kind === "variable" ? callee.name : "";

export const calledName = ({ callee }: Call): string => lastName(callee);

/** What a function that is no method is called by; "" where it is none. */
export const functionName = ({ callee }: Call): string => (callee.kind === "variable" ? callee.name : "");
