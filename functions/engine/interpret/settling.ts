import type { Expression, FunctionNode, Parameter, Statement } from "../ir/ir.ts";

/** Where the scope of a promise keeps what it was settled with. */
export const settledName = "<settled>";

const nowhere = { start: 0, end: 0 };

/** What a promise hands its function to settle it with: it keeps what it is given. */
export const settling = keeping([parameter("value", false)]);

/** What a task is handed to answer with: it keeps all that it is given behind the error. */
export const answering = keeping([parameter("error", false), parameter("value", true)]);

function parameter(name: string, rest: boolean): Parameter {
  return { ...nowhere, name, pattern: null, type: null, decorators: [], default: null, rest };
}

function keeping(params: Parameter[]): FunctionNode {
  const to: Expression = { ...nowhere, kind: "variable", name: settledName };
  const from: Expression = { ...nowhere, kind: "variable", name: "value" };
  const value: Expression = { ...nowhere, kind: "assign", to, from, type: null, declares: false };
  const body: Statement[] = [{ ...nowhere, kind: "expression", value }];
  return { ...nowhere, name: "", params, decorators: [], body, receiver: null, exported: false, made: true };
}

/** Functions that nobody has written keep each for itself what they are given: they are followed, and no summary tells of them. */
export const isKeeping = ({ made, name }: FunctionNode): boolean => made === true && name === "";
