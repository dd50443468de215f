import { calledName } from "../../ir/called-name.ts";
import type { Call, Span } from "../../ir/ir.ts";
import type { Called } from "../calls/called.ts";
import { targetOf } from "../calls/handover.ts";
import type { Frame, Run } from "../run.ts";
import type { Scope } from "../scope.ts";
import { named, nothing, type Slots, type Value } from "../value.ts";
import { asAnySchema, parsedBy, parsedElsewhere } from "./parsing.ts";
import { asRouted } from "./routed-handlers.ts";
import { beginsPart, fieldsOf, kindOf, pathOf } from "./schemas.ts";

/** What of a request a schema is about, by what the handlers call it. */
export const parts: ReadonlyMap<string, readonly string[]> = new Map([
  ["body", ["body"]],
  ["payload", ["payload"]],
  ["json", ["json", "body"]],
  ["form", ["form", "body"]],
  ["query", ["query"]],
  ["querystring", ["query"]],
  ["queries", ["query"]],
  ["params", ["params"]],
  ["param", ["param", "params"]],
  ["headers", ["headers"]],
  ["header", ["header", "headers"]],
  ["cookies", ["cookies"]],
  ["state", ["state"]],
  ["input", ["input"]],
]);

/** Steps by which a procedure is told its schema, and what its handler calls what that lets through. */
const steps: ReadonlyMap<string, string> = new Map([
  ["input", "input"],
  ["schema", "parsedInput"],
  ["inputSchema", "parsedInput"],
]);

/** Where the schema of a part of the request stands in the scope of a handler. */
export const factOfPart = (part: string): string => `@schema.${part}`;

/** The schemas that are put before a handler with it: in the settings of its route, or as what is called first. */
export function schemasBefore(frame: Frame, call: Call, called: Called): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (const { value } of call.args) {
    const front = value.kind === "call" ? frame.given.get(value)?.called : undefined;
    if (!front || value.kind !== "call") continue;
    const given = [...front.positional, ...front.named.values()];
    const schema = given.find((one) => kindOf(one) === "fields");
    const said = [calledName(value), ...given.flatMap(({ constants }) => constants ?? [])].map(partNamed);
    const isOfRequest = schema && [...(fieldsOf(schema)?.entries.keys() ?? [])].every((name) => parts.has(name));
    const part = said.find((name) => name !== null) ?? "body";
    if (schema && isOfRequest) noteFields(found, fieldsOf(schema) as Slots);
    else if (schema) note(found, part, schema);
    else for (const one of given) noteMap(found, one);
  }
  for (const one of called.positional) noteMap(found, one);
  noteChain(frame, found, call);
  return found;
}

/** `procedure.input(z.number()).query(…)`: what a handler is given that is built step by step; the step before it counts most. */
function noteChain(frame: Frame, found: Map<string, Value>, { callee }: Call): void {
  const before = callee.kind === "field" && callee.of.kind === "call" ? callee.of : null;
  if (!before) return;
  const [schema] = frame.given.get(before)?.called.positional ?? [];
  const part = steps.get(calledName(before));
  // What is handed to such a step is a schema, whoever has it.
  if (schema && part !== undefined && (kindOf(schema) !== null || isImported(schema)) && !found.has(part))
    found.set(part, schema);
  noteChain(frame, found, before);
}

const isImported = ({ paths }: Value): boolean => paths.some((path) => path.includes(".") && !path.startsWith("?"));

/** `validateQuery`, `"query"` */
export function partNamed(said: unknown): string | null {
  if (typeof said !== "string") return null;
  const [, name] = said.match(/(body|json|form|query|params?|headers?|cookies)$/i) ?? [];
  return name?.toLowerCase() ?? null;
}

