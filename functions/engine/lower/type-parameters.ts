import { childIn, childOf, type SyntaxNode } from "../parse/syntax.ts";
import type { Lowering } from "./lowering.ts";

/** What the type parameters in sight are bound to, by the file that is lowered. */
const inSight = new WeakMap<Lowering, ReadonlyMap<string, string>>();

/** `class NoteController<S extends NoteService>`: what is declared to be an S within is a NoteService at least. */
export function withTypeParameters<T>(l: Lowering, node: SyntaxNode, lower: () => T): T {
  const bound = parametersOf(node).flatMap((parameter) => boundOf(l, node, parameter));
  if (bound.length === 0) return lower();
  const around = inSight.get(l);
  inSight.set(l, new Map([...(around ?? []), ...bound]));
  try {
    return lower();
  } finally {
    if (around) inSight.set(l, around);
    else inSight.delete(l);
  }
}

/** A type as it is written, or what it is bound to. */
export const boundType = (l: Lowering, written: string): string => inSight.get(l)?.get(written) ?? written;

const parametersOf = (node: SyntaxNode): readonly SyntaxNode[] =>
  (childIn(node, "type_parameters") ?? childOf(node, "type_parameters") ?? childOf(node, "type_parameter_list"))
    ?.children ?? [];

function boundOf(l: Lowering, node: SyntaxNode, parameter: SyntaxNode): [name: string, type: string][] {
  const name = childIn(parameter, "name") ?? childOf(parameter, "type_identifier") ?? childOf(parameter, "identifier");
  if (!name) return [];
  const written = l.textOf(name);
  // Of several bounds only the first may be a class; the last is where C# has what is no type.
  const type =
    childOf(parameter, "type_bound")?.children[0] ??
    childOf(parameter, "user_type") ??
    childIn(parameter, "type")?.children[0] ??
    constraintOf(l, node, written);
  return type && isClass.test(l.textOf(type)) ? [[written, l.textOf(type)]] : [];
}

/** `where TService : class, INoteService`: C# says it behind. */
function constraintOf(l: Lowering, node: SyntaxNode, name: string): SyntaxNode | undefined {
  const clause = node.children.find(
    ({ type, children: [first] }) =>
      type === "type_parameter_constraints_clause" && first !== undefined && l.textOf(first) === name,
  );
  return clause?.children.flatMap((constraint) => childIn(constraint, "type") ?? [])[0];
}

/** A name, with its package or not, and with arguments or not. */
const isClass = /^(?:\w+\.){0,9}\p{Lu}\w*(?:<|$)/u;
