import { type Argument, type Call, type Entry, type Expression, handsOut, type Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, numberOf, positional, span, unescapeText } from "../lowering.ts";
import { classOf } from "./classes.ts";
import { declareModule, definedExport, isModule, wrappedModule } from "./compiled-modules.ts";
import { functionOf } from "./functions.ts";
import { jsxElement } from "./jsx.ts";
import { target } from "./patterns.ts";
import { prototypeMethods } from "./prototypes.ts";
import { stateSet } from "./state-pairs.ts";

type Handler = (l: Lowering, node: SyntaxNode) => Expression;

const inner: Handler = (l, node) => (node.children[0] ? l.expression(node.children[0]) : l.reads(node, []));
const name: Handler = (l, node) => l.variable(node);
const closure: Handler = (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node) });
const keyText: Handler = (l, node) => l.literal(node, l.textOf(node));

/** How each kind of JavaScript value lowers. */
export const expressions: Record<string, Handler> = {
  identifier: name,
  undefined: (l, node) => l.literal(node, null),
  null: (l, node) => l.literal(node, null),
  true: (l, node) => l.literal(node, true),
  false: (l, node) => l.literal(node, false),
  this: name,
  super: name,
  number: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  string: (l, node) => l.literal(node, unescapeText(l.textOf(node).slice(1, -1))),
  regex: (l, node) => ({ ...l.literal(node, l.textOf(childIn(node, "pattern") ?? node)), regex: true }) as Expression,
  template_string: template,
  string_fragment: (l, node) => l.literal(node, unescapeText(l.textOf(node))),
  property_identifier: keyText,
  private_property_identifier: keyText,
  shorthand_property_identifier: name,
  computed_property_name: inner,
  parenthesized_expression: inner,
  await_expression: awaited,
  yield_expression: handedOut,
  non_null_expression: inner,
  as_expression: inner,
  satisfies_expression: inner,
  instantiation_expression: inner,
  type_assertion: (l, node) =>
    node.children.at(-1) ? l.expression(node.children.at(-1) as SyntaxNode) : l.reads(node, []),
  spread_element: inner,
  jsx_expression: inner,
  jsx_element: jsxElement,
  jsx_self_closing_element: jsxElement,
  jsx_text: (l, node) => l.literal(node, l.textOf(node)),
  html_character_reference: (l, node) => l.literal(node, l.textOf(node)),
  meta_property: name,
  import: name,
  sequence_expression: (l, node) => ({
    ...span(node),
    kind: "sequence",
    parts: node.children.map((part) => l.expression(part)),
  }),
  member_expression: (l, node) => {
    const of = childIn(node, "object");
    const property = childIn(node, "property");
    if (!of || !property) return l.unknown(node);
    return field(l, node, of, l.textOf(property));
  },
  subscript_expression: (l, node) => {
    const of = childIn(node, "object");
    const index = childIn(node, "index");
    if (!of) return l.unknown(node);
    if (index?.type === "string" && l.textOf(index).slice(1, -1) === "default") return field(l, node, of, "default");
    return { ...span(node), kind: "index", of: l.expression(of), key: index ? l.expression(index) : null };
  },
  unary_expression: unary,
  update_expression: (l, node) => {
    const argument = childIn(node, "argument");
    if (!argument) return l.unknown(node);
    const operator = l.textOf(node).includes("++") ? "+" : "-";
    const from: Expression = {
      ...span(node),
      kind: "operation",
      operator,
      operands: [l.expression(argument), l.literal(node, 1)],
    };
    return { ...span(node), kind: "assign", to: l.expression(argument), from, type: null, declares: false };
  },
  binary_expression: (l, node) => l.chain(node, (n) => binaryParts(l, n)),
  ternary_expression: (l, node) => {
    const [test, then, otherwise] = ["condition", "consequence", "alternative"].map((field) => childIn(node, field));
    if (!test || !then || !otherwise) return l.unknown(node);
    return {
      ...span(node),
      kind: "conditional",
      test: l.expression(test),
      then: l.expression(then),
      otherwise: l.expression(otherwise),
    };
  },
  assignment_expression: (l, node) => {
    const to = childIn(node, "left");
    const from = childIn(node, "right");
    if (!to || !from) return l.unknown(node);
    declareModule(l, to, from);
    const assigned = { to: target(l, to), from: l.expression(from) };
    return prototypeMethods({ ...span(node), kind: "assign", ...assigned, type: null, declares: false });
  },
  augmented_assignment_expression: (l, node) => {
    const to = childIn(node, "left");
    const from = childIn(node, "right");
    const operator = childIn(node, "operator");
    if (!to || !from || !operator) return l.unknown(node);
    const operands = [l.expression(to), l.expression(from)];
    const value: Expression = { ...span(node), kind: "operation", operator: l.textOf(operator).slice(0, -1), operands };
    return { ...span(node), kind: "assign", to: target(l, to), from: value, type: null, declares: false };
  },
  call_expression: call,
  new_expression: call,
  array: (l, node) => ({
    ...span(node),
    kind: "collection",
    shape: "list",
    entries: node.children.map((c) => element(l, c)),
  }),
  object: (l, node) => ({
    ...span(node),
    kind: "collection",
    shape: "map",
    entries: node.children.map((c) => property(l, c)),
  }),
  arrow_function: closure,
  function_expression: closure,
  generator_function: closure,
  class: (l, node) => ({ ...span(node), kind: "closure", fn: classAsFunction(l, node) }),
};

