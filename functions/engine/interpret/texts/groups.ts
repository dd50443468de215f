import type { Catalogue, Families } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { cleanedByPattern } from "./patterns.ts";

/** A group of a pattern that captures; the first is the whole, whatever it matches. */
export interface Group {
  readonly name: string | null;
  readonly cleans: Families;
}

/** Longer patterns and more groups are no places that somebody reads by number; each group is looked at from end to end. */
const patternMax = 400;
const groupsMax = 24;

/** Escapes, classes, what opens and closes groups, and all other characters. */
export const patternTokens =
  /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|<?[=!]|[a-z-]*:|>))?|\)|[\s\S]/g;
/** Text of another group, or a pattern within the pattern: what they match is not written there. */
const elsewhere = /\\[1-9gkG]|\(\?(P[=>]|R|&|\d|\||\()/;

const asked = new WeakMap<Catalogue, (pattern: string) => readonly Group[]>();

/** What each group of a pattern may hold; none where the pattern cannot be told apart. */
export function groupsOf(catalogue: Catalogue, pattern: string): readonly Group[] {
  let ask = asked.get(catalogue);
  if (!ask) {
    ask = remembered((text) => readGroups(catalogue, text));
    asked.set(catalogue, ask);
  }
  return pattern.length > patternMax ? [] : ask(pattern);
}

function readGroups(catalogue: Catalogue, pattern: string): readonly Group[] {
  if (elsewhere.test(pattern)) return [];
  const groups = [{ name: null as string | null, from: 0, to: pattern.length }];
  const open: ((typeof groups)[number] | null)[] = [];
  for (const { 0: token, index } of pattern.matchAll(patternTokens)) {
    if (token.startsWith("(")) {
      const name = token.match(/^\(\?P?<(\w+)>$/)?.[1] ?? null;
      const group = token === "(" || name !== null ? { name, from: index + token.length, to: pattern.length } : null;
      if (group) groups.push(group);
      open.push(group);
    } else if (token === ")") {
      const closed = open.pop();
      if (closed) closed.to = index;
    }
  }
  if (groups.length > groupsMax) return [];
  return groups.map(({ name, from, to }) => ({ name, cleans: heldBy(catalogue, pattern.slice(from, to)) }));
}

/** Where the text stands in what is searched, a group tells all that it can hold. */
function heldBy(catalogue: Catalogue, text: string): Families {
  const written = text.replace(/^\^|\$$/g, "");
  return written === "" ? 0 : cleanedByPattern(catalogue, written, true, true);
}

/** Whether knowing the groups tells more than that they are parts of the text. */
export const cleansAny = (groups: readonly Group[]): boolean => groups.some(({ cleans }) => cleans !== 0);

/** What everything is clean for that a pattern finds, the whole and each group. */
export function capturedAnyhow(catalogue: Catalogue, pattern: string): Families {
  const [whole, ...groups] = groupsOf(catalogue, pattern);
  return groups.reduce((cleans, group) => cleans & group.cleans, whole?.cleans ?? 0);
}
