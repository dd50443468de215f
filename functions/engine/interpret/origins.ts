import type { Assign, Expression } from "../ir/ir.ts";
import type { Frame, Run } from "./run.ts";

/** Remembers what a variable was made of, or is told by. */
export function noteOrigin(run: Run, frame: Frame, e: Assign): void {
  if (e.from.kind === "literal" && typeof e.from.value === "boolean") noteFlag(frame, e, e.from.value);
  // PHP and Ruby declare nothing; the error of a call is about that call whether it has a variable of its own or not.
  else if (e.declares || e.type === "error" || declaresNothing.has(run.language) || isFirst(frame, e))
    noteOrigins(run, frame, e);
}

const hasPlaces: ReadonlySet<string> = new Set(["python", "javascript", "php"]);

const declaresNothing: ReadonlySet<string> = new Set(["javascript", "php", "ruby"]);

/** `URI uri = null; try { uri = new URI(x); }`: a variable that had nothing yet is declared by what it gets. */
function isFirst(frame: Frame, { to }: Assign): boolean {
  if (to.kind !== "variable") return false;
  const before = frame.scope.binding(to.name)?.get(to.name);
  return !before || (before.taint.length === 0 && before.constants?.every((one) => one === null) === true);
}

/** `const { hostname } = new URL(x)` declares a field of what was made. */
function noteOrigins(run: Run, frame: Frame, { to, from }: Assign): void {
  if (to.kind === "variable") frame.scope.noteOrigin(to.name, from);
  // `stem, extension = os.path.splitext(name)`
  const ending = to.kind === "collection" && to.shape === "list" ? to.entries[1]?.value : undefined;
  if (
    ending?.kind === "variable" &&
    from.kind === "call" &&
    from.callee.kind === "field" &&
    from.callee.name === "splitext"
  ) {
    frame.scope.noteOrigin(ending.name, from);
    return;
  }
  if (to.kind !== "collection") return;
  if (to.shape === "list" && from.kind === "collection") noteEach(frame, to.entries, from.entries);
  // `ok, reason = check(name)`: results that have no names go by their places.
  if (to.shape === "list" && (from.kind !== "call" || !hasPlaces.has(run.language))) return;
  for (const [i, { key, value, spread }] of to.entries.entries()) {
    const name = to.shape === "list" ? i : key?.kind === "literal" ? key.value : null;
    if (value.kind !== "variable" || spread || name === null) continue;
    const { start, end } = value;
    frame.scope.noteOrigin(value.name, { start, end, kind: "field", of: from, name: String(name) });
  }
}

type Entries = Extract<Expression, { kind: "collection" }>["entries"];

/** `known, reason = name in names, "no name"` */
function noteEach(frame: Frame, to: Entries, from: Entries): void {
  if (to.length !== from.length || [...to, ...from].some(({ spread }) => spread)) return;
  for (const [i, { value }] of to.entries())
    if (value.kind === "variable") frame.scope.noteOrigin(value.name, (from[i] as Entries[number]).value);
}

/** A map that somebody has written into is no longer what it was made of. */
export function noteChanged({ scope }: Frame, of: Expression): void {
  const origins = of.kind === "variable" ? scope.binding(of.name)?.origins : undefined;
  if (of.kind === "variable" && origins?.get(of.name)?.kind === "collection") origins.delete(of.name);
}

/** As many as alternatives of one test are told apart. */
const testsMax = 4;

/**
 * `if (extension.equals(known)) found = true;`: where `found` holds later on, so did the test. A variable that other places set as well
 * tells nothing.
 */
function noteFlag(frame: Frame, { to, from }: Assign, isSet: boolean): void {
  if (to.kind !== "variable") return;
  const scope = frame.scope.binding(to.name);
  if (scope !== frame.scope) return;
  const known = scope.origins.get(to.name);
  if (!isSet) {
    scope.origins.delete(to.name);
    return;
  }
  const test = testOver(frame.under);
  if (known) {
    if (!test || known.start !== test.start || known.end !== test.end) scope.origins.set(to.name, nobodyKnows(from));
    return;
  }
  const before = scope.get(to.name)?.constants;
  if (test && before?.length === 1 && before[0] === false) scope.origins.set(to.name, test);
}

function testOver(tests: readonly Expression[]): Expression | null {
  const last = tests.at(-1);
  if (!last || tests.length > testsMax) return null;
  if (tests.length === 1) return last;
  return { start: last.start, end: last.end, kind: "operation", operator: "&&", operands: [...tests] };
}

const nobodyKnows = ({ start, end }: Expression): Expression => ({ start, end, kind: "unknown", reads: [] });
