import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { opened } from "./macros.ts";
import { statements } from "./statements.ts";

/** The methods among these statements, and those that a block of `helpers` has. */
const methodsIn = (l: RubyLowering, statements: readonly SyntaxNode[]): string[] =>
  [...statements, ...statements.flatMap((c) => helpersIn(l, c))].flatMap((c) => {
    const name = c.type === "method" ? childIn(c, "name") : undefined;
    return name ? [l.textOf(name)] : [];
  });

function helpersIn(l: RubyLowering, node: SyntaxNode): readonly SyntaxNode[] {
  const name = node.type === "call" ? childIn(node, "method") : undefined;
  if (!name || l.textOf(name) !== "helpers") return [];
  return childIn(node, "block")?.children.flatMap((body) => body.children) ?? [];
}

/** Ruby up to 3.4. A name that is assigned nowhere in the method is a call of the object's own. */
export class RubyLowering extends Lowering {
  /** The text of each here-document, by where its mark stands. */
  readonly hereDocuments = new Map<number, SyntaxNode>();
  /** The methods of the classes around; calls without a receiver are theirs. */
  readonly methods: ReadonlySet<string>[] = [];
  /** Of those, the ones that are asked of objects. */
  readonly ofObjects: ReadonlySet<string>[] = [];
  /** What they declare to be read by its name: `attr_reader :host` gives `@host` as `host`. */
  readonly readers: ReadonlySet<string>[] = [];
  /** What the classes around are called; what makes objects without saying of what means the innermost. */
  readonly classes: string[] = [];
  /** The constants that each of them has. */
  readonly constants: ReadonlySet<string>[] = [];
  /** The methods that are declared outside of classes; they have no receiver, nor brackets where they are given nothing. */
  readonly functions = new Set<string>();
  /** The variables of the method being lowered. */
  variables = new Set<string>();

  protected override program(root: SyntaxNode): Statement[] {
    const marks: SyntaxNode[] = [];
    const open = [root];
    // In source order, with a stack of our own: trees may be deep.
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.type === "heredoc_beginning") marks.push(node);
      if (node.type === "heredoc_body") this.hereDocuments.set(marks.shift()?.start ?? -1, node);
      for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i] as SyntaxNode);
    }
    for (const name of methodsIn(this, root.children)) this.functions.add(name);
    // `helpers do … end` outside of a class is one of an application that is written without any.
    return this.statements(root.children).flatMap(opened);
  }

  /** Whether a call without a receiver means a method of the classes around. */
  isOwn(name: string): boolean {
    return this.methods.some((names) => names.has(name));
  }

  /** The class around that has a constant, the innermost first. */
  classOfConstant(name: string): string | undefined {
    return this.classes[this.constants.findLastIndex((names) => names.has(name))];
  }

  /** Whether a name stands for a field of the innermost class. */
  isReader(name: string): boolean {
    return this.readers.at(-1)?.has(name) === true;
  }

  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}
