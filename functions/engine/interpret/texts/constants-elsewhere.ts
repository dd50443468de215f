import { lastName } from "../../ir/called-name.ts";
import type { Expression } from "../../ir/ir.ts";
import { targetOf } from "../calls/handover.ts";
import { evaluate } from "../evaluate.ts";
import type { Passage } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { type Use, usedPattern } from "./patterns.ts";

/** What a pattern does that is a constant of another file: linking knows it, see link/constant-records.ts. Null for what is no name. */
export function byConstant(
  run: Run,
  frame: Frame,
  pattern: Expression,
  use: Use,
  check: Passage["check"],
): Passage | null {
  const [text] = pattern.kind === "call" && compiles.test(lastName(pattern.callee)) ? pattern.args : [];
  const named = text?.value ?? pattern;
  return isNamed.has(named.kind) ? byNamed(run, frame, evaluate(run, frame, named), use, check) : null;
}

/** How a text is made a pattern. */
const compiles = /^(compile|MustCompile|RegExp|Regex)$/;

const isNamed: ReadonlySet<Expression["kind"]> = new Set(["variable", "field"]);

/** The same of a value that is known by its name only. */
export function byNamed(run: Run, frame: Frame, pattern: Value, use: Use, check: Passage["check"]): Passage | null {
  if (pattern.paths.length === 0 || pattern.taint.length > 0) return null;
  const target = targetOf(
    run,
    frame,
    pattern.paths.map((path) => usedPattern(path, use)),
  );
  return target === null ? null : { target, argument: 0, check, trusted: false };
}
