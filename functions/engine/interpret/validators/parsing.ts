import { remembered } from "../../catalogue/remembered.ts";
import type { Call, Expression, Span } from "../../ir/ir.ts";
import { type Called, calledBy, subjectOf } from "../calls/called.ts";
import { fromOtherFile } from "../calls/carried-taint.ts";
import { targetOf } from "../calls/handover.ts";
import { argumentsAt, receiverFits } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import { through } from "../guards/guard-functions.ts";
import { bySchema } from "../guards/passage.ts";
import { store } from "../guards/refined.ts";
import { accessPath } from "../names.ts";
import { member } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, anyElement, cleaned, nothing, type Slots, type Taint, tainted, type Value } from "../value.ts";
import { noteRules, schemaOfRules } from "./field-rules.ts";
import { noteLook } from "./routed-handlers.ts";
import { cleanedIn, closed, depthMax, elementOf, fieldsOf, kindOf, matchedElsewhere } from "./schemas.ts";

/** What a schema lets through of which nothing is known: what it names, as what it says it is. */
const ofAnySchema = ["nosql_injection", "prototype_pollution", "mass_assignment"] as const;

/** What comes out of a schema that this went into. */
export function parsedBy(run: Run, frame: Frame, schema: Value, input: Value, at: Span, depth = 0): Value {
  const kind = depth < depthMax ? kindOf(schema) : null;
  if (kind === "anything") return input;
  if (kind === "plain") return { ...nothing };
  if (kind === "fields") {
    const fields = fieldsOf(schema);
    if (fields) return fieldsParsed(run, frame, fields, input, at, depth + 1);
  }
  if (kind === "elements") {
    const rest = parsedBy(run, frame, elementOf(schema), anyElement(input), at, depth + 1);
    return { ...nothing, slots: { shape: "list", entries: new Map(), rest } };
  }
  const given = cleaned({ ...input, paths: [] }, run.catalogue.bitsOf(ofAnySchema) | cleanedIn(run.catalogue, schema));
  return matchedElsewhere(schema).reduce((value, passage) => through(value, passage), given);
}

function fieldsParsed(run: Run, frame: Frame, fields: Slots, input: Value, at: Span, depth: number): Value {
  const entries = new Map(
    [...fields.entries].map(([name, schema]) => {
      const part = { ...member(run, frame, input, name, at), constants: null };
      return [name, parsedBy(run, frame, schema, part, at, depth)] as const;
    }),
  );
  // Fields that are not named are parts of the whole, those that are named are not.
  const others = fields.rest ? parsedBy(run, frame, fields.rest, tainted(input.taint), at, depth).taint : [];
  return { ...tainted(others), slots: { shape: "map", entries, rest: null } };
}

/** What a call gives that holds something against a schema. */
export function parsed(run: Run, frame: Frame, call: Call, called: Called): Value | null {
  const parsing = parsingOf(run, frame, call, called);
  if (!parsing) return null;
  const { gives, result, rules } = parsing;
  if (rules) {
    noteRules(frame, rules);
    return { ...result, paths: called.gives };
  }
  if (gives.length === 0) return { ...nothing };
  if (gives.every((field) => field === "")) return result;
  const entries = new Map(gives.filter((field) => field !== "").map((field) => [field, result]));
  const whole = gives.includes("") ? result : nothing;
  const all = new Map([...(whole.slots?.entries ?? []), ...entries]);
  return { ...whole, slots: { shape: "map", entries: all, rest: whole.slots?.rest ?? null } };
}

interface Parsing {
  readonly input: Call["args"][number] | undefined;
  readonly gives: readonly string[];
  readonly tells: "after" | "answer" | "fields";
  readonly result: Value;
  /** What has other fields is refused. */
  readonly isClosed: boolean;
  /** What is asked of the fields of the request, whoever reads them. */
  readonly rules: Slots | null;
}

