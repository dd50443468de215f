import { functionName } from "../../ir/called-name.ts";
import type { Call, Expression, Loop } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { prefixedFact } from "../guards/prefixed.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { constant, type Region, type Value } from "../value.ts";
import { mayNotFit } from "./written-lengths.ts";

/** `p + 1`, `*p`, `x * 2`: what the expression is about. */
export const rootOf = (e: Expression): Expression =>
  e.kind === "operation" && e.operands[0]
    ? rootOf(e.operands.find((operand) => operand.kind !== "literal") ?? e.operands[0])
    : e.kind === "index" && e.key === null
      ? rootOf(e.of)
      : e.kind === "assign"
        ? rootOf(e.to)
        : e;

const only = (value: Value | undefined): number | null => {
  const known = value?.constants;
  return known?.length === 1 && typeof known[0] === "number" ? known[0] : null;
};

/**
 * A size as it is written, for sizes that are no constants: two that read alike are the same number as long as nothing
 * that they are made of is assigned in between. `strlen(x)` stays that in the variable that it is kept in.
 */
export function measureOf(run: Run, frame: Frame, e: Expression): string {
  switch (e.kind) {
    case "literal":
      return String(e.value);
    case "variable": {
      const value = frame.scope.get(e.name);
      const length = value?.paths.find((path) => path.startsWith(lengthMark));
      return length ?? String(only(value) ?? e.name);
    }
    case "call": {
      const [first] = e.args;
      const name = e.callee.kind === "variable" ? e.callee.name : "";
      if (!first) break;
      if (isLength(name)) return lengthOf(run, first.value);
      if (name === "<sizeof>") return evaluate(run, frame, first.value).region?.measure ?? textOf(run, e);
      break;
    }
    case "operation": {
      // `n * sizeof(char)`; the size of other elements is kept apart.
      const [left, right] = e.operands;
      if (e.operator === "*" && left && right && e.operands.length === 2)
        if (isUnit(run, right)) return measureOf(run, frame, left);
        else if (isUnit(run, left)) return measureOf(run, frame, right);
      if (e.operator === "+") return e.operands.map((operand) => measureOf(run, frame, operand)).join("+");
    }
  }
  return textOf(run, e);
}

const lengthMark = "<length of ";
const upToMark = "<up to ";

