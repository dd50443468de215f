import { normalised } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, constant, type Value } from "../value.ts";
import { comparedWith, refusedOfElements } from "./element-tests.ts";
import { isSlash } from "./last-parts.ts";
import { childOfParent, dividedPath, isWay, nameOfExtension } from "./path-parts.ts";
import { below, change } from "./refined.ts";

/** What lies right in a folder that nobody outside has chosen; one that a helper is given keeps what it has itself. */
export function parentTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  const child = childOfParent(left);
  if (child && allTaint(evaluate(run, frame, right)).every(({ source }) => source.parameter !== null))
    change(run, frame, child, below(run));
}

/** `path.relative(root, path)` is empty: the path is the folder itself. */
export function noWayTest(run: Run, frame: Frame, way: Expression): void {
  if (isWay(frame, way)) change(run, frame, way, below(run));
}

/** `path === root`, both of which a helper is given: the path is the folder itself, which helpers ask beside what lies below it. */
export function folderTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (accessPath(left) === null || accessPath(right) === null) return;
  const isGiven = (side: Expression): boolean => {
    const { taint } = evaluate(run, frame, side);
    return taint.length > 0 && taint.every(({ source }) => source.parameter !== null);
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
  const asked = evaluate(run, frame, needle);
  if (meansDots(asked) || (meansStep(asked) && isShort(run, frame, operand))) climbsNowhere(run, frame, operand);
  else if (meansQuote(asked)) staysQuoted(run, frame, operand);
  else if (forbidsFolders(asked, needle)) climbsNowhere(run, frame, operand);
  else if (meansLineEnd(asked))
    change(run, frame, operand, run.catalogue.bitsOf(["header_injection", "log_injection"]));
  else noStepTest(run, frame, needle, operand);
}

/** `f.IndexOfAny(Path.GetInvalidFileNameChars())`, `f.includes(path.sep)`: where there is no slash the whole is a name. */
const forbidsFolders = ({ constants }: Value, needle: Expression): boolean =>
  (constants?.length === 1 && constants[0] === "/") ||
  (needle.kind === "field" && isSlash(needle)) ||
  (needle.kind === "call" && calledName(needle) === "GetInvalidFileNameChars");

/** `for (const part of path.split("/")) if (part === "..") return;`: the part that goes on does not climb. */
export function noStepTest(run: Run, frame: Frame, part: Expression, steps: Expression): void {
  if (asksStep(run, frame, part, steps)) change(run, frame, part, run.catalogue.bitsOf(["path_traversal"]));
}

/** Whether it is asked if a part of a path is a step upwards. What it is then is known, and still no reason to go on. */
export function asksStep(run: Run, frame: Frame, part: Expression, steps: Expression): boolean {
  if (part.kind !== "variable") return false;
  const from = frame.scope.binding(part.name)?.origins.get(part.name);
  if (from?.kind !== "index" || from.key !== null || !dividedPath(run, frame, from.of)) return false;
  return hasDots(evaluate(run, frame, steps));
}

/** Text that lacks one of them ends no line the way that headers and logs do. */
const meansLineEnd = ({ constants }: Value): boolean =>
  constants?.length === 1 && (constants[0] === "\n" || constants[0] === "\r");

/** In its shortest form a path climbs by steps that are written out: `StringUtils.cleanPath(path).contains("../")`. */
const meansStep = ({ constants }: Value): boolean => constants?.length === 1 && constants[0] === "../";

function isShort(run: Run, frame: Frame, operand: Expression): boolean {
  const { taint } = evaluate(run, frame, operand);
  return taint.length > 0 && taint.every(({ clean }) => (clean & normalised) !== 0);
}

const meansQuote = ({ constants }: Value): boolean =>
  constants?.length === 1 && (constants[0] === "'" || constants[0] === '"');

/** Text without quotes does not end the text of XPath that it is put in; `"'" in code[1:-1]` asks whether code is more than one text. */
function staysQuoted(run: Run, frame: Frame, operand: Expression): void {
  const callee = operand.kind === "call" && operand.args.length === 2 ? operand.callee : null;
  if (callee?.kind === "field" && callee.name === "slice")
    change(run, frame, callee.of, run.catalogue.bitsOf(["code_injection"]));
  else change(run, frame, operand, run.catalogue.bitsOf(["xpath_injection"]));
}

const lastNames = /^(base_?name|Base|secure_filename)$/i;

/** `os.path.basename(name) == name`, `Path(name).name == name`: a name without any folder before it. */
export function nameTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  const named = accessPath(right);
  if (named === null) return;
  const call = left.kind === "field" && left.name === "name" ? left.of : left;
  if (call.kind !== "call" || call.args.length !== 1) return;
  const isName =
    call === left ? lastNames.test(calledName(call)) : /^Pure(Posix|Windows)?Path$|^Path$/.test(calledName(call));
  const of = call.args[0]?.value;
  if (isName && of && accessPath(of) === named) climbsNowhere(run, frame, right);
}

/** `any(part == ".." for part in path.parts)`, `parts.some((part) => part === "..")` does not hold: no part climbs. */
export function noPartTest(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const asked = refusedOfElements(call, outcome);
  const isDots = (text: Expression): boolean => hasDots(evaluate(run, frame, text));
  if (asked?.tests.some((test) => comparedWith(test, asked.name).some(isDots))) climbsNowhere(run, frame, asked.of);
}

/** `path.split("/")[0] !== ".."`: in its shortest form a path has its steps upwards at the beginning. */
export function firstPartTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (left.kind !== "index" || left.key?.kind !== "literal" || left.key.value !== 0) return;
  const whole = dividedPath(run, frame, left.of);
  if (whole && meansDots(evaluate(run, frame, right))) change(run, frame, whole, below(run));
}

/** Two dots, or a list with them. */
const hasDots = (value: Value): boolean => [value, ...(value.slots?.entries.values() ?? [])].some(meansDots);

const meansDots = ({ constants }: Value): boolean => constants?.length === 1 && constants[0] === "..";

/** None of the parts is two dots, and the whole has none. */
export function climbsNowhere(run: Run, frame: Frame, parts: Expression): void {
  const whole = dividedPath(run, frame, parts);
  const climbing = run.catalogue.bitsOf(["path_traversal"]);
  if (whole) change(run, frame, whole, climbing);
  if (!whole || parts.kind === "variable") change(run, frame, parts, climbing);
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
  // Most comparisons are with something that is written there.
  const written = sides.find(({ kind }) => kind === "literal");
  if ((written ? [written] : sides).some((side) => textsOf(run, frame, side).some(isDocumentExtension)))
    frame.scope.set("@upload-checked", constant(true));
}

function textsOf(run: Run, frame: Frame, side: Expression): readonly string[] {
  const { constants, slots } =
    side.kind === "literal" ? { constants: [side.value], slots: null } : evaluate(run, frame, side);
  const all = slots ? [...slots.entries.values()].flatMap((entry) => entry.constants ?? []) : (constants ?? []);
  return all.filter((each) => typeof each === "string");
}

const isDocumentExtension = remembered((text) =>
  /^\.?(jpe?g|png|gif|webp|bmp|svg|pdf|docx?|xlsx?|csv|txt|zip|mp[34])$/i.test(text),
);