/** `{ schema: { body: … } }`, `{ options: { validate: { payload: … } } }`, `{ body: … }`, `[body("id").isInt(), …]` */
function noteMap(found: Map<string, Value>, value: Value, depth = 0): void {
  const part = value.paths.find((path) => path.startsWith(beginsPart));
  if (part !== undefined) notePart(found, part.slice(beginsPart.length), value);
  if (!value.slots || part !== undefined || depth > 3 || value.closures.length > 0) return;
  const isOfRequest = [...value.slots.entries].some(([name, one]) => parts.has(name) && kindOf(one) !== null);
  if (isOfRequest) noteFields(found, value.slots);
  else
    for (const [name, one] of value.slots.entries)
      if (value.slots.shape === "list" || isSetting.test(name)) noteMap(found, one, depth + 1);
}

export const isSetting = /^(schema|options|config|validate|request|validation|validators?)$/;

function noteFields(found: Map<string, Value>, { entries }: Slots): void {
  for (const [name, schema] of entries) if (kindOf(schema) !== null) note(found, name, schema);
}

function note(found: Map<string, Value>, name: string, schema: Value): void {
  for (const part of parts.get(name) ?? []) found.set(part, schema);
}

/** One field after the other, of what comes in as it is otherwise. */
function notePart(found: Map<string, Value>, name: string, { slots }: Value): void {
  const known = found.get(name)?.slots?.entries ?? [];
  const entries = new Map([...known, ...(slots?.entries ?? [])]);
  found.set(name, { ...named(pathOf("fields")), slots: { shape: "map", entries, rest: named(pathOf("anything")) } });
}

/** What is read of a request whose schema has been asked before. */
export function asChecked(run: Run, frame: Frame, part: string, input: Value, at: Span): Value {
  const fact = factOfPart(part);
  const schema = frame.scope.binding(fact)?.get(fact);
  if (!schema) return asRouted(run, part, input);
  const target = kindOf(schema) === null ? targetOf(run, frame, schema.paths) : null;
  if (target !== null) {
    const passed = parsedElsewhere(target, asAnySchema(run, input));
    return { ...passed, paths: [...input.paths, ...passed.paths] };
  }
  return { ...parsedBy(run, frame, schema, { ...input, slots: null }, at), paths: input.paths };
}

/** Keeps the schemas of a file, and what its classes say of their fields. */
export function noteSchemas(run: Run, { known }: Scope): void {
  const given = [...run.exports].map(([name, { fn }]) => [name, run.summaries.get(fn)?.returns ?? nothing] as const);
  for (const [name, found] of [...(known ?? []), ...given]) {
    const value = ofChains(found) ?? (isSchemas(found) ? found : null);
    if (!value) continue;
    const exported = name.replace(/^(module\.)?exports\./, "").replace(/^module\.exports$/, "default");
    run.schemas.set(exported, value);
    if (exported === "default" && kindOf(value) === null)
      for (const [key, one] of value.slots?.entries ?? []) run.schemas.set(key, one);
  }
  // An object of a class may have other fields than those that are declared.
  const rest = named(pathOf("anything"));
  for (const { node, schemas } of run.classes)
    if (schemas)
      run.schemas.set(node.name, { ...named(pathOf("fields")), slots: { shape: "map", entries: schemas, rest } });
}

/** `[body("id").isInt(), query("page").isInt()]`, or one of them, as a map of the parts of the request. */
function ofChains(value: Value): Value | null {
  const all = value.slots?.shape === "list" ? [...value.slots.entries.values()] : [value];
  const chains = all.filter(({ paths }) => paths.some((path) => path.startsWith(beginsPart)));
  const found = new Map<string, Value>();
  for (const chain of chains) noteMap(found, chain);
  return found.size === 0 ? null : { ...nothing, slots: { shape: "map", entries: found, rest: null } };
}

/** A schema, or a map of such. */
const isSchemas = (value: Value): boolean =>
  kindOf(value) !== null ||
  (value.slots?.shape === "map" && [...value.slots.entries.values()].some((one) => kindOf(one) !== null));
