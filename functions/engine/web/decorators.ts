import type { Call, Expression, FunctionNode } from "../ir/ir.ts";
import { walk } from "../ir/walk.ts";
import type { FileFacts } from "./file-facts.ts";
import type { FunctionFacts } from "./function-facts.ts";
import { type Names, written } from "./names.ts";
import type { Registered, Registration } from "./registration.ts";
import type { WebKnowledge } from "./web-knowledge.ts";
import type { Within } from "./within.ts";

/** Reads what decorators put in front of functions and classes, and what parameters ask for. */
export class Decorators {
  readonly #knowledge: WebKnowledge;
  readonly #names: Names;
  readonly #registration: Registration;
  readonly #file: FileFacts;

  constructor(knowledge: WebKnowledge, names: Names, registration: Registration, file: FileFacts) {
    this.#knowledge = knowledge;
    this.#names = names;
    this.#registration = registration;
    this.#file = file;
  }

  /** What a decorator says by its name and its arguments, and the function that it is. */
  read(decorator: Expression, facts: FunctionFacts, inside: Within): void {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    const names = this.#names.of(callee);
    for (const name of names) this.#file.tell("decorator", name, inside, decorator);
    if (decorator.kind === "call" && names.some((name) => this.#knowledge.isFront(name))) {
      this.#fronts(decorator, facts);
      return;
    }
    const into: Registered = { references: [], controls: facts.controls };
    for (const { name, value } of decorator.kind === "call" ? decorator.args : []) {
      // `[Authorize(Roles = "Admin")]`
      if (name !== null && value.kind === "literal")
        this.#file.tell("entry", `${written(callee)}.${name}=${value.value}`, inside, decorator);
      // `@PreAuthorize("hasRole('ADMIN')")`
      else if (value.kind === "literal")
        this.#file.tell("told", `${written(callee)}=${value.value}`, inside, decorator);
      this.#registration.place(value, false, into);
    }
    const reference = this.#names.reference(callee);
    for (const called of [...into.references, ...(reference === null ? [] : [reference])]) facts.fronts.add(called);
  }

  /** What a function asks for with its parameters. */
  parameters(fn: FunctionNode, facts: FunctionFacts, inside: Within): void {
    for (const { name: parameter, type, decorators, default: fallback } of fn.params) {
      // Who somebody is may be asked for only to keep strangers out.
      const isUsed = () => mentions(fn, parameter);
      if (type !== null) this.#file.tell("parameter", type, inside, fn, isUsed);
      for (const decorator of [...decorators, ...(fallback ? [fallback] : [])]) {
        if (decorator.kind !== "call" && decorator.kind !== "variable") continue;
        const callee = decorator.kind === "call" ? decorator.callee : decorator;
        for (const named of [callee, ...(decorator.kind === "call" ? decorator.args.map(({ value }) => value) : [])])
          for (const name of this.#names.of(named)) this.#file.tell("parameter", name, inside, decorator, isUsed);
        const into: Registered = { references: [], controls: facts.controls };
        this.#registration.place(decorator, false, into);
        for (const reference of into.references) facts.fronts.add(reference);
      }
    }
  }

  /** Methods of the class that run first. What keeps others out does nothing of the handler's work; what looks its record up does. */
  #fronts({ args }: Call, { owner, controls, calls, fronts }: FunctionFacts): void {
    for (const { name, value } of args) {
      if (name !== null) continue;
      const into: Registered = { references: [], controls: new Set(), byName: true };
      this.#registration.place(value, false, into);
      for (const control of into.controls) controls.add(control);
      const to = into.controls.size > 0 ? fronts : calls;
      for (const reference of into.references) to.add(reference.replace(/^#(?!<)/, `#${owner}.`));
    }
  }
}

/** Whether the body of a function has a variable of this name. */
function mentions({ body }: FunctionNode, name: string): boolean {
  let found = false;
  walk(body, (node) => {
    found ||= "kind" in node && node.kind === "variable" && node.name === name;
  });
  return found;
}
