import { allFamilies, type Catalogue, type Families, type SchemaModel } from "../../catalogue/catalogue.ts";
import type { Call } from "../../ir/ir.ts";
import { type Called, subjectOf } from "../calls/called.ts";
import { storeReceiver } from "../calls/receivers.ts";
import { argumentsAt, holds } from "../check.ts";
import type { Passage } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import { byNamed } from "../texts/constants-elsewhere.ts";
import { cleanedByPattern } from "../texts/patterns.ts";
import { anyElement, constant, named, nothing, type Slots, type Value } from "../value.ts";

/**
 * Schemas say what may come in. Libraries make them by calls, Fastify and others have them as JSON. A schema is a value that is called after
 * what it lets through (`schema.plain`, `schema.text`, …); one of several parts has theirs in its slots.
 */
const kinds = ["anything", "fields", "elements", "text", "plain"] as const;
type Kind = (typeof kinds)[number];

export const pathOf = (kind: Kind): string => `schema.${kind}`;
/** What is called so as well lets nothing through that has other fields. */
export const closed = "schema.closed";
export const beginsPart = "schema.part.";
/** Of text that a pattern has matched: stands before the families that it is clean for by that. */
const beginsCleans = "schema.cleans.";
/** Of text that a constant of another file has matched: stands before what linking knows that by. */
const beginsMatches = "schema.matches.";
/** Text brings no operators along. */
const textCleans = ["nosql_injection"] as const;

/** What names all fields brings no further ones along. */
const namedCleans = ["mass_assignment"] as const;

/** `{ [Segments.BODY]: … }`: what a library calls a part of the request goes by the name of that. */
export function keyOfPart(key: Value): Value {
  const part = key.constants === null ? key.paths.find((path) => path.startsWith(beginsPart)) : undefined;
  return part === undefined ? key : constant(part.slice(beginsPart.length));
}

/** Schemas within schemas. */
export const depthMax = 5;

/** What kind of schema a value is; of several it may be the one that lets most through. Null where it is not known. */
export function kindOf(value: Value): Kind | null {
  const known = kinds.find((kind) => value.paths.includes(pathOf(kind)));
  return known ?? kindOfJson(value);
}

const plainTypes: ReadonlySet<unknown> = new Set(["integer", "number", "boolean", "null"]);
const plainFormats = /^(uuid|date|time|date-time|duration|ipv4|iso-(date-)?time)$/;

/** `{ type: "integer" }` */
function kindOfJson({ slots }: Value): Kind | null {
  if (slots?.shape !== "map") return null;
  const said = (key: string) => slots.entries.get(key)?.constants;
  const given = slots.entries.get("type") ?? nothing;
  const types = [given, ...(given.slots?.entries.values() ?? [])].flatMap(({ constants }) => constants ?? []);
  if (types.length > 0 && types.every((type) => plainTypes.has(type))) return "plain";
  if (slots.entries.has("enum") || slots.entries.has("const")) return "plain";
  if (types.includes("object") || (types.length === 0 && slots.entries.get("properties")?.slots)) return "fields";
  if (types.includes("array")) return "elements";
  if (!types.includes("string") || types.some((type) => type !== "string" && !plainTypes.has(type))) return null;
  const format = said("format")?.[0];
  return typeof format === "string" && plainFormats.test(format) ? "plain" : "text";
}

/** What comes through a schema is clean for: of everything where it is a number or the like, and of what its pattern keeps out. */
export function cleanedIn(catalogue: Catalogue, schema: Value): Families {
  const kind = kindOf(schema);
  return kind === "plain"
    ? allFamilies
    : kind === "text"
      ? catalogue.bitsOf(textCleans) | matchedIn(catalogue, schema)
      : 0;
}

/** The same of its pattern alone. */
function matchedIn(catalogue: Catalogue, schema: Value): Families {
  const path = schema.paths.find((one) => one.startsWith(beginsCleans));
  if (path !== undefined) return Number(path.slice(beginsCleans.length));
  const pattern = isJson(schema) ? schema.slots?.entries.get("pattern")?.constants?.[0] : undefined;
  return typeof pattern === "string" ? cleanedByPattern(catalogue, pattern, false, false) : 0;
}

/** What lets text through that is clean for these families. */
export const textOf = (families: Families): Value =>
  families === allFamilies
    ? named(pathOf("plain"))
    : families === 0
      ? named(pathOf("text"))
      : named(pathOf("text"), `${beginsCleans}${families}`);

const isJson = (schema: Value): boolean => !schema.paths.some((path) => path.startsWith("schema."));

