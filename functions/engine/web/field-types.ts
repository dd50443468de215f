import type { ClassStatement, Expression } from "../ir/ir.ts";
import type { Names } from "./names.ts";
import { classAround, type Within } from "./within.ts";

/** The types that the fields of a file's classes are declared with: frameworks put objects of them there. */
export class FieldTypes {
  readonly #names: Names;
  /** By class, the simple names of the types. */
  readonly #types = new Map<string, ReadonlyMap<string, string>>();

  constructor(names: Names) {
    this.#names = names;
  }

  learn(node: ClassStatement): void {
    this.#types.set(node.name, fieldTypes(node));
  }

  /** The simple name of the type that a field of the class around is declared with. */
  named(field: string, within: Within): string | undefined {
    return this.#types.get(classAround(within) ?? "")?.get(field.replace(/^\$/, ""));
  }

  /** The method of another class that is called on a field of this one, as its declared type tells. */
  method(callee: Expression, within: Within): string | null {
    if (callee.kind !== "field") return null;
    const { of } = callee;
    const isOwn = of.kind === "field" && of.of.kind === "variable" && /^(this|self|\$this)$/.test(of.of.name);
    if (!isOwn && of.kind !== "variable") return null;
    const type = this.named(of.name, within);
    if (type === undefined) return null;
    const full = this.#names.full({ start: 0, end: 0, kind: "variable", name: type }) ?? type;
    return `${this.#names.declared.has(type) ? "#" : ""}${full}.${callee.name}`;
  }
}

/** Types of fields, and of what a constructor takes: that becomes a field of the same name. */
function fieldTypes({ name, body }: ClassStatement): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  const add = (field: string, type: string | null) => {
    const simple = type?.match(/^(?:final\s+)?([A-Z]\w*)/)?.[1];
    if (simple !== undefined) types.set(field.replace(/^\$/, ""), simple);
  };
  for (const statement of body) {
    if (
      statement.kind === "function" &&
      /^(constructor|__construct|__init__)$|^$/.test(statement.fn.name.replace(name, ""))
    )
      for (const { name: field, type } of statement.fn.params) add(field, type);
    if (statement.kind !== "expression" || statement.value.kind !== "assign") continue;
    const { to, type } = statement.value;
    if (to.kind === "variable" || to.kind === "field") add(to.name, type);
  }
  return types;
}
