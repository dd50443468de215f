import { castOperator, type Expression } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { CSharpLowering } from "./csharp-lowering.ts";
import { typeName } from "./types.ts";

/** How containers are asked for an object by its type. */
const gives =
  /^(?:Get(?:Required)?(?:Keyed)?Service|GetServiceOrCreateInstance|CreateInstance|Resolve(?:Named|Keyed|Optional)?|GetInstance|GetExportedValue|Locate)$/;

/** `services.GetRequiredService<IStore>()`: what comes is of that type. */
export function askedByType(l: CSharpLowering, call: Expression, node: SyntaxNode): Expression {
  const callee = childIn(node, "function");
  const name = callee?.type === "member_access_expression" ? childIn(callee, "name") : callee;
  if (name?.type !== "generic_name" || !gives.test(typeName(l, name) ?? "")) return call;
  const [type, ...others] = childOf(name, "type_argument_list")?.children ?? [];
  return type && others.length === 0 ? asType(l, call, node, type) : call;
}

/** `((IStore)kept).Find(name)`, `(kept as IStore)?.Find(name)`: what is asked is of that type. */
export function castObject(l: CSharpLowering, node: SyntaxNode): Expression | null {
  const [cast] = node.type === "parenthesized_expression" ? node.children : [];
  const type = cast && typeOfCast(cast);
  return cast && type ? asType(l, l.expression(cast), cast, type) : null;
}

/** `var store = kept as IStore`: the name of the type that a variable has by what it is given. */
export function typeGiven(l: CSharpLowering, value: SyntaxNode | undefined): string | null {
  const type = value && typeOfCast(value);
  const name = type ? typeName(l, type) : null;
  return name !== null && isClass.test(name) ? name : null;
}

const typeOfCast = (cast: SyntaxNode): SyntaxNode | undefined =>
  cast.type === "cast_expression"
    ? childIn(cast, "type")
    : cast.type === "as_expression"
      ? (childIn(cast, "right") ?? cast.children.at(-1))
      : undefined;

function asType(l: CSharpLowering, value: Expression, at: SyntaxNode, type: SyntaxNode): Expression {
  const name = typeName(l, type);
  if (name === null || !isClass.test(name)) return value;
  // The type is read where it stands, as it is written.
  const written = l.textOf(type) === name ? type : (type.children.at(-1) ?? type);
  const named: Expression = { ...span(written), kind: "variable", name };
  return { ...span(at), kind: "operation", operator: castOperator, operands: [value, named] };
}

/** Texts and objects of any class go by what they are made of. */
const isClass = /^(?!(?:String|Object)$)\p{Lu}\w*$/u;