/** The schemas of the fields that a schema names; with a rest, others may come in as well. */
export function fieldsOf(schema: Value): Slots | null {
  if (!isJson(schema)) return schema.slots;
  const properties = schema.slots?.entries.get("properties")?.slots;
  if (properties?.shape !== "map") return null;
  const isClosed = schema.slots?.entries.get("additionalProperties")?.constants?.[0] === false;
  return isClosed ? properties : { ...properties, rest: named(pathOf("anything")) };
}

export const elementOf = (schema: Value): Value =>
  isJson(schema) ? (schema.slots?.entries.get("items") ?? nothing) : anyElement(schema);

/** What a call makes that says what may come in. */
export function schemaMade(run: Run, frame: Frame, call: Call, called: Called): Value | null {
  const { schemas } = called.models;
  if (schemas.length === 0) return null;
  const subject = subjectOf(called, call);
  const model = schemas.find(({ when }) => when.every((test) => holds(frame, test, subject)));
  if (!model) return null;
  const { lets } = model;
  if (lets) return addField(run, frame, call, called, pathOf(lets));
  const schema = made(
    run.catalogue,
    model,
    called,
    model.of.flatMap((place) => argumentsAt(subject, place)),
  );
  // A field of Python goes by what has made it, too: what is declared by no call is none.
  if (run.language === "python") return { ...schema, paths: [...schema.paths, ...called.gives] };
  return model.is === "pattern"
    ? matchingElsewhere(run, frame, schema, argumentsAt(subject, model.of[0] ?? 0)[0])
    : schema;
}

/** The same schema, which also asks for a pattern that is a constant of another file. */
function matchingElsewhere(run: Run, frame: Frame, schema: Value, of: Value = nothing): Value {
  const pattern = of.slots?.entries.get("pattern") ?? of;
  const asked = pattern.constants === null ? byNamed(run, frame, pattern, "any", "true") : null;
  if (!asked) return schema;
  const asking = (one: Value): Value => ({ ...one, paths: [...one.paths, `${beginsMatches}${asked.target}`] });
  if (!isPart(schema) || !schema.slots) return asking(schema);
  return {
    ...schema,
    slots: { ...schema.slots, entries: new Map([...schema.slots.entries].map(([field, one]) => [field, asking(one)])) },
  };
}

/** The patterns of other files that text has to match. */
export const matchedElsewhere = (schema: Value): readonly Passage[] =>
  schema.paths.flatMap((path): Passage[] =>
    path.startsWith(beginsMatches)
      ? [{ target: path.slice(beginsMatches.length), argument: 0, check: "true", trusted: false }]
      : [],
  );

/** `parser.add_argument("year", type=int)` */
function addField(run: Run, frame: Frame, { callee }: Call, { receiver, positional }: Called, path: string): Value {
  const [name] = positional[0]?.constants ?? [];
  if (receiver && callee.kind === "field" && typeof name === "string") {
    const entries = new Map(receiver.slots?.entries).set(name.replace(/^-+/, ""), named(path));
    storeReceiver(run, frame, callee.of, { ...receiver, slots: { shape: "map", entries, rest: null } });
  }
  return receiver ?? nothing;
}

function made(catalogue: Catalogue, { is, part }: SchemaModel, called: Called, given: readonly Value[]): Value {
  const [of = nothing] = given;
  const { receiver, positional } = called;
  switch (is) {
    case "plain":
    case "text":
    case "anything":
      return isPart(receiver) ? narrowed(receiver, named(pathOf(is))) : named(pathOf(is));
    case "same":
      return receiver ?? nothing;
    case "fields":
      return { ...named(pathOf("fields")), slots: of.slots ?? (positional.length > 0 ? anyFields : noFields) };
    case "closed":
      return { ...(receiver ?? nothing), paths: [...(receiver?.paths ?? []), closed] };
    case "closed-fields":
      return {
        ...made(catalogue, { is: "fields", of: [0], part: undefined, lets: undefined, when: [] }, called, [of]),
        paths: [pathOf("fields"), closed],
      };
    case "elements":
      return { ...named(pathOf("elements")), slots: { shape: "list", entries: new Map(), rest: of } };
    case "more":
      return receiver ? extended(receiver, of) : nothing;
    case "pattern":
      return matching(catalogue, receiver, (of.slots?.entries.get("pattern") ?? of).constants?.[0]);
    case "one-of":
      return eitherOf(catalogue, of.slots?.shape === "list" ? [...of.slots.entries.values()] : positional);
    case "all-of":
      return allOf(catalogue, [...positional, ...given]) ?? nothing;
    case "given":
      return of;
    case "list-of":
      return { ...named(pathOf("elements")), slots: { shape: "list", entries: new Map(), rest: receiver } };
    case "open":
      return { ...(receiver ?? nothing), slots: { ...(receiver?.slots ?? noFields), rest: named(pathOf("anything")) } };
    case "validator":
      return { ...of, paths: [...of.paths, "validator"] };
    case "part":
      return partOf(`${beginsPart}${part}`, of);
    case "field":
      return nothing;
  }
}

