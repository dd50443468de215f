import type { Cleaned, FileArtefact } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import type { Passage } from "../interpret/guards/passage.ts";
import { givenBy } from "../interpret/names.ts";
import { parts } from "../interpret/validators/route-schemas.ts";
import type { AskedSchema, Routed } from "../interpret/validators/routed-handlers.ts";
import { append } from "../multimap.ts";
import { cleanedForAny, cleanedForBoth } from "./cleaned.ts";
import type { Declarations } from "./declarations.ts";
import { aliasesMax, type Modules } from "./modules.ts";

interface Registration {
  readonly path: string;
  readonly routed: Routed;
  /** The reference that means the handler: what else is registered stands in front of it. */
  readonly handler: string;
}

/** Answers what schemas let through to handlers that other files register behind them. */
export class HandlerSchemas {
  readonly #modules: Modules;
  readonly #declarations: Declarations;
  readonly #artefacts: readonly FileArtefact[];
  readonly #asks: (path: string, via: readonly Passage[]) => Cleaned;
  #registered: ReadonlyMap<string, readonly Registration[]> | null = null;
  readonly #known = new Map<string, Cleaned>();

  /** @param asks what a value is clean for that functions of other files were asked about */
  constructor(
    modules: Modules,
    declarations: Declarations,
    artefacts: readonly FileArtefact[],
    asks: (path: string, via: readonly Passage[]) => Cleaned,
  ) {
    this.#modules = modules;
    this.#asks = asks;
    this.#declarations = declarations;
    this.#artefacts = artefacts;
  }

  /** What a field of the request is clean for in a handler of a file, on whichever of its routes it comes: "create.body.note". */
  cleaned(path: string, asked: string): Cleaned {
    const key = `${path}\0${asked}`;
    const known = this.#known.get(key);
    if (known) return known;
    // What stands in front of itself says nothing more.
    this.#known.set(key, []);
    const dot = asked.indexOf(".");
    this.#registered ??= this.#register();
    const all = this.#registered.get(`${path}\0${asked.slice(0, dot)}`) ?? [];
    const cleaned = all.map((one) => this.#before(one, asked.slice(dot + 1)));
    const found = cleaned.length === 0 ? [] : cleaned.reduce(cleanedForBoth);
    this.#known.set(key, found);
    return found;
  }

  #register(): Map<string, Registration[]> {
    const registered = new Map<string, Registration[]>();
    for (const { coverage, link } of this.#artefacts)
      for (const routed of link.routed ?? []) {
        append(registered, `${coverage.path}\0${routed.inline}`, { path: coverage.path, routed, handler: "" });
        for (const handler of routed.handlers)
          for (const home of this.#homes(coverage.path, handler))
            append(registered, home, { path: coverage.path, routed, handler });
      }
    return registered;
  }

  /** Where a reference leads: the files, and the name that the function has in each. Files may hand on all of each other. */
  #homes(path: string, reference: string): ReadonlySet<string> {
    const homes = new Map<string, string>();
    let ways = [{ path, reference }];
    for (let aliases = 0; aliases <= aliasesMax; aliases++) {
      ways = ways.flatMap((way) => {
        const found = this.#modules.file(way.path, way.reference);
        if (!found) return [];
        const { artefact, member } = found;
        const home = artefact.coverage.path;
        if (homes.has(`${home}\0${member}`)) return [];
        homes.set(`${home}\0${member}`, `${home}\0${lastSegment(member)}`);
        return this.#modules.onward(artefact, member).map((target) => ({ path: home, reference: target }));
      });
    }
    return new Set(homes.values());
  }

  #before({ path, routed, handler }: Registration, field: string): Cleaned {
    const others = routed.handlers.filter((reference) => reference !== handler);
    return [
      ...(routed.own === undefined ? [] : [this.#declarations.ofFile(path, `${routed.own}.${field}`)]),
      ...others.map((reference) => this.#declarations.cleaned(path, `${reference}.${field}`)),
      ...others.map((reference) => this.#looked(path, reference, field)),
      ...others.map((reference) => this.#letThrough(path, reference, field)),
      ...(routed.asked ?? []).map((asked) => this.#asked(path, asked, field)),
    ].reduce(cleanedForAny, []);
  }

  /** What a function of another file lets through that holds the request against a schema of a third. */
  #looked(path: string, reference: string, field: string): Cleaned {
    for (const { artefact, exported } of this.#modules.find(path, reference)) {
      const { schema, part } = exported.looks ?? {};
      if (typeof schema !== "string") continue;
      const rest = part === "*" ? `.${field}` : field.startsWith(`${part}.`) ? field.slice(`${part}`.length) : null;
      if (rest !== null) return this.#declarations.cleaned(artefact.coverage.path, `${schema}${rest}`);
    }
    return [];
  }

  /** `if (!isName(req.query.name)) return res.sendStatus(400); next();`, or what a function of another file gives that does so. */
  #letThrough(path: string, reference: string, field: string): Cleaned {
    const found = [reference, givenBy(reference)].flatMap((name) => this.#modules.find(path, name));
    return found
      .flatMap(({ artefact, exported: { lets = [] } }) =>
        lets
          .filter((one) => field === one.field || field.startsWith(`${one.field}.`))
          .map(({ via }): Cleaned => (via ? this.#asks(artefact.coverage.path, via) : "all")),
      )
      .reduce(cleanedForAny, []);
  }

  #asked(path: string, { schema, by, argument, part }: AskedSchema, field: string): Cleaned {
    const makers = this.#modules.find(path, by);
    const looks = makers.flatMap(({ exported }) => exported.looks ?? []).find((look) => look.schema === argument);
    if (!looks && (makers.length > 0 || !promises.test(lastSegment(by)))) return [];
    const dot = field.indexOf(".");
    const [head, rest] = dot < 0 ? [field, ""] : [field.slice(0, dot), field.slice(dot)];
    const named =
      looks || by !== wholeSchema ? [head] : [...parts].flatMap(([name, of]) => (of.includes(head) ? [name] : []));
    const asParts =
      looks && looks.part !== "*"
        ? []
        : named.map((name) => this.#declarations.cleaned(path, `${schema}.${name}${rest}`)).reduce(cleanedForAny, []);
    const isMeant = looks?.part !== "*" && [head, ...named].includes(looks?.part || part || "body");
    return isMeant ? cleanedForAny(asParts, this.#declarations.cleaned(path, `${schema}${rest}`)) : asParts;
  }
}

/** What the settings of a route call its schema. */
const wholeSchema = "schema";

/** What libraries call what holds requests against schemas; of the project's own the code tells. */
const promises = /valid|schema|celebrate|parse|sanit|check/i;
