import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { withDecorators } from "./compiled-decorators.ts";
import { expressions } from "./expressions.ts";
import { mayHaveClasses, withClasses } from "./prototypes.ts";
import { statements } from "./statements.ts";

/** JavaScript, TypeScript and JSX: the grammars differ only in what they add. */
export class JavaScriptLowering extends Lowering {
  readonly #mayHaveClasses: boolean;

  constructor(text: string) {
    super(text);
    this.#mayHaveClasses = mayHaveClasses(text);
  }

  override statements(nodes: readonly SyntaxNode[]): Statement[] {
    const all = super.statements(nodes);
    return this.#mayHaveClasses ? withClasses(all) : all;
  }

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
