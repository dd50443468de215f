import { type Expression, handsOut, type Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { withDecorators } from "./compiled-decorators.ts";
import { mayCallHelpers, writtenAs } from "./compiled-helpers.ts";
import { mayBeComponent, withComponent } from "./components.ts";
import { expressions } from "./expressions.ts";
import { isSent, sent } from "./machine-steps.ts";
import { mayHaveClasses, withClasses } from "./prototypes.ts";
import { statements } from "./statements.ts";
import { asWritten, mayWait, waitingFunction } from "./waiting.ts";

/** JavaScript, TypeScript and JSX: the grammars differ only in what they add. */
export class JavaScriptLowering extends Lowering {
  readonly #mayHaveClasses: boolean;
  readonly #mayWait: boolean;
  readonly #mayCallHelpers: boolean;

  constructor(text: string) {
    super(text);
    this.#mayHaveClasses = mayHaveClasses(text);
    this.#mayWait = mayWait(text);
    this.#mayCallHelpers = mayCallHelpers(text);
  }

  override statements(nodes: readonly SyntaxNode[]): Statement[] {
    const given = super.statements(nodes);
    const all = this.#mayWait ? asWritten(given, this.text) : given;
    return this.#mayHaveClasses ? withClasses(all) : all;
  }

  protected override program(root: SyntaxNode): Statement[] {
    const all = withDecorators(super.program(root));
    return mayBeComponent(this.text) ? withComponent(all) : all;
  }
  protected lowerExpression(node: SyntaxNode): Expression | null {
    const lowered = expressions[node.type]?.(this, node) ?? null;
    const written = this.#mayCallHelpers && lowered?.kind === "call" ? (writtenAs(lowered) ?? lowered) : lowered;
    return this.#mayWait && written ? this.#waiting(node, written) : written;
  }

  /** What compilers have made of waiting. */
  #waiting(node: SyntaxNode, lowered: Expression): Expression {
    if (lowered.kind === "call") {
      const [only] = lowered.args;
      if (only && lowered.callee.kind === "variable" && lowered.callee.name === handsOut) return only.value;
      const waiting = waitingFunction(lowered);
      if (waiting) return waiting;
    }
    const mayBeSent = lowered.kind === "field" || (lowered.kind === "call" && lowered.args.length === 0);
    return mayBeSent && isSent(this.text.slice(node.start, node.end)) ? this.variable(node, sent) : lowered;
  }

  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
