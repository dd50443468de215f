import type { Call, Expression } from "../ir/ir.ts";
import { pathText, pathUnder } from "./arguments.ts";
import { closureName, type Names, requiredModule, written } from "./names.ts";
import type { PackageScope } from "./package-scope.ts";
import type { Registered, Registration } from "./registration.ts";
import type { MountForm, RouteForm, WebKnowledge } from "./web-knowledge.ts";
import type { MountRecord, RouteRecord } from "./web-record.ts";

/** The routers of a file: what stands in front of their routes, and which are put into which. */
export class Routers {
  readonly #knowledge: WebKnowledge;
  readonly #names: Names;
  readonly #scope: PackageScope | null;
  readonly #registration: Registration;
  readonly mounts: MountRecord[] = [];

  constructor(knowledge: WebKnowledge, names: Names, scope: PackageScope | null, registration: Registration) {
    this.#knowledge = knowledge;
    this.#names = names;
    this.#scope = scope;
    this.#registration = registration;
  }

  /** What a router is called here and in other files, and whether this one makes it. */
  named(name: string | null): Pick<RouteRecord, "router" | "made"> {
    const made = name !== null && this.#names.assigned(name)?.kind === "call";
    return { router: name !== null && this.#scope ? this.#scope.router(name) : name, made };
  }

  /** What a call registers on, called as `named` does. */
  under({ callee }: Call): Pick<RouteRecord, "router" | "made"> {
    return this.named(callee.kind === "field" ? routerOf(callee.of) : null);
  }

  #put(mount: MountRecord): void {
    const made = this.#names.assigned(mount.router)?.kind === "call";
    this.mounts.push({ ...mount, ...(made && { made }) });
  }

  /** A function that is in front of all routes of a router. */
  guard(router: string, handler: string): void {
    this.#put({ router, path: null, order: 0, controls: [], uses: [handler] });
  }

  /**
   * The router at the end of what is registered as a handler: `http.Handle("/api/", auth(api))`.
   * @returns whether there is one
   */
  serve(call: Call, { handlers }: RouteForm, path: string | null, into: Registered): boolean {
    const { args } = call;
    const last = args[handlers] && args.at(-1)?.value;
    const served = last && this.#scope?.served(last);
    const inner = served ? this.named(routerOf(served)).router : null;
    if (inner === null) return false;
    this.#put({ router: inner, path: null, order: 0, controls: [...into.controls], uses: into.references });
    const { router } = this.under(call);
    if (router !== null) this.#put({ router, path, order: call.start, controls: [], uses: [`#${inner}`] });
    return true;
  }

  /** What a call puts in front of the routes of a router. */
  mount(router: string, call: Call, { path: keys, routers, always }: MountForm): void {
    const into: Registered = { references: [], controls: new Set() };
    const path = pathUnder(call, keys);
    const last: Registered = { references: into.references, controls: new Set() };
    for (let here: Expression = call; here.kind === "call" && here.callee.kind === "field"; here = here.callee.of)
      if (this.#registration.isChain(here.callee)) this.#registration.named(here.callee, into);
    for (const [i, { name, value }] of call.args.entries()) {
      const isName = value.kind === "variable" || value.kind === "field" || requiredModule(value) !== null;
      const isLast = i > 0 && i === call.args.length - 1 && isName;
      if (routers && name === null) this.#mounted(value, into);
      else this.#registration.place(value, false, isLast ? last : into);
    }
    const named = [...last.controls].filter((control) => !into.controls.has(control));
    const controls = [...into.controls];
    const uses = into.references;
    const shown = { ...(named.length > 0 && { last: named }), ...(routers && { alone: true }) };
    this.#put({ router, path, order: always ? 0 : call.start, controls, ...shown, uses });
  }

  /** A router that is put into another: a variable, or what a function makes. */
  #mounted(value: Expression, into: Registered): void {
    const served = this.#scope?.served(value);
    if (served) into.references.push(`#${this.named(routerOf(served)).router}`);
    const maker = this.#scope && value.kind === "call" ? this.#names.reference(value.callee) : null;
    if (maker !== null) into.references.push(`${maker.replace(/^#/, "~")}()`);
    else this.#registration.place(value, true, { references: into.references, controls: new Set() });
  }

