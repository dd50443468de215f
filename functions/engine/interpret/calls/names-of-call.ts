import type { CallModels } from "../../catalogue/catalogue.ts";
import type { Call } from "../../ir/ir.ts";
import { givenOfHeld } from "../held-objects.ts";
import { byName, givenBy, joined, memberPaths } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { areSame, type ClassInfo, type Value } from "../value.ts";
import { otherTargetsOf, targetOf } from "./handover.ts";

/** What is known about a call by nothing but the names that it goes by. */
export interface NamesOfCall {
  /** What the receiver is known as. */
  readonly names: readonly string[];
  /** What the function is known as. */
  readonly paths: readonly string[];
  /** What models know of it. */
  readonly models: CallModels;
  /** The guards among them, and those that models know by the name of the method alone. */
  readonly guards: CallModels["guards"];
  /** The function of another file that it may be; see `targetOf`. */
  readonly target: string | null;
  /** Some function of another file has given what is called, in Python; what that does is not known. */
  readonly isGiven: boolean;
  /** Further functions of other files that it may be as well; see `otherTargetsOf`. */
  readonly others: readonly string[];
  /** What the result goes by where no model says so. */
  readonly gives: readonly string[];
}

/** The names of a call, and all that they follow from. */
export interface KnownNames extends NamesOfCall {
  readonly of: readonly string[] | null;
  readonly called: readonly string[];
  readonly isOpen: boolean;
  readonly owner: ClassInfo | null;
}

/**
 * What a call goes by. Most calls are evaluated several times, by one function's paths and by others that it is followed from, and nearly
 * always on what goes by the same names: what follows from them takes a dozen of lookups, and is kept until they are others.
 */
export function namesOf(run: Run, frame: Frame, call: Call, receiver: Value | null, called: Value): NamesOfCall {
  const isOpen = called.closures.length === 0 && !called.type;
  const of = receiver?.paths ?? null;
  const known = run.names.get(call);
  const isKnown =
    known !== undefined &&
    known.isOpen === isOpen &&
    known.owner === frame.owner &&
    areSame(known.called, called.paths) &&
    (known.of === of || (known.of !== null && of !== null && areSame(known.of, of)));
  if (isKnown) return known;
  const names = {
    of,
    called: called.paths,
    isOpen,
    owner: frame.owner,
    ...lookUp(run, frame, call, receiver, called, isOpen),
  };
  run.names.set(call, names);
  return names;
}

function lookUp(
  run: Run,
  frame: Frame,
  { callee, isNew }: Call,
  receiver: Value | null,
  called: Value,
  isOpen: boolean,
): NamesOfCall {
  const { calls } = run.knowledge;
  const method = callee.kind === "field" ? callee : null;
  const own = method && receiver ? unique([...called.paths, ...memberPaths(receiver, method.name)]) : called.paths;
  const anyones = method ? joined("?", method.name) : null;
  const paths = own.length > 0 || anyones === null ? own : [anyones];
  const models = calls.findAll(paths);
  const found = isOpen ? targetOf(run, frame, paths) : null;
  const written = run.language === "python" ? paths.filter((path) => !isResult(path)) : paths;
  const named = found === null || written.length === paths.length ? found : targetOf(run, frame, written);
  const target = named !== null && asksObject(run, callee, isNew) ? invokedOf(named) : named;
  return {
    names: method && receiver ? receiverNames(method, receiver.paths) : ownersOf(own),
    paths,
    models,
    guards: anyones === null ? models.guards : unique([...models.guards, ...calls.find(anyones).guards]),
    target: target !== null && run.language === "javascript" && called.paths.some(isResult) ? givenBy(target) : target,
    isGiven: found !== null && named === null,
    others: target === null ? [] : otherTargetsOf(run, paths, target),
    gives: paths
      .filter((path) => path.length < givenMax)
      .map((path) => (isNew ? path : (givenOfHeld(path) ?? givenBy(path)))),
  };
}

/** `$search($data)`, `($this->search)($data)`: what a variable of PHP holds is called, not what it is called like. */
const asksObject = ({ language }: Run, callee: Call["callee"], isNew: boolean): boolean =>
  language === "php" &&
  !isNew &&
  (callee.kind === "variable" || callee.kind === "field") &&
  callee.name.startsWith("$");

/** The method that an object of a class is called by. */
const invokedOf = (target: string): string => (target.includes(".") ? target : `${target}.__invoke`);

/** `load(settings.SLUGIFY)(text)`, `makeFind({ orders })(text)`: what a function has given takes the text, and not that function. */
const isResult = (path: string): boolean => path.endsWith("()");

/** UTF-16 units of a path that what it gives has one from: chains of calls make them longer and longer. */
const givenMax = 160;

/** What the receiver is known as: its paths, and the name it is written with. */
function receiverNames(
  { of }: Extract<Call["callee"], { kind: "field" }>,
  paths: readonly string[],
): readonly string[] {
  const written = of.kind === "variable" || of.kind === "field" ? byName(of.name) : null;
  return written === null || paths.includes(written) ? paths : [...paths, written];
}

/** `const query = db.query`, `import { query } from "../db"`: a function that was taken out of something still is a part of it. */
const ownersOf = (paths: readonly string[]): readonly string[] => paths.map(ownerOf).filter((owner) => owner !== "");

const ownerOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1, Math.max(path.lastIndexOf("."), 0));

const unique = <T>(values: readonly T[]): readonly T[] => (values.length < 2 ? values : [...new Set(values)]);
