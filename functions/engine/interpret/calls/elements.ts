import { memberPaths } from "../names.ts";
import type { Run } from "../run.ts";
import { nothing, type Value } from "../value.ts";
import { isOfProject } from "./handover.ts";

/** `steps.forEach((step) => step(order))`: what lies in a list of another file of JavaScript is known by that. */
export function asElementOf({ language }: Run, { paths }: Value, element: Value): Value {
  const elsewhere = language === "javascript" ? paths.filter((path) => isOfProject.test(path)) : [];
  if (elsewhere.length === 0) return element;
  return { ...element, paths: [...element.paths, ...memberPaths({ ...nothing, paths: elsewhere }, "[]")] };
}
