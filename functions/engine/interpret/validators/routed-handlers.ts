import { lastSegment } from "../../catalogue/paths.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Call, Collection, Expression, FunctionNode } from "../../ir/ir.ts";
import type { Called } from "../calls/called.ts";
import { targetOf } from "../calls/handover.ts";
import { evaluate } from "../evaluate.ts";
import { through } from "../guards/guard-functions.ts";
import { bySchema } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import { nothing, type Value } from "../value.ts";
import { isSetting, partNamed, parts } from "./route-schemas.ts";
import { kindOf } from "./schemas.ts";

/** Stands before the name of a handler where linking is asked what the schemas let through that other files put in front of it. */
export const inFrontOf = "front:";

/** A schema of another file that a registration hands to what it puts in front of a handler. */
export interface AskedSchema {
  schema: string;
  /** What it is handed to, by import or by its name, and as which argument. */
  by: string;
  argument: number;
  /** What of the request the call says that it is about. */
  part?: string;
}

/** A registration of what other files have: handlers, and what looks at the request before them. */
export interface Routed {
  handlers: string[];
  /** What handlers go by that are written in the registration itself. */
  inline: string;
  /** What the file's own schemas before it are called among those that it declares. */
  own?: string;
  asked?: AskedSchema[];
}

/** A function that holds the request against a schema: one that it is made with, as this parameter, or one of another file. */
export interface Look {
  schema: number | string;
  /** "*" where the schema has parts of the request itself, "" where the call says which it is. */
  part: string;
}

const routedMax = 500;

/** What is read of a request in a handler whose routes other files have: linking knows what stands in front of it. */
export function asRouted({ handler }: Run, part: string, input: Value): Value {
  if (handler === null || !parts.has(part)) return input;
  const target = `${inFrontOf}${handler}`;
  const passed = through(input, { target, argument: bySchema, part, check: "result", trusted: false });
  return { ...passed, paths: [...input.paths, `${target}().${part}`] };
}

/** What other files call a function that a framework calls. */
export function handlerName(run: Run, fn: FunctionNode): string | null {
  for (const [name, closure] of run.exports) if (closure.fn === fn) return lastSegment(name);
  return fn.name === "" ? null : fn.name;
}

/** What they call one that something else is made of: `exports.create = caught(async (req, res) => …)`. */
export function nameOfMade({ statement, fn }: Frame): string | null {
  const made = "kind" in statement ? (statement as Expression | { kind: "expression"; value: Expression }) : null;
  const { to } = made?.kind === "expression" && made.value.kind === "assign" ? made.value : { to: null };
  return fn === null && (to?.kind === "variable" || to?.kind === "field") ? to.name : null;
}

/**
 * Keeps what is registered of other files, with the schemas that stand in front of it.
 * @returns what the file's own handlers go by that are registered with it
 */
export function noteRouted(run: Run, frame: Frame, call: Call, schemas: ReadonlyMap<string, Value>): string | null {
  if (run.routed.length >= routedMax) return null;
  const routed: Required<Pick<Routed, "handlers" | "asked">> = { handlers: [], asked: [] };
  for (const { value } of call.args) noteStanding(run, frame, value, routed);
  const { handlers, asked } = routed;
  if (handlers.length + asked.length === 0) return null;
  const inline = `@${call.start}`;
  const own = schemas.size > 0 ? inline : undefined;
  if (own) run.schemas.set(own, { ...nothing, slots: { shape: "map", entries: schemas, rest: null } });
  run.routed.push({ handlers, inline, ...(own && { own }), ...(asked.length > 0 && { asked }) });
  return inline;
}

function noteStanding(run: Run, frame: Frame, e: Expression, into: Required<Pick<Routed, "handlers" | "asked">>): void {
  if (e.kind === "collection" && e.shape === "list") {
    for (const { value } of e.entries) noteStanding(run, frame, value, into);
    return;
  }
  if (e.kind === "collection") {
    noteSettings(run, frame, e, into);
    return;
  }
  if (e.kind === "variable" || e.kind === "field") into.handlers.push(...referredTo(run, frame, e));
  const called = e.kind === "call" ? frame.given.get(e)?.called : undefined;
  if (e.kind !== "call" || !called) return;
  // `users.create.bind(users)`
  if (e.callee.kind === "field" && e.callee.name === "bind") noteStanding(run, frame, e.callee.of, into);
  const maker = called.target;
  // `rules.list()` gives what stands in front.
  if (maker !== null) into.handlers.push(maker);
  const by = maker ?? calledName(e);
  const part = partSaid(e, called);
  for (const [argument, { value }] of e.args.entries())
    for (const schema of value.kind === "variable" || value.kind === "field" ? referredTo(run, frame, value) : []) {
      // What is handed to a wrapper may be the handler as well.
      into.handlers.push(schema);
      into.asked.push({ schema, by, argument, ...(part !== null && { part }) });
    }
}