function field(l: Lowering, node: SyntaxNode, of: SyntaxNode, name: string): Expression {
  if (name === "default" && isModule(l, of)) return l.expression(of);
  return { ...span(node), kind: "field", of: l.expression(of), name };
}

function awaited(l: Lowering, node: SyntaxNode): Expression {
  const waited = inner(l, node);
  return waited.kind === "call" ? { ...waited, awaited: true } : waited;
}

/** `yield x`. Before there was `await`, generators waited like this: it gives what it hands out. */
function handedOut(l: Lowering, node: SyntaxNode): Expression {
  const [given] = node.children;
  if (!given) return l.reads(node, []);
  const spread = /^yield\s*\*/.test(l.textOf(node));
  const args = [{ name: null, spread, value: awaited(l, node) }];
  return { ...span(node), kind: "call", callee: l.variable(node, handsOut), args, isNew: false };
}

function template(l: Lowering, node: SyntaxNode): Expression {
  const parts = node.children.map((part) =>
    part.type === "template_substitution" ? inner(l, part) : l.literal(part, unescapeText(l.textOf(part))),
  );
  return parts.length === 0 ? l.literal(node, "") : { ...span(node), kind: "template", parts };
}

function unary(l: Lowering, node: SyntaxNode): Expression {
  const operator = childIn(node, "operator");
  const argument = childIn(node, "argument");
  if (!operator || !argument) return l.unknown(node);
  return { ...span(node), kind: "operation", operator: l.textOf(operator), operands: [l.expression(argument)] };
}

function binaryParts(l: Lowering, node: SyntaxNode) {
  if (node.type !== "binary_expression") return null;
  const left = childIn(node, "left");
  const operator = childIn(node, "operator");
  const right = childIn(node, "right");
  return left && operator && right ? { left, operator: l.textOf(operator), right } : null;
}

