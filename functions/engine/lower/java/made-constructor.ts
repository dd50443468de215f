import type { FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { parametersOf } from "./functions.ts";

/** Annotations of Lombok that write a constructor: of all fields, or of those that have to be given; the second of each only where there is none. */
const takesAll = [/@(?:[\w.]+\.)?AllArgsConstructor\b/, /@(?:[\w.]+\.)?(?:Value|Builder)\b/] as const;
const takesRequired = [/@(?:[\w.]+\.)?RequiredArgsConstructor\b/, /@(?:[\w.]+\.)?Data\b/] as const;

/** A class with more fields was generated, and each of them costs as much as there are others. */
const fieldsMax = 200;

/** The constructor of a record, or of a class that annotations complete, where nobody has written it: it keeps what it takes. */
export function madeConstructor(l: Lowering, node: SyntaxNode, components: readonly Parameter[]): Statement[] {
  const members = childIn(node, "body")?.children ?? [];
  const written = members.filter(({ type }) => type.endsWith("constructor_declaration"));
  const params = node.type === "record_declaration" ? components : fieldsTaken(l, node, members, written.length > 0);
  const isWritten = written.some(
    (one) =>
      one.type === "compact_constructor_declaration" ||
      parametersOf(l, childIn(one, "parameters")).length === params.length,
  );
  if (isWritten || params.length === 0 || params.length > fieldsMax) return [];
  const at = span(childIn(node, "name") ?? node);
  const fn: FunctionNode = {
    ...at,
    name: "constructor",
    params: [...params],
    decorators: [],
    body: params.map((param) => kept(l, node, param)),
    receiver: "this",
    exported: true,
    made: true,
  };
  return [{ ...at, kind: "function", fn }];
}

function fieldsTaken(l: Lowering, node: SyntaxNode, members: readonly SyntaxNode[], isOther: boolean): Parameter[] {
  const annotations = modifiersOf(l, node);
  const says = ([sure, else_]: typeof takesAll | typeof takesRequired) =>
    sure.test(annotations) || (!isOther && else_.test(annotations));
  const all = says(takesAll);
  if (!all && !says(takesRequired)) return [];
  return members
    .filter(({ type }) => type === "field_declaration")
    .flatMap((member) => {
      const modifiers = modifiersOf(l, member);
      const isFinal = /\bfinal\b/.test(modifiers);
      if (/\bstatic\b/.test(modifiers) || !(all || isFinal || /@(?:[\w.]+\.)?NonNull\b/.test(modifiers))) return [];
      const type = childIn(member, "type");
      return childrenIn(member, "declarator")
        .filter((declarator) => !childIn(declarator, "value") || (all && !isFinal))
        .map((declarator) => fieldOf(l, declarator, type));
    });
}

const fieldOf = (l: Lowering, declarator: SyntaxNode, type: SyntaxNode | undefined): Parameter => ({
  ...span(declarator),
  name: l.textOf(childIn(declarator, "name") ?? declarator),
  pattern: null,
  type: type ? l.textOf(type) : null,
  decorators: [],
  default: null,
  rest: false,
});

function modifiersOf(l: Lowering, node: SyntaxNode): string {
  const modifiers = childOf(node, "modifiers");
  return modifiers ? l.textOf(modifiers) : "";
}

/** `this.name = name` */
export function kept(l: Lowering, node: SyntaxNode, param: Parameter): Statement {
  const at = span(param);
  const to = { ...at, kind: "field", of: l.variable(node, "this"), name: param.name } as const;
  const from = { ...at, kind: "variable", name: param.name } as const;
  return {
    ...at,
    kind: "expression",
    value: { ...at, kind: "assign", to, from, type: null, declares: false },
  };
}
