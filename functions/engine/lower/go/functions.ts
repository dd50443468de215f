import type { Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { withTypeParameters } from "../type-parameters.ts";
import type { GoLowering } from "./go-lowering.ts";
import { typeName } from "./types.ts";

/** Lowers a function. Names that begin with a capital can be used by other packages, all by other files of its own. */
export const functionOf = (l: GoLowering, node: SyntaxNode): FunctionNode =>
  withTypeParameters(l, node, () => declaredFunction(l, node));

function declaredFunction(l: GoLowering, node: SyntaxNode): FunctionNode {
  const name = childIn(node, "name");
  const result = childIn(node, "result");
  return {
    ...span(node),
    name: name ? l.textOf(name) : "",
    params: parametersOf(l, childIn(node, "parameters")),
    decorators: [],
    body: bodyOf(l, node),
    receiver: null,
    exported: name !== undefined,
    ...(result && { result: l.textOf(result) }),
  };
}

/** A method's object goes by the name its receiver has; without one nothing can read it. */
export function methodOf(l: GoLowering, node: SyntaxNode): FunctionNode {
  const receiver = childIn(node, "receiver")?.children[0];
  const name = receiver && childIn(receiver, "name");
  return { ...functionOf(l, node), receiver: name ? l.textOf(name) : "" };
}

function parametersOf(l: Lowering, list: SyntaxNode | undefined): Parameter[] {
  return (list?.children ?? []).flatMap((declaration): Parameter[] => {
    const type = childIn(declaration, "type");
    const rest = declaration.type === "variadic_parameter_declaration";
    const names = childrenIn(declaration, "name");
    // Parameters without names still take their place.
    const places = names.length > 0 ? names : [declaration];
    return places.map((place) => ({
      ...span(names.length === 1 ? declaration : place),
      name: names.length > 0 ? l.textOf(place) : "_",
      pattern: null,
      type: rest ? null : typeName(l, type),
      decorators: [],
      default: null,
      rest,
    }));
  });
}

function bodyOf(l: GoLowering, node: SyntaxNode): Statement[] {
  const block = childIn(node, "body");
  if (!block) return [];
  const named = resultsOf(l, childIn(node, "result"));
  l.results.push(named.map((result) => result.name));
  try {
    return [...named.map((result) => declaration(l, result)), ...l.statement(block)];
  } finally {
    l.results.pop();
  }
}

interface Result {
  at: SyntaxNode;
  name: string;
  type: string | null;
}

function resultsOf(l: Lowering, list: SyntaxNode | undefined): Result[] {
  if (list?.type !== "parameter_list") return [];
  return list.children.flatMap((d) =>
    childrenIn(d, "name").map((name) => ({ at: name, name: l.textOf(name), type: typeName(l, childIn(d, "type")) })),
  );
}

/** Named results start as variables of their type. */
function declaration(l: Lowering, { at, name, type }: Result): Statement {
  const from: Expression = { ...span(at), kind: "unknown", reads: [] };
  const value: Expression = { ...span(at), kind: "assign", to: l.variable(at, name), from, type, declares: true };
  return { ...span(at), kind: "expression", value };
}
