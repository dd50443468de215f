import type { FunctionNode, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import type { Run } from "../run.ts";
import { cleaned, type Value } from "../value.ts";

const named = /esc(ape|$|_)|encode|entit|html|xml|sanit|quot/i;
const knownToEscape = new WeakMap<FunctionNode, boolean>();

/**
 * What a function gives that goes through text character by character and writes `&lt;` for one of them. How it puts the rest together, with
 * positions and pieces, is too much to follow; what replaces by pattern is understood by its pattern.
 */
export function escaped(run: Run, fn: FunctionNode, given: Value): Value {
  if (given.taint.length === 0 || !named.test(fn.name)) return given;
  return escapes(fn) ? cleaned(given, run.catalogue.bitsOf(["xss"])) : given;
}

function escapes(fn: FunctionNode): boolean {
  const known = knownToEscape.get(fn);
  if (known !== undefined) return known;
  const written = { "&lt;": false, "&amp;": false, "&quot;": false };
  walk(fn.body, (node) => {
    if (!("kind" in node) || (node.kind !== "loop" && node.kind !== "switch")) return;
    walk(insideOf(node), (inner) => {
      if ("kind" in inner && inner.kind === "literal" && Object.hasOwn(written, String(inner.value)))
        written[inner.value as keyof typeof written] = true;
    });
  });
  const found = written["&lt;"] && (written["&amp;"] || written["&quot;"]) && !replaces(fn);
  knownToEscape.set(fn, found);
  return found;
}

const insideOf = (node: Extract<Statement, { kind: "loop" | "switch" }>): readonly Statement[] =>
  node.kind === "loop" ? node.body : node.cases.flatMap(({ body }) => body);

function replaces(fn: FunctionNode): boolean {
  let found = false;
  walk(fn.body, (node) => {
    found ||=
      "kind" in node && node.kind === "call" && node.callee.kind === "field" && /^replace/.test(node.callee.name);
  });
  return found;
}
