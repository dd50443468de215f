import type { Operation } from "../ir/ir.ts";
import { check } from "./check.ts";
import type { Frame, Run } from "./run.ts";
import type { Value } from "./value.ts";

/** What models and rules call a comparison, whose sides are its arguments. */
const comparison = "<comparison>";

const equalities: ReadonlySet<string> = new Set(["==", "!=", "===", "!=="]);

/** Comparing for equality is asked about like a call, where a side comes from somewhere. */
export function checkComparison(run: Run, frame: Frame, e: Operation, values: readonly Value[]): void {
  if (!equalities.has(e.operator) || values.every(({ taint }) => taint.length === 0)) return;
  check(run, frame, run.knowledge.calls.find(comparison).checks, {
    positional: values,
    named: new Map(),
    receiver: null,
    receiverPaths: [],
    at: e,
    name: e,
  });
}
