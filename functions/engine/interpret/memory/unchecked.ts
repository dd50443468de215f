import { functionName } from "../../ir/called-name.ts";
import type { Assign, Call, Expression, Operation, Variable } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { nothing, type Value } from "../value.ts";
import { forgetHeld } from "./held.ts";
import { isLookedAtOnly, isOwnVariable } from "./local-pointers.ts";
import { fault, isAddress, isInput, isNative } from "./memory-faults.ts";
import { rootOf } from "./memory-sizes.ts";

/** A pointer that may lead nowhere, and that nobody has asked about. */
export const uncheckedPrefix = "@unchecked:";

const mayFail =
  /^(malloc|calloc|realloc|strn?dup|fopen|fdopen|freopen|popen|opendir|getenv|gethostbyname|getpw(nam|uid)|getgr(nam|gid)|strr?chr|strstr|strpbrk|memchr|getlogin|inet_ntoa_r|dlsym|dlopen|setlocale)$/;

/** What looks for something gives null where it is not there, which matters where somebody else has written the text. */
const looksFor = /^(strr?chr|strstr|strpbrk|memchr)$/;

export function noteUnchecked(run: Run, frame: Frame, { to, from }: Assign, value: Value): void {
  if (to.kind !== "variable" || !frame.fn || frame.inlined > 0 || frame.recalls) return;
  frame.scope.variables?.delete(`${uncheckedPrefix}${to.name}`);
  if (from.kind !== "call" || !mayFail.test(functionName(from)) || !isOwnVariable(run, frame, to.name)) return;
  if (looksFor.test(functionName(from)) && !isInput(value) && !isGiven(frame, from)) return;
  // `while ((p = strchr(p, '.')))` asks each time round.
  if (from.args.some(({ value }) => accessPath(rootOf(value)) === to.name)) return;
  frame.scope.set(`${uncheckedPrefix}${to.name}`, { ...nothing, paths: [`${from.start}`] });
}

/** Whether a call looks into a text just as the function was given it. */
const isGiven = ({ fn }: Frame, { args: [first] }: Call): boolean =>
  first?.value.kind === "variable" && fn?.params.some(({ name }) => name === (first.value as Variable).name) === true;

function forgetUnchecked(frame: Frame, e: Expression | undefined): void {
  const path = e ? accessPath(e) : null;
  if (path !== null) frame.scope.variables?.delete(`${uncheckedPrefix}${path}`);
}

/** What a pointer leads to is asked for. */
export function follow(run: Run, frame: Frame, pointer: Expression): void {
  if (!isNative(run) || frame.inlined > 0 || frame.recalls) return;
  if (pointer.kind === "call" && /^(getenv|fopen|malloc|strn?dup)$/.test(functionName(pointer))) {
    fault(run, frame, "<null-followed>", pointer);
    return;
  }
  const fact = pointer.kind === "variable" && frame.scope.variables?.get(`${uncheckedPrefix}${pointer.name}`);
  if (!fact || !frame.fn || isAddress(run, pointer)) return;
  forgetUnchecked(frame, pointer);
  // One pointer is followed in many places.
  const [made] = fact.paths;
  if (made === undefined || run.followed.has(made)) return;
  run.followed.add(made);
  fault(run, frame, "<null-followed>", pointer);
}

/** Arguments that a function of the C library goes to without asking. */
const followed: Record<string, readonly number[]> = {
  strlen: [0],
  strcpy: [0, 1],
  strcat: [0, 1],
  strncpy: [0, 1],
  strncat: [0, 1],
  strcmp: [0, 1],
  strncmp: [0, 1],
  strcasecmp: [0, 1],
  strchr: [0],
  strrchr: [0],
  strstr: [0, 1],
  strdup: [0],
  atoi: [0],
  atol: [0],
  strtol: [0],
  strtoul: [0],
  memcpy: [0, 1],
  memset: [0],
  memmove: [0, 1],
  sprintf: [0, 1],
  fprintf: [0],
  fputs: [0, 1],
  fputc: [1],
  fwrite: [0, 3],
  fread: [0, 3],
  fgets: [0, 2],
  fgetc: [0],
  fclose: [0],
  readdir: [0],
  closedir: [0],
};

export function followArguments(run: Run, frame: Frame, call: Call, name: string): void {
  const at = Object.hasOwn(followed, name) ? (followed[name] as readonly number[]) : [];
  for (const [i, { value }] of call.args.entries())
    if (at.includes(i)) follow(run, frame, value);
    // Whoever is handed it may ask, and ends the program where it is null.
    else if (!isLookedAtOnly(name)) forgetUnchecked(frame, rootOf(value));
}

const pointerOf = (e: Expression): Expression => (e.kind === "assign" ? e.to : e);

/** Whether a comparison that came out as `outcome` says that there is nothing: null, zero, a negative descriptor. */
function saysNothing({ operator }: Operation, outcome: boolean): boolean {
  return /^(==|<|<=)$/.test(operator) ? outcome : !outcome;
}

/** A test asks about a pointer or a descriptor, or about nothing of the kind. */
export function noteAsked(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  if (test.kind === "variable" || test.kind === "assign") {
    forgetUnchecked(frame, pointerOf(test));
    if (!outcome) forgetHeld(frame, pointerOf(test));
    return;
  }
  if (test.kind !== "operation" || test.operands.length !== 2 || !/^([<>]=?|[!=]=)$/.test(test.operator)) return;
  for (const [i, operand] of test.operands.entries()) {
    const other = test.operands[1 - i] as Expression;
    const limit = run.text.slice(other.start, other.end);
    if (/^\(?\s*(-?\s*[01]|NULL|nullptr|0L|MAP_FAILED)\s*\)?$/.test(limit)) {
      forgetUnchecked(frame, pointerOf(operand));
      if (saysNothing(test, outcome)) forgetHeld(frame, pointerOf(operand));
    }
  }
}
