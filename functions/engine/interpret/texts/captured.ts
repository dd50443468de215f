import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";

/** Functions that give what a pattern has found, whatever language they are of. */
const capturing =
  /^(Find(All)?String(Submatch)?|match|match_all|matchAll|exec|fullmatch|search|findall|finditer|scan|Match|Matches)$/;
/** Those of Go give what a pattern without groups has found as well, and are called so by nothing else. */
const ofGo = /^Find/;

/** What a pattern has captured holds no more than the groups of the pattern let through: `^/(\d+)/([0-9a-f]{64})$`. */
export function capturedCleans(run: Run, frame: Frame, { callee, args }: Call): Families {
  const name = lastName(callee);
  if (callee.kind !== "field" || !capturing.test(name)) return 0;
  for (const written of [callee.of, ...args.slice(0, 2).map(({ value }) => value)]) {
    const value = evaluate(run, frame, written);
    const [pattern, ...others] = value.constants ?? value.slots?.entries.get("pattern")?.constants ?? [];
    if (typeof pattern !== "string" || others.length > 0) continue;
    if (capturesHarmless(pattern, ofGo.test(name))) return allFamilies;
  }
  return 0;
}

const tokens = /\\[\s\S]|\[\^?(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|<?[=!]|[a-z-]*:))?|\)|[\s\S]/g;
const harmlessClass = /^\[(?!\^)(?:[\w :,@+=~-]|\\[dw-])*\]$/;
const isLoose = (token: string): boolean =>
  token === "." || /^\\[SWDsnpP]$/.test(token) || (token.startsWith("[") && !harmlessClass.test(token));

const harmlessGroups = remembered((pattern) => groupsOf(pattern, false));
const harmlessWhole = remembered((pattern) => groupsOf(pattern, true));

const capturesHarmless = (pattern: string, whole: boolean): boolean =>
  harmlessGroups(pattern) || (whole && harmlessWhole(pattern));

/** Whether nothing that a pattern captures can be more than letters, digits and what is written in it. */
function groupsOf(pattern: string, whole: boolean): boolean {
  const inside = [whole];
  let captures = whole;
  for (const [token] of pattern.matchAll(tokens)) {
    if (token.startsWith("(")) {
      const isCapture = token === "(" || /^\(\?P?<\w/.test(token);
      captures ||= isCapture;
      inside.push(isCapture || inside.at(-1) === true);
    } else if (token === ")") inside.pop();
    else if (inside.at(-1) && isLoose(token)) return false;
  }
  return captures;
}
