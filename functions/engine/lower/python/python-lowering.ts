import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { isAnnotated } from "./annotations.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** Python 3, and the parts of Python 2 that the grammar still reads. */
export class PythonLowering extends Lowering {
  /** What the file calls a type together with its metadata: `Caller = Annotated[User, Depends(caller)]`. */
  readonly #annotated = new Map<string, SyntaxNode>();

  /** Names that the function being lowered assigns for others: `global x`, `nonlocal x`. */
  namesAround = new Set<string>();

  /** Lowers what stands in a function. */
  inFunction(body: () => Statement[]): Statement[] {
    const outer = this.namesAround;
    this.namesAround = new Set();
    const lowered = body();
    this.namesAround = outer;
    return lowered;
  }

  /** Whether an assignment makes a variable of the function itself. */
  isOwn = (to: Expression): boolean => to.kind !== "variable" || !this.namesAround.has(to.name);

  protected override program(root: SyntaxNode): Statement[] {
    for (const statement of root.children) {
      const assignment = statement.type === "expression_statement" ? statement.children[0] : undefined;
      const name = assignment?.type === "assignment" ? childIn(assignment, "left") : undefined;
      const type = assignment && childIn(assignment, "right");
      if (name && type && isAnnotated(this.textOf(type))) this.#annotated.set(this.textOf(name), type);
    }
    return this.statements(root.children);
  }

  /** The type that an annotation means. */
  written(type: SyntaxNode | undefined): SyntaxNode | undefined {
    return type && (this.#annotated.get(this.textOf(type)) ?? type);
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
