import type { Call, ClassStatement, Expression, FunctionNode, Span } from "../ir/ir.ts";
import { append } from "../multimap.ts";
import { FunctionFacts } from "./function-facts.ts";
import { closureName } from "./names.ts";
import { PageRoute } from "./page-route.ts";
import type { RecordUse } from "./records.ts";
import { nothing, type Told, type WebKnowledge } from "./web-knowledge.ts";
import type { WebPlaces } from "./web-places.ts";
import type { StandingRecord } from "./web-record.ts";
import type { Occurrence } from "./web-schema.ts";
import { symbolIn, type Within } from "./within.ts";

/** What is collected about the functions of a file, and about the whole application, while the file is walked. */
export class FileFacts {
  readonly #knowledge: WebKnowledge;
  readonly #places: WebPlaces;
  readonly functions: FunctionFacts[] = [];
  /** The file itself, where files are asked for by their own path. */
  readonly page: PageRoute | null;
  /** Controls that hold, and effects that are done, for the whole application. */
  readonly application = new Set<string>();
  /** By class, what it asks where it stands in front. */
  readonly standing = new Map<string, StandingRecord>();
  /** The kinds of records that belong to somebody. */
  readonly owned = new Set<string>();
  /** The names that a closure is going to get, by where it stands. */
  readonly #given = new Map<FunctionNode, string[]>();

  constructor(knowledge: WebKnowledge, places: WebPlaces) {
    this.#knowledge = knowledge;
    this.#places = places;
    this.page = knowledge.pages.length > 0 ? new PageRoute(knowledge.pages) : null;
    if (this.page) this.functions.push(this.page.facts);
  }

  /**
   * What is going to be known about a function.
   * @param owner the class that it is a method of
   */
  ofFunction(fn: FunctionNode, owner: string | null): FunctionFacts {
    const facts = new FunctionFacts(owner === null ? closureName(fn) : `${owner}.${closureName(fn)}`, owner);
    for (const name of this.#given.get(fn) ?? []) facts.names.add(name);
    this.functions.push(facts);
    for (const { name, type } of fn.params) facts.parameters.set(name, type);
    return facts;
  }

  /** What is going to be known about a class. */
  ofClass({ name }: ClassStatement): FunctionFacts {
    const facts = new FunctionFacts(name, name);
    this.functions.push(facts);
    return facts;
  }

  isPage(facts: FunctionFacts): boolean {
    return facts === this.page?.facts;
  }

  /** Gives a closure the name that it is put under, before the walk comes to it. */
  name(fn: FunctionNode, name: string): void {
    append(this.#given, fn, name);
  }

  /**
   * Notes what a name tells about the functions around it, and about the application.
   * @param isDone whether the functions around do what is told; else it is only in front of them
   */
  tell(occurrence: Occurrence, name: string, within: Within, at: Span, isDone = () => true): void {
    const { functions } = within;
    if (this.page && (occurrence === "read" || occurrence === "text") && functions.includes(this.page.facts))
      this.page.read(name, at, occurrence === "text");
    const told = this.#knowledge.tells(occurrence, name);
    if (told === nothing) return;
    const { controls, application, standing, effects, placed } = told;
    for (const control of application) this.application.add(control);
    if (standing.length > 0) this.#stands(within, standing);
    const done = effects.length > 0 && isDone() ? effects : [];
    const places = placed.map((effect) => ({ ...this.#places.at(at, symbolIn(within)), effect }));
    for (const facts of functions) {
      for (const control of controls) facts.controls.add(control);
      for (const effect of done) facts.effects.add(effect);
      facts.places.push(...places);
    }
  }

  #stands({ owner }: Within, told: Told["standing"]): void {
    const name = owner?.node.name ?? "";
    const controls = [...(this.standing.get(name)?.controls ?? []), ...told.map(({ control }) => control)];
    const isRegistered = told.every(({ application }) => application === "registered");
    this.standing.set(name, { name, controls: [...new Set(controls)], ...(isRegistered && { isRegistered }) });
  }

  /** `{ user }` of a parameter and `const { user } = req` read as much as `req.user` does. */
  takenApart(pattern: Expression, of: string, within: Within): void {
    if (pattern.kind !== "collection" || pattern.shape !== "map") return;
    for (const { key } of pattern.entries)
      if (key?.kind === "literal") this.tell("read", `${of}.${key.value}`, within, key);
  }

  /** Notes which records a call is about, and whether the request alone chooses them. */
  uses({ record, byId, owned }: RecordUse, call: Call, within: Within): void {
    if (owned) this.owned.add(record);
    if (!byId) return;
    const place = { ...this.#places.at(call, symbolIn(within)), effect: "by-id", record };
    for (const facts of within.functions) {
      facts.effects.add(place.effect);
      facts.places.push(place);
    }
  }
}
