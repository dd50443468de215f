import { childIn, type SyntaxNode } from "../parse/syntax.ts";
import type { Bindings } from "./bindings.ts";
import { waysMax } from "./match-budget.ts";
import type { Matcher } from "./matcher.ts";
import type { PatternChild, PatternNode } from "./pattern.ts";

/** Order means nothing in these. */
export const unordered = new Set([
  "object",
  "dictionary",
  "modifiers",
  "annotation_argument_list",
  "decorated_definition",
  "literal_value",
  "object_pattern",
  "named_imports",
  "type_list",
  "class_interface_clause",
]);

/** In these the pattern says what must be there, and more may be. */
export const partial = new Set([
  "modifiers",
  "decorated_definition",
  "object",
  "object_pattern",
  "named_imports",
  "type_list",
  "class_interface_clause",
]);

/**
 * Children in any order.
 * @param isPartial whether the node may have more than the pattern names, as it may wherever the pattern has an ellipsis
 */
export function inAnyOrder(
  matcher: Matcher,
  patterns: readonly PatternChild[],
  nodes: readonly SyntaxNode[],
  bindings: Bindings,
  isPartial = false,
): Bindings[] {
  const wanted = patterns.filter(({ pattern }) => pattern.kind !== "rest");
  const rest = patterns.find(({ pattern }) => pattern.kind === "rest");
  const open = rest !== undefined || isPartial;
  if (wanted.length > nodes.length || (!open && wanted.length < nodes.length)) return [];
  const [first, ...others] = wanted;
  if (!first) return [bindings];
  const remaining = rest ? [...others, rest] : others;
  const found: Bindings[] = [];
  for (const node of nodes) {
    const left = nodes.filter((other) => other !== node);
    for (const one of matcher.node(first.pattern, node, bindings)) {
      found.push(...inAnyOrder(matcher, remaining, left, one, isPartial));
      if (found.length >= waysMax) return found;
    }
  }
  return found;
}

/** What is imported must be what is asked for, and more may be imported beside it. */
export function importsOf(matcher: Matcher, pattern: PatternNode, node: SyntaxNode, bindings: Bindings): Bindings[] {
  const names = (nodes: readonly SyntaxNode[]) =>
    nodes.flatMap((child) => (child.type === "import_spec_list" ? child.children : [unaliased(child)]));
  const unaliased = (child: SyntaxNode) =>
    (child.type === "aliased_import" && !pattern.children.some(isAliased) && childIn(child, "name")) || child;
  const [module, ...others] = pattern.children;
  const from = childIn(node, "module_name");
  if (!from || !module) return inAnyOrder(matcher, [...pattern.children, anything], names(node.children), bindings);
  return matcher
    .node(module.pattern, from, bindings)
    .flatMap((known) =>
      inAnyOrder(matcher, [...others, anything], names(node.children.filter((child) => child !== from)), known),
    );
}

const anything: PatternChild = { field: null, pattern: { kind: "rest", name: "" } };

const isAliased = ({ pattern }: PatternChild): boolean => pattern.kind === "node" && pattern.type === "aliased_import";
