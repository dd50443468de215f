import type { Call, Expression } from "../ir/ir.ts";
import { append } from "../multimap.ts";
import type { Registered, Registration } from "./registration.ts";

/** Calls that go on with the result of another, where one registers something and others add to it. */
export class Chains {
  readonly #registration: Registration;
  /** By the call that they go on with: `Route::post(…)->middleware("auth")`. */
  readonly #later = new Map<Expression, Call[]>();

  constructor(registration: Registration) {
    this.#registration = registration;
  }

  /** Outer calls are met first: what is registered further in asks for them. */
  goesOn(call: Call): void {
    for (let here = call.callee; here.kind === "field" && here.of.kind === "call"; here = here.of.callee)
      append(this.#later, here.of, call);
  }

  /** The calls that go on with a call. */
  after(call: Call): readonly Call[] {
    return this.#later.get(call) ?? [];
  }

  /** What other calls of a chain put in front: `r.With(auth).Post("/a", f)`, `Route::post("/a", f)->middleware("auth")`. */
  place(call: Call, into: Registered): void {
    const later = this.after(call);
    const before: Call[] = [];
    let here = call.callee;
    for (; here.kind === "field" && here.of.kind === "call"; here = here.of.callee) before.push(here.of);
    const placing = [...later, ...before].filter(({ callee }) => this.#registration.isChain(callee));
    for (const { callee } of new Set([...later, ...placing])) this.#registration.named(callee, into);
    for (const { args } of placing) for (const { value } of args) this.#registration.place(value, false, into);
  }
}
