import { functionName } from "../../ir/called-name.ts";
import type { Branch, Expression, FunctionNode, Span, Statement, Switch } from "../../ir/ir.ts";
import { type IrNode, walk } from "../../ir/walk.ts";
import { append } from "../../multimap.ts";
import type { Run } from "../run.ts";
import { isLookedAtOnly } from "./local-pointers.ts";

/** Lists within lists are looked through once each; deeper ones are written by programs. */
const depthMax = 12;
/** Variables of one list that are followed at a time; each costs a look at every name that comes after it. */
const followedMax = 40;

const known = new WeakMap<FunctionNode, ReadonlyMap<string, readonly Span[]>>();

/**
 * Where a variable is read after a choice that sets it on some of its ways only, by its name: neither is there an `else` or `default`,
 * nor does anything in between ask or set it. Choices that go through all there is, and tests that agree with each other, are left out.
 */
export function partlySetReads(run: Run, fn: FunctionNode): ReadonlyMap<string, readonly Span[]> {
  const done = known.get(fn);
  if (done) return done;
  const found = new Map<string, Span[]>();
  // Jumps and what the preprocessor leaves out are other ways to a place.
  if (!/\bgoto\b|^\s*#\s*(if|el|define)/m.test(run.stretch(fn.start, fn.end))) lookThrough(run, fn.body, found, 0);
  known.set(fn, found);
  return found;
}

function lookThrough(run: Run, statements: readonly Statement[], found: Map<string, Span[]>, depth: number): void {
  if (depth > depthMax) return;
  const followed = new Map<string, "unset" | "partly">();
  for (const s of statements) {
    for (const inner of listsOf(s)) lookThrough(run, inner, found, depth + 1);
    const declared = declaredBy(s);
    if (declared !== null) {
      if (followed.size < followedMax) followed.set(declared, "unset");
      continue;
    }
    if (followed.size === 0) continue;
    for (const name of namesIn(s)) {
      const state = followed.get(name);
      if (state === undefined) continue;
      followed.delete(name);
      if (state === "unset" && isPartlySet(run, s, name)) followed.set(name, "partly");
      const read = state === "partly" ? readAlways(s, name) : null;
      if (read) append(found, name, read);
    }
  }
}

/** The lists of statements that are in one, but for those of other functions. */
function listsOf(s: Statement): readonly Statement[][] {
  switch (s.kind) {
    case "block":
    case "loop":
      return [s.body];
    case "branch":
      return [s.then, s.otherwise];
    case "switch":
      return s.cases.map(({ body }) => body);
    case "try":
      return [s.body, s.last];
    default:
      return [];
  }
}

const assignOf = (s: Statement) => (s.kind === "expression" && s.value.kind === "assign" ? s.value : null);

/** `int n;` */
function declaredBy(s: Statement): string | null {
  const assign = assignOf(s);
  if (!assign?.declares || assign.to.kind !== "variable" || assign.from.kind !== "unknown") return null;
  return assign.from.reads.length === 0 ? assign.to.name : null;
}

function namesIn(node: IrNode): Set<string> {
  const names = new Set<string>();
  walk([node], (inner) => {
    if ("kind" in inner && inner.kind === "variable") names.add(inner.name);
  });
  return names;
}

const mentions = (nodes: readonly IrNode[], name: string): boolean => nodes.some((node) => namesIn(node).has(name));

function isPartlySet(run: Run, s: Statement, name: string): boolean {
  if (s.kind === "switch") return isOpenSwitch(run, s) && isSetBySome(waysOf(s, name));
  if (s.kind !== "branch") return false;
  const tests: Expression[] = [];
  const arms: Way[] = [];
  let way: Branch = s;
  for (;;) {
    tests.push(way.test);
    arms.push(wayOf(way.then, name));
    const [other, ...others] = way.otherwise;
    if (!other) break;
    if (other.kind !== "branch" || others.length > 0) return false;
    way = other;
  }
  if (mentions(tests, name)) return false;
  const isOpen =
    tests.length === 1 ? !isSetting(run, tests[0] as Expression) : tests.every((test) => asksOneOfMany(run, test));
  return isOpen && isSetBySome(arms);
}

/** `if (DEBUG)`: what a name in capitals says is said for the whole program. */
const isSetting = (run: Run, { start, end }: Expression): boolean =>
  !/[a-z]/.test(run.text.slice(start, end)) || run.text.slice(start, end).includes("__");

/** Labels that are names may be all there are of a kind, and a remainder or some bits leave few numbers. */
const isOpenSwitch = (run: Run, { of, cases }: Switch): boolean =>
  of.kind !== "operation" &&
  cases.every(({ tests }) => tests.length > 0 && tests.every((test) => isWritten(run, test)));

/** A number, a letter or a text; not the name of one. */
const isWritten = (run: Run, { kind, start }: Expression): boolean =>
  kind === "literal" && /^[\d'"-]/.test(run.text.slice(start, start + 1));

/** What one of the ways of a choice does: it sets the variable, or goes no further than this. */
interface Way {
  sets: boolean;
  leaves: boolean;
}

const wayOf = (body: readonly Statement[], name: string): Way => ({
  sets: mentions(body, name),
  leaves: leaves(body),
});

/** What runs into the next case does what is there as well. */
function waysOf({ cases }: Switch, name: string): Way[] {
  const ways: Way[] = [];
  for (const { body, through } of [...cases].reverse()) {
    const own = wayOf(body, name);
    const next = through && body.at(-1)?.kind !== "jump" ? ways.at(-1) : undefined;
    ways.push({ sets: own.sets || next?.sets === true, leaves: own.leaves || next?.leaves === true });
  }
  return ways;
}

/** Comparisons with texts or with one number leave others; `<` and `>=` may leave none. */
function asksOneOfMany(run: Run, test: Expression): boolean {
  if (test.kind === "call") return true;
  if (test.kind !== "operation") return false;
  if (test.operator === "!") return test.operands.every((operand) => asksOneOfMany(run, operand));
  const [left, right] = test.operands;
  if (test.operator !== "==" || !left || !right) return false;
  return left.kind === "call" || right.kind === "call" || isWritten(run, left) || isWritten(run, right);
}

/** Whether each way sets the variable or leaves, and at least one sets it. */
const isSetBySome = (ways: readonly Way[]): boolean =>
  ways.some(({ sets }) => sets) && ways.every(({ sets, leaves }) => sets || leaves);

const endsProgram = /^(_?exit|_Exit|quick_exit|abort|errx?|die|fatal|panic|usage|longjmp|__builtin_unreachable)$/;

const leaves = (arm: readonly Statement[]): boolean => {
  const last = arm.at(-1);
  if (last?.kind === "block") return leaves(last.body);
  if (last?.kind === "expression" && last.value.kind === "call") return endsProgram.test(functionName(last.value));
  return last?.kind === "return" || last?.kind === "throw";
};

/** Where a statement reads a variable whatever else is so. Who is handed it may be a macro or a reference that sets it. */
function readAlways(s: Statement, name: string): Span | null {
  const value = s.kind === "expression" || s.kind === "return" ? s.value : null;
  return value ? readIn(value, name) : null;
}

function readIn(e: Expression, name: string): Span | null {
  switch (e.kind) {
    case "variable":
      return e.name === name ? e : null;
    case "operation":
      if (e.operator === "&" && e.operands.length === 1) return null;
      return firstIn(/^(&&|\|\|)$/.test(e.operator) ? e.operands.slice(0, 1) : e.operands, name);
    case "call":
      return isLookedAtOnly(functionName(e)) && !/^<(sizeof|unset)/.test(functionName(e))
        ? firstIn(
            e.args.map(({ value }) => value),
            name,
          )
        : null;
    case "assign":
      return readIn(e.from, name);
    case "index":
      return firstIn(e.key ? [e.of, e.key] : [e.of], name);
    case "field":
      return readIn(e.of, name);
    default:
      return null;
  }
}

function firstIn(all: readonly Expression[], name: string): Span | null {
  for (const e of all) {
    const read = readIn(e, name);
    if (read) return read;
  }
  return null;
}