/** `{ schema: listRooms, preHandler: [check] }`, `{ schema: { body: room } }`: the settings of a route name what stands in front of it. */
function noteSettings(
  run: Run,
  frame: Frame,
  { entries }: Collection,
  into: Required<Pick<Routed, "handlers" | "asked">>,
): void {
  for (const { key, value } of entries) {
    const name = key?.kind === "literal" ? String(key.value) : "";
    const isPart = parts.has(name);
    if (!isPart && !isSetting.test(name) && !isFront.test(name)) continue;
    if (value.kind === "collection" || isFront.test(name)) noteStanding(run, frame, value, into);
    else if (value.kind === "variable" || value.kind === "field")
      for (const schema of referredTo(run, frame, value))
        into.asked.push({ schema, by: "schema", argument: 0, ...(isPart && { part: name }) });
  }
}

const isFront = /^(handler|on\w+|pre\w+)$/;

/** What an expression means in another file, an object by its class. */
function referredTo(run: Run, frame: Frame, e: Expression): string[] {
  const { paths } = evaluate(run, frame, e);
  const target = targetOf(run, frame, [...paths, ...paths.map((path) => path.replaceAll("()", ""))]);
  return target === null ? [] : [target];
}

function partSaid(call: Call, { positional }: Called): string | null {
  const said = [calledName(call), ...positional.flatMap(({ constants }) => constants ?? [])];
  return said.map(partNamed).find((name) => name !== null) ?? null;
}

/** A function holds a part of the request against a schema: one that the function around it was given, or its own. */
export function noteLook(run: Run, frame: Frame, schema: Value, input: Value, written: Expression | undefined): void {
  const { fn } = frame;
  if (run.language !== "javascript" || !fn || !written) return;
  const part = partAsked(run, frame, input, written);
  if (part === null) return;
  const given = schema.taint
    .map(({ source }) => source.parameter)
    .find((parameter) => parameter && parameter.fn !== fn);
  if (given) run.looks.set(given.fn, { schema: given.index, part });
  const elsewhere = given || kindOf(schema) !== null ? null : targetOf(run, frame, schema.paths);
  if (elsewhere !== null) run.looks.set(fn, { schema: elsewhere, part });
  const name = part === "" || part === "*" || kindOf(schema) === null ? null : handlerName(run, fn);
  if (name !== null && !run.schemas.has(name))
    run.schemas.set(name, { ...nothing, slots: { shape: "map", entries: new Map([[part, schema]]), rest: null } });
}

/** Which part of the request something is; "*" for several under their names, "" for one that is computed. */
function partAsked(run: Run, frame: Frame, input: Value, written: Expression): string | null {
  const named = input.paths.map((path) => path.match(ofRequest)?.[1]).find((part) => part !== undefined);
  if (named !== undefined) return named;
  if (isRequest(input)) return "*";
  const names = input.slots?.shape === "map" ? [...input.slots.entries.keys()] : [];
  if (names.length > 0 && names.every((name) => parts.has(name))) return "*";
  const made = written.kind === "variable" ? frame.scope.binding(written.name)?.origins.get(written.name) : written;
  if (made?.kind === "index") return isRequest(evaluate(run, frame, made.of)) ? "" : null;
  // `pick(req, ["body", "query"])`
  const picked = made?.kind === "call" ? frame.given.get(made)?.called.positional : undefined;
  return picked?.some(isRequest) ? "*" : null;
}

const ofRequest = /(?:Request|^\?req(?:uest)?|\.request)\.(body|query|params|headers|cookies)$/;

const isRequest = ({ paths }: Value): boolean => paths.some((path) => /(^|\.)Request$|^\?req(uest)?$/.test(path));
