import { childIn, type SyntaxNode } from "../parse/syntax.ts";

/** What the grammars of the five languages call the same thing, so that matching is written once. */

const groups: Record<string, string> = Object.fromEntries(
  [
    [
      "function",
      "function_declaration",
      "function_expression",
      "arrow_function",
      "method_definition",
      "function_definition",
    ],
    [
      "function",
      "generator_function",
      "generator_function_declaration",
      "method_declaration",
      "func_literal",
      "anonymous_function",
    ],
    ["class", "class_declaration", "class"],
    ["declaration", "local_variable_declaration", "field_declaration"],
    [
      "name",
      "identifier",
      "property_identifier",
      "shorthand_property_identifier",
      "type_identifier",
      "field_identifier",
      "name",
    ],
    ["name", "package_identifier", "shorthand_property_identifier_pattern", "private_property_identifier"],
    ["declarations", "lexical_declaration", "variable_declaration"],
    ["annotation", "marker_annotation", "annotation"],
    ["method_call", "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"],
    ["member_access_expression", "nullsafe_member_access_expression"],
    ["if_statement", "elif_clause"],
  ].flatMap(([group, ...types]) => types.map((type) => [type, group as string] as const)),
);

/** Not a type of any grammar: a loop of any kind. */
export const anyFor = "any for";
export const forTypes = ["for_statement", "for_in_statement", "enhanced_for_statement", "foreach_statement"];

/** Types of one group stand for each other, as a method does for a function. */
export const groupOf = (type: string): string => groups[type] ?? type;

export const stringTypes = new Set([
  "string",
  "string_literal",
  "interpreted_string_literal",
  "raw_string_literal",
  "encapsed_string",
  "heredoc",
  "concatenated_string",
]);
export const templateTypes = new Set(["template_string"]);

const wrappers = new Set([
  "parenthesized_expression",
  "expression_statement",
  "argument",
  "literal_element",
  "expression_list",
  "type",
  "simple_parameter",
  "required_parameter",
  "parameter_declaration",
  "dotted_name",
  "else_clause",
  "statement_list",
]);

/** The node without what only wraps it. */
export function peeled(node: SyntaxNode): SyntaxNode {
  let here = node;
  while (here.children.length === 1 && wrappers.has(here.type)) here = here.children[0] as SyntaxNode;
  return here;
}

/** A parameter's name, for who does not ask about its type or default. */
export function parameterName(node: SyntaxNode): SyntaxNode | null {
  switch (node.type) {
    case "typed_parameter":
      return node.children[0] ?? null;
    case "default_parameter":
    case "typed_default_parameter":
    case "simple_parameter":
    case "formal_parameter":
    case "parameter_declaration":
      return childIn(node, "name") ?? null;
    case "required_parameter":
    case "optional_parameter":
      return childIn(node, "pattern") ?? null;
    case "assignment_pattern":
      return childIn(node, "left") ?? null;
    default:
      return null;
  }
}

/** Both sides of `a = b`, however the language declares or assigns. */
export function assignmentOf(node: SyntaxNode, text: string): { left: SyntaxNode; right: SyntaxNode } | null {
  const sides = (left: SyntaxNode | undefined, right: SyntaxNode | undefined) =>
    left && right ? { left: peeled(left), right: peeled(right) } : null;
  switch (node.type) {
    case "assignment_expression":
    case "assignment_statement": {
      const operator = childIn(node, "operator");
      if (operator && text.slice(operator.start, operator.end) !== "=") return null;
      return sides(childIn(node, "left"), childIn(node, "right"));
    }
    case "assignment":
    case "short_var_declaration":
      return sides(childIn(node, "left"), childIn(node, "right"));
    case "variable_declarator":
    case "var_spec":
    case "const_spec":
    case "public_field_definition":
    case "named_expression":
      return sides(childIn(node, "name"), childIn(node, "value"));
    case "const_element":
      return sides(node.children[0], node.children[1]);
    case "property_element":
      return sides(childIn(node, "name"), childIn(node, "default_value"));
    case "field_definition":
      return sides(childIn(node, "property"), childIn(node, "value"));
    default:
      return null;
  }
}