const noFields: Slots = { shape: "map", entries: new Map(), rest: null };
const anyFields: Slots = { ...noFields, rest: nothing };

/** What lets through what one of several does. */
function eitherOf(catalogue: Catalogue, schemas: readonly Value[]): Value {
  const known = schemas.map(kindOf);
  if (schemas.length === 0 || known.includes(null)) return nothing;
  if (known.every((kind) => kind === "plain" || kind === "text"))
    return textOf(
      schemas.reduce(
        (all, one) => all & (kindOf(one) === "plain" ? allFamilies : matchedIn(catalogue, one)),
        allFamilies,
      ),
    );
  return known.includes("anything") ? named(pathOf("anything")) : nothing;
}

/** `base.extend({ id: z.string() })`, `base.merge(other)` */
function extended(base: Value, more: Value): Value {
  if (!base.slots || !more.slots) return { ...base, slots: anyFields };
  const entries = new Map([...base.slots.entries, ...more.slots.entries]);
  return { ...base, slots: { ...base.slots, entries, rest: more.slots.rest ?? base.slots.rest } };
}

/** `body("id")`, `query(["from", "to"])` */
function partOf(path: string, names: Value): Value {
  const fields = [names, ...(names.slots?.entries.values() ?? [])].flatMap(({ constants }) => constants ?? []);
  const entries = new Map(fields.map((field) => [String(field), nothing] as const));
  return { ...named(path), slots: { shape: "map", entries, rest: null } };
}

const isPart = (receiver: Value | null): receiver is Value => receiver?.paths[0]?.startsWith(beginsPart) === true;

function narrowed(part: Value, to: Value): Value {
  if (!part.slots) return part;
  const entries = new Map(
    [...part.slots.entries].map(([field, schema]) => [field, kindOf(schema) === "plain" ? schema : to]),
  );
  return { ...part, slots: { ...part.slots, entries } };
}

/** What a schema lets through that asks for a pattern besides: text, as nothing else has characters. */
function matching(catalogue: Catalogue, receiver: Value | null, pattern: unknown): Value {
  const families = typeof pattern === "string" ? cleanedByPattern(catalogue, pattern, false, false) : 0;
  if (isPart(receiver)) return narrowed(receiver, textOf(families));
  if (receiver && kindOf(receiver) !== "text") return families === allFamilies ? named(pathOf("plain")) : receiver;
  return textOf(families | (receiver ? matchedIn(catalogue, receiver) : 0));
}

/** What all of several let through, such as the decorators of a field. */
export function allOf(catalogue: Catalogue, all: readonly Value[]): Value | null {
  const schemas = all.filter((one) => kindOf(one) !== null);
  if (schemas.length === 0) return null;
  const one = schemas.reduce((a, b) => (rank(b) > rank(a) ? b : a));
  return kindOf(one) === "text" ? textOf(schemas.reduce((all, each) => all | matchedIn(catalogue, each), 0)) : one;
}

const rank = (schema: Value): number => kinds.indexOf(kindOf(schema) ?? "anything");

/** What a schema cleans, field by field, below the name that it goes by itself. */
export function cleanedWithin(
  catalogue: Catalogue,
  schema: Value,
  name: string,
  depth = 0,
): [name: string, Families][] {
  const kind = kindOf(schema);
  const cleans = cleanedIn(catalogue, schema);
  if (cleans !== 0) return [[name, cleans]];
  if (depth >= depthMax || !schema.slots) return [];
  const within =
    kind === "fields" ? fieldsOf(schema) : kind === null && schema.slots.shape === "map" ? schema.slots : null;
  const fields = [...(within?.entries ?? [])].flatMap(([field, one]) =>
    cleanedWithin(catalogue, one, `${name}.${field}`, depth + 1),
  );
  // No others come in by what names them all.
  return kind === "fields" && within?.rest === null ? [[name, catalogue.bitsOf(namedCleans)], ...fields] : fields;
}
