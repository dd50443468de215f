import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** Python 3, and the parts of Python 2 that the grammar still reads. */
export class PythonLowering extends Lowering {
  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
