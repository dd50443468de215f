import { lastName } from "../../ir/called-name.ts";
import type { Call, Closure, Expression, FunctionNode, Statement } from "../../ir/ir.ts";
import { isVariable, rowIn } from "./machine-steps.ts";
import { type Cases, StateMachine } from "./state-machines.ts";

/**
 * Functions that wait, as compilers write them for engines that know no `async`: functions around a generator, which older engines do not know
 * either, so that it is a machine of states. They become what was written.
 */

/** Whether a file may have them. */
export const mayWait = (text: string): boolean =>
  ["__awaiter", "__async", "asyncToGenerator"].some((helper) => text.includes(helper));

const awaiter = /^(?:__awaiter|__async)$/;
const wrapper = /^_?asyncToGenerator\d?$/;
/** `regeneratorRuntime.mark`, later `_regenerator().m`. */
const marker = /^(?:mark|m)$/;
const runner = /^(?:wrap|w)$/;

/** `_asyncToGenerator(function* () {…})` gives a function that waits; so does a function that does no more than to make and to call it. */
export function waitingFunction({ callee, args }: Call): Closure | null {
  // `(0, _asyncToGenerator2.default)(…)`
  const name = callee.kind === "field" && callee.name === "default" ? lastName(callee.of) : lastName(callee);
  if (wrapper.test(name)) return marked(args[0]?.value);
  return callee.kind === "closure" && args.length === 0 ? handedOn(callee.fn) : null;
}

function marked(given: Expression | undefined): Closure | null {
  const closure = given?.kind === "call" && marker.test(lastName(given.callee)) ? given.args[0]?.value : given;
  return closure?.kind === "closure" ? { ...closure, fn: { ...closure.fn, suspends: true } } : null;
}

/** `function () { var _ref = F; return function (_x) { return _ref.apply(this, arguments); }; }` */
function handedOn({ body }: FunctionNode): Closure | null {
  const [first, ...others] = body.filter((one) => one.kind !== "expression" || one.value.kind !== "literal");
  const made = first?.kind === "expression" && first.value.kind === "assign" ? first.value : null;
  const last = others.at(-1);
  if (made?.to.kind !== "variable" || made.from.kind !== "closure" || last?.kind !== "return") return null;
  const named = last.value?.kind === "variable" && others[0]?.kind === "function" ? others[0].fn : null;
  const inner = named ?? (last.value?.kind === "closure" && others.length === 1 ? last.value.fn : null);
  if (!inner || calledOnly(inner.body) !== made.to.name) return null;
  return { ...made.from, fn: { ...made.from.fn, name: inner.name || made.from.fn.name } };
}

/** The function that a body calls with all of its arguments, and does nothing else. */
function calledOnly(body: readonly Statement[]): string | null {
  const [only, ...others] = body.filter((one) => !namesArguments(one));
  const call = only?.kind === "return" && others.length === 0 ? only.value : null;
  return call?.kind === "call" && call.callee.kind === "variable" && call.args.every(({ spread }) => spread)
    ? call.callee.name
    : null;
}

/** `arguments` as it is known to a function that has parameters beside it. */
const namesArguments = (statement: Statement): boolean =>
  statement.kind === "expression" && statement.value.kind === "assign" && isVariable(statement.value.to, "arguments");

/** The statements of a function or a file, without what compilers have made of waiting. */
export function asWritten(statements: Statement[], text: string): Statement[] {
  const made = new Map<string, FunctionNode>();
  for (const statement of statements) {
    const fn = statement.kind === "function" ? madeOnce(statement.fn) : null;
    if (fn && statement.kind === "function") made.set(statement.fn.name, fn);
  }
  return statements.flatMap((statement): Statement[] => {
    if (statement.kind === "return" && statement.value?.kind === "call")
      return returned(statement.value, text) ?? [statement];
    if (statement.kind !== "function" || made.size === 0) return [statement];
    const { fn } = statement;
    if (made.has(fn.name)) return [];
    const own = made.get(calledOnly(fn.body) ?? "");
    return [own ? { ...statement, fn: { ...own, name: fn.name, exported: fn.exported } } : statement];
  });
}

/** `function _load() { _load = F; return _load.apply(this, arguments); }` */
function madeOnce({ name, body }: FunctionNode): FunctionNode | null {
  const [first, ...others] = body;
  const made = first?.kind === "expression" && first.value.kind === "assign" ? first.value : null;
  const isOwn = made !== null && isVariable(made.to, name) && calledOnly(others) === name;
  return isOwn && made.from.kind === "closure" ? made.from.fn : null;
}

/** What a function does that returns a generator to be run. */
function returned({ callee, args }: Call, text: string): Statement[] | null {
  const name = lastName(callee);
  const last = args.at(-1)?.value;
  if (awaiter.test(name)) return last?.kind === "closure" ? last.fn.body : null;
  const isOlder = name === "__generator";
  const closure = isOlder ? args[1]?.value : runner.test(name) ? args[0]?.value : undefined;
  const state = closure?.kind === "closure" ? closure.fn.params[0] : undefined;
  if (closure?.kind !== "closure" || !state) return null;
  const { before, cases } = casesIn(closure.fn.body);
  // What never waits has no switch.
  if (!cases && !isOlder) return null;
  const known = cases ?? [{ tests: [], body: closure.fn.body, through: false }];
  const list = isOlder ? undefined : args[3]?.value;
  const rows = list?.kind === "collection" ? list.entries : [];
  const tries = rows.map(({ value }) => rowIn(text.slice(value.start, value.end)));
  return [...before, ...new StateMachine(state.name, known, tries, text).statements()];
}

/** The cases, and what stands before the switch: functions and variables of the body. */
function casesIn(body: readonly Statement[]): { before: readonly Statement[]; cases: Cases | null } {
  const last = body.at(-1);
  const before = body.slice(0, -1);
  if (last?.kind === "switch") return { before, cases: last.cases };
  const inner = last?.kind === "loop" || last?.kind === "block" ? casesIn(last.body) : null;
  return inner?.cases ? { before: [...before, ...inner.before], cases: inner.cases } : { before: [], cases: null };
}
