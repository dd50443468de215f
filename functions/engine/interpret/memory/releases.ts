import type { Call, Expression, FunctionNode, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import type { Run } from "../run.ts";
import type { ClosureValue } from "../value.ts";

/** How far one function that gives back is followed into those that it leaves this to. */
const depthMax = 3;
/** Every statement is looked at once for a function that is called; longer ones do more than give something back. */
const statementsMax = 60;

/** Parameters that are asked about: each costs a walk over the function, and what frees takes one or two. */
const parametersMax = 8;

const none: ReadonlySet<number> = new Set();
const gives = /^(free|cfree|xfree|kfree|g_free)$/;

/** What is known of functions, each of which many calls ask for. */
const known = new WeakMap<FunctionNode, ReadonlySet<number>>();

/** The parameters that a function gives back whenever it returns, unless they are null: `static void conn_free(struct conn *c)`. */
export function releasedBy(run: Run, closure: ClosureValue, depth = 0): ReadonlySet<number> {
  const { fn } = closure;
  const found = known.get(fn);
  if (found) return found;
  if (depth > depthMax || fn.params.length === 0 || fn.body.length > statementsMax) return none;
  // Whoever calls itself gives back what it gives back elsewhere.
  known.set(fn, none);
  const released = new Set(
    fn.params
      .slice(0, parametersMax)
      .flatMap(({ name }, i) => (isReleased(run, closure, fn.body, name, depth) ? i : [])),
  );
  known.set(fn, released);
  return released;
}

/** Whether statements that are run one after the other give a pointer back on every way that leaves them. */
function isReleased(
  run: Run,
  closure: ClosureValue,
  statements: readonly Statement[],
  name: string,
  depth: number,
): boolean {
  for (const s of statements) {
    if (s.kind === "expression" && s.value.kind === "call" && releases(run, closure, s.value, name, depth)) return true;
    if (s.kind === "block" && isReleased(run, closure, s.body, name, depth)) return true;
    if (s.kind === "branch" && asks(run, s.test, name, true) && isReleased(run, closure, s.then, name, depth))
      return true;
    const leavesNull = s.kind === "branch" && asks(run, s.test, name, false) && s.otherwise.length === 0;
    if (!leavesNull && (mayLeave(s) || isSet(s, name))) return false;
  }
  return false;
}

function releases(run: Run, { scope }: ClosureValue, { callee, args }: Call, name: string, depth: number): boolean {
  const at = args.findIndex(({ value }) => value.kind === "variable" && value.name === name);
  if (at < 0 || callee.kind !== "variable") return false;
  if (gives.test(callee.name)) return at === 0;
  const [closure, ...others] = scope.binding(callee.name)?.get(callee.name)?.closures ?? [];
  return closure !== undefined && others.length === 0 && releasedBy(run, closure, depth + 1).has(at);
}

/** Whether a test asks nothing but whether a pointer is there, or is not. */
function asks(run: Run, { start, end }: Expression, name: string, isThere: boolean): boolean {
  const test = run.text.slice(start, end).replace(/[\s()]/g, "");
  const operator = isThere ? "!=" : "==";
  const compared = nulls.flatMap((none) => [`${name}${operator}${none}`, `${none}${operator}${name}`]);
  return test === (isThere ? name : `!${name}`) || compared.includes(test);
}

const nulls = ["NULL", "0", "nullptr"];

/** Something in it may end the function, or go on elsewhere. */
function mayLeave(s: Statement): boolean {
  let found = false;
  walk([s], (node) => {
    found ||= "kind" in node && (node.kind === "return" || node.kind === "throw");
  });
  return found;
}

/** The pointer is another afterwards, or others may have made it so. */
function isSet(s: Statement, name: string): boolean {
  let found = false;
  const isName = (e: Expression | undefined) => e?.kind === "variable" && e.name === name;
  walk([s], (node) => {
    if (!("kind" in node)) return;
    found ||= node.kind === "assign" && isName(node.to);
    found ||=
      node.kind === "operation" &&
      /^(&|\+\+|--)$/.test(node.operator) &&
      node.operands.length === 1 &&
      isName(node.operands[0]);
  });
  return found;
}