/** The single assignment that a declaration statement makes. */
export function declared(node: SyntaxNode): SyntaxNode[] {
  return /^(lexical_declaration|variable_declaration|local_variable_declaration|field_declaration|var_declaration)$/.test(
    node.type,
  )
    ? node.children.filter((child) => child.type === "variable_declarator" || child.type === "var_spec")
    : [];
}

const members: Record<string, readonly [of: string, name: string]> = {
  member_expression: ["object", "property"],
  attribute: ["object", "attribute"],
  field_access: ["object", "field"],
  scoped_identifier: ["scope", "name"],
  selector_expression: ["operand", "field"],
};

export const isMember = (type: string): boolean => Object.hasOwn(members, type);

/** Object and member of `a.b`. */
export function memberOf(node: SyntaxNode): { of: SyntaxNode; name: SyntaxNode } | null {
  const fields = members[node.type];
  const of = fields && childIn(node, fields[0]);
  const name = fields && childIn(node, fields[1]);
  return of && name ? { of: peeled(of), name } : null;
}

/** What a call calls: the node whose last name says it. */
export const calleeOf = (node: SyntaxNode): SyntaxNode | undefined =>
  callTypes.has(node.type) ? (childIn(node, "function") ?? childIn(node, "name")) : undefined;

export const callTypes = new Set([
  "call_expression",
  "call",
  "method_invocation",
  "function_call_expression",
  "member_call_expression",
  "scoped_call_expression",
  "nullsafe_member_call_expression",
  "method_call",
]);
export const isCall = (type: string): boolean => callTypes.has(type);

/** The segments of `a.b.c`, null for what is more than names. `require("m").x` counts as m.x. */
export function dottedName(node: SyntaxNode, text: string): string[] | null {
  const segments: string[] = [];
  let here = node;
  for (;;) {
    const member = memberOf(here);
    if (member) {
      if (groupOf(member.name.type) !== "name") return null;
      segments.push(text.slice(member.name.start, member.name.end));
      here = member.of;
    } else break;
    if (segments.length > 20) return null;
  }
  if (here.type === "scoped_type_identifier") {
    const path = text.slice(here.start, here.end);
    return /^[\w.$]+$/.test(path) ? [...path.split("."), ...segments.reverse()] : null;
  }
  const required = requiredModule(here, text);
  // Alone it is a call like any other, and a pattern may ask for any module.
  if (required !== null && segments.length > 0 && !/^(\.\.\.$|\$)/.test(required))
    return [required, ...segments.reverse()];
  if (here.type === "dotted_name")
    return [...here.children.map((part) => text.slice(part.start, part.end)), ...segments.reverse()];
  if (here.type === "this" || here.type === "super" || here.type === "this_expression")
    return segments.length === 0 ? null : ["this", ...segments.reverse()];
  if (groupOf(here.type) !== "name") return null;
  return [text.slice(here.start, here.end), ...segments.reverse()];
}

/** The module of `require("m")`. */
export function requiredModule(node: SyntaxNode, text: string): string | null {
  if (node.type !== "call_expression") return null;
  const [callee, list] = node.children;
  const [argument] = list?.children ?? [];
  if (!callee || !argument || list?.children.length !== 1 || text.slice(callee.start, callee.end) !== "require")
    return null;
  const module = staticText(argument, text);
  return module === null ? null : module.replace(/^node:/, "");
}

