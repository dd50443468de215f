import { allFamilies, type CallModels } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call } from "../../ir/ir.ts";
import { through } from "../guards/guard-functions.ts";
import { propertyOf } from "../objects/accessors.ts";
import { fieldTaint, ofObject } from "../objects/members.ts";
import { prefixFor } from "../operators.ts";
import type { Run } from "../run.ts";
import { isCompiled } from "../texts/replacements.ts";
import { givenForName } from "../validators/asked-names.ts";
import {
  allTaint,
  arriving,
  cleaned,
  joinTaint,
  nothing,
  type Taint,
  tainted,
  taintOfPart,
  type Value,
} from "../value.ts";
import { answersYesOrNo } from "./call-names.ts";
import { isAccumulating } from "./callbacks.ts";
import { type Called, handedArguments } from "./called.ts";
import { isElement, isFetched } from "./lookups.ts";
import { hasOverloads } from "./overloads.ts";
import { partsOf } from "./parts.ts";
import { toldBy } from "./path-conditions.ts";

/** A call that nothing is known about gives something made of its arguments and receiver. */
export function propagated(run: Run, call: Call, called: Called): readonly Taint[] {
  const name = lastName(call.callee);
  if (answersYesOrNo(name)) return [];
  const besides = isReplacing(run, call, called) ? 1 : isCut(call, called, name) ? 2 : 0;
  const args = [...called.positional.slice(besides), ...called.named.values()];
  const values = [
    ...(isElement(run, call, called) ? [] : args.map((value) => ledSafely(run, value))),
    ...(called.receiver && !isConnection(called) ? [collectedFrom(run, call, called, called.receiver)] : []),
    tainted(called.callee.taint),
  ];
  const given = values.reduce<readonly Taint[]>((taint, value) => joinTaint(taint, allTaint(value)), []);
  const lasts = lasting(run, given);
  const families = [
    ...(isFetched(run, call, called) ? ["xss"] : []),
    ...(leadsToService(run, call, called) ? ["open_redirect"] : []),
  ];
  return families.length > 0 ? cleaned(tainted(lasts), run.catalogue.bitsOf(families)).taint : lasts;
}

/** `page.slice(from, to)`: where a text is cut is no part of it. */
const isCut = ({ callee }: Call, { receiver }: Called, name: string): boolean =>
  receiver !== null && callee.kind === "field" && cuts(name);

const cuts = remembered((name) => /^(slice|substr|[sS]ubstring|charAt|subSequence)$/.test(name));

/** `entries.reduce((record, [key, value]) => …, {})`: under which keys the values come to lie is decided by the function. */
function collectedFrom(run: Run, call: Call, called: Called, receiver: Value): Value {
  const [by, into] = called.positional;
  const isRecord = by && by.closures.length > 0 && into?.slots?.shape === "map" && isAccumulating(run, call);
  return isRecord ? cleaned(receiver, run.catalogue.bitsOf(["mass_assignment"])) : receiver;
}

/** `provider.authorizationUrl({ state })`, `checkout.sessions.create(order)`: where it leads is the service's, which was set up before. */
const leadsToService = ({ language }: Run, { callee }: Call, { receiver }: Called): boolean =>
  language === "javascript" &&
  callee.kind === "field" &&
  allTaint(receiver ?? nothing).length === 0 &&
  /authori[sz]|oauth|saml|consent|checkout|log_?(in|out)|sign_?(in|out)|^create/iu.test(callee.name);

/** `text.replace(pattern, by)`, `str_replace($search, $by, $text)`: the pattern decides what goes, and nothing of it is left. */
const isReplacing = ({ language }: Run, { callee, args }: Call, { receiver }: Called): boolean =>
  callee.kind === "variable"
    ? language === "php" && beginsWithPattern.test(callee.name)
    : receiver !== null &&
      args.length === 2 &&
      callee.kind === "field" &&
      /^replace(All|First)?$/.test(callee.name) &&
      !isCompiled(receiver);

const beginsWithPattern =
  /^(str_i?replace|(preg|mb_ereg)_replace|preg_replace_callback|preg_captures(_all)?|preg_filter|explode|preg_split)$/;

/** `$this->db->now()`, `conn.escape(name)`: what a database answers is nothing of what the way to it was opened with. */
const isConnection = ({ names }: Called): boolean => names.some(isCalledConnection);

const isCalledConnection = remembered((name) =>
  /(^|[?.])[$_]*(db[cho]?|pdo|mysqli|wpdb|database|(db_?)?(conn|connection)|db_?(handle|link))(\(\))?$/i.test(name),
);

/** What a method of an object of which only the name is known gives: whatever any method of that name lets through, and of the object. */
export function fromMethod(run: Run, call: Call, called: Called, target: string): readonly Taint[] {
  const receiver = called.receiver && !isConnection(called) ? ofObject(allTaint(called.receiver), target) : [];
  return lasting(run, [...passedThrough(run, call, called, target, false), receiver].reduce(joinTaint, []));
}

