import { allFamilies, type Catalogue, escaped, type Families, normalised } from "../../catalogue/catalogue.ts";
import { lastSegment } from "../../catalogue/paths.ts";
import { namesHost } from "./own-hosts.ts";

type Bits = Pick<Catalogue, "bitsOf" | "ledFamilies">;

/** Whether text may hold a character. */
type May = (character: string) => boolean;

/** What an attack is written with: where text can hold none of it, or not in the way that counts, it carries no attack of these families. */
interface Needs {
  readonly families: readonly string[];
  readonly carries: (may: May, climbs: boolean) => boolean;
  /** Without these characters nothing is left to attack with, whatever else the text holds. */
  readonly suffices: boolean;
}

const needs: readonly Needs[] = [
  { families: ["xss"], carries: (may) => may("<"), suffices: true },
  { families: ["log_injection", "header_injection"], carries: (may) => may("\r") && may("\n"), suffices: true },
  {
    families: ["path_traversal"],
    carries: (may, climbs) => climbs && (may("/") || may("\\")),
    suffices: true,
  },
  { families: ["file_inclusion"], carries: (may, climbs) => climbs && (may("/") || may("\\")), suffices: false },
  { families: ["redos"], carries: (may) => may("(") && (may("*") || may("+")), suffices: true },
  { families: ["xpath_injection"], carries: (may) => may("'") || may('"'), suffices: true },
  { families: ["sql_injection", "nosql_script"], carries: (may) => may("'") || may('"') || may("`"), suffices: false },
  { families: ["command_injection"], carries: (may) => [...";|&$`<>\n"].some(may), suffices: false },
  { families: ["code_injection"], carries: (may) => may("a") && [..."(`;"].some(may), suffices: false },
  { families: ["ssti"], carries: (may) => may("{") || may("<") || may("$"), suffices: false },
  { families: ["ldap_injection"], carries: (may) => may("(") || may("*"), suffices: false },
  { families: ["ssrf", "open_redirect"], carries: (may) => may("/") && may(":"), suffices: false },
];

/** What text is clean for that cannot hold some characters, whatever it is otherwise. */
export const cleanWithout = (catalogue: Bits, may: May, climbs = true): Families =>
  catalogue.bitsOf(needs.flatMap((need) => (need.suffices && !need.carries(may, climbs) ? need.families : [])));

/** How much of a text has to match a pattern. */
export type Extent = "whole" | "start" | "any";

/** What is done with a pattern: a text is held against it, what it matches is taken out and the rest is left, or what it matches is captured; of any constant, what it is. */
export type Use = Extent | "left" | "captured" | "value";

/**
 * The function by which linking knows what a constant pattern of another file does; see link/constant-records.ts. Its own name has that of the
 * constant in it, so that no other pattern is taken for one that tells nothing.
 */
export const usedPattern = (constant: string, use: Use): string => `${constant}.${lastSegment(constant)}$${use}`;

/** Longer ones are lists that a program has written, and reading them costs more than they tell. */
const patternMax = 1_000;

/**
 * What text is clean for that a pattern has matched. One that lists its characters leaves nothing to attack with but what it lists; one
 * that excludes some, what needs none of these. `whole`: the text has to match from end to end; `fromStart`: from its beginning.
 */
export function cleanedByPattern(catalogue: Bits, pattern: string, whole: boolean, fromStart: boolean): Families {
  if (pattern.length > patternMax) return 0;
  const leads = staysHere(pattern) || namesHost(pattern, whole, fromStart);
  const here = leads ? catalogue.bitsOf(["open_redirect", "ssrf"]) : 0;
  if (!isAnchored(pattern, whole, fromStart)) return here;
  const atoms = atomsOf(pattern);
  const may: May = (character) => atoms.some(({ holds }) => holds(character));
  const climbs = atoms.some(({ holds, repeats }, i) => holds(".") && (repeats || atoms[i + 1]?.holds(".") === true));
  if (!listsCharacters(pattern)) return here | cleanWithout(catalogue, may, climbs);
  const carried = catalogue.bitsOf(needs.flatMap((need) => (need.carries(may, climbs) ? need.families : [])));
  const left = carried & ~here & ~catalogue.ledFamilies(beginningOf(pattern));
  return left === 0 ? allFamilies : allFamilies & ~left & ~normalised & ~escaped;
}