/** The text of a string that computes nothing, as written between its quotes. */
export function staticText(node: SyntaxNode, text: string): string | null {
  if (node.type === "concatenated_string") {
    const parts = node.children.map((part) => staticText(part, text));
    return parts.includes(null) ? null : parts.join("");
  }
  if (!stringTypes.has(node.type) && !templateTypes.has(node.type)) return null;
  const computes = node.children.some((child) =>
    /interpolation|template_substitution|variable_name|_expression$/.test(child.type),
  );
  if (computes) return null;
  const written = text.slice(node.start, node.end);
  const quoted = /^[a-zA-Z]{0,3}("""|'''|["'`])([\s\S]*)\1$/.exec(written);
  return quoted ? (quoted[2] as string) : null;
}

export const isNamed = ({ type }: SyntaxNode): boolean => groupOf(type) === "name" || type === "variable_name";

/** The children that say something: which quotes a text has does not matter. */
export const writtenParts = (node: SyntaxNode): readonly SyntaxNode[] =>
  stringTypes.has(node.type)
    ? node.children.filter((child) => !/^string_(start|end)$/.test(child.type))
    : node.children;

/** What a pattern need not mention to match: it says what must be there, and seldom everything that may be. */
const optionalFields = new Set([
  "type_parameters",
  "type_arguments",
  "return_type",
  "superclass",
  "superclasses",
  "interfaces",
  "decorator",
  "alternative",
  "finalizer",
  "optional_chain",
  "receiver",
  "dimensions",
  "result",
  "attributes",
  "initializer",
  "cause",
  "kind",
]);
const optionalTypes = new Set([
  "modifiers",
  "class_heritage",
  "accessibility_modifier",
  "visibility_modifier",
  "static_modifier",
  "final_modifier",
  "abstract_modifier",
  "readonly_modifier",
  "override_modifier",
  "attribute_list",
  "throws",
  "type_annotation",
  "superclass",
  "super_interfaces",
  "base_clause",
  "class_interface_clause",
  "finally_clause",
  "else_clause",
  "elif_clause",
  "type_parameters",
  "type_arguments",
  "decorator",
  "anonymous_function_use_clause",
]);

export const isOptional = (node: SyntaxNode, inType: string): boolean =>
  (node.field !== null && optionalFields.has(node.field)) ||
  optionalTypes.has(node.type) ||
  // A type that a declaration states is optional; that of a cast or a new object is what it is about.
  (node.field === "type" && /^(function|assignment|variable_declarator|var_spec)$/.test(inType));

/** Words that a pattern leaves out where they do not matter. */
export const modifierWords = new Set(
  "async static export default public private protected final abstract readonly declare override synchronized var let const using await else finally elif if from get set -> array".split(
    " ",
  ),
);

const word = /[A-Za-z_]+|[^\sA-Za-z0-9_(){}[\],;:.'"`]+/g;

/** Keywords and operators between the children of a node, which the tree itself does not keep. */
export function wordsBetween(node: SyntaxNode, text: string): string[] {
  if (stringTypes.has(node.type) || templateTypes.has(node.type)) return [];
  if (node.children.length === 0)
    return node.type === "modifiers" ? (text.slice(node.start, node.end).match(/\w+/g) ?? []) : [];
  const words: string[] = [];
  let from = node.start;
  for (const child of [...node.children, { start: node.end, end: node.end }]) {
    // Most gaps hold a bracket, a comma or a dot.
    if (child.start - from > 1) {
      const gap = text.slice(from, child.start);
      const plain =
        gap.includes("/") || gap.includes("#") ? gap.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|#[^\n]*/g, " ") : gap;
      for (const [found] of plain.matchAll(word)) words.push(found);
    } else if (child.start - from === 1 && /[^\s(){}[\],;:.]/.test(text[from] as string))
      words.push(text[from] as string);
    from = child.end;
  }
  return words;
}

/** Lists of statements or members that follow each other. */
export const holdsStatements = (type: string): boolean =>
  /^(program|module|block|statement_block|source_file|class_body|compound_statement|declaration_list|constructor_body|statement_list|switch_case|switch_default|switch_block_statement_group|case_statement|expression_case|communication_case|default_case)$/.test(
    type,
  );

/** What cannot be the value of a lone metavariable. */
export const isExpression = (type: string): boolean =>
  !/statement|declaration|declarator|block|program|module|_list$|arguments|parameter|clause|body|source_file|content|fragment|escape|modifiers|^string_(start|end)$|heritage|substitution|interpolation|^(type|php_tag|function_definition|class_definition|text)$/.test(
    type,
  );

export const opensFunction = (type: string): boolean => groupOf(type) === "function" || /^(class|lambda)/.test(type);
