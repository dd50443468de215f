import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { withDecorators } from "./compiled-decorators.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** JavaScript, TypeScript and JSX: the grammars differ only in what they add. */
export class JavaScriptLowering extends Lowering {
  protected override program(root: SyntaxNode): Statement[] {
    return withDecorators(super.program(root));
  }
  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
