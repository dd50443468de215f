import type { Expression, FunctionNode } from "../../ir/ir.ts";
import { type IrNode, walk } from "../../ir/walk.ts";
import { append } from "../../multimap.ts";
import type { Frame, Run } from "../run.ts";

/** Functions of the C library that only look at what they are handed: they keep nothing and give nothing back. */
const looksOnly =
  /^(str(n?len|n?cpy|lcpy|n?cat|lcat|n?cmp|n?casecmp|n?chr|rchr|n?str|casestr|spn|cspn|pbrk|tok|tok_r|sep|to[a-z]+|coll|ftime)|stpn?cpy|mem(cpy|move|set|cmp|chr|mem)|wcs\w+|v?[fds]?n?printf|f?puts|f?putc|putchar|f?gets|f?getc|fread|fwrite|fseeko?|ftello?|rewind|fflush|feof|ferror|clearerr|fileno|setlinebuf|[fs]?scanf|p?read|p?write|lseek(64)?|fstat(64)?|ioctl|fcntl|recv|recvfrom|send|sendto|bind|listen|connect|[gs]etsockopt|getsockname|getpeername|getline|qsort|bsearch|isatty|ato[ifl]l?|access|l?stat|open|opendir|fopen|unlink|rename|mkdir|rmdir|chmod|chown|perror|v?syslog|readdir|rewinddir|dirfd|fsync|ftruncate|fchmod|fchown|flock|lockf|bzero|bcopy|isdigit|isspace|isalpha|tolower|toupper|tcgetattr|tcsetattr|getenv|realpath|readlink|toascii|abs)$/;

export const isLookedAtOnly = (name: string): boolean => looksOnly.test(name) || name.startsWith("<");

/** The names whose own value an expression may have. */
function namesHandedOn(e: Expression, found: string[] = []): string[] {
  switch (e.kind) {
    case "variable":
      found.push(e.name);
      break;
    case "operation":
      if (/^[-+]$|^[|&]{2}$/.test(e.operator)) for (const operand of e.operands) namesHandedOn(operand, found);
      break;
    case "conditional":
      namesHandedOn(e.then, found);
      namesHandedOn(e.otherwise, found);
      break;
    case "assign":
      namesHandedOn(e.to, found);
      namesHandedOn(e.from, found);
      break;
    case "sequence":
    case "unknown":
      for (const part of e.kind === "sequence" ? e.parts : e.reads) namesHandedOn(part, found);
      break;
    case "collection":
      for (const { value } of e.entries) namesHandedOn(value, found);
      break;
  }
  return found;
}

interface Locals {
  readonly names: ReadonlySet<string>;
  /** Where the value of a variable may become somebody else's too. */
  readonly handedOn: ReadonlyMap<string, readonly number[]>;
}

const known = new WeakMap<FunctionNode, Locals>();

/** The variables of a function, and where each is assigned to something else, returned, or handed to a function that may keep it. */
function localsOf(fn: FunctionNode): Locals {
  const done = known.get(fn);
  if (done) return done;
  const names = new Set(fn.params.map(({ name }) => name));
  const handedOn = new Map<string, number[]>();
  const hand = (e: Expression, at: number) => {
    for (const name of namesHandedOn(e)) append(handedOn, name, at);
  };
  walk(fn.body, (node: IrNode) => {
    if (!("kind" in node)) return;
    if (node.kind === "assign") {
      if (node.declares && node.to.kind === "variable") names.add(node.to.name);
      hand(node.from, node.start);
    } else if (node.kind === "call") {
      const { callee } = node;
      const isKnown = callee.kind === "variable" && (isLookedAtOnly(callee.name) || givesBack.test(callee.name));
      if (!isKnown) for (const { value } of node.args) hand(value, node.start);
    } else if ((node.kind === "return" || node.kind === "throw") && node.value) hand(node.value, node.start);
    else if (node.kind === "collection" || node.kind === "unknown") hand(node, node.start);
    else if (node.kind === "closure")
      walk(node.fn.body, (inner) => "kind" in inner && inner.kind === "variable" && hand(inner, node.start));
  });
  const locals = { names, handedOn };
  known.set(fn, locals);
  return locals;
}

/** What ends the life of a block, a stream or a descriptor. */
export const givesBack = /^(free|cfree|xfree|g_free|fclose|pclose|closedir|close|<delete(-array)?>)$/;

/** Whether all of a function was understood: where a macro or assembler hides what is done, nothing is said of what is not done. */
export const isReadWhole = (run: Run, fn: FunctionNode): boolean =>
  run.unread.every(({ start, end }) => end <= fn.start || start >= fn.end) &&
  !/\b(asm|__asm__|__asm)\b/.test(run.stretch(fn.start, fn.end));

/** Whether a variable is the function's own, a plain pointer or number, and nobody has its address. */
export function isOwnVariable(run: Run, { fn, scope }: Frame, name: string): boolean {
  if (!fn || !localsOf(fn).names.has(name)) return false;
  if (scope.binding(name) !== scope || !isReadWhole(run, fn)) return false;
  const text = run.stretch(fn.start, fn.end);
  const isPlain = new RegExp(
    `\\*\\s*(const\\s+|restrict\\s+)*${name}\\b|\\b(int|auto|unsigned)\\s+([^;{}()]{0,300},\\s*)?${name}\\b`,
  ).test(text);
  return (
    isPlain &&
    !new RegExp(`&\\s*\\(?\\s*${name}\\b(?!\\s*(\\.|->|\\[))|\\b(static|extern)\\b[^;{}()]{0,300}\\b${name}\\b`).test(
      text,
    )
  );
}

/** Whether somebody else may have got the value of a variable between two places. */
export const isHandedOn = (fn: FunctionNode, name: string, from: number, to: number): boolean =>
  localsOf(fn)
    .handedOn.get(name)
    ?.some((at) => at > from && at <= to) === true;
