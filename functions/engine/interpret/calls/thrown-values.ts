import type { Call } from "../../ir/ir.ts";
import { waysMax } from "../guards/passage.ts";
import { fieldOf } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, arriving, cleaned, join, joinTaint, type Taint, tainted, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { passedThrough } from "./carried-taint.ts";
import { constructorOf } from "./results.ts";

/** Languages in which a function says to whoever catches it what was wrong with its arguments. */
const throwsValues: ReadonlySet<string> = new Set(["php", "javascript", "python", "java", "csharp"]);

export const isThrowing = ({ language }: Run): boolean => throwsValues.has(language);

/** That what is thrown ends in a log there is what errors are for. */
export const forLogs = ["log_injection"] as const;

/** What a function throws is a part of what it gives that only those have who catch it. */
const partThrown = "(thrown";
const fieldThrown = (name: string): string => `${partThrown}.${name}`;

/**
 * `try { load(req.query.id) } catch (e) { res.send(e.message) }`: what a function of another file throws. Only who catches it asks, as what
 * every function lets through of all that it calls would be asked for by nobody.
 */
export function throwElsewhere(run: Run, call: Call, called: Called): void {
  if (!run.catching || !run.thrown || called.callee.closures.length > 0) return;
  const target = constructorOf(run, call, called) ?? called.target;
  // What is made to be thrown throws nothing itself.
  if (target === null || makesError.test(target)) return;
  const own = arriving(run.outside(`${target}${fieldOf}${partThrown}`, call), call);
  const passed = passedThrough(run, call, called, target, false, partThrown);
  for (const taint of [...passed.flat(), own]) {
    if (!hasRoom(run.thrown, taint)) continue;
    run.thrown = join(run.thrown, cleaned(tainted([taint]), run.catalogue.bitsOf(forLogs)));
  }
}

/** Of more ways than are told apart nothing would be known: what one of many calls may throw is not taken for input as it came. */
function hasRoom({ taint }: Value, { source, via }: Taint): boolean {
  const known = taint.filter((one) => one.source === source);
  return known.every((one) => one.via === undefined || countOf(one.via) + countOf(via) <= waysMax);
}

const countOf = (via: Taint["via"]): number => Math.max(1, ...(via ?? []).map(({ ways }) => ways?.length ?? 1));

const makesError = /(?:^|\.)\w*(?:Exception|Error)\.(?:constructor|__init__)$/;

/** `class NotFound extends Error { constructor(id) { super("No item " + id); } }`: what the library keeps of an error is its message. */
export function keepMessage(run: Run, { owner, self }: Frame, { paths, positional: [message] }: Called): void {
  if (!owner || !self || !message || !isThrowing(run) || !paths.some((path) => makesError.test(path))) return;
  run.storeField(owner, messageOf(run), message);
}

/** What a library has in an error of its own making. */
export const messageOf = ({ language }: Run): string =>
  language === "csharp" ? "Message" : language === "php" ? "$message" : "message";

/** What a function throws, by its parts: what an error is asked for as a whole is its message. */
export function partsThrown(run: Run, { instance, own, taint }: Value): [part: string, taint: readonly Taint[]][] {
  const fields = new Map(instance ? [...instance.fields, ...(own ?? [])] : []);
  const message = fields.get(messageOf(run));
  return [
    [partThrown, message ? joinTaint(taint, allTaint(message)) : taint],
    ...[...fields].map(([name, value]): [string, readonly Taint[]] => [fieldThrown(name), allTaint(value)]),
  ];
}

/** `e.status`: what is read of what a function of another file has thrown is a field of that; null for other values. */
export function partOfThrown(run: Run, taint: Taint, name: string): Taint | null {
  const { source, via } = taint;
  const thrown = via?.findLast(({ part }) => part === partThrown);
  const isOwn = source.outside?.endsWith(`${fieldOf}${partThrown}`) === true;
  if (!thrown && !isOwn) return null;
  if (tellsMessage.test(name)) return taint;
  if (thrown) return { ...taint, via: via?.map((one) => (one === thrown ? { ...one, part: fieldThrown(name) } : one)) };
  const outside = `${source.outside?.slice(0, -partThrown.length)}${fieldThrown(name)}`;
  return { ...taint, source: run.outside(outside, source, source.count, source.told) };
}

const tellsMessage = /^\$?(message|Message|localizedMessage|stack|args)$/;