export function parsingOf(run: Run, frame: Frame, call: Call, called: Called): Parsing | null {
  const { parsers } = called.models;
  if (parsers.length === 0 || called.callee.closures.length > 0) return null;
  const subject = subjectOf(called, call);
  for (const { receiver, argument, schema: by, gives, tells, hands } of parsers) {
    if (hands) continue;
    const given = by === "callee" ? called.callee : (argumentsAt(subject, by)[0] ?? nothing);
    const schema = run.language === "php" ? schemaOfRules(run.catalogue, given) : given;
    const [input] = argumentsAt(subject, argument);
    if (!input || !schema) continue;
    noteLook(run, frame, schema, input, typeof argument === "number" ? call.args[argument]?.value : undefined);
    const target = kindOf(schema) !== null || !receiver ? null : targetOf(run, frame, schema.paths);
    const isCalledSo = kindOf(schema) !== null || !receiver || receiverFits(receiver, called.names);
    if (!isCalledSo && target === null) continue;
    const result =
      target === null
        ? parsedBy(run, frame, schema, input, call)
        : parsedElsewhere(
            target,
            isCalledSo
              ? asAnySchema(run, input)
              : fromOtherFile(run, call, called, called.target ?? target, called.target ?? target, false),
          );
    const isClosed = schema.paths.includes(closed);
    const rules = run.language === "php" ? schema.slots : null;
    return {
      input: typeof argument === "number" ? call.args[argument] : undefined,
      gives,
      tells,
      result,
      isClosed,
      rules,
    };
  }
  return null;
}

/** What has come through a schema of which nothing is known. */
export const asAnySchema = (run: Run, input: Value): readonly Taint[] =>
  cleaned(tainted(allTaint(input)), run.catalogue.bitsOf(ofAnySchema)).taint;

/** What a schema of another file lets through, linking knows; what only may be one gives what its method gives. */
export function parsedElsewhere(target: string, taint: readonly Taint[]): Value {
  const passage = { target, argument: bySchema, check: "result" as const, trusted: false };
  return { ...through(tainted(taint), passage), paths: [`${target}()`] };
}

/** `if (error) return`, `if (!result.success) return`: what was held against a schema is what came out of it. */
export function answerOfSchema(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  if (run.language !== "javascript") return;
  const asked = test.kind === "variable" ? frame.scope.binding(test.name)?.origins.get(test.name) : test;
  if (asked?.kind !== "field" || outcome !== meansSuccess.test(asked.name) || !tellsByField.test(asked.name)) return;
  const { of } = asked;
  const call = of.kind === "variable" ? frame.scope.binding(of.name)?.origins.get(of.name) : of;
  if (call?.kind === "call") noteParsed(run, frame, call, "fields");
}

const tellsByField = /^(errors?|issues|success|valid)$/;
const meansSuccess = /^(success|valid)$/;

/** What was held against a schema that has let it through is what comes out of it. */
export function noteParsed(run: Run, frame: Frame, call: Call, tells: Parsing["tells"]): void {
  const parsing = parsingOf(run, frame, call, calledBy(run, frame, call));
  if (parsing?.tells !== tells || !parsing.input || accessPath(parsing.input.value) === null) return;
  const { result, isClosed } = parsing;
  // What has other fields as well has been let through with them, as it was.
  const others = isClosed || !result.slots ? result.taint : evaluate(run, frame, parsing.input.value).taint;
  store(frame, parsing.input.value, { ...result, taint: others });
}

/** What is read of an object whose class says what its fields may be. */
export function asDecorated(
  run: Run,
  frame: Frame,
  of: Value,
  name: string,
  taint: readonly Taint[],
  at: Span,
): readonly Taint[] {
  const schema = of.instance?.schemas?.get(name);
  if (schema) return allTaint(parsedBy(run, frame, schema, tainted(taint), at));
  const target = of.instance ? null : targetOf(run, frame, of.paths.filter(isClassOfProject));
  return target === null
    ? taint
    : through(tainted(taint), { target, argument: bySchema, part: name, check: "result", trusted: false }).taint;
}

const isClassOfProject = remembered((path) => /^[.@~#s].*\.\p{Lu}\w*$/u.test(path));
