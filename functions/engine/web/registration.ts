import { callable } from "../ir/callable.ts";
import type { Call, Collection, Expression } from "../ir/ir.ts";
import type { Names } from "./names.ts";
import { closureName, requiredModule, written } from "./names.ts";
import type { RouteForm, WebKnowledge } from "./web-knowledge.ts";
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
          if (!isHandler) this.named(expression, into);
          refer(expression);
          break;
        }
        // `controller.create.bind(controller)` is the method and not the whole controller.
        if (expression.callee.kind === "field" && expression.callee.name === "bind") {
          this.place(expression.callee.of, isHandler, into);
          break;
        }
        this.named(expression.callee, into);
        refer(expression.callee);
        this.#chain(expression, into);
        // A class that makes its own handler, or a function that wraps one.
        if (expression.callee.kind === "field") refer(expression.callee.of);
        for (const { value } of expression.args) this.place(value, isHandler, into);
        break;
      case "variable":
      case "field":
        if (!isHandler) this.named(expression, into);
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

  /** Adds the handlers of a call, and what is given with them. */
  handlers(call: Call, route: RouteForm, into: Registered): void {
    const positional = call.args.filter(({ name }) => name === null).map(({ value }) => value);
    // A handler that is named is alone: numbers and settings come after it.
    const given = positional.slice(route.handlers, route.byName ? route.handlers + 1 : undefined);
    for (const [i, value] of given.entries()) {
      if (value.kind === "collection" && value.shape === "map") this.options(value, route.handlerKeys, into);
      else this.place(value, i === given.length - 1, into);
    }
    for (const { name, value } of call.args)
      if (name !== null && name !== route.methods) this.place(value, route.handlerKeys.includes(name), into);
    const last = given.at(-1);
    const hasKey = last?.kind === "collection" && route.handlerKeys.length > 0;
    // What ends in settings is a request that the program makes itself: `api.post("/a", { b })`.
    if (last?.kind === "collection" && last.shape === "map" && !(hasKey && hasHandler(last, route.handlerKeys)))
      into.references.length = 0;
  }

  /** Settings among the arguments: what they are called tells as much as what they hold. */
  options(map: Collection, keys: readonly string[], into: Registered): void {
    const keyOf = ({ key }: (typeof map.entries)[number]) => (key?.kind === "literal" ? String(key.value) : "");
    const ordered = [...map.entries].sort((a, b) => Number(keys.includes(keyOf(a))) - Number(keys.includes(keyOf(b))));
    for (const entry of ordered) {
      const { value } = entry;
      if (value.kind === "literal" && value.value === false) continue;
      for (const control of this.#knowledge.tells("use", keyOf(entry)).controls) into.controls.add(control);
      if (value.kind === "collection" && value.shape === "map") this.options(value, keys, into);
      else this.place(value, keys.includes(keyOf(entry)), into);
    }
  }

  namesOf(expression: Expression): readonly string[] {
    return this.#names.of(expression);
  }

  /** Adds what the name of something tells of it. */
  named(expression: Expression, into: Registered): void {
    for (const name of this.#names.of(expression))
      for (const control of this.#knowledge.tells("use", name).controls) into.controls.add(control);
  }

  /** Whether what is called puts something in front of what a chain of calls registers. */
  isChain(callee: Expression): boolean {
    return this.#knowledge.registers(this.#names.of(callee)).mounts.some(({ of }) => of === "chain");
  }

  /** What a chain of handlers was made of, before the last one is added: `alice.New(logged, auth).Then(handler)`. */
  #chain({ callee }: Call, into: Registered): void {
    if (callee.kind !== "field") return;
    const before = callee.of.kind === "variable" ? this.#names.assigned(callee.of.name) : callee.of;
    if (!this.isChain(callee) || before?.kind !== "call") return;
    for (const { value } of before.args) this.place(value, false, into);
    this.#chain(before, into);
  }
}

/** The variable that a chain of calls and members begins with. */
function rootOf(expression: Expression): string {
  let here = expression;
  while ((here.kind === "call" && here.callee.kind === "field") || here.kind === "field")
    here = here.kind === "call" ? here.callee : here.of;
  return written(here);
}

const hasHandler = (map: Expression, keys: readonly string[]): boolean =>
  map.kind === "collection" &&
  map.entries.some(({ key }) => key?.kind === "literal" && keys.includes(String(key.value)));
