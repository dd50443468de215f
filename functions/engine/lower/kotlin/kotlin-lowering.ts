import type { Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { regrouped } from "./regrouped.ts";
import { rejoined } from "./rejoined.ts";
import { statements } from "./statements.ts";

/** What a file declares, with `name:` for parameters. The lengths are bounded, so that no text takes long. */
const declaration =
  /\b(?:val|var|fun)\s{1,9}(?:<[^>]{0,99}>\s{0,9})?(?:[\w.?]{1,99}(?:<[^>]{0,99}>)?\??\.)?(\w{1,99})|\b(\w{1,99})\s{0,9}:/g;

/** Kotlin up to 2. It lowers to what Java would have written, so that the models of Java know it. */
export class KotlinLowering extends Lowering {
  /** Names of the file itself: what is called or set in `apply { }` and is none of them belongs to the receiver. */
  readonly ownNames: ReadonlySet<string>;
  /** The receivers of the scope functions around, innermost last. */
  readonly receivers: string[] = [];
  /** The calls that the blocks around are handed to, innermost last. */
  readonly builders: string[] = [];
  /** Whether `folder / name` is a path, as far as the imports tell. */
  readonly dividesPaths: boolean;

  /** What `this` is: where there is a scope function around, what that was called on. */
  get self(): string {
    return this.receivers.at(-1) ?? "this";
  }

  constructor(text: string) {
    super(text);
    this.dividesPaths = /\bimport kotlin\.io\.path\.(\*|div)/.test(text);
    const declared = text.matchAll(declaration);
    this.ownNames = new Set([...declared].map((match) => match[1] ?? match[2] ?? ""));
  }

  protected override program(root: SyntaxNode): Statement[] {
    const body = this.statements(rejoined(root.children));
    // Types and functions first: they may be used before they stand.
    const first = ({ kind }: Statement) => kind === "import" || kind === "class" || kind === "function";
    return [...body.filter(first), ...body.filter((statement) => !first(statement))];
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    const whole = regrouped(node);
    return expressions[whole.type]?.(this, whole) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
