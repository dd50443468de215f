import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** Java up to 21: records, switch expressions, text blocks, patterns. */
export class JavaLowering extends Lowering {
  /** Imports hold in the whole file; those of a page stand at its end. */
  protected override program(root: SyntaxNode): Statement[] {
    const isImport = ({ kind }: Statement) => kind === "import";
    const all = super.program(root);
    return [...all.filter(isImport), ...all.filter((statement) => !isImport(statement))];
  }
  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
