import { callable } from "../ir/callable.ts";
import type { Call, Expression } from "../ir/ir.ts";
import type { Names } from "./names.ts";
import { closureName, requiredModule, written } from "./names.ts";
import type { WebKnowledge } from "./web-knowledge.ts";
import { itself, type Reference } from "./web-record.ts";

/** What the arguments of a registration put in front of a handler, and the handler. */
export interface Registered {
  references: Reference[];
  controls: Set<string>;
  /** Handlers may be named instead of written. */
  byName?: boolean;
}

/** Reads the arguments of calls and decorators that register handlers. */
export class Registration {
  readonly #names: Names;
  readonly #knowledge: WebKnowledge;

  constructor(names: Names, knowledge: WebKnowledge) {
    this.#names = names;
    this.#knowledge = knowledge;
  }

  /** Adds what an argument refers to. What is a handler says nothing by its name; what stands before it does. */
  place(written: Expression, isHandler: boolean, into: Registered): void {
    const expression = into.byName && (isHandler || written.kind === "literal") ? callable(written) : written;
    const tell = (named: Expression) => {
      for (const name of this.#names.of(named))
        for (const control of this.#knowledge.tells("use", name).controls) into.controls.add(control);
    };
    const refer = (to: Expression) => {
      const reference = this.#names.reference(to);
      const root = rootOf(to);
      if (this.#names.assigned(root) && reference !== `#${root}`) into.references.push(`#${root}`);
      if (reference !== null && !reference.includes("?")) into.references.push(reference);
    };
    switch (expression.kind) {
      case "collection":
        if (expression.shape === "map") break;
        for (const [i, { value }] of expression.entries.entries())
          this.place(value, isHandler && i === expression.entries.length - 1, into);
        break;
      case "call":
        if (requiredModule(expression) !== null) {
          if (!isHandler) tell(expression);
          refer(expression);
          break;
        }
        // `controller.create.bind(controller)` is the method and not the whole controller.
        if (expression.callee.kind === "field" && expression.callee.name === "bind") {
          this.place(expression.callee.of, isHandler, into);
          break;
        }
        tell(expression.callee);
        refer(expression.callee);
        this.#chain(expression, into);
        // A class that makes its own handler, or a function that wraps one.
        if (expression.callee.kind === "field") refer(expression.callee.of);
        for (const { value } of expression.args) this.place(value, isHandler, into);
        break;
      case "variable":
      case "field":
        if (!isHandler) tell(expression);
        // An object is made before its method runs.
        if (isHandler && into.byName && expression.kind === "field") {
          const type = this.#names.reference(expression.of);
          if (type !== null) into.references.push(`${type}${itself}`);
        }
        refer(expression);
        break;
      case "closure":
        into.references.push(`#${closureName(expression.fn)}`);
        break;
      case "conditional":
        this.place(expression.then, isHandler, into);
        this.place(expression.otherwise, isHandler, into);
        break;
      case "operation":
      case "sequence":
        for (const part of expression.kind === "operation" ? expression.operands : expression.parts)
          this.place(part, isHandler, into);
        break;
    }
  }

  /** What a chain of handlers was made of, before the last one is added: `alice.New(logged, auth).Then(handler)`. */
  #chain({ callee }: Call, into: Registered): void {
    if (callee.kind !== "field") return;
    const isChain = this.#knowledge.registers(this.#names.of(callee)).mounts.some(({ of }) => of === "chain");
    const before = callee.of.kind === "variable" ? this.#names.assigned(callee.of.name) : callee.of;
    if (!isChain || before?.kind !== "call") return;
    for (const { value } of before.args) this.place(value, false, into);
    this.#chain(before, into);
  }
}

/** The argument at a position or under a name, or under a key of a map that comes first. */
export function argumentOf(call: Call, key: string | number): Expression | undefined {
  if (typeof key === "number") return call.args.filter(({ name }) => name === null)[key]?.value;
  if (key === "receiver") return call.callee.kind === "field" ? call.callee.of : undefined;
  if (key === "chain") return chainStart(call);
  const byName = call.args.find(({ name }) => name === key)?.value;
  return byName ?? call.args.map(({ value }) => entryOf(value, key)).find((value) => value !== undefined);
}

export function entryOf(map: Expression, key: string): Expression | undefined {
  if (map.kind !== "collection" || map.shape !== "map") return undefined;
  return map.entries.find((entry) => entry.key?.kind === "literal" && entry.key.value === key)?.value;
}

/** The first argument of the call that a chain of calls begins with: `router.route("/a").get(f).post(g)`. */
function chainStart(call: Call): Expression | undefined {
  let first: Call | undefined;
  for (let here: Expression = call; here.kind === "call" && here.callee.kind === "field"; here = here.callee.of)
    first = here;
  return first?.args[0]?.value;
}

/** The text of a path; placeholders of templates become `:`. Null where it is computed. */
export function pathText(expression: Expression | undefined): string | null {
  if (!expression) return null;
  if (expression.kind === "literal") return typeof expression.value === "string" ? expression.value : null;
  if (expression.kind === "template") return expression.parts.map((part) => pathText(part) ?? ":").join("");
  if (expression.kind === "operation" && expression.operator === "+")
    return expression.operands.map((part) => pathText(part) ?? ":").join("");
  if (expression.kind === "collection") return pathText(expression.entries[0]?.value);
  return null;
}

/** The words in a list of methods: texts, or members of an enumeration. */
export function methodsIn(expression: Expression): string[] {
  if (expression.kind === "collection") return expression.entries.flatMap(({ value }) => methodsIn(value));
  if (expression.kind === "literal")
    return typeof expression.value === "string" ? [expression.value.toUpperCase()] : [];
  return expression.kind === "field" || expression.kind === "variable"
    ? [expression.name.toUpperCase().replace(/^METHOD/, "")]
    : [];
}

/** The variable that a chain of calls and members begins with. */
export function rootOf(expression: Expression): string {
  let here = expression;
  while ((here.kind === "call" && here.callee.kind === "field") || here.kind === "field")
    here = here.kind === "call" ? here.callee : here.of;
  return written(here);
}
