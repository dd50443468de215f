import type { Assign, Expression, Module, Statement } from "../ir/ir.ts";
import { eachChild, type IrNode } from "../ir/walk.ts";

/** Chains of names longer than this are not followed: `const a = b; const b = c`. */
const followedMax = 4;
const lengthMax = 160;

/** What the names of a file mean, as far as its imports and first assignments tell. */
export class Names {
  readonly #imports = new Map<string, string>();
  /** What is imported, whatever it is called here. */
  readonly #modules: ReadonlySet<string>;
  /** The first parts of these: most names have none of them. */
  readonly #roots: ReadonlySet<string>;
  readonly #assigned = new Map<string, Expression>();
  /** Functions and classes declared in the file. */
  readonly declared = new Set<string>();
  /** What a name means where it stands, in functions that declare it: a full name, or what it was assigned. */
  meaning: (name: string) => string | Expression | null = () => null;
  /** The files of a package see each other's names; references to those begin with `~`. */
  readonly #packaged: boolean;
  /** What calls and members are called is asked several times. Not kept where a name may mean something else in the next function. */
  readonly #named = new Map<Expression, readonly string[]>();
  readonly #resolved = new Map<Expression, string | undefined>();

  constructor(module: Module, packaged: boolean) {
    this.#packaged = packaged;
    // Lowering bounds how deep this goes.
    const look = (node: IrNode): void => {
      if ("kind" in node) {
        // Half of all nodes, with nothing in them.
        if (node.kind === "variable" || node.kind === "literal") return;
        this.#learn(node);
      }
      eachChild(node, look);
    };
    for (const statement of module.body) look(statement);
    this.#modules = new Set(this.#imports.values());
    this.#roots = new Set([...this.#modules].map(firstPart));
  }

