import type { SyntaxNode } from "../parse/syntax.ts";
import { isBody } from "./file-under-match.ts";
import type { Budget } from "./match-budget.ts";
import { holdsStatements } from "./syntax-forms.ts";

/** The statements of a file with all inside of them: after an ellipsis the next one may lie anywhere below. */
export class NestedStatements {
  readonly #budget: Budget;
  readonly #known = new Map<SyntaxNode, SyntaxNode[]>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** @throws MatchBudgetExhausted, TimeUp */
  of(nodes: readonly SyntaxNode[]): SyntaxNode[] {
    const all = nodes.flatMap((node) => {
      const known = this.#known.get(node) ?? nestedStatements(node);
      this.#known.set(node, known);
      return known;
    });
    this.#budget.charge(all.length >> 6);
    return all;
  }
}

/** A statement and those inside of it, functions that it makes or hands on included, in source order. */
function nestedStatements(statement: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const open = [{ node: statement, listed: true }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, listed } = next;
    if (listed) found.push(node);
    const isList = holdsStatements(node.type) || /case|group|clause/.test(node.type);
    for (let i = node.children.length - 1; i >= 0; i--) {
      const child = node.children[i] as SyntaxNode;
      open.push({ node: child, listed: isList || /statement$/.test(child.type) || isBody(child) });
    }
  }
  return found;
}
