import type { Cleaned } from "../../artefact.ts";
import { isAlike, type ToldArguments } from "../calls/path-conditions.ts";
import type { Outcome } from "../summary.ts";

/**
 * A function of another file that a value has passed, or that has looked at it. What it does to the value is known when linking only.
 * `result`: the value is what it returns for an argument; `true`, `false`: it was asked and said so; `after`: it did not throw.
 * `good`, `bad`: a part of what it answered said so.
 * `left`: the value was refused before it was called, so that it was `spared` if the function never comes back. `named`: the value is what it returns for the name of a field, the part, that others may have looked at; see asked-names.ts.
 * `either`: no function, but several ways that have been joined, of which the value has come by one; see `ways`.
 */
export interface Passage {
  target: string;
  argument: number | string;
  /** The field under which the value lies in the argument; of several that it has come by, all: see `either`. */
  field?: string | undefined;
  /** The field that is read of the result; of a function that was asked: see hostPart, shortPart. */
  part?: string | undefined;
  check: "result" | Outcome | "left" | "named" | "either";
  /** It was asked of a path in its shortest form, of which a prefix tells where it lies. */
  short?: boolean | undefined;
  /** Its name promises to make safe; believed where the function is not among the files. */
  trusted: boolean;
  /** What it gives stands in SQL where no quote has been opened: escaping does not help there. */
  bare?: boolean | undefined;
  /** It is waited for and not called after making text: where the function is not among the files, what it gives is a record. */
  fetched?: boolean | undefined;
  /** It is what a function that it was passed returns: whatever it is called, it does not make something else of that. */
  returned?: boolean | undefined;
  /** How many arguments the call has, where those that are missing have defaults. */
  count?: number | undefined;
  /** Which of them are constants. */
  told?: ToldArguments | undefined;
  /** Of a member: the class of the object whose constraints a framework has looked at; see constraints.ts. */
  validated?: string | undefined;
  /** What is known of a value that goes on where the function that others end with does not come back. */
  spared?: Spared | undefined;
  /** The ways of which the value has come by one, each with what has to be passed there. */
  ways?: readonly (readonly Passage[])[] | undefined;
}

/** What a value is clean for, and what has looked at it. */
export interface Spared {
  readonly clean: Cleaned;
  readonly via: readonly Passage[];
}

/** The argument of a passage that is the object whose member is asked for. */
export const wholeObject = "this";

/** The argument of a passage whose target is a schema, or a class that says by decorators what its fields may be. */
export const bySchema = "schema";

/** The argument of a passage whose target is the class that an object which came in has been declared of. */
export const byDeclaration = "declared";

/** The part of an address that a function of another file was asked about: what it answers counts for where the address leads. */
export const hostPart = "host";

/** The short form of a path that a function of another file was asked about: what it answers counts for where the path leads. */
export const shortPart = "short form";

/** The argument of a passage by which several ways of a value lead: `answer(data=x, error=y)`, where x and y have come from one source. */
export const anyArgument = "*";

/** A part of what a function gives that goes to its callbacks or into its arguments; see callbacks.ts and filled-arguments.ts. */
export const isGivenBack = (part: string | undefined): boolean => part?.startsWith(anyGiven) === true;

/** Any such part. */
export const anyGiven = "(";

/** Further ones say little; without them the value counts as passed unchanged. */
const passagesMax = 6;

/** A page puts the same value together by two or three functions; of more ways, only what all have in common is kept. */
export const waysMax = 4;

/** The passages of a way that goes on through others. */
export function joinedPassages(
  first: readonly Passage[] | undefined,
  then: readonly Passage[] | undefined,
): readonly Passage[] | undefined {
  if (!first || !then) return first ?? then;
  const added = then.filter((passage) => !first.some((known) => same(known, passage)));
  return added.length === 0 ? first : [...first, ...added].slice(0, passagesMax);
}

/** Whether one of two ways is clean by itself and the other may be by what it passes: joined, they would count as clean for nothing. */
export const differ = (a: Way, b: Way): boolean => a.clean !== b.clean && (a.via ?? b.via) !== undefined;

interface Way {
  readonly clean: number;
  readonly via?: readonly Passage[] | undefined;
}

/** Two ways of one value: only what both have to pass is sure to be passed. */
export function commonPassages(
  a: readonly Passage[] | undefined,
  b: readonly Passage[] | undefined,
): readonly Passage[] | undefined {
  if (!a || !b) return undefined;
  // A list of its own all the same: by that a way that was joined is told from one that was not.
  if (a === b) return [...a];
  const common = a.flatMap((passage) => {
    if (b.some((other) => same(passage, other))) return passage;
    if (passage.argument === wholeObject) return membersOfOne(passage, b);
    if (passage.argument === bySchema) return partsOfOne(passage, b);
    const alike = b.find(
      ({ target, part, check }) => target === passage.target && part === passage.part && check === "result",
    );
    const isGivenToo = ({ target, part }: Passage) => target === passage.target && isGivenBack(part);
    if (isGivenBack(passage.part) && b.some(isGivenToo))
      return { ...passage, argument: anyArgument, field: undefined, part: anyGiven };
    if (passage.check !== "result" || !alike) return [];
    const argument = alike.argument === passage.argument ? passage.argument : anyArgument;
    const count = alike.count === passage.count ? passage.count : undefined;
    const told = isAlike(alike.told, passage.told) ? passage.told : undefined;
    const field = argument === anyArgument ? undefined : fieldsOfBoth(alike.field, passage.field);
    return { ...passage, argument, field, count, told };
  });
  return common.length === 0 ? eitherWay(a, b) : [...common, ...whereTheyPart(a, b, common)].slice(0, passagesMax);
}

