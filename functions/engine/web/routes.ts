import { pageName } from "../interpret/views/page.ts";
import { calledName } from "../ir/called-name.ts";
import type { Assign, Call, FunctionNode, Span } from "../ir/ir.ts";
import { argumentOf, methodsIn } from "./arguments.ts";
import type { Chains } from "./chains.ts";
import { joined } from "./groups.ts";
import { isVerb } from "./verbs.ts";
import type { RouteForm } from "./web-knowledge.ts";
import type { WebPlaces } from "./web-places.ts";
import { itself, ownPath, type RouteRecord } from "./web-record.ts";
import type { Within } from "./within.ts";

/** More routes than these in one file are generated. */
export const routesMax = 500;

/** The path of a route may begin with its method: "POST /orders". */
const methodAndPath = /^([A-Z]{3,7}) +(\S*)$/;

/** A route that is registered by a call, or by what stands for one. */
export type FoundRoute = Pick<RouteRecord, "path" | "router" | "made" | "symbol"> & { model: RouteForm; call: Call };

/** The routes of a file. */
export class Routes {
  readonly #places: WebPlaces;
  readonly #chains: Chains;
  /** Functions without parameters that variables hold. */
  readonly #held = new Map<string, FunctionNode>();
  /** What such functions register, of those that have been called. */
  readonly #placed = new Map<FunctionNode, readonly RouteRecord[]>();
  records: RouteRecord[] = [];

  constructor(places: WebPlaces, chains: Chains) {
    this.#places = places;
    this.#chains = chains;
  }

  /** A route whose finding is going to lie at a place, with all functions that run for it. */
  add(at: Span, found: FoundRoute, handlers: string[], controls: Iterable<string> = []): void {
    const { model, call, path: given, router, made, symbol } = found;
    const [, method, rest] = given?.match(methodAndPath) ?? [];
    const path = rest ?? given;
    const methods = method !== undefined && isVerb(method) ? [method] : this.#methods(model, call);
    this.records.push({
      ...this.#places.at(at, symbol),
      methods,
      path,
      ...(model.pathIn !== undefined && { pathIn: model.pathIn }),
      ...(model.partial && { isPartial: true }),
      router,
      made,
      order: at.start,
      handler: (handlers.findLast((name) => !name.endsWith(itself)) ?? "").replace(/^#/, ""),
      handlers,
      controls: [...new Set(controls)],
      anchor: `${methods.join(",")} ${path ?? symbol}`,
    });
  }

  /** `addNotes := func() { … }` */
  hold({ to, from }: Assign): void {
    if (to.kind === "variable" && from.kind === "closure" && from.fn.params.length === 0)
      this.#held.set(to.name, from.fn);
  }

  /** What a function registers that a variable holds, where it is called. */
  heldBy({ callee, args }: Call): readonly RouteRecord[] {
    const fn = callee.kind === "variable" && args.length === 0 ? this.#held.get(callee.name) : undefined;
    if (!fn) return [];
    const own = this.#placed.get(fn) ?? this.records.filter(({ order }) => order >= fn.start && order < fn.end);
    this.#placed.set(fn, own);
    return own;
  }

  /** What a function registers that a variable holds lies where that is called, and behind what stands in front there. */
  placeAt(call: Call, { group }: Within): void {
    const own = this.heldBy(call);
    if (own.length === 0 || this.records.length + own.length > routesMax) return;
    const moved = new Set(own);
    this.records = this.records.filter((record) => !moved.has(record));
    for (const record of own)
      this.records.push({
        ...record,
        path: joined(group?.path ?? "", record.path),
        handlers: [...(group?.references ?? []), ...record.handlers],
        controls: [...new Set([...(group?.controls ?? []), ...record.controls])],
      });
  }

  /** The file itself, which is asked for by its own path. */
  addPage({ methods, at }: { methods: string[]; at: Span }, controls: string[]): void {
    this.records.push({
      ...this.#places.at(at, ""),
      methods,
      path: ownPath,
      router: null,
      made: false,
      order: at.start,
      handler: pageName,
      handlers: [`#${pageName}`],
      controls,
      anchor: methods.join(","),
    });
  }

  #methods({ methods, methodsBy, otherwise }: RouteForm, call: Call): string[] {
    const listed = methods === undefined ? undefined : argumentOf(call, methods);
    const later = this.#chains.after(call).filter(({ callee }) => callee.kind === "field" && callee.name === methodsBy);
    const all = [...(listed ? [listed] : []), ...later.flatMap(({ args }) => args.map(({ value }) => value))];
    const words = all.flatMap(methodsIn).filter((word) => /^[A-Z]+$/.test(word));
    if (words.length > 0) return words;
    const name = calledName(call);
    const word = name.match(/^([A-Z]?[a-z]+|[A-Z]+)/)?.[0].toUpperCase() ?? "";
    const verb = isVerb(word) ? word : undefined;
    return [verb === "DEL" ? "DELETE" : (verb ?? otherwise)];
  }
}
