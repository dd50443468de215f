import type { Expression, Span, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** C# up to 13. Names stand without their namespace, as nearly all code writes them. */
export class CSharpLowering extends Lowering {
  /** What `?.` and `?[` further inside are asked of. */
  readonly asked: Expression[] = [];

  /** `@class` is a variable that is called like a word of the language. */
  override variable(node: Span, name = this.textOf(node)): Expression {
    return super.variable(node, name.replace(/^@/, ""));
  }

  protected override program(root: SyntaxNode): Statement[] {
    const body = this.statements(root.children);
    // Types first: statements of the top level may use them before they stand.
    const first = (statement: Statement) => statement.kind === "import" || statement.kind === "class";
    return [...body.filter(first), ...body.filter((statement) => !first(statement))];
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
