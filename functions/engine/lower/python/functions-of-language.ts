import { type Argument, type Expression, type Parameter, type Statement, wholeMap } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import { isAttribute, ownDictionary } from "./patterns.ts";
import type { PythonLowering } from "./python-lowering.ts";

/** What functions do that stand for a construct of the language. */
export function asWritten(
  l: PythonLowering,
  node: SyntaxNode,
  callee: SyntaxNode,
  args: readonly Argument[],
): Expression | null {
  switch (l.textOf(callee)) {
    case "getattr":
      return namedAttribute(node, args);
    case "setattr":
      return setAttribute(node, args);
    case "vars":
      return attributesOf(node, args);
    case "print":
      return printed(l, node, args);
    case "Thread":
    case "threading.Thread":
    case "Process":
    case "multiprocessing.Process":
      return startedBeside(l, node, callee, args);
    case "partial":
    case "functools.partial":
      // Others have functions of that name.
      return l.text.includes("functools") ? partial(node, args) : null;
    default:
      return null;
  }
}

/** `getattr(order, "total", None)` is `order.total`, unless there may be something else in its place. */
function namedAttribute(node: SyntaxNode, [of, name, otherwise, more]: readonly Argument[]): Expression | null {
  if (!of || more || (otherwise && otherwise.value.kind !== "literal")) return null;
  return fieldOf(node, of, name);
}

/** `setattr(order, "total", 1)` is `order.total = 1`. */
function setAttribute(node: SyntaxNode, [of, name, given, more]: readonly Argument[]): Expression | null {
  const to = of && given && !more ? fieldOf(node, of, name) : null;
  return to && given ? { ...span(node), kind: "assign", to, from: given.value, type: null, declares: true } : null;
}

function fieldOf(node: SyntaxNode, of: Argument, name: Argument | undefined): Expression | null {
  const value = name?.value.kind === "literal" ? name.value.value : null;
  const isName = typeof value === "string" && isAttribute.test(value);
  return isName ? { ...span(node), kind: "field", of: of.value, name: value } : null;
}

/** `vars(order)` is `order.__dict__`. */
function attributesOf(node: SyntaxNode, [of, more]: readonly Argument[]): Expression | null {
  return of && !more && !of.spread && of.name === null
    ? { ...span(node), kind: "field", of: of.value, name: ownDictionary }
    : null;
}

/** `print(title, total, file=page)` is `page.write(f"{title} {total}")`. */
function printed(l: PythonLowering, node: SyntaxNode, args: readonly Argument[]): Expression | null {
  const file = args.find(({ name }) => name === "file");
  const shown = args.filter(({ name, spread }) => name === null && !spread);
  if (!file || shown.length === 0 || isStandard.test(l.text.slice(file.value.start, file.value.end))) return null;
  const at = span(node);
  const parts = shown.flatMap(({ value }, i) => (i === 0 ? [value] : [l.literal(node, " "), value]));
  const callee: Expression = { ...at, kind: "field", of: file.value, name: "write" };
  return l.call(node, callee, [positional({ ...at, kind: "template", parts })]);
}

/** What a terminal shows is written for no browser. */
const isStandard = /\b(stdout|stderr)\b/;

/** `Thread(target=run, args=(name,), kwargs=options)` is given a function that calls `run(*(name,), **options)`. */
function startedBeside(
  l: PythonLowering,
  node: SyntaxNode,
  callee: SyntaxNode,
  args: readonly Argument[],
): Expression | null {
  const named = (wanted: string) => args.find(({ name }) => name === wanted);
  const [target, list, map] = [named("target"), named("args"), named("kwargs")];
  // Without a map the function is called with what is in the list, as others are.
  if (!target || !map) return null;
  const given: Argument[] = [
    ...(list ? [{ name: null, value: list.value, spread: true }] : []),
    { name: wholeMap, value: map.value, spread: true },
  ];
  const start: Argument = { ...target, value: calling(node, [], target.value, given) };
  const others = args.filter((arg) => arg !== target && arg !== list && arg !== map);
  return l.call(node, l.expression(callee), [...others, start]);
}

/** `partial(run, "ls")` is a function that calls `run` with what it is given behind that. */
function partial(node: SyntaxNode, [called, ...given]: readonly Argument[]): Expression | null {
  if (!called || called.spread || given.length === 0) return null;
  const at = span(node);
  const param = (name: string, byName: boolean): Parameter => {
    return { ...at, name, pattern: null, type: null, decorators: [], default: null, rest: !byName, byName };
  };
  const handedOn = (name: string, as: string | null): Argument => {
    return { name: as, value: { ...at, kind: "variable", name }, spread: true };
  };
  const args = [...given, handedOn("<others>", null), handedOn("<named>", wholeMap)];
  return calling(node, [param("<others>", false), param("<named>", true)], called.value, args);
}

/** A function that does nothing but call another one. */
function calling(node: SyntaxNode, params: Parameter[], callee: Expression, args: Argument[]): Expression {
  const at = span(node);
  const value: Expression = { ...at, kind: "call", callee, args, isNew: false };
  const body: Statement[] = [{ ...at, kind: "return", value }];
  return {
    ...at,
    kind: "closure",
    fn: { ...at, name: "", params, decorators: [], body, receiver: null, exported: false },
  };
}
