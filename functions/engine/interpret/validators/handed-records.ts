import type { ParserModel } from "../../catalogue/catalogue.ts";
import type { Call, FunctionNode, Span } from "../../ir/ir.ts";
import { type Called, subjectOf } from "../calls/called.ts";
import { calleeOf, receiverOf, subjectOfDecorator } from "../calls/parameters.ts";
import { argumentsAt, receiverFits } from "../check.ts";
import { member } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { named, nothing, type Value } from "../value.ts";
import { asLookedAt } from "./checked-records.ts";
import { parsedBy } from "./parsing.ts";
import { kindOf, pathOf } from "./schemas.ts";

/**
 * What has come in and was held against a declaration of Python: a class of the file, a map of fields, or a class of another file, which
 * linking asks about the field that is read.
 */
function asRecord(run: Run, frame: Frame, schema: Value, input: Value, at: Span): Value {
  const info = schema.instance ?? schema.type;
  if (info) return { ...input, instance: info };
  if (schema.slots?.shape === "map") {
    const fields = kindOf(schema) === "fields" ? schema : { ...named(pathOf("fields")), slots: schema.slots };
    return parsedBy(run, frame, fields, { ...input, slots: null }, at);
  }
  return { ...input, paths: [...schema.paths.map(asLookedAt), ...input.paths] };
}

/** `parser.parse(schema, request)`, `parser.parse_args()`: a call that reads the request itself, and holds it against a schema. */
export function readRecord(run: Run, frame: Frame, call: Call, called: Called, input: Value): Value {
  const parser = called.models.parsers.find(({ hands }) => hands === "result");
  const [schema] = parser ? argumentsAt(subjectOf(called, call), parser.schema) : [];
  return schema ? asRecord(run, frame, schema, input, call) : input;
}

/** What a method gives that has looked at what it was given, as the class of its object declares it: `schema.load(answer)`. */
export const givenRecord = (run: Run, { callee }: Call, receiver: Value | null): Value["instance"] =>
  run.language === "python" && receiver?.instance && callee.kind === "field" && run.knowledge.checked.has(callee.name)
    ? receiver.instance
    : null;

/**
 * A parameter that a decorator fills, which has held the request against a schema: the next one of the function, `@blueprint.arguments(Order)`,
 * or those that are called like the fields, `@use_kwargs({"year": fields.Int()})`.
 */
export function handedRecord(run: Run, frame: Frame, fn: FunctionNode, index: number, input: Value): Value {
  if (run.language !== "python" || fn.decorators.length === 0 || input.taint.length === 0) return input;
  const param = fn.params[index];
  const isMethod = frame.owner !== null && /^(self|cls)$/.test(fn.params[0]?.name ?? "");
  let next = isMethod ? 1 : 0;
  for (const decorator of fn.decorators) {
    if (decorator.kind !== "call" || !param) continue;
    const parser = handingOf(run, frame, decorator);
    if (!parser) continue;
    const [schema = nothing] = argumentsAt(subjectOfDecorator(run, frame, decorator), parser.schema);
    if (parser.hands === "next" && next++ === index) return asRecord(run, frame, schema, input, param);
    if (parser.hands === "named") {
      const field = member(run, frame, asRecord(run, frame, schema, input, param), param.name, param);
      return { ...input, taint: field.taint };
    }
  }
  return input;
}

const handingOf = (run: Run, frame: Frame, decorator: Call): ParserModel | undefined =>
  calleeOf(run, frame, decorator)
    .paths.flatMap((path) => run.knowledge.calls.find(path).parsers)
    .find(({ hands, receiver }) => hands && (!receiver || receiverFits(receiver, receiverOf(run, frame, decorator))));