  /** Routers that are made, or kept in fields. */
  assign(to: Expression, from: Expression): void {
    if (to.kind === "field" && this.#scope) this.#kept(this.#scope.router(written(to)), from, this.#scope);
    if (from.kind !== "call" || !(to.kind === "variable" || (this.#scope && to.kind === "field"))) return;
    const names = this.#names.of(from.callee);
    const made = this.#knowledge.registers(names).mounts.find((model) => model.of === "result");
    const { router: own } = this.named(written(to));
    if (made && own !== null) this.mount(own, { ...from, start: 0 }, { ...made, path: [] });
    if (!made?.within || from.callee.kind !== "field") return;
    const { router } = this.under(from);
    const path = pathUnder(from, made.path);
    if (router !== null) this.#put({ router, path, order: from.start, controls: [], uses: [`#${own}`] });
  }

  /** A field holds a router that is made for it, or that was made before. */
  #kept(field: string, value: Expression, scope: PackageScope): void {
    if (!scope.isRouter(value)) return;
    const router = value.kind === "call" ? `${field}:${written(value)}` : scope.router(routerOf(value));
    this.#put({ router, path: null, order: value.start, controls: [], uses: [`#${field}`] });
  }

  /** The function that is given registers on a router of its own, which lies in the one that it was called on. */
  group({ callee, args, start }: Call): void {
    if (!this.#scope) return;
    const fn = args.map(({ value }) => value).find((value) => value.kind === "closure")?.fn;
    const own = fn?.params[0]?.name;
    if (!fn || own === undefined || callee.kind !== "field") return;
    const router = this.#scope.router(routerOf(callee.of));
    this.#put({ router, path: null, order: start, controls: [], uses: [`#${closureName(fn)}(${own})`] });
  }

  /** `registerOrders(router)`: what a function of another file puts into the router that it is given lies in this one. */
  #handAway(call: Call, reference: string): void {
    for (const [i, { name, value }] of call.args.entries()) {
      if (name !== null || value.kind !== "variable") continue;
      if (this.#knowledge.registers([`${value.name}.use`, `${value.name}.register`]).mounts.length === 0) continue;
      const uses = [`${reference}(${i})`];
      this.#put({ router: value.name, path: null, order: call.start, controls: [], uses });
    }
  }

  /**
   * Routers that a function is given: it registers on them, or its result stands in front of them.
   * @param isDropped whether nobody takes the result of the call
   */
  handOn(call: Call, isDropped: boolean): void {
    const scope = this.#scope;
    const reference = this.#names.reference(call.callee);
    if (!scope) {
      if (reference !== null && this.#names.leadsAway(reference)) this.#handAway(call, reference);
      return;
    }
    for (const [i, { name, value }] of call.args.entries()) {
      if (name !== null) this.#kept(`${written(call.callee)}.${name}`, value, scope);
      const served = scope.served(value);
      if (!served) continue;
      const { router } = this.named(routerOf(served));
      if (router === null) continue;
      if (served === value && reference !== null && this.#names.leads(reference)) {
        const into: Registered = { references: [], controls: new Set() };
        if (value.kind === "call")
          for (const argument of value.args) this.#registration.place(argument.value, false, into);
        const path = value.kind === "call" ? pathText(value.args[0]?.value) : null;
        const uses = [...into.references, `${reference.replace(/^#/, "~")}(${i})`];
        this.#put({ router, path, order: call.start, controls: [...into.controls], uses });
      }
      if (isDropped || (served === value && value.kind === "call")) continue;
      const into: Registered = { references: [], controls: new Set() };
      this.#registration.place({ ...call, args: [] }, false, into);
      this.#put({ router, path: null, order: 0, controls: [...into.controls], uses: into.references });
    }
  }
}

/** What a handler is registered on, at the beginning of a chain of calls. */
export function routerOf(expression: Expression): string {
  let here = expression;
  while (here.kind === "call" && here.callee.kind === "field") here = here.callee.of;
  return written(here);
}
