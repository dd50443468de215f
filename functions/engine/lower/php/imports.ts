import type { Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** `use`: names are written out where they are used; the import says which libraries a file knows. */
export function imports(l: PhpLowering, node: SyntaxNode): Statement[] {
  const group = childIn(node, "body");
  const prefix = group ? `${plain(l, childOf(node, "namespace_name"))}\\` : "";
  const kind = kindOf(l, node);
  return (group ?? node).children
    .filter((c) => c.type === "namespace_use_clause")
    .map((clause): Statement => {
      const alias = childIn(clause, "alias");
      const name = clause.children.find((c) => c !== alias && c.field === null);
      const module = prefix + plain(l, name);
      const as = alias ? l.textOf(alias) : module.slice(module.lastIndexOf("\\") + 1);
      const own = kindOf(l, clause);
      l.names.use(own === "class" ? kind : own, as, module);
      return { ...span(clause), kind: "import", module, name: null, as: module };
    });
}

const plain = (l: PhpLowering, node: SyntaxNode | undefined): string =>
  node ? l.textOf(node).replace(/\s+/g, "").replace(/^\\/, "") : "";

function kindOf(l: PhpLowering, node: SyntaxNode): "class" | "function" | "const" {
  const type = childIn(node, "type");
  const written = type ? l.textOf(type) : "";
  return written === "function" || written === "const" ? written : "class";
}
