import type { ClassStatement, Expression } from "../ir/ir.ts";
import type { SyntaxNode } from "../parse/syntax.ts";
import { type Lowering, span } from "./lowering.ts";

/**
 * An object of a class that is written where it is made: a function that declares the class, makes what it is made of for those who know
 * that by name (`new HostnameVerifier() { … }`), and gives an object of the class. What a constructor of others is handed is not followed
 * into it, so `made` with arguments stays what the value is.
 */
export function objectOf(l: Lowering, node: SyntaxNode, declared: ClassStatement, made: Expression): Expression {
  const at = span(node);
  const hasMethods = declared.body.some(({ kind }) => kind === "function");
  const isOwn = hasMethods && (made.kind !== "call" || made.args.length === 0);
  const object: Expression = { ...at, kind: "call", callee: l.variable(node, declared.name), args: [], isNew: true };
  const closure: Expression = {
    ...at,
    kind: "closure",
    fn: {
      ...at,
      name: "",
      params: [],
      decorators: [],
      receiver: null,
      exported: false,
      body: isOwn
        ? [declared, { ...at, kind: "expression", value: made }, { ...at, kind: "return", value: object }]
        : [declared],
    },
  };
  return isOwn
    ? { ...at, kind: "call", callee: closure, args: [], isNew: false }
    : { ...at, kind: "sequence", parts: [closure, made] };
}