/** What text is clean for in which none of some characters was found: `/[^\w-]/` leaves what it lists, `/[<>]/` what it does not. */
export function cleanedByAbsence(catalogue: Bits, pattern: string): Families {
  if (pattern.length > patternMax) return 0;
  const [, negated, listed = "\\w"] = pattern.match(oneCharacter) ?? (pattern === "\\W" ? ["", "^"] : []);
  return negated === undefined ? 0 : cleanedByPattern(catalogue, `^[${negated ? "" : "^"}${listed}]*$`, true, true);
}

const oneCharacter = /^\(?\[(\^?)((?:\\.|[^\]\\])+)\]\)?\+?$/s;

/** Both ends are given. Where marks do that, an alternation at the top level is anchored in its first and last branch only. */
function isAnchored(pattern: string, whole: boolean, fromStart: boolean): boolean {
  if (whole) return true;
  return (
    (fromStart || /^(\^|\\A)/.test(pattern)) &&
    /(\$|\\[zZ])$/.test(pattern) &&
    !/^[^(]*\|/.test(withoutClasses(pattern))
  );
}

/** No part may match anything: no dot, no negated class, no \S, \W or \D. */
const listsCharacters = (pattern: string): boolean => !/[.]|\[\^|\\[SWDsn]/.test(withoutClasses(pattern));

const withoutClasses = (pattern: string): string => pattern.replace(/\\[^SWDsn]/g, "").replace(/\[[^\]^][^\]]*\]/g, "");

/** What matches is a path of this site: it begins with one slash, and neither a slash nor a backslash that browsers take for one follows. */
const staysHere = (pattern: string): boolean =>
  /^(\^|\\A)\\?\/\(?([\w-]|\[[\w-]|\[\^[^\]]*\/|\(?\?![^)]*\/)/.test(pattern) && !/^[^(]*\|/.test(pattern);

/** The text that a pattern begins with, as it is written: `^https:\/\/shop\.example\/\w+$`. */
const beginningOf = (pattern: string): string =>
  (pattern.match(/^(?:\^|\\A)?((?:\\[^\w]|[^\\[\](){}.*+?|$^])*)/)?.[1] ?? "").replace(/\\/g, "");

/** A part of a pattern that stands for one character, and which that may be. */
interface Atom {
  readonly holds: May;
  readonly repeats: boolean;
}

const written = /\(\?(?:[:=!>]|<[=!]|P?<\w+>)|\{\d*,?\d*\}|\\p\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|./gs;
const marks = /^([\^$()|?*+]|\(\?.*|\{\d*,?\d*\})$/s;

function atomsOf(pattern: string): Atom[] {
  const parts = pattern.match(written) ?? [];
  return parts.flatMap((part, i) =>
    marks.test(part) ? [] : [{ holds: heldBy(part), repeats: /^[*+{]/.test(parts[i + 1] ?? "") }],
  );
}

function heldBy(part: string): May {
  if (part === ".") return (character) => !/[\r\n]/.test(character);
  if (!/^\[./s.test(part)) return heldByOne(part);
  const isNegated = part.startsWith("[^");
  const items =
    part.slice(isNegated ? 2 : 1, -1).match(/(?:\\.|[^\\])-(?:\\.|[^\\])|\\p\{[^}]*\}|\[:\w+:\]|\\.|./gs) ?? [];
  const listed = items.map(heldByItem);
  return (character) => listed.some((holds) => holds(character)) !== isNegated;
}

function heldByItem(item: string): May {
  const [, from, to] = item.match(/^(\\?.)-(\\?.)$/s) ?? [];
  // `[\w-.]`: what stands for several characters begins no range.
  if (from === undefined || to === undefined || /^\\[a-zA-Z]/.test(from)) {
    const each = from === undefined || to === undefined ? [item] : [from, "-", to];
    return (character) => each.some((one) => heldByOne(one)(character));
  }
  return (character) => character >= (from.at(-1) as string) && character <= (to.at(-1) as string);
}

/** Of the classes only those tell that hold what attacks are written with; white space is a blank to whoever writes `\s`. */
function heldByOne(part: string): May {
  if (!part.startsWith("\\") || part.length < 2) return (character) => character === part;
  if (/^\\[SWD]/.test(part)) return (character) => part !== "\\S" || !/\s/.test(character);
  const meant = { "\\n": "\n", "\\r": "\r" }[part] ?? (/^\\\w/.test(part) ? null : part.slice(1));
  return (character) => character === meant;
}
