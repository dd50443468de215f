import type { ClassStatement, Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement } from "../curly/statements.ts";
import { span } from "../lowering.ts";
import { argumentsInTokens } from "./macros.ts";
import { patternOf } from "./patterns.ts";
import { returning } from "./results.ts";
import type { RustLowering } from "./rust-lowering.ts";
import { extractors, outerName, tupleTypes, typeName } from "./types.ts";

/** A struct or enumeration with the methods of all its `impl` blocks. */
export function classOf(l: RustLowering, node: SyntaxNode): ClassStatement {
  const name = l.textOf(childIn(node, "name") ?? node);
  const body = childIn(node, "body");
  const fields = (body?.type === "field_declaration_list" ? body.children : []).flatMap((c): Statement[] => {
    const field = childIn(c, "name");
    if (!field) return [];
    const unsaid: Expression = { ...span(c), kind: "unknown", reads: [] };
    return [asStatement(assigned(c, l.variable(field), unsaid, typeName(l, childIn(c, "type")), true))];
  });
  const methods = l.methods.get(name) ?? [];
  l.methods.delete(name);
  const variants = node.type === "enum_item" ? body?.children.filter((c) => c.type === "enum_variant") : undefined;
  return {
    ...span(node),
    kind: "class",
    name,
    // Variants that hold nothing are names.
    bases: variants ? [l.variable(node, variants.some((c) => childIn(c, "body")) ? "<enum>" : "<names>")] : [],
    interfaces: l.traits.get(name) ?? [],
    decorators: [],
    body: [...fields, ...membersOf(l, name, methods)],
  };
}

/** The functions of a type, with the attributes that stand before them. */
export function membersOf(l: RustLowering, type: string, nodes: readonly SyntaxNode[]): Statement[] {
  const before = l.self;
  l.self = type;
  try {
    return functionsIn(l, nodes);
  } finally {
    l.self = before;
  }
}

/** Attributes stand before what they are about, as siblings. */
export function functionsIn(l: RustLowering, nodes: readonly SyntaxNode[]): Statement[] {
  let attributes: Expression[] = [];
  let isTest = false;
  return nodes.flatMap((node) => {
    if (node.type === "attribute_item") {
      attributes = [...attributes, ...attributeOf(l, node)];
      isTest ||= /^#\[(cfg\(test\)|test|tokio::test|actix_web::test)\b/.test(l.textOf(node));
      return [];
    }
    if (isTest) {
      // Tests stand in the file that they are about; they are no part of the program.
      isTest = false;
      attributes = [];
      return [];
    }
    const decorators = attributes;
    attributes = [];
    if (node.type !== "function_item") return l.statement(node);
    return [{ ...span(node), kind: "function", fn: functionOf(l, node, decorators) }];
  });
}

function attributeOf(l: RustLowering, node: SyntaxNode): Expression[] {
  const attribute = childOf(node, "attribute");
  const name = attribute?.children[0];
  if (!attribute || !name) return [];
  const tokens = childIn(attribute, "arguments");
  const last = l.textOf(name).split("::").at(-1) ?? "";
  const args = /^(get|post|put|delete|patch|head|options|route)$/.test(last) ? argumentsInTokens(l, tokens) : [];
  return [l.call(node, l.variable(name, last), args)];
}

export function functionOf(l: RustLowering, node: SyntaxNode, decorators: Expression[]): FunctionNode {
  const body = childIn(node, "body");
  const list = childIn(node, "parameters");
  const name = l.textOf(childIn(node, "name") ?? node);
  const isRouted = decorators.some(isRoute) || l.routed.has(name);
  return {
    ...span(node),
    name,
    params: isRouted ? withBody(l, parametersOf(l, list)) : parametersOf(l, list),
    decorators,
    body: body ? returning(l, body) : [],
    result: typeName(l, childIn(node, "return_type")),
    receiver: childOf(list ?? node, "self_parameter") ? "self" : null,
    exported: childOf(node, "visibility_modifier") !== undefined,
  };
}

const isRoute = (mark: Expression): boolean =>
  mark.kind === "call" && mark.callee.kind === "variable" && /^(post|put|patch|delete)$/.test(mark.callee.name);

/** What a handler takes as plain text is the body as it came. */
const withBody = (l: RustLowering, params: Parameter[]): Parameter[] =>
  params.map((param) => {
    if (param.type !== "String" || param.decorators.length > 0) return param;
    return { ...param, decorators: [l.call(param, l.variable(param, "Bytes"), [])] };
  });

export const parametersOf = (l: RustLowering, list: SyntaxNode | undefined): Parameter[] =>
  (list?.children ?? [])
    .filter((c) => !/^(self_parameter|attribute_item|variadic_parameter)$/.test(c.type))
    .map((c) => {
      const pattern = childIn(c, "pattern") ?? c;
      const type = c === pattern ? undefined : childIn(c, "type");
      const target = patternOf(l, pattern, tupleTypes(l, type));
      return {
        ...span(c),
        name: target.kind === "variable" ? target.name : `<part ${c.start}>`,
        pattern: target.kind === "variable" ? null : target,
        type: typeName(l, type),
        decorators: extractorOf(l, type),
        default: null,
        rest: false,
      };
    });

/** What a framework fills by its type: as models know parameters, one that is marked so. */
function extractorOf(l: RustLowering, type: SyntaxNode | undefined): Expression[] {
  if (!type) return [];
  const inner = type.type === "generic_type" && /^(Option|Result)$/.test(outerName(l, type));
  if (inner) return l.nested(() => extractorOf(l, childOf(type, "type_arguments")?.children[0])) ?? [];
  const name = outerName(l, type);
  const isExtractor =
    extractors.test(name) &&
    (type.type === "generic_type" || /^(Multipart|TempFile|Bytes|RawQuery|HeaderMap)$/.test(name));
  return isExtractor ? [l.call(type, l.variable(type, name), [])] : [];
}
