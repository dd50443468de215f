import type { Expression, FunctionNode, Parameter } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import { cleaned, type Value } from "../value.ts";
import { takenPath } from "./page-places.ts";

/** By this name goes text that has no slash, until something is made of it. */
export const noSlash = takenPath("/");

/** `@app.get("/labels/{name}")`, `@app.route("/labels/<string:name>")`: what a router gives is what stands between two slashes. */
export function isOneSegment({ language }: Run, { decorators }: FunctionNode, { name }: Parameter): boolean {
  if (language !== "python") return false;
  const routes = decorators.map(routeOf).filter((route) => named(route).includes(name));
  return routes.length > 0 && routes.every((route) => plain(route).includes(name));
}

function routeOf(decorator: Expression): string {
  const path = decorator.kind === "call" ? decorator.args[0]?.value : undefined;
  return path?.kind === "literal" && typeof path.value === "string" ? path.value : "";
}

const named = (route: string): readonly string[] =>
  [...route.matchAll(/[<{][^<>{}]*[>}]/g)].flatMap(([placeholder]) => placeholder.match(/\w+/g) ?? []);

/** Placeholders without a converter, or with that for text, which is the same. */
const plain = (route: string): readonly (string | undefined)[] =>
  [...route.matchAll(/<(?:string:|str:)?(\w+)>|\{(\w+)(?::str)?\}/g)].map(([, angled, braced]) => angled ?? braced);

/** `f"{name}.json"`, `"label-" + name`: with more beside it in the name of a file, text without a slash is no step upwards either. */
export function withinSegments(run: Run, parts: readonly Value[]): readonly Value[] {
  if (!parts.some(isSlashless)) return parts;
  const families = run.catalogue.bitsOf(["path_traversal", "file_inclusion"]);
  return parts.map((part, i) =>
    isSlashless(part) && (ends.test(textOf(parts[i - 1])) || begins.test(textOf(parts[i + 1])))
      ? cleaned(part, families)
      : part,
  );
}

const isSlashless = ({ paths }: Value): boolean => paths.includes(noSlash);

const textOf = (part: Value | undefined): string => (part?.constants?.length === 1 ? String(part.constants[0]) : "");

/** More than dots, with no slash between. */
const ends = /[^./\\][^/\\]*$/;
const begins = /^[^/\\]*[^./\\]/;
