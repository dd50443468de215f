import type { Assign, Expression } from "../ir/ir.ts";
import type { FunctionFacts } from "./function-facts.ts";
import type { Names } from "./names.ts";
import type { WebKnowledge } from "./web-knowledge.ts";

/** Wrappers in wrappers: `logged(recovered(auth(router)))`. */
const wrappedMax = 4;

/**
 * What names mean inside the functions of Go, where parameters and receivers have types: routers are handed from function to function, and
 * handlers are methods of what functions are given.
 */
export class PackageScope {
  readonly #names: Names;
  readonly #knowledge: WebKnowledge;
  /** The functions around what is looked at, the innermost last. */
  functions: readonly FunctionFacts[] = [];

  constructor(names: Names, knowledge: WebKnowledge) {
    this.#names = names;
    this.#knowledge = knowledge;
    names.meaning = (name) => this.#meaning(name);
  }

  #meaning(name: string): string | Expression | null {
    const facts = this.functions.findLast((around) => declares(around, name));
    if (!facts) return null;
    if (facts.self === name) return `~${facts.owner}`;
    const type = facts.parameters.get(name);
    if (type !== undefined) return type === null ? name : this.#names.type(type);
    return facts.locals.get(name) ?? name;
  }

  /** Remembers what the innermost function declares, the first of several results as the call that gives them. */
  declare({ to, from, declares: isNew }: Assign): void {
    const facts = this.functions.at(-1);
    if (!isNew || !facts) return;
    const targets = to.kind === "collection" ? to.entries.map(({ value }) => value) : [to];
    for (const [i, target] of targets.entries()) {
      if (target.kind !== "variable" || facts.locals.has(target.name)) continue;
      facts.locals.set(target.name, i === 0 ? from : null);
    }
  }

  /** A router by the function that it is a parameter or variable of, or the type that it is a field of. */
  router(name: string): string {
    const [root, ...members] = name.split(".") as [string, ...string[]];
    const facts = this.functions.findLast((around) => declares(around, root));
    if (!facts) return name;
    if (facts.self === root) return [facts.owner, ...members].join(".");
    return facts.parameters.has(root) ? `${facts.name}(${name})` : `${facts.name}:${name}`;
  }

  isRouter(expression: Expression): boolean {
    const full = this.#names.full(expression);
    return full !== undefined && this.#knowledge.isRouter(full);
  }

  /** The router that a handler made of others is at the end. */
  served(expression: Expression, depth = 0): Expression | null {
    if (depth > wrappedMax) return null;
    if (this.isRouter(expression)) return expression;
    if (expression.kind === "variable") {
      const from = this.#names.assigned(expression.name);
      return from && from !== expression ? this.served(from, depth + 1) : null;
    }
    if (expression.kind !== "call") return null;
    for (const { value } of expression.args) {
      const found = this.served(value, depth + 1);
      if (found) return found;
    }
    return null;
  }
}

const declares = ({ self, parameters, locals }: FunctionFacts, name: string): boolean =>
  self === name || parameters.has(name) || locals.has(name);
