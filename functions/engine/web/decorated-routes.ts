import type { Call, ClassStatement, Expression, FunctionNode } from "../ir/ir.ts";
import { argumentOf, pathUnder } from "./arguments.ts";
import type { FunctionFacts } from "./function-facts.ts";
import { type Names, written } from "./names.ts";
import type { Routers } from "./routers.ts";
import type { Routes } from "./routes.ts";
import type { RouteForm, WebKnowledge } from "./web-knowledge.ts";
import { headOf } from "./web-places.ts";
import { itself } from "./web-record.ts";

/** Finds the routes that decorators register. */
export class DecoratedRoutes {
  readonly #knowledge: WebKnowledge;
  readonly #names: Names;
  readonly #routers: Routers;
  readonly #routes: Routes;
  readonly #text: string;

  constructor(knowledge: WebKnowledge, names: Names, routers: Routers, routes: Routes, text: string) {
    this.#knowledge = knowledge;
    this.#names = names;
    this.#routers = routers;
    this.#routes = routes;
    this.#text = text;
  }

  /** @param owner the class of a method; its decorators may give the beginning of the path */
  add(
    on: FunctionNode | ClassStatement,
    decorator: Expression,
    facts: FunctionFacts,
    owner: ClassStatement | null,
  ): void {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    const names = this.#names.of(callee);
    const router = callee.kind === "field" ? written(callee.of) : null;
    const handler = `#${[...facts.names][0]}`;
    const asCall: Call =
      decorator.kind === "call" ? decorator : { ...decorator, kind: "call", callee, args: [], isNew: false };
    const isClass = facts.owner !== null && facts.names.has(facts.owner);
    const { routes, mounts } = this.#knowledge.registers(names);
    const name = "name" in on ? on.name : "";
    const route = routes.find(
      (model) => model.on === "decorator" && (model.classes || !isClass) && (model.isNamed?.test(name) ?? true),
    );
    if (route) {
      const own = pathUnder(asCall, route.path);
      if (route.isPath && !(own !== null && route.isPath.test(own))) return;
      const before = owner ? this.#prefix(owner, route) : null;
      const path = before === null ? own : `${before}/${own ?? rest(asCall, route)}`.replace(/\/+/g, "/");
      const at = { start: decorator.start, end: headOf(this.#text, on) };
      this.#routes.add(
        at,
        { model: route, call: asCall, path, ...this.#routers.named(owner ? null : router), symbol: handler.slice(1) },
        [handler, ...(owner ? [`#${owner.name}${itself}`] : [])],
        [...route.controls, ...this.#whole(on)],
      );
    }
    const mount = mounts.find((model) => model.on === "decorator");
    if (mount && router !== null) this.#routers.guard(router, handler);
  }

  /** What the call tells that is all a handler does: it may only send callers on. */
  #whole(on: FunctionNode | ClassStatement): string[] {
    if (!("params" in on) || on.body.length !== 1) return [];
    const [only] = on.body;
    const call = only?.kind === "return" || only?.kind === "expression" ? only.value : null;
    if (call?.kind !== "call") return [];
    return this.#names.of(call.callee).flatMap((name) => this.#knowledge.tells("sole", name).controls);
  }

  #prefix({ decorators }: ClassStatement, { isPrefix, path }: RouteForm): string | null {
    const found = decorators.find(
      (decorator) => decorator.kind === "call" && isPrefix?.test(written(decorator.callee)),
    );
    if (found?.kind !== "call") return null;
    return pathUnder(found, path) ?? rest(found, { path });
  }
}

/** Nothing where no path is given, and the sign for what is computed where one is. */
const rest = (call: Call, { path }: Pick<RouteForm, "path">): string =>
  path.some((key) => argumentOf(call, key) !== undefined) ? ":" : "";
