import type { Expression, FunctionNode, Parameter, Span, Statement } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import { annotationOf, metadataOf } from "./annotations.ts";
import type { PythonLowering } from "./python-lowering.ts";

/** Decorators of `dataclasses`, pydantic and attrs that write the constructor of a class. */
const makers = /^(?:[\w.]+\.)?(?:dataclass|define|frozen|mutable|attrs)$|^attr\.s$/;

/** What a class extends that writes the constructor as well, and has no fields of its own. Of forms linking asks what they let through. */
const makingBases = /^(?:typing\.)?NamedTuple$|^(?:msgspec\.)?Struct$/;

/** What belongs to the class, or is no field: `ClassVar[int]`, `_: KW_ONLY`, `total: int = field(init=False)`. */
const noField = /^(?:\w+\.)?(?:ClassVar\b|KW_ONLY$)/;
const isLeftOut = /\binit\s*=\s*False\b/;

/** `field(default_factory=list)` says what is in the field by itself, nothing about who fills it. */
const isField = /^(?:[\w.]+\.)?(?:field|ib|attrib)\(/;

/** A class with more fields was generated, and each of them costs as much as there are others. */
const fieldsMax = 200;

/** The receiver's name in constructors that nobody has written. */
const receiver = "self";

/**
 * The constructor of a data class that has written none: it takes the fields in their order and keeps them. Of classes that extend
 * others only part of the fields is seen here, so theirs are left to what their instances are made of.
 */
export function madeInitialiser(l: PythonLowering, node: SyntaxNode, decorators: readonly Expression[]): Statement[] {
  const bases = childIn(node, "superclasses")?.children.filter(({ type }) => type !== "keyword_argument") ?? [];
  if (!bases.every((base) => makingBases.test(l.textOf(base)))) return [];
  const isMade =
    bases.length > 0 ||
    decorators.some((d) => {
      const named = d.kind === "call" ? d.callee : d;
      return makers.test(l.text.slice(named.start, named.end));
    });
  const members = childIn(node, "body")?.children ?? [];
  if (!isMade || members.some((member) => isInitialiser(l, member))) return [];
  const fields = members.flatMap((member) => fieldOf(l, member));
  return initialiserOf(span(childIn(node, "name") ?? node), fields);
}

/** A constructor that takes the fields and keeps them. */
export function initialiserOf(at: Span, fields: Parameter[]): Statement[] {
  if (fields.length === 0 || fields.length > fieldsMax) return [];
  const fn: FunctionNode = {
    ...at,
    name: "__init__",
    params: fields,
    decorators: [],
    body: fields.map(kept),
    receiver,
    exported: false,
    made: true,
  };
  return [{ ...at, kind: "function", fn }];
}

function isInitialiser(l: PythonLowering, member: SyntaxNode): boolean {
  const name = member.type === "function_definition" ? childIn(member, "name") : undefined;
  return name !== undefined && l.textOf(name) === "__init__";
}

/** `order: str = "id"` as the parameter that it becomes. */
function fieldOf(l: PythonLowering, member: SyntaxNode): Parameter[] {
  const node = member.type === "expression_statement" ? member.children[0] : member;
  const name = node?.type === "assignment" ? childIn(node, "left") : undefined;
  const type = node && childIn(node, "type");
  const fallback = node && childIn(node, "right");
  // `order = attr.ib()`
  const isTold = type !== undefined || (fallback !== undefined && isField.test(l.textOf(fallback)));
  if (!node || name?.type !== "identifier" || !isTold) return [];
  const written = type && (l.written(type) ?? type);
  if ((type && noField.test(l.textOf(type))) || (fallback && isLeftOut.test(l.textOf(fallback)))) return [];
  return [
    {
      ...span(node),
      name: l.textOf(name),
      pattern: null,
      type: written ? annotationOf(l.textOf(written)) : null,
      // The default itself is lowered where it is written.
      decorators: !written
        ? []
        : metadataOf(l, written, fallback && isField.test(l.textOf(fallback)) ? undefined : fallback),
      default: null,
      rest: false,
    },
  ];
}

/** `self.order = order` */
function kept({ start, end, name }: Parameter): Statement {
  const at = { start, end };
  const to: Expression = { ...at, kind: "field", of: { ...at, kind: "variable", name: receiver }, name };
  const from: Expression = { ...at, kind: "variable", name };
  return { ...at, kind: "expression", value: { ...at, kind: "assign", to, from, type: null, declares: false } };
}
