import { type Argument, type Expression, type Parameter, wholeMap } from "../../ir/ir.ts";
import type { SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
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
  const isName = typeof value === "string" && /^[\p{L}_][\p{L}\p{N}_]{0,99}$/u.test(value);
  return isName ? { ...span(node), kind: "field", of: of.value, name: value } : null;
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
  const value: Expression = { ...at, kind: "call", callee: called.value, args, isNew: false };
  return {
    ...at,
    kind: "closure",
    fn: {
      ...at,
      name: "",
      params: [param("<others>", false), param("<named>", true)],
      decorators: [],
      body: [{ ...at, kind: "return", value }],
      receiver: null,
      exported: false,
    },
  };
}
