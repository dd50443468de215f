import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import type { Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { isOfAttacker } from "./allow-lists.ts";
import { change } from "./refined.ts";

/** The key that leads from any object to what all objects inherit; `constructor` takes one level more than is written. */
const inherited = "__proto__";

/** `key !== "__proto__"`, `!forbidden.has(key)`, `!path.includes("__proto__")`: the key stays within the object. */
export function noPrototypeTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (run.language !== "javascript") return;
  const families = run.catalogue.bitsOf(["prototype_pollution"]);
  if (namesPrototype(evaluate(run, frame, right))) change(run, frame, left, families);
  else if (namesPrototype(evaluate(run, frame, left))) change(run, frame, right, families);
}

/** `Object.hasOwn(shelves, key)`: what an object has itself is not what all of them inherit, unless it was parsed with such a key. */
export function ownMemberTest(run: Run, frame: Frame, object: Expression, key: Expression): void {
  if (run.language === "javascript" && !isOfAttacker(run, frame, key, evaluate(run, frame, object)))
    change(run, frame, key, run.catalogue.bitsOf(["prototype_pollution"]));
}

/** What the name of a member is clean for: `__proto__` is one of every object of JavaScript. */
export const harmlessNames = ({ language, catalogue }: Run): Families =>
  language === "javascript"
    ? allFamilies & ~catalogue.bitsOf(["prototype_pollution", "normalised", "escaped"])
    : allFamilies;

/** What is found in a list is harmless, except that a list of forbidden keys has `__proto__` in it. */
export const cleanWithin = (run: Run, frame: Frame, list: Expression): Families =>
  run.language === "javascript" && namesPrototype(evaluate(run, frame, list)) ? harmlessNames(run) : allFamilies;

/** That very text, a list or set with it, or a pattern that finds it. */
function namesPrototype({ constants, slots }: Value): boolean {
  if (constants?.length === 1) return String(constants[0]).includes(inherited);
  if (slots?.shape !== "list") return false;
  for (const entry of slots.entries.values()) if (entry.constants?.[0] === inherited) return true;
  return false;
}

/** `Object.create(null)` has no prototype, so no key leads to one. */
export const hasNoPrototype = ({ paths }: Value): boolean => paths.includes("Object.create()");
