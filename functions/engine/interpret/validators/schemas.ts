import type { SchemaModel } from "../../catalogue/catalogue.ts";
import type { Call } from "../../ir/ir.ts";
import { type Called, subjectOf } from "../calls/called.ts";
import { argumentsAt, holds } from "../check.ts";
import { isStrict } from "../guards/pattern-tests.ts";
import type { Frame, Run } from "../run.ts";
import type { Scope } from "../scope.ts";
import { anyElement, named, nothing, type Slots, type Value } from "../value.ts";

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
  const pattern = said("pattern")?.[0];
  const isPlain =
    (typeof format === "string" && plainFormats.test(format)) ||
    (typeof pattern === "string" && isStrict(pattern, false, false));
  return isPlain ? "plain" : "text";
}

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
export function schemaMade(frame: Frame, call: Call, called: Called): Value | null {
  const { schemas } = called.models;
  if (schemas.length === 0) return null;
  const subject = subjectOf(called, call);
  const model = schemas.find(({ when }) => when.every((test) => holds(frame, test, subject)));
  return model ? made(model, called, argumentsAt(subject, model.of)) : null;
}

function made({ is, part }: SchemaModel, called: Called, [of = nothing]: readonly Value[]): Value {
  const { receiver, positional } = called;
  switch (is) {
    case "plain":
    case "text":
    case "anything":
      return receiver?.paths[0]?.startsWith(beginsPart) ? narrowed(receiver, is) : named(pathOf(is));
    case "same":
      return receiver ?? nothing;
    case "fields":
      return { ...named(pathOf("fields")), slots: of.slots ?? (positional.length > 0 ? anyFields : noFields) };
    case "closed":
      return { ...(receiver ?? nothing), paths: [...(receiver?.paths ?? []), closed] };
    case "closed-fields":
      return {
        ...made({ is: "fields", of: 0, part: undefined, when: [] }, called, [of]),
        paths: [pathOf("fields"), closed],
      };
    case "elements":
      return { ...named(pathOf("elements")), slots: { shape: "list", entries: new Map(), rest: of } };
    case "more":
      return receiver ? extended(receiver, of) : nothing;
    case "pattern":
      return typeof of.constants?.[0] === "string" && isStrict(of.constants[0], false, false)
        ? named(pathOf("plain"))
        : (receiver ?? nothing);
    case "one-of":
      return eitherOf(of.slots?.shape === "list" ? [...of.slots.entries.values()] : positional);
    case "all-of":
      return narrowest(positional) ?? nothing;
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
  }
}

const noFields: Slots = { shape: "map", entries: new Map(), rest: null };
const anyFields: Slots = { ...noFields, rest: nothing };

/** What lets through what one of several does. */
function eitherOf(schemas: readonly Value[]): Value {
  const known = schemas.map(kindOf);
  if (schemas.length === 0 || known.includes(null)) return nothing;
  if (known.every((kind) => kind === "plain")) return named(pathOf("plain"));
  if (known.every((kind) => kind === "plain" || kind === "text")) return named(pathOf("text"));
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

function narrowed(part: Value, kind: Kind): Value {
  if (!part.slots) return part;
  const entries = new Map(
    [...part.slots.entries].map(([field, schema]) => [
      field,
      kindOf(schema) === "plain" ? schema : named(pathOf(kind)),
    ]),
  );
  return { ...part, slots: { ...part.slots, entries } };
}

/** What the decorators of a field say may come in. */
export const schemaOfField = (decorators: readonly Value[]): Value | null =>
  narrowest(decorators.filter((one) => kindOf(one) !== null));

const narrowest = (schemas: readonly Value[]): Value | null =>
  schemas.length === 0 ? null : schemas.reduce((a, b) => (rank(b) > rank(a) ? b : a));

const rank = (schema: Value): number => kinds.indexOf(kindOf(schema) ?? "anything");

/** The names of what a schema says to be plain, or text, below the name that it goes by itself. */
export function namesWithin(schema: Value, name: string, wanted: "plain" | "text", depth = 0): string[] {
  const kind = kindOf(schema);
  if (kind === wanted) return [name];
  if (depth >= depthMax || !schema.slots) return [];
  const within =
    kind === "fields" ? fieldsOf(schema) : kind === null && schema.slots.shape === "map" ? schema.slots : null;
  return [...(within?.entries ?? [])].flatMap(([field, one]) =>
    namesWithin(one, `${name}.${field}`, wanted, depth + 1),
  );
}

/** Keeps the schemas of a file, and what its classes say of their fields. */
export function noteSchemas(run: Run, { known }: Scope): void {
  for (const [name, value] of known ?? []) {
    if (!isSchemas(value)) continue;
    const exported = name.replace(/^(module\.)?exports\./, "").replace(/^module\.exports$/, "default");
    run.schemas.set(exported, value);
    if (exported === "default" && kindOf(value) === null)
      for (const [key, one] of value.slots?.entries ?? []) run.schemas.set(key, one);
  }
  for (const { node, schemas } of run.classes)
    if (schemas)
      run.schemas.set(node.name, { ...named(pathOf("fields")), slots: { shape: "map", entries: schemas, rest: null } });
}

/** A schema, or a map of such. */
const isSchemas = (value: Value): boolean =>
  kindOf(value) !== null ||
  (value.slots?.shape === "map" && [...value.slots.entries.values()].some((one) => kindOf(one) !== null));