function call(l: Lowering, node: SyntaxNode): Expression {
  const isNew = node.type === "new_expression";
  const callee = childIn(node, isNew ? "constructor" : "function");
  if (!callee) return l.unknown(node);
  const wrapped = wrappedModule(l, node);
  if (wrapped) return l.expression(wrapped);
  const defined = definedExport(l, node);
  if (defined) return defined;
  const given = childIn(node, "arguments");
  const value = waitedFor(l, callee, given);
  if (value) return value;
  // A tagged template calls the tag with the text parts and then the holes.
  const args: Argument[] =
    given?.type === "template_string"
      ? [
          positional(l.literal(given, "")),
          ...given.children.filter((c) => c.type === "template_substitution").map((c) => positional(inner(l, c))),
        ]
      : (given?.children ?? []).map((c) => ({
          name: null,
          spread: c.type === "spread_element",
          value: l.expression(c),
        }));
  const named = withoutThis(l.expression(callee));
  const direct = calledOn(named, args);
  if (direct) return { ...span(node), kind: "call", ...direct, isNew };
  const bound = boundTo(node, named, args);
  if (bound) return bound;
  const called = named;
  // `orders.find(id).then(show)` waits as well.
  if (called.kind === "field" && called.of.kind === "call" && /^(then|catch|finally)$/.test(called.name))
    called.of.awaited = true;
  const waits = isWaiting(l, callee);
  const made: Call = { ...span(node), kind: "call", callee: called, args, isNew, ...(waits && { awaited: true }) };
  return stateSet(l, made) ?? made;
}

/** The grammar takes `await (0, a.b)(x)`, which compilers write, for a call of what a function `await` gives. */
const isWaiting = (l: Lowering, callee: SyntaxNode): boolean => {
  const inside = callee.type === "call_expression" ? childIn(callee, "function") : undefined;
  return inside?.type === "identifier" && l.textOf(inside) === "await";
};

/** What `await` with brackets gives is the last of what stands in them. */
function waitedFor(l: Lowering, callee: SyntaxNode, given: SyntaxNode | undefined): Expression | null {
  const last = given?.type === "arguments" ? given.children.at(-1) : undefined;
  if (!last || callee.type !== "identifier" || l.textOf(callee) !== "await") return null;
  const value = l.expression(last);
  return value.kind === "call" ? { ...value, awaited: true } : value;
}

/** `(0, a.b)()` is how compilers call what was imported as b. */
function withoutThis(called: Expression): Expression {
  if (called.kind !== "sequence" || called.parts.length !== 2) return called;
  const [first, second] = called.parts as [Expression, Expression];
  return first.kind === "literal" && first.value === 0 ? second : called;
}

/**
 * `find.call(shop, name)` and `find.apply(shop, [name])` are `find(name)`, and `[].slice.call(list, 1)` is `list.slice(1)`. By a class its heirs
 * call what it does to the object that they make.
 */
function calledOn(callee: Expression, [on, ...others]: readonly Argument[]): Pick<Call, "callee" | "args"> | null {
  if (callee.kind !== "field" || !on || on.spread) return null;
  const { of, name } = callee;
  if (of.kind === "field" && name === "call" && isOfLists(of.of))
    return { callee: { ...of, of: on.value }, args: others };
  const inherited = inheritedMethod(of, on.value);
  const called = inherited ?? of;
  if (!inherited && (isBorrowed(of) || !isObject(on.value, of))) return null;
  if (name === "call") return { callee: called, args: others };
  const [all] = others;
  return name === "apply" && others.length < 2 ? { callee: called, args: all ? [{ ...all, spread: true }] : [] } : null;
}

/** Frameworks pass the functions that they call two or three arguments; one more would make a handler one of errors. */
const boundMax = 3;

/** `run.bind(null, "ls")` is `(...given) => run("ls", ...given)`; without arguments a function is bound to its object, and stays what it is. */
function boundTo(node: SyntaxNode, callee: Expression, [on, ...first]: readonly Argument[]): Expression | null {
  if (callee.kind !== "field" || callee.name !== "bind" || first.length === 0 || !on || on.spread) return null;
  if (!isObject(on.value, callee.of)) return null;
  const at = span(node);
  const names = Array.from({ length: boundMax }, (_, i) => `given ${i}`);
  const params = names.map((name) => {
    return { ...at, name, pattern: null, type: null, decorators: [], default: null, rest: false };
  });
  const given = names.map(
    (name): Argument => ({ name: null, spread: false, value: { ...at, kind: "variable", name } }),
  );
  const value: Expression = { ...at, kind: "call", callee: callee.of, args: [...first, ...given], isNew: false };
  const body: Statement[] = [{ ...at, kind: "return", value }];
  return {
    ...at,
    kind: "closure",
    fn: { ...at, name: "", params, decorators: [], body, receiver: null, exported: false },
  };
}

