import type { Call, Expression, FunctionNode, Parameter, Span } from "../../ir/ir.ts";
import { Scope } from "../scope.ts";
import { nothing, type Value } from "../value.ts";

/** Under this name a function that was made of another one finds that. */
const madeOf = "<made of>";

/** Made once: what is known about calls is kept by them. */
const promising = new WeakMap<Call, FunctionNode>();

/** `promisify(load)`: a function that calls the other one with a function more, and gives a promise of what that is told. */
export function promiseOf(call: Call, of: Value): Value {
  if (of.closures.length === 0) return of;
  const fn = promising.get(call) ?? promisingBy(call);
  promising.set(call, fn);
  const scope = new Scope(null);
  scope.set(madeOf, of);
  scope.set("Promise", { ...nothing, paths: ["Promise"] });
  return { ...of, closures: [{ fn, scope, self: null, owner: null }] };
}

/** `(...given) => new Promise((resolve) => load(...given, (error, answer) => resolve(answer)))` */
function promisingBy({ start, end }: Call): FunctionNode {
  const at: Span = { start, end };
  const variable = (name: string): Expression => ({ ...at, kind: "variable", name });
  const call = (name: string, args: Call["args"], isNew = false): Expression => ({
    ...at,
    kind: "call",
    callee: variable(name),
    args,
    isNew,
  });
  const passed = (value: Expression, spread = false) => ({ name: null, spread, value });
  const parameter = (name: string, rest = false): Parameter => ({
    ...at,
    name,
    pattern: null,
    type: null,
    decorators: [],
    default: null,
    rest,
  });
  // It keeps what it is given, as no other of its kind does.
  const giving = (params: Parameter[], value: Expression): FunctionNode => ({
    ...at,
    name: "",
    params,
    decorators: [],
    body: [{ ...at, kind: "return", value }],
    receiver: null,
    exported: false,
    made: true,
  });
  const closure = (fn: FunctionNode): Expression => ({ ...at, kind: "closure", fn });
  const answer = giving([parameter("error"), parameter("answer")], call("resolve", [passed(variable("answer"))]));
  const load = call(madeOf, [passed(variable("given"), true), passed(closure(answer))]);
  const executor = giving([parameter("resolve")], load);
  return giving([parameter("given", true)], call("Promise", [passed(closure(executor))], true));
}