/** What a function of another file lets through of its arguments, into what it gives or a part of that. */
export function passedThrough(
  run: Run,
  call: Call,
  called: Called,
  target: string,
  trusted: boolean,
  into?: string,
): (readonly Taint[])[] {
  const { positional, named } = handedArguments(called);
  const args = [...positional.entries(), ...named];
  const fetched = isFetched(run, call, called);
  const given = countOf(run, call, called) ?? undefined;
  const told = given === undefined ? undefined : toldBy(called.positional);
  // Constructors of one class are told apart by it.
  const count = given ?? (call.isNew && hasOverloads.has(run.language) ? args.length : undefined);
  return args.flatMap(([argument, value]) =>
    partsOf(run, ledSafely(run, value))
      .filter(([, taint]) => taint.length > 0)
      .map(([field, taint]) => {
        const passage = {
          target,
          argument,
          field,
          part: into,
          check: "result" as const,
          trusted,
          fetched: fetched || undefined,
          count,
          told,
        };
        return through(tainted(taint), passage).taint;
      }),
  );
}

/** How many arguments a call of PHP has: those that are missing have their defaults. */
const countOf = ({ language }: Run, { args }: Call, { named, positional }: Called): number | null =>
  language === "php" && named.size === 0 && !args.some(({ spread }) => spread) ? positional.length : null;

/** A text that was clean may hold what is not, once it is decoded; numbers and names of a list are what they are. */
export function soiled({ decoders }: CallModels, taint: readonly Taint[]): readonly Taint[] {
  const undone = decoders.reduce((all, families) => all | families, 0);
  return undone === 0 ? taint : taint.map((t) => (t.clean === allFamilies ? t : { ...t, clean: t.clean & ~undone }));
}

/** `buildUrl("/login?next=" + x)`: where a text begins as it must, what is put before it is not the attacker's either. */
function ledSafely(run: Run, value: Value): Value {
  const { prefix } = value;
  if (!prefix || value.taint.length === 0) return value;
  const taint = value.taint.map((t) => ({ ...t, clean: t.clean | run.catalogue.ledFamilies(prefixFor(prefix, t)) }));
  return { ...value, taint };
}

/** What is called with a password gives no password, as a rule, also where it is a caller who has the password. */
function lasting(run: Run, taint: readonly Taint[]): readonly Taint[] {
  const { shallowKinds } = run.knowledge;
  if (shallowKinds.size === 0) return taint;
  const { shallowFamilies } = run.catalogue;
  const isShallow = ({ source }: Taint) => shallowKinds.has(source.kind);
  const mayBeShallow = ({ source, clean }: Taint) => source.parameter !== null && (clean & shallowFamilies) === 0;
  if (!taint.some((t) => isShallow(t) || mayBeShallow(t))) return taint;
  return taint
    .filter((t) => !isShallow(t))
    .map((t) => (mayBeShallow(t) ? { ...t, clean: t.clean | shallowFamilies } : t));
}

/**
 * What a function of another file gives: made of its arguments as far as it lets them through, or of its own input.
 * @param maker what the arguments go into: of a class its constructor
 * @param giver what has input of its own: of a class its constructor, which puts it into fields
 */
export function fromOtherFile(
  run: Run,
  call: Call,
  called: Called,
  target: string,
  maker: string,
  trusted: boolean,
  giver = target,
): readonly Taint[] {
  const passed = passedThrough(run, call, called, maker, trusted);
  const isAsked = called.receiver !== null && !isConnection(called);
  const receiver = isAsked && called.receiver ? [throughGetter(run, call, called.receiver, target)] : [];
  const given = lasting(run, [...passed, ...receiver].reduce(joinTaint, []));
  return joinTaint(given, keptElsewhere(run, call, called, giver));
}

/** What classes of other files give where one leaves a method open: nothing where there are none. */
export function fromHeirs(run: Run, call: Call, called: Called): readonly Taint[] {
  const { open } = called;
  if (open === null) return [];
  const passed = lasting(run, passedThrough(run, call, called, open, true).reduce(joinTaint, []));
  return joinTaint(passed, keptElsewhere(run, call, called, open));
}

/** What a function of another file looks up: nothing of its arguments, but there may be input of its own. */
export function keptElsewhere(run: Run, call: Call, called: Called, target: string): readonly Taint[] {
  const count = countOf(run, call, called);
  const told = count === null ? undefined : toldBy(called.positional);
  const own = givenForName(run, called, target, arriving(run.outside(target, call, count, told), call));
  return lasting(run, joinTaint(called.callee.taint, own));
}

/** What is asked of an object made of input is input, unless its class says that it is a number, or only other properties are. */
function throughGetter(run: Run, { callee, args }: Call, receiver: Value, target: string): readonly Taint[] {
  if (run.language === "php") {
    // What was stored under a name that is not known may be any of its properties.
    const anywhere = receiver.slots?.rest ? allTaint(receiver.slots.rest) : [];
    return ofObject(joinTaint(receiver.taint, anywhere), target);
  }
  const name = callee.kind === "field" && run.language === "java" ? callee.name : "";
  const property = /^(get|is)\p{Lu}/u.test(name) ? propertyOf(name) : undefined;
  // What a bean does is not made of what it was filled with, unless it makes text of itself.
  const isDeed = name !== "" && property === undefined && !/^(to|as|build|format|render)(\p{Lu}|$)/u.test(name);
  const part = isDeed ? receiver.taint : taintOfPart(receiver, property);
  if (args.length > 0) return part;
  const taint = property === undefined ? part : fieldTaint(run, receiver, part, property);
  return ofObject(taint, target);
}
