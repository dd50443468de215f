import { childIn, type SyntaxNode } from "../parse/syntax.ts";
import { isBody } from "./file-under-match.ts";
import type { Pattern, PatternNode } from "./pattern.ts";
import { groupOf, isCall, memberOf, peeled } from "./syntax-forms.ts";

/** What forms of a pattern and of code mean the same, or stand for each other. */

/** Lists of statements. */
export const holdsNested =
  /^(program|module|block|statement_block|compound_statement|source_file|constructor_body|statement_list)$/;

/** No code that a metavariable could stand for: the head of a loop, a piece of a text. */
export const nameless = /^(for_clause|range_clause|string_content|string_value|string_fragment|escape_sequence)$/;

/** Statements whose expression a statement of a pattern may be a part of; blocks, tests and loops are not. */
export const computes =
  /^(assignment|assignment_expression|assignment_statement|augmented_assignment\w*|short_var_declaration|var_declaration|lexical_declaration|variable_declaration|local_variable_declaration|return_statement|await_expression|await|call|call_expression|method_invocation|\w+_call_expression)$/;

export const isOpen = (pattern: Pattern): boolean =>
  pattern.kind === "node" &&
  pattern.children.length > 0 &&
  pattern.children.every((child) => child.pattern.kind === "rest");

/** The name that a declaration makes without a value. */
export const declaredName = (declarator: SyntaxNode): SyntaxNode | null =>
  childIn(declarator, "value") ? null : (childIn(declarator, "name") ?? null);

/** Whether a pattern calls a lone metavariable. */
export function callsAnything({ type, children }: PatternNode): boolean {
  const [callee, list, ...others] = children;
  return isCall(type) && callee?.pattern.kind === "any" && list?.field === "arguments" && others.length === 0;
}

/** What a node stands for where the pattern has a list: a statement without braces, a parameter without brackets, what an arrow gives. */
export function standIn({ type, children }: PatternNode, node: SyntaxNode): readonly SyntaxNode[] | null {
  const itself = [{ ...node, field: null }];
  if (holdsNested.test(type)) return /^(body|consequence|alternative)$/.test(node.field ?? "") ? itself : null;
  if (/^(formal|inferred)_parameters$/.test(type)) return groupOf(node.type) === "name" ? itself : null;
  if (type === "return_statement") return children.length === 1 && isBody(node) ? itself : null;
  // `import os` is also meant by `from os import path`.
  const module = type === "import_statement" ? childIn(node, "module_name") : undefined;
  return module ? [{ ...module, field: "name" }] : null;
}

/** Grammars name the same place in functions and methods, loops and branches alike; a name on one side only is a wrapper's. */
export const fieldsFit = (wanted: string | null, given: string | null): boolean =>
  wanted === given ||
  (wanted === "parameters" && given === "parameter") ||
  wanted === "member" ||
  given === "member" ||
  (/^(object|scope)$/.test(wanted ?? "") && /^(object|scope)$/.test(given ?? ""));

/** What a call or member is applied to. */
export function receiverOf(node: SyntaxNode): SyntaxNode | undefined {
  const member = memberOf(node);
  if (member) return member.of;
  const next = childIn(node, "object") ?? childIn(node, "function") ?? childIn(node, "operand");
  return next && peeled(next);
}
