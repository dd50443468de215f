import type { Assign, Call, Expression, FunctionNode, Index, Loop } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { check } from "../check.ts";
import type { Frame, Run } from "../run.ts";

/** Longer functions do more than merging, and walking them twice costs more than it tells. */
const lengthMax = 4_000;
const argumentsMax = 6;

/** Who thinks of the keys that lead to the prototype names them, or asks somebody who does. */
const guarded =
  /__proto__|constructor|create\(null\)|(?<!un)safe|pollut|valid|forbid|allow(ed|_?list)|black|danger|proto\b|new (Weak)?Map/i;

/** Somewhere in the file these keys are looked for. */
const thinks = /(["'`])__proto__\1|getOwnPropertyNames\(Object\.prototype/;

/**
 * Functions that write below an object under keys that come from elsewhere, level by level: merging by recursion, setting by a path. With
 * the key `__proto__` they write into what all objects inherit.
 */
export function checkKeyedWrites(run: Run, frame: Frame, fn: FunctionNode): void {
  const matches = run.knowledge.calls.find("<keyed-write>").checks;
  if (matches.length === 0 || fn.end - fn.start > lengthMax) return;
  // What a comment says guards nothing.
  const text = run.text.slice(fn.start, fn.end).replace(/\/\/[^\n]*/g, "");
  if (fn.params.length === 0 && !/\barguments\[/.test(text)) return;
  if (!/\]\s*=[^=]/.test(text) || guarded.test(text) || thinks.test(run.text)) return;
  // A new object leads to the prototype as well; only keys that are parts of a path make it likely that others choose them.
  const isPath = /\.split\(/.test(text);
  const { writes, descents, above, given } = keysOf(fn, ownNames(run, fn));
  const at = writes.find(({ to }) => {
    const name = ofName(to as Index);
    const below = descents.has(name) ? name : above.get(name);
    if (below === undefined || !(isPath || given.has(name))) return false;
    return !asksTarget(text, name) && (below === name || !asksTarget(text, below));
  });
  if (!at) return;
  const nowhere = { positional: [], named: new Map(), receiver: null, receiverPaths: [] };
  check(run, { ...frame, statement: at }, matches, { ...nowhere, at, name: at.to });
}

/** Functions that are assigned to a variable are called by its name, those in `extend = module.exports = function` by both. */
function ownNames(run: Run, fn: FunctionNode): ReadonlySet<string> {
  const [, assigned = ""] = run.text.slice(Math.max(0, fn.start - assignedMax), fn.start).match(assignedTo) ?? [];
  const names = assigned.split("=").map((name) => name.trim().split(".").at(-1) ?? "");
  const symbol = run.symbols.get(fn)?.split(".").at(-1)?.split("/")[0] ?? "";
  return new Set([fn.name, fn.name === "" ? symbol : "", ...names].filter((name) => name !== ""));
}

/** Room for two or three names. */
const assignedMax = 120;
const assignedTo = /((?:[\w$.]{1,40}\s{0,4}=[\s(]{0,4}){1,3})$/;

/** `target.hasOwnProperty(key)`, `for (key of Object.keys(target))`: what is inherited stays as it is. */
function asksTarget(text: string, name: string): boolean {
  const target = `${name.replaceAll("$", "\\$")}\\b`;
  return new RegExp(
    `\\b${target}\\.hasOwn|(hasOwn(Property\\.call)?|keys|entries)\\(\\s*${target}|\\bin ${target}`,
  ).test(text);
}

interface Keys {
  /** Assignments to elements whose key is not written out. */
  writes: Assign[];
  /** Variables whose elements are gone down into, by recursion or by assigning them to the same variable. */
  descents: Set<string>;
  /** Variables that keep what was gone down from last, by what they keep. */
  above: ReadonlyMap<string, string>;
  /** Parameters, and what they are assigned to. */
  given: Set<string>;
}

function keysOf(fn: FunctionNode, own: ReadonlySet<string>): Keys {
  const counters = new Set<string>();
  const elements = new Map<string, Expression>();
  const assigned: Assign[] = [];
  const loops: Loop[] = [];
  const recursive: Expression[] = [];
  const given = new Set(fn.params.map((param) => param.name));
  const local = new Set(given);
  walk(fn.body, (node) => {
    if (!("kind" in node)) {
      for (const { name, pattern } of node.params)
        for (const part of pattern ? namesIn(pattern) : [name]) local.add(part);
      return;
    }
    if (node.kind === "loop") loops.push(node);
    if (node.kind === "assign") {
      assigned.push(node);
      for (const name of namesIn(node.to)) local.add(name);
      if (node.to.kind === "variable" && isCount(node.from)) counters.add(node.to.name);
      if (node.to.kind === "variable" && node.from.kind === "index") elements.set(node.to.name, node.from);
    }
    if (node.kind !== "call" || own.size === 0 || node.args.length > argumentsMax) return;
    const { callee } = node;
    if ((callee.kind === "variable" || callee.kind === "field") && own.has(callee.name) && !beginsAnew(node))
      recursive.push(...node.args.flatMap((arg) => alternatives(arg.value)));
  });
  // A key that the function does not come by itself is the same for all callers.
  const isLocal = (key: Expression): boolean =>
    key.kind === "variable"
      ? local.has(key.name)
      : key.kind === "index" || key.kind === "field"
        ? isLocal(key.of)
        : key.kind === "call" && isLocal(key.callee);
  const isOpen = (e: Expression): e is Index =>
    e.kind === "index" &&
    e.key !== null &&
    (e.key.kind === "variable" || e.key.kind === "index" || e.key.kind === "call") &&
    isLocal(e.key) &&
    !(e.key.kind === "variable" && counters.has(e.key.name)) &&
    ofName(e) !== "";
  // `const had = target[key]; … merge(had, value)` goes down as `merge(target[key], value)` does.
  const reached = recursive.map((e) => (e.kind === "variable" ? (elements.get(e.name) ?? e) : e));
  const descents = new Set(reached.filter(isOpen).map(ofName));
  for (const { to, from } of assigned) {
    if (to.kind !== "variable") continue;
    if (isArgument(from) || (from.kind === "variable" && given.has(from.name))) given.add(to.name);
    for (const part of alternatives(from)) if (isOpen(part) && ofName(part) === to.name) descents.add(to.name);
  }
  // `parent = node; node = node[key];`: what was gone down from in the last round is one level above.
  const above = new Map<string, string>();
  for (const { to, from, start } of assigned)
    if (to.kind === "variable" && from.kind === "variable" && descents.has(from.name))
      if (loops.some((loop) => loop.start < start && start < loop.end)) above.set(to.name, from.name);
  return { writes: assigned.filter(({ to }) => isOpen(to)), descents, above, given };
}

/** `extend({}, target[key], value)`: what is merged goes into a new object, and the target gets that under its own key. */
const beginsAnew = ({ args: [first] }: Call): boolean =>
  first?.value.kind === "collection" && first.value.shape === "map" && first.value.entries.length === 0;

/** `node[key] || {}`, `node[key] = node[key] || {}`, `a ? node[key] : {}`: what the value can be. */
function alternatives(e: Expression, depth = 3): Expression[] {
  if (depth === 0) return [e];
  if (e.kind === "assign") return [e.to, ...alternatives(e.from, depth - 1)];
  if (e.kind === "conditional") return [e.then, e.otherwise].flatMap((part) => alternatives(part, depth - 1));
  return e.kind === "operation" && /^(\|\||\?\?|&&)$/.test(e.operator)
    ? e.operands.flatMap((part) => alternatives(part, depth - 1))
    : [e];
}

const namesIn = (to: Expression): string[] =>
  to.kind === "variable"
    ? [to.name]
    : to.kind === "collection"
      ? to.entries.flatMap(({ value }) => namesIn(value))
      : [];

/** `arguments[0]`: what has no name of its own is given all the same. */
const isArgument = (e: Expression): boolean => e.kind === "index" && ofName(e) === "arguments";

const ofName = (e: Index): string => (e.of.kind === "variable" ? e.of.name : "");

const isCount = (e: Expression): boolean =>
  (e.kind === "literal" && typeof e.value === "number") ||
  (e.kind === "operation" && /^[-+*]$/.test(e.operator) && e.operands.some(isCount)) ||
  (e.kind === "field" && e.name === "length");
