import type { Expression, Span } from "../ir/ir.ts";
import { assign } from "./assign.ts";
import { collect } from "./collect.ts";
import { evaluate } from "./evaluate.ts";
import { takesLastPart } from "./guards/last-parts.ts";
import { memberPaths } from "./names.ts";
import { declaredFields } from "./objects/instances.ts";
import { fieldTaint, member } from "./objects/members.ts";
import type { Frame, Run } from "./run.ts";
import { allTaint, anyElement, cleaned, elementAt, tainted, type Value } from "./value.ts";

/** Assigns the parts of a value: `const { a, ...rest } = values`, `first, *rest = values`. */
export function destructure(
  run: Run,
  frame: Frame,
  to: Extract<Expression, { kind: "collection" }>,
  value: Value,
  at: Expression,
): void {
  const spread = to.entries.findIndex((entry) => entry.spread);
  for (const [i, entry] of to.entries.entries()) {
    if (entry.spread) {
      assign(run, frame, entry.value, restOf(value, i, to.entries.length - i - 1), at);
      continue;
    }
    // `u, err := url.Parse(x)`: what u was made of.
    if (i === 0 && run.language === "go" && entry.value.kind === "variable" && at.kind === "assign" && !value.slots)
      frame.scope.noteOrigin(entry.value.name, at.from);
    const outcome = entry.value.kind === "assign" && entry.value.type === "error" ? entry.value.to : null;
    if (outcome?.kind === "variable" && at.kind === "assign") frame.scope.noteOrigin(outcome.name, asTest(at.from));
    // What stands behind the rest is counted from the end, which is where what is not known stands.
    const size = value.slots && !value.slots.rest ? value.slots.entries.size : 0;
    const position = spread >= 0 && i > spread && value.slots ? size + i - to.entries.length : i;
    const key =
      to.shape === "list" ? String(position) : entry.key ? evaluate(run, frame, entry.key).constants?.[0] : null;
    const part = partOf(run, frame, value, key, entry.key ?? entry, to.shape);
    const isLast = at.kind === "assign" && to.shape === "list" && takesLastPart(frame, at.from, i);
    assign(
      run,
      frame,
      entry.value,
      isLast ? cleaned(part, run.catalogue.bitsOf(["path_traversal"])) : part,
      at.kind === "assign" ? { ...at, start: entry.start, end: entry.end } : at,
    );
  }
}

/** `first, *rest = values`, `const { a, ...rest } = values`. */
function restOf(value: Value, before: number, after: number): Value {
  if (value.slots?.shape !== "list" || value.slots.rest || value.taint.length > 0)
    return tainted(anyElement(value).taint);
  const all = [...value.slots.entries.values()];
  return collect(
    "list",
    all.slice(before, all.length - after).map((element) => ({ key: null, value: element, spread: false })),
  );
}

/** What the last of several results tells about the others: whether the key was there, whether the call went well. */
const asTest = (from: Expression): Expression =>
  from.kind === "index" && from.key
    ? { start: from.start, end: from.end, kind: "operation", operator: "in", operands: [from.key, from.of] }
    : from;

/** Destructuring a map reads its fields, so sources and paths apply as they do for `a.b`. */
function partOf(
  run: Run,
  frame: Frame,
  value: Value,
  key: unknown,
  at: { start: number; end: number },
  shape: "list" | "map",
): Value {
  if (key === null || key === undefined) return anyElement(value);
  // The first of several results of something unknown is what it is about.
  if (shape === "list" && run.language === "go" && !value.slots)
    return key === "0"
      ? { ...value, taint: fieldTaint(run, value, value.taint, "0") }
      : { ...tainted(fieldTaint(run, value, value.taint, String(key))), paths: memberPaths(value, `[${key}]`) };
  // `connection, address = server.accept()`, `const [query] = useSearchParams()`: each result goes by its position.
  if (shape === "list" && /^(python|javascript|php)$/.test(run.language) && !value.slots)
    return {
      ...anyElement(value),
      taint: fieldTaint(run, value, allTaint(value), String(key)),
      paths: memberPaths(value, `[${key}]`),
    };
  if (shape === "list")
    return componentAt(run, frame, value, Number(key), at) ?? elementAt(value, String(key)) ?? anyElement(value);
  return member(run, frame, value, String(key), at);
}

/** As many as the slots of a value; the fields are gone through for each of them. */
const componentsMax = 64;

/** `case Line(Point from, Point to)`, `val (from, to) = line`: records come apart in the order in which they declare their fields. */
function componentAt(run: Run, frame: Frame, value: Value, index: number, at: Span): Value | null {
  if (!value.instance || value.slots?.shape === "list" || index >= componentsMax) return null;
  const field = declaredFields(value.instance)[index];
  return field ? member(run, frame, value, field.name, at) : null;
}
