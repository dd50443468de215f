import type { Call, Expression } from "../ir/ir.ts";
import { argumentOf, pathText } from "./arguments.ts";
import type { Chains } from "./chains.ts";
import { joined } from "./groups.ts";
import type { Registered, Registration } from "./registration.ts";
import type { Routers } from "./routers.ts";
import type { Routes } from "./routes.ts";
import type { WebKnowledge } from "./web-knowledge.ts";
import { classAround, symbolIn, type Within } from "./within.ts";

/** Finds the routes that calls register, and what they put in front of others. */
export class RouteCalls {
  readonly #knowledge: WebKnowledge;
  readonly #registration: Registration;
  readonly #chains: Chains;
  readonly #routers: Routers;
  readonly #routes: Routes;
  /** The keys of maps that calls stand under. */
  readonly #keys = new Map<Expression, string>();

  constructor(knowledge: WebKnowledge, registration: Registration, chains: Chains, routers: Routers, routes: Routes) {
    this.#knowledge = knowledge;
    this.#registration = registration;
    this.#chains = chains;
    this.#routers = routers;
    this.#routes = routes;
  }

  /** The key of a map may be the path of a call that is its value. */
  standsUnder(key: string, call: Call): void {
    this.#keys.set(call, key);
  }

  /** @param names what the call goes by */
  register(call: Call, names: readonly string[], within: Within): void {
    const { router, made } = this.#routers.under(call);
    const { routes, mounts } = this.#knowledge.registers(names);
    const isList = call.callee.kind === "field" && this.#knowledge.listsMethods(call.callee.name);
    if (isList || this.#registration.isChain(call.callee)) this.#chains.goesOn(call);
    const route = routes.find((model) => model.on === "call");
    if (route) {
      const path = route.path.map((key) => argumentOf(call, key)).find((found) => found !== undefined);
      const text = pathText(path) ?? this.#keys.get(call) ?? null;
      const isPath = route.isPath === null || (text !== null && route.isPath.test(text));
      const into: Registered = { references: [], controls: new Set(), byName: route.byName };
      if (isPath) this.#chains.place(call, into);
      const before = into.references.length;
      if (isPath) this.#registration.handlers(call, route, into);
      if (into.references.length === before) into.references.length = 0;
      if (isPath && this.#routers.serve(call, route, text, into)) return;
      if (into.references.length > 0) {
        const end = path && path.end > call.start ? path.end : call.callee.end;
        const symbol = symbolIn(within);
        this.#routes.add(
          { start: call.start, end },
          { model: route, call, path: joined(within.group?.path ?? "", text), router, made, symbol },
          [...(within.group?.references ?? []), ...ownMethods(into.references, within)],
          [...route.controls, ...(within.group?.controls ?? []), ...into.controls],
        );
        return;
      }
    }
    const mount = mounts.find((model) => model.on === "call" && model.of === "receiver");
    if (mount && router !== null) this.#routers.mount(router, call, mount);
  }
}

/** `$this->save` is a method of the class in which it is registered. */
function ownMethods(references: readonly string[], within: Within): string[] {
  const owner = classAround(within);
  return references.map((reference) => (owner ? reference.replace(/^#this\./, `#${owner}.`) : reference));
}
