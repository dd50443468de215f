import { allFamilies } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call } from "../../ir/ir.ts";
import { holds, receiverFits } from "../check.ts";
import type { Frame, Run } from "../run.ts";
import { type Called, subjectOf } from "./called.ts";

/** A function of another file that is called after making values safe is taken at its word; those of this file are read. */
export function promised(call: Call): number {
  const { callee } = call;
  const name = lastName(callee);
  if (
    callee.kind === "field" &&
    callee.of.kind === "variable" &&
    escaper.test(callee.of.name) &&
    !/unescape/i.test(name)
  )
    return allFamilies;
  return makesSafe(name) ? allFamilies : 0;
}

const makesSafe = remembered(
  (name) =>
    /^_*(get_?)?(safe|sanit|escape|purif|clean_?(html|path|input|name|file)|url_?encode)|(sanitize|escape)d?$/i.test(
      name,
    ) && !/unescape|unsafe/i.test(name),
);

/** Whether a function of another file is called by a name that makes safe, whoever has it. */
export const isNamedSo = ({ language }: Run, { models, target }: Called): boolean =>
  language === "javascript" && target !== null && models.sanitizers.some(({ isAnybodys }) => isAnybodys);

/** `Escape.htmlAttribute(x)`: a class that is called after it. */
const escaper = /^([A-Z]\w*)?Escape(r|rs|Util|Utils)?$/;

export function cleansOf(run: Run, frame: Frame, called: Called, at: Call): number {
  const { sanitizers } = called.models;
  let cleans = mappedCleans(run, called, at);
  if (sanitizers.length === 0) return cleans;
  const subject = subjectOf(called, at);
  // What another file has under such a name is read there.
  const isRead = called.target !== null && run.language === "javascript";
  for (const sanitizer of sanitizers) {
    if (isRead && sanitizer.isAnybodys) continue;
    if (sanitizer.receiver && !receiverFits(sanitizer.receiver, called.names)) continue;
    if (sanitizer.unless.some((test) => holds(frame, test, subject))) continue;
    if (sanitizer.when.every((test) => holds(frame, test, subject))) cleans |= sanitizer.cleans;
  }
  return cleans;
}

/** `ids.map(Number)` has what Number gives, and `map(int, ids)` of Python what int does. */
function mappedCleans(run: Run, { positional: [mapping] }: Called, { callee, args }: Call): number {
  const isMap =
    run.language === "python"
      ? callee.kind === "variable" && args.length === 2
      : callee.kind === "field" && args.length === 1;
  if (!mapping || !isMap || !/^(map|Select)$/.test(lastName(callee))) return 0;
  return run.knowledge.calls
    .findAll(mapping.paths)
    .sanitizers.reduce((all, { cleans, receiver, when }) => (receiver || when.length > 0 ? all : all | cleans), 0);
}
