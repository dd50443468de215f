import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** C up to C23 and C++ up to C++20. Macros are read as the names and calls they look like. */
export class CLowering extends Lowering {
  /** How the names of the function being lowered are declared, for what only the declaration tells. */
  declared = new Map<string, "pointer" | "array" | "value">();
  /** The function being lowered; null at the top of the file. */
  declaredIn: SyntaxNode | null = null;

  /** What macros and enumerations of the file stand for. */
  readonly constants = new Map<string, string | number>();
  /** Macros that look like calls, and whether nothing behind them is reached. */
  readonly leaving = new Map<string, boolean>();
  /** Macros that stand for one thing here and for another there. */
  readonly #redefined = new Set<string>();

  define(name: string, value: string | number): void {
    const known = this.constants.get(name);
    if (known !== undefined && known !== value) {
      this.#redefined.add(name);
      this.constants.delete(name);
    }
    if (!this.#redefined.has(name)) this.constants.set(name, value);
  }

  protected override program(root: SyntaxNode): Statement[] {
    return this.statement(root);
  }
  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
