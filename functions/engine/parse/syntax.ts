import type { Tree } from "web-tree-sitter";
import { noLimit, type TimeLimit } from "../time-limit.ts";

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

/** Copies a tree. The cursor and an explicit stack keep nesting from overflowing ours; the caller deletes the tree. @throws TimeUp */
export function copyTree(tree: Tree, limit: TimeLimit = noLimit()): Syntax {
  const cursor = tree.walk();
  try {
    const comments: Syntax["comments"] = [];
    const errors: Syntax["errors"] = [];
    const root = copyNode(null);
    const open: SyntaxNode[] = [root];
    let depth = 1;
    let descending = cursor.gotoFirstChild();
    while (descending || open.length > 1) {
      if (!descending) {
        cursor.gotoParent();
        open.pop();
        descending = cursor.gotoNextSibling();
        continue;
      }
      const node = visit();
      if (node && cursor.gotoFirstChild()) {
        open.push(node);
        depth = Math.max(depth, open.length);
      } else descending = cursor.gotoNextSibling();
    }
    return { root, comments, errors, depth };

    // Each question to the cursor goes into the parser's memory and back: no more of them than needed.
    function copyNode(field: string | null): SyntaxNode {
      return { type: cursor.nodeType, field, start: cursor.startIndex, end: cursor.endIndex, children: [] };
    }
    function visit(): SyntaxNode | null {
      limit.check();
      const field = cursor.currentFieldName;
      if (field === null && !cursor.nodeIsNamed) return null;
      const node = copyNode(field);
      if (isComment(node.type)) {
        comments.push({ start: node.start, end: node.end });
        return null;
      }
      // What is missing takes no room.
      if (node.type === "ERROR" || (node.start === node.end && cursor.nodeIsMissing))
        errors.push({ start: node.start, end: node.end });
      (open[open.length - 1] as SyntaxNode).children.push(node);
      return node;
    }
  } finally {
    cursor.delete();
  }
}

/** The first child in a field. */
export const childIn = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((child) => child.field === field);

export const childrenIn = (node: SyntaxNode, field: string): SyntaxNode[] =>
  node.children.filter((child) => child.field === field);

export const childOf = (node: SyntaxNode, type: string): SyntaxNode | undefined =>
  node.children.find((child) => child.type === type);