/** `[]`, `Array.prototype` */
const isOfLists = (of: Expression): boolean =>
  of.kind === "collection"
    ? of.shape === "list" && of.entries.length === 0
    : of.kind === "field" && of.name === "prototype" && of.of.kind === "variable" && of.of.name === "Array";

/** `View.prototype.show.call(this, name)` is `super.show(name)`; what the language has itself is borrowed. */
function inheritedMethod(of: Expression, on: Expression): Expression | null {
  if (on.kind !== "variable" || on.name !== "this" || of.kind !== "field" || of.of.kind !== "field") return null;
  const { of: owner, name } = of.of;
  if (name !== "prototype" || owner.kind !== "variable" || isOfLanguage.test(owner.name)) return null;
  const { start, end } = owner;
  return { ...of, of: { start, end, kind: "variable", name: "super" } };
}

const isOfLanguage = /^(?:Array|Object|String|Function|Number|Date|RegExp|Promise|Map|Set|Error)$/;

/** What a function may be called on by its looks: others have methods of their own that are called `call`. */
function isObject(on: Expression, called: Expression): boolean {
  if (on.kind === "literal") return on.value === null;
  if (on.kind === "operation") return on.operator === "void";
  if (on.kind === "field") return called.kind === "field" && isSamePlace(on, called.of);
  if (on.kind !== "variable") return false;
  const owner = called.kind === "field" && called.of.kind === "variable" ? called.of.name : null;
  return on.name === owner || /^(?:this|undefined|_?self|_?that|_?this|_?me|ctx|context|thisArg|scope)$/i.test(on.name);
}

/** `_context.t0.send.call(_context.t0, text)` */
const isSamePlace = (a: Expression, b: Expression): boolean =>
  a.kind === "field"
    ? b.kind === "field" && a.name === b.name && isSamePlace(a.of, b.of)
    : a.kind === "variable" && b.kind === "variable" && a.name === b.name;

function isBorrowed(of: Expression): boolean {
  if (of.kind === "closure") return false;
  if (of.kind === "variable") return /^\p{Lu}|^_*super|^has(?:Own|Prop)|^(?:slice|toString)$/u.test(of.name);
  if (of.kind !== "field") return true;
  return (
    /^(?:hasOwnProperty|toString|propertyIsEnumerable|isPrototypeOf|prototype)$/.test(of.name) || ofPrototype(of.of)
  );
}

const ofPrototype = (of: Expression): boolean =>
  of.kind === "field"
    ? of.name === "prototype" || ofPrototype(of.of)
    : of.kind === "collection" || of.kind === "literal";

function element(l: Lowering, node: SyntaxNode): Entry {
  return { ...span(node), key: null, value: l.expression(node), spread: node.type === "spread_element" };
}

function property(l: Lowering, node: SyntaxNode): Entry {
  if (node.type === "shorthand_property_identifier") {
    return { ...span(node), key: l.literal(node, l.textOf(node)), value: l.variable(node), spread: false };
  }
  if (node.type === "method_definition") {
    const key = childIn(node, "name");
    return { ...span(node), key: key ? l.expression(key) : null, value: closure(l, node), spread: false };
  }
  const key = childIn(node, "key");
  const value = childIn(node, "value");
  if (!key || !value)
    return { ...span(node), key: null, value: l.expression(node), spread: node.type === "spread_element" };
  return { ...span(node), key: l.expression(key), value: l.expression(value), spread: false };
}

/** A class used as a value: a function whose body declares the class and gives it back. */
function classAsFunction(l: Lowering, node: SyntaxNode) {
  const declared = classOf(l, node);
  const value = l.variable(node, declared.name);
  return {
    ...span(node),
    name: "",
    params: [],
    decorators: [],
    receiver: null,
    exported: false,
    body: [declared, { ...span(node), kind: "return" as const, value }],
  };
}
