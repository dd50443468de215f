import type { Entry, Expression } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** `list(, $b)` and `["k" => $v]` on the left: the tree has no commas and arrows, so they are looked for between the parts. */
export function destructured(l: PhpLowering, node: SyntaxNode): Expression {
  const entries: Entry[] = [];
  let position = 0;
  let from = node.start;
  let key: SyntaxNode | null = null;
  let isMap = false;
  for (const [i, child] of node.children.entries()) {
    const between = l.text.slice(from, child.start);
    if (!between.includes("=>")) {
      const commas = between.split(",").length - 1;
      position += commas;
      key = null;
    }
    from = child.end;
    const next = node.children[i + 1];
    if (next && l.text.slice(child.end, next.start).includes("=>")) {
      key = child;
      isMap = true;
      continue;
    }
    const at: Expression = key ? l.expression(key) : l.literal(child, position);
    entries.push({ ...span(child), key: at, value: l.expression(child), spread: false });
  }
  if (isMap) return { ...span(node), kind: "collection", shape: "map", entries };
  // Positions count in a list, so holes need something to stand for them.
  const full: Entry[] = [];
  for (const entry of entries) {
    const wanted = entry.key?.kind === "literal" ? Number(entry.key.value) : full.length;
    while (full.length < wanted)
      full.push({ ...span(node), key: null, value: { ...span(node), kind: "unknown", reads: [] }, spread: false });
    full.push({ ...entry, key: null });
  }
  return { ...span(node), kind: "collection", shape: "list", entries: full };
}