export const isLength = (name: string): boolean => /^(w?strn?len|wcsn?len|_tcslen|lstrlen)$/.test(name);
export const lengthOf = (run: Run, of: Expression): string => `${lengthMark}${textOf(run, of)}>`;
/** The texts whose lengths a sum counts: `strlen(line) + strlen(name) + 2`. */
export const measuredIn = (e: Expression): readonly Expression[] => {
  if (e.kind === "operation") return e.operands.flatMap(measuredIn);
  return e.kind === "call" && isLength(functionName(e)) && e.args[0] ? [e.args[0].value] : [];
};
const textOf = (run: Run, e: Expression): string => run.text.slice(e.start, e.end).replace(/\s+/g, "");
const isUnit = (run: Run, e: Expression): boolean =>
  (e.kind === "literal" && e.value === 1) || /^\(?sizeof/.test(run.text.slice(e.start, e.end));

/** Calls that give how many bytes they have written, and the arguments that say how many there may be. */
const counted: Record<string, readonly number[]> = {
  read: [2],
  recv: [2],
  recvfrom: [2],
  SSL_read: [2],
  BIO_read: [2],
  readlink: [2],
  // These stop where they are told to.
  strnlen: [1],
  wcsnlen: [1],
  // These count what they would have written.
  snprintf: [1],
  vsnprintf: [1],
  fread: [1, 2],
};

/** What the number that a call gives is: a length, or a count with a limit. */
export function countGiven(run: Run, frame: Frame, call: Call): string | null {
  const { callee, args } = call;
  const name = callee.kind === "variable" ? callee.name : "";
  const [first] = args;
  if (isLength(name) && !Object.hasOwn(counted, name)) return first ? lengthOf(run, first.value) : null;
  if (name.endsWith("nprintf") && !mayNotFit(run, call)) return null;
  const at = Object.hasOwn(counted, name) ? counted[name] : undefined;
  const sizes = at?.flatMap((i) => args[i]?.value ?? []) ?? [];
  // Of bytes that are read one by one as many come as of elements.
  const limit = sizes.length === 2 ? sizes.find((size) => !isUnit(run, size)) : sizes[0];
  return limit ? `${upToMark}${measureOf(run, frame, limit)}>` : null;
}

/** Whether a number can be as large as the room itself: `p = malloc(n)` and `p[n]`, `n = read(f, p, sizeof(p))` and `p[n]`. */
export function isPastEnd(
  run: Run,
  frame: Frame,
  region: Region,
  key: Value,
  written: Expression,
  end: number,
): boolean {
  const { measure } = region;
  // Names of another function are others, but for those of macros.
  if (!measure || (region.owner !== frame.fn && /[a-z]/.test(measure))) return false;
  const limit = key.paths.find((path) => path.startsWith(upToMark));
  const path = accessPath(written);
  if (limit !== undefined) {
    const most = limit.slice(upToMark.length, -1);
    const isCapped = path === null || frame.scope.binding(`@capped:${path}`) !== null;
    return !isCapped && (most === measure || Number(most) >= Number(measure)) && !isChanged(run, region, measure, end);
  }
  if (/^\d+$/.test(measure)) return false;
  return isVariableSize(run, frame, written, measure) && !isChanged(run, region, measure, end);
}

function isVariableSize(run: Run, frame: Frame, written: Expression, measure: string): boolean {
  if (written.kind === "variable") {
    const last = frame.scope.get(`${roundsPrefix}${written.name}`)?.paths.includes(measure);
    if (last) return true;
  }
  return measureOf(run, frame, written) === measure;
}

/** Whether anything that the size is made of is assigned between the place that made the room and this one. */
function isChanged(run: Run, { id }: Region, measure: string, end: number): boolean {
  const names = measure.match(/[A-Za-z_]\w*/g)?.filter((name) => !/^(length|of|sizeof)$/.test(name)) ?? [];
  const between = run.text.slice(Number(id), end);
  return names.some((name) =>
    new RegExp(`\\b${name}\\s*([-+*/%&|^]|<<|>>)?=(?!=)|(\\+\\+|--|&)\\s*${name}\\b|\\b${name}\\s*(\\+\\+|--)`).test(
      between,
    ),
  );
}

/** Whether a text is copied into room for its letters alone: `p = malloc(strlen(s)); strcpy(p, s)`. */
export function lacksEnd(run: Run, frame: Frame, { measure, element, owner }: Region, from: Expression): boolean {
  if (!measure || element !== 1 || owner !== frame.fn) return false;
  const terms = measure.split("+");
  return terms.every((term) => term.startsWith(lengthMark)) && terms.includes(lengthOf(run, from));
}

const isSizeOf = (run: Run, e: Expression | undefined): boolean =>
  e !== undefined && /^\(?sizeof/.test(run.text.slice(e.start, e.end)) && e.kind !== "operation";

/** UTF-16 units in front of a call in which its result is given a name. */
const namedWithin = 120;

/** `int *all = malloc(10 * sizeof(int))`: through a pointer to something else the same block has other elements. */
function isTypedAlike(run: Run, { fn }: Frame, call: Call, size: Expression): boolean {
  const [, type] = run.text.slice(size.start, size.end).match(/sizeof\s*\(\s*([\w\s]{1,60}?)\s*\)/) ?? [];
  const before = run.text.slice(Math.max(0, call.start - namedWithin), call.start);
  const [, name] = before.match(/\b(\w{1,80})\s*=\s*(?:\([\w\s*]{1,60}\)\s*)?$/) ?? [];
  if (!fn || !type || !name) return false;
  const declared = new RegExp(`\\b${type.replace(/\s+/g, "\\s+")}\\s*\\*\\s*${name}\\b`);
  return declared.test(run.stretch(fn.start, call.start));
}

/** How many elements of which size a block is made for: `malloc(10 * sizeof(int))`, `calloc(10, sizeof(int))`, `new int[10]`. */
export function elementsOf(run: Run, frame: Frame, call: Call, args: readonly Value[]): [number, number] | null {
  const name = functionName(call);
  const [first, second] = call.args.map(({ value }) => value);
  const [one, other] = [only(args[0]), only(args[1])];
  const isCalloc = name === "calloc" && second && isSizeOf(run, second) && isTypedAlike(run, frame, call, second);
  if (name === "<new-array>" || isCalloc) return one !== null && other ? [one, other] : null;
  if (one === null || !first || !/malloc$/.test(name) || !isTypedAlike(run, frame, call, first)) return null;
  if (isSizeOf(run, first)) return [1, one];
  if (first.kind !== "operation" || first.operator !== "*" || first.operands.length !== 2) return null;
  const times = first.operands.find((operand) => !isSizeOf(run, operand));
  if (first.operands.every((operand) => operand === times || !isSizeOf(run, operand))) return null;
  const count = times ? only(evaluate(run, frame, times)) : null;
  return count ? [count, one / count] : null;
}

/** Whether more is asked for than a block was made for: `p = malloc(n); read(f, p, n + 64)`. */
export function exceeds(run: Run, frame: Frame, region: Region, size: Expression, end: number): boolean {
  const { measure, element, owner } = region;
  if (!measure || element !== 1 || owner !== frame.fn || size.kind !== "operation") return false;
  const asked = measureOf(run, frame, size);
  return (
    asked.startsWith(`${measure}+`) &&
    /^([+][1-9]\d*)+$/.test(asked.slice(measure.length)) &&
    !isChanged(run, region, measure, end)
  );
}

const roundsPrefix = "@rounds:";

/** `for (i = 0; i <= 10; i++)`: the last round is known where nothing leaves the loop before. */
export function noteRounds(run: Run, frame: Frame, s: Loop): void {
  if (s.test?.kind !== "operation" || !s.update) return;
  const [left, right] = s.test.operands;
  const body = s.body[0];
  if (left?.kind !== "variable" || !right || !body || !/^<=?$/.test(s.test.operator)) return;
  const inside = run.text.slice(body.start, s.body.at(-1)?.end ?? body.end);
  const tested = new RegExp(`\\b(break|return|goto)\\b|\\b${left.name}\\s*[-+<>=!%]|[<>=!]\\s*${left.name}\\b`);
  if (tested.test(inside.replace(/\]\s*=/g, "]"))) return;
  const bound = boundOf(run, frame, s);
  const key = `${roundsPrefix}${left.name}`;
  if (bound !== null) frame.scope.set(key, constant(s.test.operator === "<" ? bound - 1 : bound));
  else if (s.test.operator === "<=")
    frame.scope.set(key, { ...constant(null), constants: null, paths: [measureOf(run, frame, right)] });
}

/** The number that the test of a loop counts to. */
function boundOf(run: Run, frame: Frame, { test }: Loop): number | null {
  const right = test?.kind === "operation" && /^<=?$/.test(test.operator) ? test.operands[1] : undefined;
  return right ? only(evaluate(run, frame, right)) : null;
}

export function forgetRounds(frame: Frame, s: Loop): void {
  if (s.test?.kind === "operation" && s.test.operands[0]?.kind === "variable")
    frame.scope.variables?.delete(`${roundsPrefix}${s.test.operands[0].name}`);
}

/** The index that the last round of the loop around has. */
export const lastRound = (frame: Frame, key: Expression): number | null =>
  key.kind === "variable" ? only(frame.scope.variables?.get(`${roundsPrefix}${key.name}`)) : null;

const growingPrefix = "@growing:";

const localFacts = [growingPrefix, "@rounds:", "@held:", "@unchecked:", "@limit:", prefixedFact];

/** What is so of a loop is not so in a function that is called in it, nor once the function has returned. */
export const isLocal = (fact: string): boolean => localFacts.some((prefix) => fact.startsWith(prefix));

const inputs =
  /\b(strtok(_r|_s)?|strsep|f?getc(har)?|fgets|f?scanf|cin|getline|read|recv|accept|readdir|fread|mysql_fetch_row|sqlite3_step)\s*(\(|>>)/;

/** A loop that goes on as long as there is input, not to a number of its own, and counts what comes without ever asking how much there is room for. */
export function noteGrowing(run: Run, frame: Frame, s: Loop): void {
  const text = run.text.slice(s.start, s.end);
  if (!inputs.test(text) || /\brealloc/.test(text) || (s.update && boundOf(run, frame, s) !== null)) return;
  for (const [, before, after] of text.matchAll(/\+\+\s*(\w+)|(\w+)\s*(?:\+\+|\+=\s*1\b)/g)) {
    const name = before ?? after;
    if (name && !isAsked(name, text)) frame.scope.set(`${growingPrefix}${name}`, constant(true));
  }
}

/** Compared with anything, handed on, taken modulo, or begun anew. */
const isAsked = (name: string, text: string): boolean =>
  new RegExp(
    `\\b${name}\\s*(\\+\\+|--)?\\s*([-+*]\\s*\\w+\\s*)?([<>]=?|[!=]=)|[<>=!]=?\\s*\\(*\\s*(\\+\\+|--)?${name}\\b|\\b${name}\\s*(%|=)|--\\s*${name}\\b|\\b${name}\\s*--|[(,]\\s*&?\\s*${name}\\s*[,)]`,
  ).test(text.replace(/\[[^\]]*\]/g, "[]").replace(/^\s*for\s*\([^;]*;/, ""));

/** Whether the index is one that such a loop counts up. */
export const isGrowing = (frame: Frame, key: Expression): boolean => {
  const path = accessPath(rootOf(key));
  return path !== null && frame.scope.variables?.has(`${growingPrefix}${path}`) === true;
};

export function forgetGrowing(frame: Frame): void {
  for (const key of [...(frame.scope.variables?.keys() ?? [])])
    if (key.startsWith(growingPrefix)) frame.scope.variables?.delete(key);
}
