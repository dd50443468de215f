import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import { initialiserOf } from "./made-initialiser.ts";
import type { PythonLowering } from "./python-lowering.ts";

/** A tuple with more fields was generated. */
const fieldsMax = 100;

/** `Point = namedtuple("Point", "x y")` is what `class Point(NamedTuple)` with these fields is; null for all other assignments. */
export function namedTuple(l: PythonLowering, node: SyntaxNode | undefined): Statement | null {
  const name = node?.type === "assignment" ? childIn(node, "left") : undefined;
  const made = node && childIn(node, "right");
  const callee = made?.type === "call" ? childIn(made, "function") : undefined;
  if (!made || !callee || name?.type !== "identifier" || !/^(?:collections\.)?namedtuple$/.test(l.textOf(callee)))
    return null;
  const [, listed] = childIn(made, "arguments")?.children ?? [];
  const fields = listed ? fieldsOf(l, listed) : [];
  if (fields.length === 0 || fields.length > fieldsMax) return null;
  const at = span(name);
  const body = fields.map((field): Statement => {
    const to: Expression = { ...at, kind: "variable", name: field };
    const from: Expression = { ...at, kind: "unknown", reads: [] };
    return { ...at, kind: "expression", value: { ...at, kind: "assign", to, from, type: "Any", declares: true } };
  });
  const base: Expression = { ...at, kind: "variable", name: "NamedTuple" };
  const kept = fields.map((field) => {
    return { ...at, name: field, pattern: null, type: null, decorators: [], default: null, rest: false };
  });
  const members = [...body, ...initialiserOf(at, kept)];
  return { ...span(made), kind: "class", name: l.textOf(name), bases: [base], decorators: [], body: members };
}

/** Words in one text, with or without commas, or a list of texts. */
function fieldsOf(l: PythonLowering, listed: SyntaxNode): string[] {
  const texts = /^(list|tuple)$/.test(listed.type) ? listed.children : [listed];
  if (!texts.every(({ type }) => type === "string")) return [];
  const words = texts.flatMap((text) =>
    l
      .textOf(text)
      .replace(/^\w*["']+|["']+$/g, "")
      .split(/[\s,]+/),
  );
  return words.filter((word) => /^\w+$/.test(word));
}
