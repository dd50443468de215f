import type { SyntaxNode } from "../parse/syntax.ts";
import { type Bindings, noBindings } from "./bindings.ts";
import { waysMax } from "./match-budget.ts";
import type { Matcher } from "./matcher.ts";
import type { Pattern } from "./pattern.ts";

/** One way in which statements follow each other as a pattern says; `end` is where the last one ends. */
interface Sequence {
  readonly bindings: Bindings;
  readonly end: number;
}

/** All ways from one place of a list of statements on. */
export function sequencesFrom(
  matcher: Matcher,
  items: readonly Pattern[],
  nodes: readonly SyntaxNode[],
  from: number,
): Sequence[] {
  const blockEnd = (nodes.at(-1) as SyntaxNode).end;
  return follow(0, nodes, from, { bindings: noBindings, end: (nodes[from] as SyntaxNode).start });

  function follow(i: number, among: readonly SyntaxNode[], j: number, so: Sequence): Sequence[] {
    matcher.budget.charge();
    const item = items[i];
    if (!item) return [so];
    if (item.kind === "rest") return afterEllipsis(i, among, j, so);
    const node = among[j];
    return node ? taking(item, node, so).flatMap((next) => follow(i + 1, among, j + 1, next)) : [];
  }

  function afterEllipsis(i: number, among: readonly SyntaxNode[], j: number, so: Sequence): Sequence[] {
    const next = items[i + 1];
    if (!next) return [{ ...so, end: Math.max(so.end, blockEnd) }];
    const flat = matcher.nested.of(among.slice(j));
    const found: Sequence[] = [];
    for (const [at, node] of flat.entries()) {
      for (const one of taking(next, node, so)) found.push(...follow(i + 2, flat, at + 1, one));
      if (found.length >= waysMax) break;
    }
    return found;
  }

  function taking(item: Pattern, node: SyntaxNode, { bindings, end }: Sequence): Sequence[] {
    return matcher.node(item, node, bindings).map((next) => ({ bindings: next, end: Math.max(end, node.end) }));
  }
}
