import type { Expression, Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned } from "../curly/expressions.ts";
import { asStatement } from "../curly/statements.ts";
import { span } from "../lowering.ts";
import { comparedWith, filledFrom, patternOf, takesAll } from "./patterns.ts";
import type { RustLowering } from "./rust-lowering.ts";

type Use = (value: Expression) => Statement;

const asReturn: Use = (value) => ({ ...span(value), kind: "return", value });
const blocks = new Set(["block", "unsafe_block", "async_block", "const_block", "else_clause", "try_block"]);
const valueless =
  /_(item|declaration|definition|statement)$|^(for|while|loop|return|break|continue)_expression$|assignment/;

/** Nearly everything is a value in Rust; what is done with one is done at the end of each of its branches. */
export const returning = (l: RustLowering, node: SyntaxNode, use: Use = asReturn): Statement[] =>
  l.nested(() => doneWith(l, node, use)) ?? [];

function doneWith(l: RustLowering, node: SyntaxNode, use: Use): Statement[] {
  if (blocks.has(node.type)) {
    const inner = node.children.filter((c) => c.type !== "label");
    const last = inner.at(-1);
    return last ? [...l.statements(inner.slice(0, -1)), ...returning(l, last, use)] : [];
  }
  if (node.type === "if_expression") {
    const [test, then, otherwise] = ["condition", "consequence", "alternative"].map((field) => childIn(node, field));
    if (test && then)
      return [
        {
          ...span(node),
          kind: "branch",
          test: l.expression(test),
          then: returning(l, then, use),
          otherwise: otherwise ? returning(l, otherwise, use) : [],
        },
      ];
  }
  if (node.type === "match_expression") return matchOf(l, node, use);
  return valueless.test(node.type) ? l.statement(node) : [use(l.expression(node))];
}

function matchOf(l: RustLowering, node: SyntaxNode, use: Use): Statement[] {
  const value = childIn(node, "value");
  const arms = (childIn(node, "body")?.children ?? []).filter((c) => c.type === "match_arm");
  if (!value) return [];
  const of = l.expression(textItself(l, value));
  const cases = arms.flatMap((arm) => {
    const [pattern, body] = [childIn(arm, "pattern"), childIn(arm, "value")];
    if (!pattern || !body) return [];
    const compared = comparedWith(l, pattern);
    const unsure: Expression = { ...span(pattern), kind: "unknown", reads: [] };
    const tests = compared ?? (takesAll(l, pattern) ? [] : [unsure]);
    const target = compared ? null : patternOf(l, pattern);
    const bound =
      target && !isNothing(target)
        ? [asStatement(assigned(pattern, target, filledFrom(l, pattern, of), null, true))]
        : [];
    const guard = childIn(pattern, "condition");
    const then = returning(l, body, use);
    const inside: Statement[] = guard
      ? [{ ...span(arm), kind: "branch", test: l.expression(guard), then, otherwise: [] }]
      : then;
    return [{ tests: guard ? [unsure] : tests, body: [...bound, ...inside], through: false }];
  });
  return [{ ...span(node), kind: "switch", of, cases }];
}

/** `match name.as_str() { "a" => … }` asks about the name. */
function textItself(l: RustLowering, node: SyntaxNode): SyntaxNode {
  let here = node;
  for (;;) {
    const callee = here.type === "call_expression" ? childIn(here, "function") : undefined;
    const of = callee?.type === "field_expression" ? childIn(callee, "value") : undefined;
    const name = callee && childIn(callee, "field");
    if (!of || !name || !/^(as_str|as_ref|as_deref|deref)$/.test(l.textOf(name))) return here;
    here = of;
  }
}

const isNothing = (target: Expression): boolean => target.kind === "variable" && target.name === "_";

/** Where only a value can stand: what is done on the way is kept as far as it is values. */
export function blockValue(l: RustLowering, node: SyntaxNode): Expression {
  const parts = valuesIn(returning(l, node, asStatement));
  return { ...span(node), kind: "sequence", parts };
}

/** Which branch is taken is not asked: the value may be that of any. */
function valuesIn(statements: readonly Statement[]): Expression[] {
  return statements.flatMap((s): Expression[] => {
    if (s.kind === "expression") return [s.value];
    if (s.kind === "branch") return [either(s, s.test, s.then, s.otherwise)];
    if (s.kind !== "switch") return [];
    const unsure: Expression = { ...span(s), kind: "unknown", reads: [] };
    const all = s.cases.map(({ body }): Expression => ({ ...span(s), kind: "sequence", parts: valuesIn(body) }));
    const joined = all.reduceRight<Expression | null>(
      (otherwise, then) => (otherwise ? { ...span(s), kind: "conditional", test: unsure, then, otherwise } : then),
      null,
    );
    return joined ? [s.of, joined] : [s.of];
  });
}

const either = (at: Statement, test: Expression, then: Statement[], otherwise: Statement[]): Expression => ({
  ...span(at),
  kind: "conditional",
  test,
  then: { ...span(at), kind: "sequence", parts: valuesIn(then) },
  otherwise: { ...span(at), kind: "sequence", parts: valuesIn(otherwise) },
});

/** `let P = v else { … }` and `if let`: what the pattern binds. */
export const bindingOf = (l: RustLowering, node: SyntaxNode): Expression | null => {
  const [pattern, value] = [childIn(node, "pattern"), childIn(node, "value")];
  return pattern && value
    ? assigned(node, patternOf(l, pattern), filledFrom(l, pattern, l.expression(value)), null, true)
    : null;
};

export const blockIn = (node: SyntaxNode): SyntaxNode | undefined => childIn(node, "body") ?? childOf(node, "block");
