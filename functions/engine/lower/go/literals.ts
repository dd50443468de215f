import type { Argument, Entry, Expression } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { GoLowering } from "./go-lowering.ts";
import { nameOf, typeName } from "./types.ts";

/** `T{…}`: a list, a map, or an instance with named fields. */
export function compositeOf(l: GoLowering, node: SyntaxNode): Expression {
  const body = childIn(node, "body");
  return body ? literalOf(l, node, childIn(node, "type"), body) : l.unknown(node);
}

/** What `make(T)` and `new(T)` give. */
export function emptyOf(l: GoLowering, node: SyntaxNode, type: SyntaxNode): Expression {
  return literalOf(l, node, asType(type), undefined);
}

/** The type of the elements is left out where the type around says it. */
function literalOf(
  l: GoLowering,
  at: SyntaxNode,
  type: SyntaxNode | undefined,
  body: SyntaxNode | undefined,
): Expression {
  const elements = body?.children ?? [];
  if (type?.type === "map_type") return mapOf(l, at, elements, childIn(type, "value"));
  const element = type && childIn(type, "element");
  if (element) return listOf(l, at, elements, element);
  const written = typeName(l, type);
  const fields = elements.every((e) => e.type === "keyed_element" && fieldName(l, e) !== null);
  if (written === null) return fields ? mapOf(l, at, elements, undefined) : listOf(l, at, elements, undefined);
  // A named type can be a map or a list underneath: bson.M{"a": b}, url.Values{}, bson.D{{"a", b}}.
  const inOrder = fields ? null : fieldsInOrder(l, written, elements);
  if (!fields && !inOrder)
    return elements.some((e) => e.type === "keyed_element")
      ? mapOf(l, at, elements, undefined)
      : listOf(l, at, elements, undefined);
  const args = elements.map(
    (e, i): Argument => ({
      name: inOrder ? (inOrder[i] ?? null) : fieldName(l, e),
      spread: false,
      value: elementValue(l, e),
    }),
  );
  return { ...span(at), kind: "call", callee: nameOf(l, type ?? at, written), args, isNew: true };
}

/**
 * The fields that `T{a, b}` fills without naming them. A type of another file is taken for a struct with fields of unknown names where
 * variables stand between the braces; lists of constants stay lists, since tests ask for what is in them.
 */
function fieldsInOrder(l: GoLowering, type: string, elements: readonly SyntaxNode[]): readonly string[] | null {
  const declared = l.declared.get(type);
  if (declared !== undefined) return declared;
  const plain = elements.every((e) => isVariable(e.type === "literal_element" ? e.children[0] : e));
  return plain && !type.includes(".") ? [] : null;
}

const isVariable = (node: SyntaxNode | undefined): boolean =>
  node?.type === "identifier" || node?.type === "selector_expression";

const listOf = (
  l: GoLowering,
  at: SyntaxNode,
  elements: readonly SyntaxNode[],
  type: SyntaxNode | undefined,
): Expression => ({
  ...span(at),
  kind: "collection",
  shape: "list",
  entries: elements.map((e) => ({ ...span(e), key: null, value: elementValue(l, e, type), spread: false })),
});

function mapOf(
  l: GoLowering,
  at: SyntaxNode,
  elements: readonly SyntaxNode[],
  type: SyntaxNode | undefined,
): Expression {
  const entries = elements.map((e): Entry => {
    const key = childIn(e, "key");
    const field = key && type === undefined ? fieldName(l, e) : null;
    const named = field === null ? key && l.expression(key) : l.literal(key as SyntaxNode, field);
    return { ...span(e), key: named ?? null, value: elementValue(l, e, type), spread: false };
  });
  return { ...span(at), kind: "collection", shape: "map", entries };
}

/** The name before the colon, where it can be the field of a struct. */
function fieldName(l: GoLowering, element: SyntaxNode): string | null {
  const key = childIn(element, "key");
  const inside = key?.type === "literal_element" ? key.children[0] : key;
  return inside?.type === "identifier" || inside?.type === "field_identifier" ? l.textOf(inside) : null;
}

function elementValue(l: GoLowering, element: SyntaxNode, type?: SyntaxNode): Expression {
  const given = element.type === "keyed_element" ? childIn(element, "value") : element;
  const inside = given?.type === "literal_element" ? given.children[0] : given;
  if (!inside) return l.reads(element, []);
  const elided = inside.type === "literal_value" ? inside : childOf(inside, "literal_value");
  return inside.type === "literal_value" && elided ? literalOf(l, inside, type, elided) : l.expression(inside);
}

/** Between the brackets of a call the parser takes a type for a value. */
function asType(node: SyntaxNode): SyntaxNode {
  if (node.type === "identifier") return { ...node, type: "type_identifier" };
  return node.type === "selector_expression" ? { ...node, type: "qualified_type" } : node;
}
