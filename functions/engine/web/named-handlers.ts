import type { Call, Collection, FunctionNode, Span } from "../ir/ir.ts";
import { pathText } from "./arguments.ts";
import type { FunctionFacts } from "./function-facts.ts";
import type { Registered, Registration } from "./registration.ts";
import type { Routes } from "./routes.ts";
import type { MountForm, RouteForm, WebKnowledge } from "./web-knowledge.ts";
import { headOf } from "./web-places.ts";
import { ownPath } from "./web-record.ts";
import { symbolIn, type Within } from "./within.ts";

/** Finds handlers that nothing registers: a framework knows them by what a file or a map calls them. */
export class NamedHandlers {
  readonly #knowledge: WebKnowledge;
  readonly #registration: Registration;
  readonly #routes: Routes;
  readonly #text: string;
  /** Functions that stand in front of the whole application. */
  readonly #inFront = new Set<FunctionFacts>();

  constructor(knowledge: WebKnowledge, registration: Registration, routes: Routes, text: string) {
    this.#knowledge = knowledge;
    this.#registration = registration;
    this.#routes = routes;
    this.#text = text;
  }

  /** The names of functions that stand in front of the whole application. */
  inFront(): ReadonlySet<string> {
    return new Set([...this.#inFront].flatMap(({ names }) => [...names]));
  }

  /** A function that a framework finds by the name under which the file exports it. */
  exported(fn: FunctionNode, facts: FunctionFacts): void {
    const name = [...facts.names].find((known) => !known.startsWith("<")) ?? "";
    const { routes, mounts } = this.#knowledge.registers([name]);
    const isMeant = ({ on, isFile }: RouteForm | MountForm) => on === "export" && isFile?.test(this.#text) !== false;
    if (mounts.some(isMeant)) this.#inFront.add(facts);
    const model = routes.find(isMeant);
    if (!model) return;
    const at = { start: fn.start, end: headOf(this.#text, fn) };
    this.#routes.add(at, { model, call: calling(fn, name), path: ownPath, ...foundByName, symbol: name }, [`#${name}`]);
  }

  /** The handlers of a map under such a key: `Mutation: { addNote }`. */
  entries(key: string, { entries, shape }: Collection, within: Within): void {
    const { routes } = this.#knowledge.registers([key]);
    const model = routes.find(({ on, isFile }) => on === "entry" && isFile?.test(this.#text) !== false);
    if (!model || shape !== "map") return;
    for (const entry of entries) {
      const path = entry.key?.kind === "literal" ? String(entry.key.value) : null;
      if (path === null) continue;
      const into: Registered = { references: [], controls: new Set() };
      this.#registration.place(entry.value, true, into);
      const symbol = symbolIn(within);
      const at = entry.key ?? entry;
      if (into.references.length > 0)
        this.#routes.add(
          at,
          { model, call: calling(at, path), path, ...foundByName, symbol },
          into.references,
          into.controls,
        );
    }
  }

  /** A handler that stands behind its path: `(r"/notes/(?P<id>\\d+)", NoteHandler)`. */
  row({ entries: [first, second], shape }: Collection, within: Within): void {
    const path = shape === "list" ? pathText(first?.value) : null;
    if (path === null || !second || second.value.kind === "literal") return;
    const { routes } = this.#knowledge.registers(this.#registration.namesOf(second.value));
    const model = routes.find(
      ({ on, isPath, isFile }) => on === "row" && isPath?.test(path) && isFile?.test(this.#text),
    );
    if (!model) return;
    const into: Registered = { references: [], controls: new Set() };
    this.#registration.place(second.value, true, into);
    const at = { start: (first ?? second).value.start, end: second.value.end };
    const symbol = symbolIn(within);
    this.#routes.add(
      at,
      { model, call: calling(at, path), path, ...foundByName, symbol },
      into.references,
      into.controls,
    );
  }
}

/** A framework finds it by its name, and not by a router. */
const foundByName = { router: null, made: false };

/** What a framework calls by a name, as if it were called by it here. */
const calling = (at: Span, name: string): Call => {
  const span = { start: at.start, end: at.end };
  return { ...span, kind: "call", callee: { ...span, kind: "variable", name }, args: [], isNew: false };
};
