import type { Call } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { equal } from "./equality.ts";
import { membership, oneOf, refine } from "./guards.ts";
import { noStepTest, parentTest } from "./path-tests.ts";
import { unchangedTest } from "./pattern-tests.ts";

/** Comparisons that Java and C# write as calls. */
export function equalsCall(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  equalsTest(run, frame, call, outcome);
  if (run.language !== "java") return;
  if (outcome) equalsAnyTest(run, frame, call);
  truthTest(run, frame, call, outcome);
}

/** `Boolean.FALSE.equals(known)`, `BooleanUtils.isNotTrue(known)`: objects that are true, false or null are asked like this. */
function truthTest(run: Run, frame: Frame, { callee, args }: Call, outcome: boolean): void {
  const [asked] = args;
  if (!asked || args.length > 1 || callee.kind !== "field") return;
  const wanted = truths.get(`${accessPath(callee.of)?.replace(/^.*\b(?=Boolean)/, "")}.${callee.name}`);
  if (wanted !== undefined) refine(run, frame, asked.value, wanted === outcome);
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ["Boolean.TRUE.equals", true],
  ["Boolean.FALSE.equals", false],
  ["BooleanUtils.isTrue", true],
  ["BooleanUtils.isNotFalse", true],
  ["BooleanUtils.isFalse", false],
  ["BooleanUtils.isNotTrue", false],
]);

/** `StringUtils.equalsAny(x, "a", "b")`, or with an array of them: x is one of those. */
function equalsAnyTest(run: Run, frame: Frame, { callee, args }: Call): void {
  if (callee.kind !== "field" || !/^equalsAny(IgnoreCase)?$/.test(callee.name)) return;
  const [first, ...others] = args.map(({ value }) => value);
  const [only] = others;
  if (!first || !only) return;
  if (others.length > 1 || only.kind === "literal") oneOf(run, frame, first, others);
  else membership(run, frame, first, only);
}

/** `"png".equals(x)`, `Objects.equals(x, "png")`, `x.Equals("png", StringComparison.Ordinal)`: x is that text. */
function equalsTest(run: Run, frame: Frame, { callee, args }: Call, outcome: boolean): void {
  if (callee.kind !== "field" || !/^([eE]quals|contentEquals|equalsIgnoreCase)$/.test(callee.name)) return;
  const isStatic =
    run.language === "csharp"
      ? callee.of.kind === "variable" && /^([sS]tring|[oO]bject)$/.test(callee.of.name)
      : args.length === 2;
  const [left, right] = isStatic ? [args[0]?.value, args[1]?.value] : [callee.of, args[0]?.value];
  if (!left || !right) return;
  if (!outcome) {
    noStepTest(run, frame, left, right);
    noStepTest(run, frame, right, left);
    return;
  }
  equal(run, frame, left, right);
  equal(run, frame, right, left);
  unchangedTest(run, frame, left, right);
  unchangedTest(run, frame, right, left);
  parentTest(run, frame, left, right);
  parentTest(run, frame, right, left);
}
