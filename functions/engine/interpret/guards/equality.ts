import { allFamilies, type Families, normalised } from "../../catalogue/catalogue.ts";
import type { Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { constant, nothing, type Taint, type Value } from "../value.ts";
import { addressOfHost } from "./address-parts.ts";
import { changeAddress } from "./address-tests.ts";
import { asksStep, knownExtension, noWayTest } from "./path-tests.ts";
import { change, innermost, store } from "./refined.ts";
import { isOrigin, isScheme, isSender } from "./who-asks.ts";

/** `x === "a"`: x is that constant. What is null harms no sink, but it may be filled later. */
export function equal(run: Run, frame: Frame, operand: Expression, other: Expression): void {
  if (operand.kind === "literal" || asksStep(run, frame, operand, other)) return;
  const value = evaluate(run, frame, other);
  const [only] = value.constants ?? [];
  if (only === null && value.constants?.length === 1 && accessPath(operand) !== null)
    store(frame, operand, { ...evaluate(run, frame, operand), taint: [] });
  // Functions that escape leave what is no text alone.
  if (run.language === "php" && only === null && value.constants?.length === 1 && accessPath(operand) !== null)
    store(frame, operand, constant(null));
  if (value.constants?.every((c) => typeof c === "string")) {
    knownExtension(run, frame, operand);
    const folded = foldedText(operand);
    if (folded && accessPath(folded) !== null) change(run, frame, folded, allFamilies);
  }
  if (only === "" || only === ".") noWayTest(run, frame, operand);
  if (value.constants?.length === 1 && only !== null && only !== undefined) {
    if (operand.kind === "operation" && operand.operator === "typeof" && operand.operands[0]) {
      if (only === "number" || only === "boolean" || only === "bigint")
        change(run, frame, operand.operands[0], allFamilies);
      // Text brings no operators and no keys along.
      else if (only === "string")
        change(run, frame, operand.operands[0], run.catalogue.bitsOf(["nosql_injection", "mass_assignment"]));
    } else if (accessPath(operand) !== null) store(frame, operand, constant(only));
  } else if (value.constants?.every((c) => typeof c === "string") && value.constants.length > 1) {
    // The loop variable over a fixed list: equal to one of them.
    if (accessPath(operand) !== null) store(frame, operand, { ...nothing, constants: value.constants });
  } else {
    const compared = foldedText(operand) ?? operand;
    if (accessPath(compared) !== null) isThat(run, frame, compared, value);
  }
  if (isOrigin(operand) || isSender(frame, operand)) frame.scope.set("@origin-known", constant(true));
  if (isScheme(frame, operand)) frame.scope.set("@scheme-known", constant(true));
  const address = addressOfHost(frame, innermost(operand));
  const families = run.catalogue.bitsOf(["ssrf", "open_redirect"]);
  const harmless = typeof only === "string" || isOurs(value) ? families : families & cleanFor(value);
  if (address && harmless !== 0) changeAddress(run, frame, address, operand, harmless);
}

/** `typeof x !== "object"`: what is no object brings no operators along. */
export function noObjectTest(run: Run, frame: Frame, operand: Expression, other: Expression): void {
  if (operand.kind !== "operation" || operand.operator !== "typeof" || !operand.operands[0]) return;
  if (other.kind === "literal" && other.value === "object")
    change(run, frame, operand.operands[0], run.catalogue.bitsOf(["nosql_injection"]));
}

/** `strtolower(x) == "jpg"`: what is compared is x, but for its case and the white space around it. */
function foldedText(operand: Expression): Expression | undefined {
  if (operand.kind !== "call") return undefined;
  const { callee, args } = operand;
  if (callee.kind === "variable")
    return /^(mb_)?strto(lower|upper)$|^trim$/.test(callee.name) ? args[0]?.value : undefined;
  return callee.kind === "field" && /^(toLowerCase|toUpperCase|lower|upper|casefold|trim|strip)$/.test(callee.name)
    ? callee.of
    : undefined;
}

/** What all that taints a value is clean for: `Host` names the site that is asked, and leads nowhere else. */
const cleanFor = ({ taint, slots }: Value): Families =>
  slots || taint.length === 0 ? 0 : taint.reduce((families, { clean }) => families & clean, allFamilies);

/** `x === y`: where y comes from elsewhere than x, x comes from there. */
function isThat(run: Run, frame: Frame, operand: Expression, other: Value): void {
  if (
    other.constants !== null ||
    other.slots ||
    other.closures.length > 0 ||
    other.paths.length + other.taint.length === 0
  )
    return;
  const value = evaluate(run, frame, operand);
  if (value.taint.every((t) => other.taint.some((o) => o.source === t.source))) {
    isAsClean(run, frame, operand, cleanFor(other));
    return;
  }
  if (isListed(value, other)) {
    change(run, frame, operand, allFamilies);
    return;
  }
  // Equal to input, or to what callers may give as input, is not made of it: the cleaner of the two tells more.
  if (!other.taint.every(isOutside) && !value.taint.some(isInput)) return;
  // What a parameter is equal to is told to callers as what it is clean for.
  if (isOfOthers(other) && value.taint.every(({ source }) => source.parameter !== null)) {
    change(run, frame, operand, allFamilies);
    return;
  }
  store(frame, operand, { ...value, taint: other.taint });
}

/** `secure_filename(name) != name`: a text that cleaning leaves as it is is as harmless as what cleaning gives. */
function isAsClean(run: Run, frame: Frame, operand: Expression, clean: Families): void {
  const inShortForm = clean & normalised;
  if (inShortForm !== 0) change(run, frame, operand, inShortForm);
  if (clean !== inShortForm) change(run, frame, operand, clean === allFamilies ? clean : clean & ~normalised);
}

/** `f.Sort == safe`, where safe is one of `f.SortSafelist`: whoever fills the object says by that name what may be in its other fields. */
const isListed = (value: Value, other: Value): boolean =>
  other.taint.length > 0 &&
  other.taint.every(({ source: { parameter } }) => safelist.test(parameter?.field ?? "")) &&
  value.taint.every(({ source: { parameter } }) => parameter?.field !== undefined && !safelist.test(parameter.field));

const safelist =
  /(safe|allow(ed)?|permitted|white|valid|known|supported)_?(list|values|columns|fields|sorts?|names|keys)?$/i;

/** Whatever another file has, and no caller. */
const isOfOthers = ({ taint }: Value): boolean => taint.length > 0 && taint.every(isOutside);

const isOutside = ({ source }: Taint): boolean => source.outside !== null;

const isInput = ({ source }: Taint): boolean => source.parameter === null && source.outside === null;

/** A value that nobody outside has chosen: to be equal to it leaves no choice either. */
const isOurs = (value: Value): boolean =>
  value.constants === null &&
  value.paths.length > 0 &&
  !value.slots &&
  value.closures.length === 0 &&
  value.taint.length === 0;
