import type { Expression, Statement } from "../../ir/ir.ts";
import { append } from "../../multimap.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";
import { fieldNamesOf, methodsAlone, receiverTypeOf } from "./types.ts";

/** Go up to 1.25, generics included. */
export class GoLowering extends Lowering {
  /** Methods stand apart from their types; they are gathered before anything is lowered. */
  readonly methods = new Map<string, SyntaxNode[]>();
  /** Types that the file declares: the names of a struct's fields in order, null for types of another kind. */
  readonly declared = new Map<string, readonly string[] | null>();
  /** Names of the results of the functions being lowered, for returns that do not say what they give. */
  readonly results: string[][] = [];

  protected override program(root: SyntaxNode): Statement[] {
    for (const node of root.children) {
      if (node.type === "method_declaration") {
        const type = receiverTypeOf(this, node);
        append(this.methods, type, node);
      }
      if (node.type === "type_declaration")
        for (const spec of node.children)
          this.declared.set(this.textOf(childIn(spec, "name") ?? spec), fieldNamesOf(this, childIn(spec, "type")));
    }
    const body = this.statements(root.children);
    const alone = [...this.methods].filter(([type]) => !this.declared.has(type));
    const classes = alone.map(([type, methods]) => methodsAlone(this, type, methods));
    // Types and imports first: Go lets a file use them before they stand.
    const first = (statement: Statement) => statement.kind === "import" || statement.kind === "class";
    return [...body.filter(first), ...classes, ...body.filter((statement) => !first(statement))];
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