  #learn(node: Expression | Statement): void {
    if (node.kind === "import" && node.as !== "*") {
      const joint = node.module.endsWith(".") ? "" : ".";
      this.#imports.set(node.as, node.name === null ? node.module : `${node.module}${joint}${node.name}`);
    }
    if (node.kind === "assign") this.#assign(node);
    if (node.kind === "function") this.declared.add(node.fn.name);
    if (node.kind === "class") this.declared.add(node.name);
  }

  #assign({ to, from }: Assign): void {
    if (to.kind === "variable" && !this.#assigned.has(to.name)) this.#assigned.set(to.name, from);
    // `const { a } = require("b")` takes the member a.
    if (to.kind !== "collection" || to.shape !== "map") return;
    for (const { key, value } of to.entries) {
      if (value.kind !== "variable" || key?.kind !== "literal" || this.#assigned.has(value.name)) continue;
      this.#assigned.set(value.name, {
        start: value.start,
        end: value.end,
        kind: "field",
        of: from,
        name: `${key.value}`,
      });
    }
  }

  /** What a variable was first assigned. */
  assigned(name: string): Expression | undefined {
    const meant = this.meaning(name);
    if (meant !== null) return typeof meant === "string" ? undefined : meant;
    return this.#assigned.get(name);
  }

  /** The name as written, and what it comes from. */
  of(expression: Expression): readonly string[] {
    const known = this.#named.get(expression);
    if (known) return known;
    const names = this.#namesOf(expression);
    if (!this.#packaged) this.#named.set(expression, names);
    return names;
  }

  #namesOf(expression: Expression): string[] {
    const as = written(expression).slice(0, lengthMax);
    const full = this.full(expression)?.slice(0, lengthMax);
    return full === undefined || full === as ? [as] : [as, full];
  }

  /** The name with imports and assignments resolved; `require("x")` is x. */
  full(expression: Expression, followed = 0): string | undefined {
    const isKept = !this.#packaged && followed === 0 && (expression.kind === "field" || expression.kind === "call");
    if (!isKept) return this.#resolve(expression, followed);
    const known = this.#resolved.get(expression);
    if (known !== undefined || this.#resolved.has(expression)) return known;
    const name = this.#resolve(expression, followed);
    this.#resolved.set(expression, name);
    return name;
  }

  #resolve(expression: Expression, followed: number): string | undefined {
    switch (expression.kind) {
      case "variable": {
        const meant = this.meaning(expression.name);
        if (typeof meant === "string") return meant;
        const imported = this.#imports.get(expression.name);
        if (imported !== undefined && meant === null) return imported;
        const from = followed < followedMax ? (meant ?? this.#assigned.get(expression.name)) : undefined;
        const isNamed = from?.kind === "call" || from?.kind === "field" || from?.kind === "variable";
        return isNamed ? this.full(from, followed + 1) : expression.name;
      }
      case "field": {
        const of = this.full(expression.of, followed);
        return of && `${of}.${expression.name}`;
      }
      case "index": {
        const of = this.full(expression.of, followed);
        return of && expression.key?.kind === "literal" ? `${of}.${expression.key.value}` : written(expression);
      }
      case "call": {
        const required = requiredModule(expression);
        if (required !== null) return required;
        const callee = this.full(expression.callee, followed);
        return callee && `${callee}()`;
      }
      default:
        return written(expression);
    }
  }

  isImported(name: string): boolean {
    return this.#imports.has(name);
  }

  /** A declared type with its import resolved. */
  type(name: string): string {
    const [root, ...members] = name.split(".") as [string, ...string[]];
    return [this.#imports.get(root) ?? (this.#packaged ? `~${root}` : root), ...members].join(".");
  }

  /** Whether a name leads to another file or to something that this one declares. */
  leads(reference: string): boolean {
    return reference.startsWith("#") || reference.startsWith("~") || this.leadsAway(reference);
  }

  /** Whether a name leads to another file. */
  leadsAway(reference: string): boolean {
    if (isRelative(reference)) return true;
    if (!this.#roots.has(firstPart(reference))) return false;
    if (this.#modules.has(reference)) return true;
    for (let dot = reference.indexOf(".", 1); dot > 0; dot = reference.indexOf(".", dot + 1))
      if (this.#modules.has(reference.slice(0, dot))) return true;
    return false;
  }

  /** The reference that an expression is to a function or class, where it is one. */
  reference(expression: Expression): string | null {
    if (expression.kind === "closure") return `#${closureName(expression.fn)}`;
    if (expression.kind === "variable") {
      const from = this.assigned(expression.name);
      if (from?.kind === "closure") return `#${expression.name}`;
    }
    const named = this.full(expression);
    const full = named && withoutCalls(named);
    if (full === undefined || full === "" || full.length > lengthMax) return null;
    const dot = full.indexOf(".");
    const root = dot < 0 ? full : full.slice(0, dot);
    // Methods of a type may stand in other files, and what a function gives has a type of its own.
    if (this.#packaged && !/[~/]/.test(full) && !this.#imports.has(root) && !builtin.test(full))
      return full === root && this.declared.has(root) ? `#${full}` : `~${full}`;
    return this.declared.has(root) || root === "this" ? `#${full}` : full;
  }
}

/** What Go declares itself. */
const builtin =
  /^(append|cap|clear|close|complex|copy|delete|imag|len|make|max|min|new|panic|print|println|real|recover|string|byte|rune|any|error|bool|u?int(8|16|32|64)?|uintptr|float(32|64)|nil|true|false|iota)$|\?/;

/** Most names have neither, and are many. */
const withoutCalls = (name: string): string => {
  const plain = name.includes("()") ? name.replaceAll("()", "") : name;
  return plain.endsWith(".bind") ? plain.slice(0, -".bind".length) : plain;
};

/** Up to the first dot that does not begin the name. */
function firstPart(name: string): string {
  const dot = name.indexOf(".", 1);
  return dot < 0 ? name : name.slice(0, dot);
}

const isRelative = (reference: string): boolean => /^\.{1,2}\//.test(reference);

/** Anonymous functions go by their place. */
export const closureName = (fn: { name: string; start: number }): string => fn.name || `<${fn.start}>`;

export function requiredModule(expression: Expression): string | null {
  if (expression.kind !== "call" || expression.callee.kind !== "variable") return null;
  if (expression.callee.name !== "require" && expression.callee.name !== "import") return null;
  const [argument] = expression.args;
  return argument?.value.kind === "literal" && typeof argument.value.value === "string"
    ? argument.value.value.replace(/^node:/, "")
    : null;
}

/** An expression as a dotted name; what has none is "?". */
export function written(expression: Expression): string {
  switch (expression.kind) {
    case "variable":
      return expression.name;
    case "field":
      return `${written(expression.of)}.${expression.name}`;
    case "index":
      return expression.key?.kind === "literal" ? `${written(expression.of)}.${expression.key.value}` : "?";
    case "call": {
      const required = requiredModule(expression);
      return required ?? `${written(expression.callee)}()`;
    }
    case "closure":
      return closureName(expression.fn);
    default:
      return "?";
  }
}
