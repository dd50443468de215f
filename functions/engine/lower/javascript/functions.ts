import { type Expression, type FunctionNode, type Parameter, type Statement, setterName } from "../../ir/ir.ts";
import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";
import { classOf } from "./classes.ts";
import { target } from "./patterns.ts";
import { asWritten } from "./waiting.ts";

/** Lowers any function-like node: declaration, expression, arrow, method. */
export function functionOf(l: Lowering, node: SyntaxNode, exported = false): FunctionNode {
  const name = childIn(node, "name");
  const single = childIn(node, "parameter");
  const listed = childIn(node, "parameters")?.children ?? [];
  const written = single ? [parameterOf(l, single)] : listed.map((parameter) => parameterOf(l, parameter));
  const all = node.type !== "arrow_function" && namesArguments(l, node);
  // Handlers are told apart by how many parameters they have, so that those which have some get no other.
  const params = all && written.length === 0 ? [allArguments(node)] : written;
  const result = childIn(node, "return_type")?.children[0];
  const head = l.text.slice(node.start, node.start + 60);
  const [, accessor] =
    (node.type === "method_definition" &&
      head.match(/^(?:(?:public|private|protected|static|override)\s+)*([gs]et)\s+[\w#$["']/)) ||
    [];
  const called = name ? l.textOf(name) : "";
  return {
    ...span(node),
    name: accessor === "set" ? setterName(called) : called,
    params,
    decorators: childrenIn(node, "decorator").flatMap((d) => d.children.map((c) => l.expression(c))),
    body: [...(all && written.length > 0 ? [argumentsOf(l, node, written)] : []), ...bodyOf(l, childIn(node, "body"))],
    receiver: node.type === "arrow_function" ? null : "this",
    exported,
    ...(result && { result: l.textOf(result) }),
    ...(accessor === "get" && { getter: true }),
    ...(/^(?:(?:public|private|protected|static|override)\s+)*async\b/.test(head) && {
      suspends: true,
    }),
  };
}

const argumentsName = "arguments";

/** Where a file says `arguments`. */
const places = new WeakMap<Lowering, readonly number[]>();

/** Whether a function, or one inside it, may ask for all of its arguments. */
function namesArguments(l: Lowering, { start, end }: SyntaxNode): boolean {
  const all = places.get(l) ?? [...l.text.matchAll(/\barguments\b/g)].map(({ index }) => index);
  places.set(l, all);
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as number) < start) low = middle + 1;
    else high = middle;
  }
  return low < all.length && (all[low] as number) < end;
}

const allArguments = ({ start, end }: SyntaxNode): Parameter => {
  return { start, end, name: argumentsName, pattern: null, type: null, decorators: [], default: null, rest: true };
};

/** `arguments` is the list of what has names, too. */
function argumentsOf(l: Lowering, { start }: SyntaxNode, params: readonly Parameter[]): Statement {
  const at = { start, end: start };
  const entries = params.map(({ name, rest }) => {
    return { ...at, key: null, value: l.variable(at, name), spread: rest };
  });
  const from: Expression = { ...at, kind: "collection", shape: "list", entries };
  const to = l.variable(at, argumentsName);
  return { ...at, kind: "expression", value: { ...at, kind: "assign", to, from, type: null, declares: true } };
}

function bodyOf(l: Lowering, body: SyntaxNode | undefined): Statement[] {
  if (!body) return [];
  if (body.type === "statement_block") return l.statements(body.children);
  return asWritten(returning(l, body, body), l.text);
}

/** `(Base) => class extends Base {…}` gives a class that it declares. */
export function returning(l: Lowering, at: SyntaxNode, value: SyntaxNode | undefined): Statement[] {
  if (value?.type !== "class") return [{ ...span(at), kind: "return", value: value ? l.expression(value) : null }];
  const declared = classOf(l, value);
  return [declared, { ...span(at), kind: "return", value: l.variable(value, declared.name) }];
}

function parameterOf(l: Lowering, node: SyntaxNode): Parameter {
  const typed = node.type === "required_parameter" || node.type === "optional_parameter";
  const pattern = (typed ? childIn(node, "pattern") : node) ?? node;
  const to = target(l, pattern);
  const type = typed ? childIn(node, "type") : undefined;
  const fallback = typed
    ? childIn(node, "value")
    : node.type === "assignment_pattern"
      ? childIn(node, "right")
      : undefined;
  return {
    ...span(node),
    name: to.kind === "variable" ? to.name : `<${node.start}>`,
    pattern: to.kind === "variable" ? null : to,
    type: type?.children[0] ? l.textOf(type.children[0]) : null,
    decorators: childrenIn(node, "decorator").flatMap((d) => d.children.map((c) => l.expression(c))),
    default: fallback ? l.expression(fallback) : null,
    rest: pattern.type === "rest_pattern",
  };
}
