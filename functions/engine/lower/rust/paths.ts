import type { Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { RustLowering } from "./rust-lowering.ts";

/** The names of a path, outermost first, without type arguments. */
export const segmentsOf = (l: RustLowering, node: SyntaxNode | undefined): string[] =>
  l.nested(() => namesIn(l, node)) ?? [];

function namesIn(l: RustLowering, node: SyntaxNode | undefined): string[] {
  if (!node) return [];
  switch (node.type) {
    case "scoped_identifier":
    case "scoped_type_identifier":
      return [...segmentsOf(l, childIn(node, "path")), ...segmentsOf(l, childIn(node, "name"))];
    case "generic_type":
      return segmentsOf(l, childIn(node, "type"));
    case "generic_function":
      return segmentsOf(l, childIn(node, "function"));
    case "bracketed_type":
    case "qualified_type":
      return segmentsOf(l, childIn(node, "type") ?? node.children[0]);
    default:
      return [l.textOf(node).replace(/^r#/, "")];
  }
}

const isUpper = (name: string | undefined): boolean => name !== undefined && /^\p{Lu}/u.test(name);

/** What stays of a path: a type, or a function with what owns it. */
export const shortened = (names: readonly string[]): readonly string[] =>
  isUpper(names.at(-1)) && !isUpper(names.at(-2)) ? names.slice(-1) : names.slice(-2);

/** A path as the value it names. */
export function pathValue(l: RustLowering, node: SyntaxNode): Expression {
  return named(l, node, segmentsOf(l, node));
}

export function named(l: RustLowering, at: { start: number; end: number }, names: readonly string[]): Expression {
  const [first = "", ...rest] = names;
  const own = first === "Self" && l.self !== null ? [l.self] : (l.used.get(first) ?? [first]);
  const [owner = "", ...members] = shortened([...own, ...rest].filter((name) => !/^(crate|super|self)$/.test(name)));
  // A module within the file owns nothing: its functions are those of the file.
  const [head = "", ...tail] = members.length > 0 && l.modules.has(owner) ? members : [owner, ...members];
  return tail.reduce<Expression>(
    (of, name) => ({ ...span(at), kind: "field", of, name }),
    l.variable(at, head || l.textOf(at)),
  );
}

/** Notes what a `use` brings in, and gives the modules that it names. */
export const use = (l: RustLowering, node: SyntaxNode, before: readonly string[] = []): string[] =>
  l.nested(() => modulesIn(l, node, before)) ?? [];

function modulesIn(l: RustLowering, node: SyntaxNode, before: readonly string[]): string[] {
  switch (node.type) {
    case "use_declaration":
      return node.children.flatMap((c) => (c.field === "argument" ? use(l, c, before) : []));
    case "scoped_use_list": {
      const path = [...before, ...segmentsOf(l, childIn(node, "path"))];
      return (childIn(node, "list")?.children ?? []).flatMap((c) => use(l, c, path));
    }
    case "use_list":
      return node.children.flatMap((c) => use(l, c, before));
    case "use_wildcard":
      return [[...before, ...segmentsOf(l, node.children[0])].join(".")];
    case "use_as_clause": {
      const path = [...before, ...segmentsOf(l, childIn(node, "path"))];
      const alias = childIn(node, "alias");
      if (alias) l.used.set(l.textOf(alias), path);
      return [path.join(".")];
    }
    default: {
      const path = [...before, ...segmentsOf(l, node)].filter((name) => name !== "self");
      const name = path.at(-1);
      // A function or a module: which of them shows where it is used.
      if (name !== undefined && path.length > 1 && !isUpper(name)) l.used.set(name, path);
      return [path.join(".")];
    }
  }
}
