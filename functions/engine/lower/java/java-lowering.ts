import type { ClassStatement, Expression, Statement } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { Lowering } from "../lowering.ts";
import { expressions } from "./expressions.ts";
import { statements } from "./statements.ts";

/** Java up to 21: records, switch expressions, text blocks, patterns. */
export class JavaLowering extends Lowering {
  /** Imports hold in the whole file, and those of a page stand at its end; a class may stand behind one that has it in a field. */
  protected override program(root: SyntaxNode): Statement[] {
    const all = super.program(root);
    const classes = all.filter((statement) => statement.kind === "class");
    const imports = all.filter(({ kind }) => kind === "import");
    const others = all.filter(({ kind }) => kind !== "import" && kind !== "class");
    return [...imports, ...neededFirst(classes), ...others];
  }
  protected lowerExpression(node: SyntaxNode): Expression | null {
    return expressions[node.type]?.(this, node) ?? null;
  }
  protected lowerStatement(node: SyntaxNode): Statement[] | null {
    return statements[node.type]?.(this, node) ?? null;
  }
}

/** Classes that need each other in a longer row than this are written by a program. */
const neededMax = 50;

/** Classes in their order, each behind those that it extends or has in its fields. */
function neededFirst(classes: readonly ClassStatement[]): ClassStatement[] {
  const byName = new Map(classes.map((node) => [node.name, node]));
  const found = new Set<ClassStatement>();
  const met = new Set<ClassStatement>();
  // Of classes that need each other, the one met first is completed last.
  const add = (node: ClassStatement, depth: number): void => {
    if (met.has(node) || depth > neededMax) return;
    met.add(node);
    for (const name of namedIn(node)) {
      const needed = byName.get(name);
      if (needed) add(needed, depth + 1);
    }
    found.add(node);
  };
  for (const node of classes) add(node, 0);
  return [...found];
}

const namedIn = ({ bases, body }: ClassStatement): string[] => [
  ...bases.flatMap((base) => (base.kind === "variable" ? [base.name] : [])),
  ...body.flatMap((member) =>
    member.kind === "expression" && member.value.kind === "assign"
      ? (member.value.type?.match(/\p{Lu}\w*/gu) ?? [])
      : [],
  ),
];
