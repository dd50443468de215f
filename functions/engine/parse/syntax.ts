import { noLimit, type TimeLimit } from "../time-limit.ts";
import type { TreeWalk } from "./tree-walk.ts";

/** A node of the concrete syntax, copied out of the parser's memory so that the tree can be freed at once. */
export interface SyntaxNode {
  readonly type: string;
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  /** Named children, and anonymous ones that fill a field (operators). Comments are kept apart. */
  readonly children: SyntaxNode[];
}

export interface Syntax {
  root: SyntaxNode;
  comments: { start: number; end: number }[];
  errors: { start: number; end: number }[];
  depth: number;
}

const isComment = (type: string) => type === "comment" || type === "line_comment" || type === "block_comment";

/** Copies a tree. The walk and an explicit stack keep nesting from overflowing ours; the caller closes the walk and deletes the tree. @throws TimeUp */
export function copyTree(walk: TreeWalk, limit: TimeLimit = noLimit()): Syntax {
  const comments: Syntax["comments"] = [];
  const errors: Syntax["errors"] = [];
  const root = copyNode(null);
  const open: SyntaxNode[] = [root];
  let depth = 1;
  let descending = walk.toFirstChild();
  while (descending || open.length > 1) {
    if (!descending) {
      walk.toParent();
      open.pop();
      descending = walk.toNextSibling();
      continue;
    }
    const node = visit();
    if (node && walk.toFirstChild()) {
      open.push(node);
      depth = Math.max(depth, open.length);
    } else descending = walk.toNextSibling();
  }
  return { root, comments, errors, depth };

  // Each question goes into the parser's memory and back: no more of them than needed.
  function copyNode(field: string | null): SyntaxNode {
    return { type: walk.type, field, start: walk.start, end: walk.end, children: [] };
  }
  function visit(): SyntaxNode | null {
    limit.check();
    const { field } = walk;
    if (field === null && !walk.isNamed) return null;
    const node = copyNode(field);
    if (isComment(node.type)) {
      comments.push({ start: node.start, end: node.end });
      return null;
    }
    // What is missing takes no room.
    if (node.type === "ERROR" || (node.start === node.end && walk.isMissing))
      errors.push({ start: node.start, end: node.end });
    (open[open.length - 1] as SyntaxNode).children.push(node);
    return node;
  }
}

/** The first child in a field. */
export const childIn = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((child) => child.field === field);

export const childrenIn = (node: SyntaxNode, field: string): SyntaxNode[] =>
  node.children.filter((child) => child.field === field);

export const childOf = (node: SyntaxNode, type: string): SyntaxNode | undefined =>
  node.children.find((child) => child.type === type);
