import type { Expression, Span, Statement } from "../../ir/ir.ts";
import { append } from "../../multimap.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { shadowsIn } from "./shadows.ts";
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
  #channels: ReadonlySet<string> | null = null;
  /** What names are called here that mean other variables than the same names around them, by where they stand. */
  #shadows: ReadonlyMap<number, string> = new Map();

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
    this.#shadows = shadowsIn(root, (node) => this.textOf(node));
    const body = this.statements(root.children);
    const alone = [...this.methods].filter(([type]) => !this.declared.has(type));
    const classes = alone.map(([type, methods]) => methodsAlone(this, type, methods));
    // Types and imports first: Go lets a file use them before they stand.
    const first = (statement: Statement) => statement.kind === "import" || statement.kind === "class";
    return [...body.filter(first), ...classes, ...body.filter((statement) => !first(statement))];
  }

  /** Names that stand before `chan` on a line, looked for once: `jobs := make(chan string, 10)`, `done <-chan bool`. */
  get channels(): ReadonlySet<string> {
    this.#channels ??= new Set(
      Array.from(this.text.matchAll(/^.{0,80}?\bchan\b/gm), ([line]) => line.match(/\w+/g) ?? []).flat(),
    );
    return this.#channels;
  }

  override variable(node: Span, name?: string): Expression {
    return super.variable(node, name ?? this.#shadows.get(node.start));
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
