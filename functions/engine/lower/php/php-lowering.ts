import type { ClassStatement, Expression, Span, Statement } from "../../ir/ir.ts";
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
  /** What the function that is being lowered reads off `$GLOBALS` and has no variable of its own for; null outside of functions. */
  globals: ReadonlySet<string> | null = null;
  /** What other names for the same stand for in that function, and where it is; see references.ts. */
  aliases = new Map<string, Expression>();
  around: Span | null = null;
  /** The names under which that function has what it was called with, the last of them all others. */
  given: readonly string[] = [];

  /** Classes are there before the first statement runs; one that extends another of the file comes after it. */
  protected override program(root: SyntaxNode): Statement[] {
    const all = this.statements(root.children);
    const classes = all.filter((statement) => statement.kind === "class");
    if (classes.length === 0) return all;
    const waiting = new Set(classes);
    const sorted: Statement[] = [];
    const place = (declared: ClassStatement) => {
      if (!waiting.delete(declared)) return;
      for (const base of declared.bases)
        for (const other of classes) if (base.kind === "variable" && base.name === other.name) place(other);
      sorted.push(declared);
    };
    for (const declared of classes) place(declared);
    const isEarly = (statement: Statement) => statement.kind === "import" || isConstant(statement);
    const early = all.filter(isEarly);
    const rest = all.filter((statement) => statement.kind !== "class" && !isEarly(statement));
    return [...early, ...sorted, ...rest];
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}

/** `define("X", 1)` and `const X = 1`: classes may be built from them. */
const isConstant = (statement: Statement): boolean =>
  statement.kind === "expression" &&
  statement.value.kind === "assign" &&
  statement.value.to.kind === "variable" &&
  /^[A-Z]/.test(statement.value.to.name);
