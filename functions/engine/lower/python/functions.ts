import { type Expression, type FunctionNode, type Parameter, setterName } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import { annotationOf, metadataOf } from "./annotations.ts";
import { target } from "./patterns.ts";
import type { PythonLowering } from "./python-lowering.ts";

/** Lowers a `def`. In a class its first parameter is the receiver, unless it is a static method. */
export function functionOf(
  l: PythonLowering,
  node: SyntaxNode,
  decorators: Expression[],
  inClass: boolean,
): FunctionNode {
  const name = childIn(node, "name");
  const params = parametersOf(l, childIn(node, "parameters"));
  const isStatic = decorators.some((d) => d.kind === "variable" && d.name === "staticmethod");
  const receiver = (inClass && !isStatic) || decorators.some(isBound) ? (params.shift()?.name ?? null) : null;
  const body = childIn(node, "body");
  const result = childIn(node, "return_type");
  const written = name ? l.textOf(name) : "";
  return {
    ...span(node),
    name: decorators.some(isSetter) ? setterName(written) : written,
    params,
    decorators,
    body: body ? l.inFunction(() => l.statements(body.children)) : [],
    receiver,
    exported: !inClass,
    ...(l.text.startsWith("async", node.start) && { suspends: true }),
    ...(decorators.some(isProperty) && { getter: true }),
    ...(result && { result: l.textOf(result) }),
  };
}

/** `@task(bind=True)` passes the task itself first. */
const isBound = (d: Expression): boolean =>
  d.kind === "call" &&
  d.args.some(({ name, value }) => name === "bind" && value.kind === "literal" && value.value === true);

/** `@name.setter` */
const isSetter = (d: Expression): boolean => d.kind === "field" && d.name === "setter";

/** `@property`, `@cached_property` */
const isProperty = (d: Expression): boolean =>
  (d.kind === "variable" || d.kind === "field") && /^(cached_?)?property$/.test(d.name);

export function lambdaOf(l: PythonLowering, node: SyntaxNode): FunctionNode {
  const body = childIn(node, "body");
  return {
    ...span(node),
    name: "",
    params: parametersOf(l, childIn(node, "parameters")),
    decorators: [],
    body: body ? [{ ...span(body), kind: "return", value: l.expression(body) }] : [],
    receiver: null,
    exported: false,
  };
}

function parametersOf(l: PythonLowering, node: SyntaxNode | undefined): Parameter[] {
  return (node?.children ?? []).flatMap((p): Parameter[] => {
    if (p.type === "keyword_separator" || p.type === "positional_separator") return [];
    const bound = childIn(p, "name") ?? (p.type === "typed_parameter" ? p.children[0] : p) ?? p;
    const rest = /splat/.test(p.type) || /splat/.test(bound.type);
    const to = target(l, rest ? (bound.children[0] ?? bound) : bound);
    const type = l.written(childIn(p, "type") ?? childOf(p, "type"));
    const fallback = childIn(p, "value");
    return [
      {
        ...span(p),
        name: to.kind === "variable" ? to.name : `<${p.start}>`,
        pattern: to.kind === "variable" ? null : to,
        type: type ? annotationOf(l.textOf(type)) : null,
        decorators: metadataOf(l, type, fallback),
        default: fallback ? l.expression(fallback) : null,
        rest,
        ...(/^dictionary_splat/.test(bound.type) && { byName: true }),
      },
    ];
  });
}
