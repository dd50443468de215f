import type { Expression, FunctionNode, Parameter, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import { annotationsOf } from "./annotations.ts";
import type { PhpLowering } from "./php-lowering.ts";

/** Lowers a function, method or closure with a body in braces. */
export function functionOf(l: PhpLowering, node: SyntaxNode, kind: "function" | "method" | "closure"): FunctionNode {
  const name = childIn(node, "name");
  const written = name ? l.textOf(name) : "";
  const body = childIn(node, "body");
  const isStatic = childOf(node, "static_modifier") !== undefined;
  const visibility = childOf(node, "visibility_modifier");
  const { globals, aliases, around, given } = l;
  const params = withOthers(l, node, parametersOf(l, childIn(node, "parameters")));
  l.globals = readGlobals(l.textOf(node));
  l.aliases = new Map();
  l.around = span(node);
  l.given = params.map(({ name }) => name);
  const fn: FunctionNode = {
    ...span(node),
    name: kind === "method" && /^__construct$/i.test(written) ? "constructor" : written,
    params,
    decorators: kind === "closure" ? attributesOf(l, node) : decoratorsOf(l, node),
    body: body ? constructed(l, node, body) : [],
    receiver: kind === "method" && !isStatic ? "this" : null,
    exported: kind !== "closure" && (!visibility || !/private/i.test(l.textOf(visibility))),
    sees: new Set([...capturesOf(l, node), ...(body ? globalsIn(l, body) : []), ...l.globals]),
  };
  l.globals = globals;
  l.aliases = aliases;
  l.around = around;
  l.given = given;
  return fn;
}

/** What asks for all that it was called with takes more than it declares. */
function withOthers(l: PhpLowering, node: SyntaxNode, params: Parameter[]): Parameter[] {
  const { start, end } = span(node);
  if (params.at(-1)?.rest || !l.text.slice(start, end).includes("func_get_arg")) return params;
  const at = { start, end: start };
  return [
    ...params,
    { ...at, name: "$<others>", pattern: null, type: null, decorators: [], default: null, rest: true },
  ];
}

/** `$GLOBALS["conf"]` in a function that has no `$conf` besides. */
function readGlobals(written: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (written.length > globalsLookedForMax || !written.includes("$GLOBALS")) return found;
  for (const [, name] of written.matchAll(/\$GLOBALS\[["'](\w{1,100})["']\]/g)) found.add(`$${name}`);
  for (const [variable] of found.size === 0 ? [] : written.matchAll(/\$\w{1,100}/g)) found.delete(variable);
  return found;
}

/** UTF-16 units; functions within functions are looked through once each, and nobody writes longer ones. */
const globalsLookedForMax = 100_000;

/** `fn` sees all variables around it. */
export function arrowOf(l: PhpLowering, node: SyntaxNode): FunctionNode {
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

/** What is said of a class, a function or a method: by attributes, or by annotations as before PHP 8. */
export const decoratorsOf = (l: PhpLowering, node: SyntaxNode): Expression[] => [
  ...attributesOf(l, node),
  ...annotationsOf(l, node),
];

/** The attributes of a declaration are calls of their classes: #[Route("/x")] lowers to Route("/x"). */
export function attributesOf(l: PhpLowering, node: SyntaxNode): Expression[] {
  const groups = childIn(node, "attributes")?.children ?? [];
  return groups.flatMap((group) => group.children.map((attribute) => l.expression(attribute)));
}

export function parametersOf(l: PhpLowering, node: SyntaxNode | undefined): Parameter[] {
  return (node?.children ?? []).flatMap((p): Parameter[] => {
    const name = childIn(p, "name");
    const type = childIn(p, "type");
    const fallback = childIn(p, "default_value");
    if (!name) return [];
    return [
      {
        ...span(p),
        name: l.textOf(name).replace(/^[&\s]+/, ""),
        pattern: null,
        type: type ? typeOf(l, type) : null,
        decorators: attributesOf(l, p),
        default: fallback ? l.expression(fallback) : null,
        rest: p.type === "variadic_parameter",
      },
    ];
  });
}

/** A declared type: classes with their namespace, `?T` as T. */
export function typeOf(l: PhpLowering, node: SyntaxNode): string {
  const named = node.type === "optional_type" ? node.children[0] : node;
  if (named?.type !== "named_type") return l.textOf(named ?? node).toLowerCase();
  return l.names.classNamed(l.textOf(named));
}

/**
 * Parameters of a constructor that declare properties are assigned to them first. What it asks of a parameter before it does anything else it
 * asks of the property as well, so that these are assigned behind.
 */
function constructed(l: PhpLowering, node: SyntaxNode, { children }: SyntaxNode): Statement[] {
  const properties = promoted(l, node);
  const asks = ({ type, ...child }: SyntaxNode) =>
    type === "comment" || isQuestion(l.text.slice(child.start, child.end));
  const first = properties.length === 0 ? 0 : children.findIndex((child) => !asks(child));
  const asked = first < 0 ? children : children.slice(0, first);
  return [...l.statements(asked), ...properties, ...l.statements(children.slice(asked.length))];
}

/** `if (!ctype_digit($id)) { throw ...; }`, `Assert::uuid($id);`: it reads no property, and assigns nothing. */
const isQuestion = (statement: string): boolean =>
  /^(if\s*\(|[\w\\]+(::\w+)?\()/.test(statement) &&
  !/\$this\b|\bself::|\bparent::|[^=!<>]=[^=>]|[&]\$|\breturn\b/.test(statement);

function promoted(l: PhpLowering, node: SyntaxNode): Statement[] {
  return (childIn(node, "parameters")?.children ?? []).flatMap((p): Statement[] => {
    const name = childIn(p, "name");
    if (p.type !== "property_promotion_parameter" || !name) return [];
    const written = l.textOf(name).replace(/^[&\s]+/, "");
    const to: Expression = { ...span(p), kind: "field", of: l.variable(p, "this"), name: written };
    const assign: Expression = {
      ...span(p),
      kind: "assign",
      to,
      from: l.variable(name, written),
      type: null,
      declares: false,
    };
    return [{ ...span(p), kind: "expression", value: assign }];
  });
}

const capturesOf = (l: PhpLowering, node: SyntaxNode): string[] =>
  (childOf(node, "anonymous_function_use_clause")?.children ?? []).map((c) => l.textOf(c).replace(/^[&\s]+/, ""));

/** The variables that `global` statements of a body name, wherever in it they stand. */
function globalsIn(l: PhpLowering, body: SyntaxNode): string[] {
  const found: string[] = [];
  const open = [...body.children];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === "global_declaration") found.push(...node.children.map((c) => l.textOf(c)));
    else if (!/function|class|expression_statement/.test(node.type)) open.push(...node.children);
  }
  return found;
}
