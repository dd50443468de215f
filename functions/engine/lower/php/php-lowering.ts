import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { Names } from "./names.ts";
import { statements } from "./statements.ts";

/**
 * PHP up to 8.4 with the HTML around it.
 * Variables and properties keep their `$`, because functions, constants and methods live in name spaces of their own;
 * `$this` is `this`. Class names are written out with their namespace: `App\Models\User`.
 */
export class PhpLowering extends Lowering {
  readonly names = new Names();

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