/** Of two ways that begin alike, and go on by one function or another: what both of these do is sure as well. */
function whereTheyPart(a: readonly Passage[], b: readonly Passage[], common: readonly Passage[]): readonly Passage[] {
  if (common.length === a.length || common.length === b.length) return [];
  const isCommon = (passage: Passage) => common.includes(passage) || common.some((known) => same(known, passage));
  const [ofA, ofB] = [a.filter((passage) => !isCommon(passage)), b.filter((passage) => !isCommon(passage))];
  // Those of which only a part is the same count as common.
  if (ofA.length + common.length !== a.length || ofB.length + common.length !== b.length) return [];
  return eitherWay(ofA, ofB) ?? [];
}

/** `label(x) + field(x)`, two functions that have nothing in common: what both of them do is still sure. */
function eitherWay(a: readonly Passage[], b: readonly Passage[]): readonly Passage[] | undefined {
  const ways = [...waysOf(a)];
  for (const way of waysOf(b)) if (!ways.some((known) => sameWay(known, way))) ways.push(way);
  // Of what a schema has let through, a field that is read later has to be asked for by its name.
  const isOpen = (way: readonly Passage[]) => way.length === 0 || way.some(({ argument }) => argument === bySchema);
  if (ways.length > waysMax || ways.some(isOpen)) return undefined;
  return [{ target: "", argument: anyArgument, check: "either", trusted: false, ways }];
}

/** The ways that were joined to one before; of a longer one, what stands beside them, so that they do not nest. */
function waysOf(via: readonly Passage[]): readonly (readonly Passage[])[] {
  const [only] = via;
  return via.length === 1 && only?.ways ? only.ways : [via.filter(({ ways }) => !ways)];
}

/** `f"{item.count} of {item.kind}"` is made of two fields of one object: what holds for both of them holds. */
function membersOfOne(passage: Passage, others: readonly Passage[]): Passage[] {
  const [owner, names] = ownerAndNames(passage);
  const other = others.find((o) => o.argument === wholeObject && ownerAndNames(o)[0] === owner);
  if (!other) return [];
  const all = [...new Set([...names, ...ownerAndNames(other)[1]])].sort();
  const { validated, ...asked } = passage;
  const both = validated !== undefined && validated === other.validated ? { validated } : {};
  return [{ ...asked, ...both, target: `${owner}.${all.join(either)}` }];
}

/** `path({ folder: parts[0], file: parts[1] })`: what holds for both fields holds; of more of them, what holds for all that is given. */
function fieldsOfBoth(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return undefined;
  const all = [...new Set([...a.split(either), ...b.split(either)])].sort();
  return all.length > waysMax ? undefined : all.join(either);
}

/** The same of what one schema has let through. */
function partsOfOne(passage: Passage, others: readonly Passage[]): Passage[] {
  const other = others.find((o) => o.argument === bySchema && o.target === passage.target);
  if (!passage.part || !other?.part) return [];
  const all = [...new Set([...passage.part.split(either), ...other.part.split(either)])].sort();
  return [{ ...passage, part: all.join(either) }];
}

const ownerAndNames = ({ target }: Passage): [owner: string, names: string[]] => {
  const dot = target.lastIndexOf(".");
  return [target.slice(0, dot), target.slice(dot + 1).split(either)];
};

/** Stands between the names of several members or fields of one object. */
export const either = "+";

const same = (a: Passage, b: Passage): boolean =>
  a === b ||
  (a.target === b.target &&
    a.argument === b.argument &&
    a.field === b.field &&
    a.part === b.part &&
    a.validated === b.validated &&
    a.count === b.count &&
    isAlike(a.told, b.told) &&
    a.check === b.check &&
    a.short === b.short &&
    a.bare === b.bare &&
    isSpared(a.spared, b.spared) &&
    isSameEither(a.ways, b.ways));

const sameWay = (a: readonly Passage[], b: readonly Passage[]): boolean =>
  a.length === b.length && a.every((passage, i) => same(passage, b[i] as Passage));

const isSameEither = (a: Passage["ways"], b: Passage["ways"]): boolean =>
  a === b || (a?.length === b?.length && a?.every((way, i) => sameWay(way, b?.[i] ?? [])) === true);

const isSpared = (a: Spared | undefined, b: Spared | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && String(a.clean) === String(b.clean) && sameWay(a.via, b.via));
