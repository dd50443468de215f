import type { Call, Expression } from "../ir/ir.ts";
import { evaluate } from "./evaluate.ts";
import { accessPath } from "./names.ts";
import { childOfParent, nameOfExtension } from "./path-parts.ts";
import { below, change } from "./refined.ts";
import type { Frame, Run } from "./run.ts";
import { allTaint, constant } from "./value.ts";

/** What lies right in a folder that nobody outside has chosen. */
export function parentTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  const child = childOfParent(left);
  if (child && allTaint(evaluate(run, frame, right)).length === 0) change(run, frame, child, below(run));
}

/** `path === root`, both of which a helper is given: the path is the folder itself, which helpers ask beside what lies below it. */
export function folderTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  const isGiven = (side: Expression): boolean => {
    const { taint } = evaluate(run, frame, side);
    return accessPath(side) !== null && taint.length > 0 && taint.every(({ source }) => source.parameter !== null);
  };
  if (!isGiven(left) || !isGiven(right)) return;
  for (const side of [left, right]) change(run, frame, side, below(run));
}

/** `path.indexOf(root) === 0` and `path.slice(0, root.length) === root` are older spellings of `startsWith`. */
export function prefixTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (left.kind !== "call" || left.callee.kind !== "field") return;
  const { callee, args } = left;
  const asked =
    callee.name === "indexOf" || callee.name === "lastIndexOf"
      ? right
      : /^(substr|substring|slice)$/.test(callee.name) && args.length === 2
        ? args[0]?.value
        : undefined;
  if (asked && evaluate(run, frame, asked).constants?.[0] === 0) change(run, frame, callee.of, below(run));
}

/** `if ".." in path: return` leaves a path that cannot climb. */
export function absence(run: Run, frame: Frame, needle: Expression, operand: Expression): void {
  const text = evaluate(run, frame, needle).constants;
  if (text?.length !== 1 || text[0] !== "..") return;
  // `".." in path.split("/")`
  const { callee }: Partial<Call> = operand.kind === "call" ? operand : {};
  const whole = callee?.kind === "field" && callee.name === "split" ? callee.of : operand;
  change(run, frame, whole, run.catalogue.bitsOf(["path_traversal"]));
}

/** The extension is one of those wanted: the name may still lead anywhere, but not to a script. */
export function knownExtension(run: Run, frame: Frame, extension: Expression): void {
  const name = nameOfExtension(frame, extension);
  if (name) change(run, frame, name, run.catalogue.bitsOf(["unrestricted_upload"]));
}

/**
 * Whoever compares something with the extensions of pictures and documents decides by it, in however roundabout a way: many note an error
 * first and look at the errors later.
 */
export function noteExtensions(run: Run, frame: Frame, ...sides: readonly Expression[]): void {
  for (const side of sides) {
    const { constants, slots } = evaluate(run, frame, side);
    const texts = slots ? [...slots.entries.values()].flatMap((entry) => entry.constants ?? []) : (constants ?? []);
    if (texts.some((text) => typeof text === "string" && documentExtension.test(text)))
      frame.scope.set("@upload-checked", constant(true));
  }
}

const documentExtension = /^\.?(jpe?g|png|gif|webp|bmp|svg|pdf|docx?|xlsx?|csv|txt|zip|mp[34])$/i;
