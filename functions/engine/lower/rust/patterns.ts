import type { Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { positional, span } from "../lowering.ts";
import type { RustLowering } from "./rust-lowering.ts";

/** What a pattern binds. Wrappers are their content: `Some(x)` is x, as `Some(x)` the value is. */
export const patternOf = (l: RustLowering, node: SyntaxNode, types: readonly (string | null)[] = []): Expression =>
  l.nested(() => bound(l, node, types)) ?? nothing(node);

function bound(l: RustLowering, node: SyntaxNode, types: readonly (string | null)[]): Expression {
  switch (node.type) {
    case "identifier":
    case "shorthand_field_identifier":
      return l.variable(node);
    case "mut_pattern":
    case "ref_pattern":
    case "reference_pattern":
    case "captured_pattern":
    case "match_pattern": {
      const inner = node.children.find((c) => c.type !== "mutable_specifier");
      return inner ? patternOf(l, inner, types) : nothing(node);
    }
    case "tuple_struct_pattern": {
      const parts = node.children.filter((c) => c.field !== "type");
      const [only] = parts;
      return only && parts.length === 1 ? patternOf(l, only, types) : listOf(l, node, parts, types);
    }
    case "tuple_pattern":
    case "slice_pattern":
      return listOf(l, node, node.children, types);
    case "struct_pattern":
      return {
        ...span(node),
        kind: "collection",
        shape: "map",
        entries: node.children
          .filter((c) => c.type === "field_pattern")
          .flatMap((c) => {
            const name = childIn(c, "name");
            if (!name) return [];
            const to = childIn(c, "pattern");
            const value = to ? patternOf(l, to) : l.variable(name);
            return [{ ...span(c), key: l.literal(name, l.textOf(name)), value, spread: false }];
          }),
      };
    default:
      return nothing(node);
  }
}

/** What a pattern is filled from. Of a path, `Component::Normal(name)` binds the parts that are names, as if that were asked of them. */
export function filledFrom(l: RustLowering, node: SyntaxNode, value: Expression): Expression {
  const pattern = node.type === "match_pattern" ? (node.children[0] ?? node) : node;
  const type = pattern.type === "tuple_struct_pattern" ? childIn(pattern, "type") : undefined;
  return type && /(^|::)Normal$/.test(l.textOf(type))
    ? l.call(pattern, l.variable(type, "Component::Normal"), [positional(value)])
    : value;
}

const nothing = (node: SyntaxNode): Expression => ({ ...span(node), kind: "variable", name: "_" });

const listOf = (
  l: RustLowering,
  node: SyntaxNode,
  parts: readonly SyntaxNode[],
  types: readonly (string | null)[],
): Expression => ({
  ...span(node),
  kind: "collection",
  shape: "list",
  entries: parts.map((c, i) => {
    const to = patternOf(l, c);
    const type = types[i] ?? null;
    const value =
      type && to.kind === "variable" ? assigned(c, to, { ...span(c), kind: "unknown", reads: [] }, type, true) : to;
    return { ...span(c), key: null, value, spread: false };
  }),
});

/** The texts and numbers that a pattern compares with; null where it asks for something else. */
export const comparedWith = (l: RustLowering, node: SyntaxNode): Expression[] | null =>
  l.nested(() => constantsIn(l, node));

function constantsIn(l: RustLowering, node: SyntaxNode): Expression[] | null {
  switch (node.type) {
    case "string_literal":
    case "raw_string_literal":
    case "integer_literal":
    case "char_literal":
    case "boolean_literal":
      return [l.expression(node)];
    case "or_pattern": {
      const all = node.children.map((c) => comparedWith(l, c));
      return all.includes(null) ? null : all.flatMap((tests) => tests ?? []);
    }
    case "match_pattern":
      return node.children.length === 1 && node.children[0] ? comparedWith(l, node.children[0]) : null;
    case "tuple_struct_pattern": {
      const parts = node.children.filter((c) => c.field !== "type");
      return parts.length === 1 && parts[0] ? comparedWith(l, parts[0]) : null;
    }
    default:
      return null;
  }
}

/** Whether a pattern takes whatever comes. */
export const takesAll = (l: RustLowering, node: SyntaxNode): boolean =>
  (node.type === "match_pattern" && node.children.length === 0) ||
  l.textOf(node) === "_" ||
  (node.type === "match_pattern" &&
    node.children.length === 1 &&
    node.children[0]?.type === "identifier" &&
    /^[a-z_]/.test(l.textOf(node)));
