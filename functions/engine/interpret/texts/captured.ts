import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call } from "../../ir/ir.ts";
import type { Called } from "../calls/called.ts";
import { evaluate } from "../evaluate.ts";
import type { Passage } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import { anyElement, cleaned, nothing, type Slots, type Taint, tainted, type Value } from "../value.ts";
import { byConstant } from "./constants-elsewhere.ts";
import { cleansAny, groupsOf, patternTokens } from "./groups.ts";
import { isGlobal } from "./replacements.ts";

/** Functions that give what a pattern has found, whatever language they are of. */
const capturing =
  /^(Find(All)?String(Submatch)?|match|match_all|matchAll|exec|fullmatch|search|findall|finditer|scan|Match|Matches|matcher|preg_captures(_all)?)$/;
/** Those of Go give what a pattern without groups has found as well, and are called so by nothing else. */
const ofGo = /^Find/;

/** The pattern that a call looks for, and how it is called. */
interface Search {
  readonly name: string;
  readonly pattern: string;
}

/** What a call looks for, where that is a pattern that is known. */
export function searchOf(run: Run, frame: Frame, { callee, args }: Call): Search | null {
  const name =
    callee.kind === "field" || (run.language === "php" && callee.kind === "variable") ? lastName(callee) : "";
  if (!capturing.test(name)) return null;
  const asked = callee.kind === "field" ? [callee.of, ...args.slice(0, 2).map(({ value }) => value)] : [];
  for (const written of callee.kind === "field" ? asked : args.slice(0, 1).map(({ value }) => value)) {
    const value = evaluate(run, frame, written);
    const [known, ...others] = value.constants ?? value.slots?.entries.get("pattern")?.constants ?? [];
    if (typeof known !== "string" || others.length > 0) continue;
    const pattern = callee.kind === "variable" ? insideDelimiters(known) : known;
    if (pattern !== null) return { name, pattern };
  }
  return null;
}

/** `NAME.exec(text)`, `text.match(NAME)`, where NAME is a constant of another file. */
export function capturedByConstant(run: Run, frame: Frame, { callee, args }: Call): readonly Passage[] {
  if (callee.kind !== "field" || !capturing.test(callee.name)) return [];
  const asked = [callee.of, ...args.slice(0, 1).map(({ value }) => value)];
  return asked.flatMap((pattern) => byConstant(run, frame, pattern, "captured", "after") ?? []);
}

/** `#^\w+$#i`: the pattern without what is around it. Null where it may hold white space and comments that are no part of it. */
function insideDelimiters(written: string): string | null {
  const [, pattern, flags] = written.match(/^\s*[^\w\s\\]([\s\S]*)[^\w\s\\]([a-zA-Z]*)\s*$/) ?? [];
  return pattern === undefined || flags?.includes("x") ? null : pattern;
}

/** What a pattern has captured holds no more than the groups of the pattern let through: `^/(\d+)/([0-9a-f]{64})$`. */
export function capturedCleans(run: Run, frame: Frame, call: Call, search: Search | null): Families {
  if (!search || !capturesHarmless(search.pattern, ofGo.test(search.name))) return 0;
  const drops = search.name === "match" && isGlobal(run, frame, call) && !harmlessWhole(search.pattern);
  return drops ? 0 : allFamilies;
}

/** What each group holds of a text, under its number and its name: `^(\d+) (.*)$`. */
export function capturedParts(
  run: Run,
  frame: Frame,
  call: Call,
  search: Search | null,
  taint: readonly Taint[],
): Slots | null {
  if (!search || taint.length === 0) return null;
  const groups = groupsOf(run.catalogue, search.pattern);
  if (!cleansAny(groups)) return null;
  const parts = groups.map(({ cleans }) => cleaned(tainted(taint), cleans));
  const [whole = nothing, ...captured] = parts;
  const { name } = search;
  if (givesWholes.test(name) || (name === "match" && isGlobal(run, frame, call))) return listOf(whole);
  if (/^FindString$/.test(name)) return null;
  if (name === "findall")
    return listOf(captured.length > 1 ? { ...nothing, slots: numbered(captured) } : (captured[0] ?? whole));
  const named = groups.flatMap(({ name }, i) => (name === null ? [] : [[name, parts[i] as Value] as const]));
  const input = tainted(taint);
  const entries = new Map([
    ...parts.map((part, i) => [String(i), part] as const),
    ...named,
    ...[...inputNames].map((field) => [field, input] as const),
    ["groups", { ...nothing, slots: { shape: "map", entries: new Map(named), rest: null } satisfies Slots }] as const,
  ]);
  const found: Slots = { shape: "map", entries, rest: null };
  return givesSeveral.test(name) ? listOf({ ...nothing, slots: found }) : found;
}

const givesWholes = /^FindAllString$/;
const givesSeveral = /^(FindAllStringSubmatch|matchAll|finditer|scan|Matches|preg_captures_all)$/;
/** Under these a match has what was searched. */
const inputNames: ReadonlySet<string> = new Set(["input", "string"]);

const listOf = (element: Value): Slots => ({ shape: "list", entries: new Map(), rest: element });

const numbered = (parts: readonly Value[]): Slots => ({
  shape: "list",
  entries: new Map(parts.map((part, i) => [String(i), part])),
  rest: null,
});

/** `m.group(1)`, `m.group("id")`, `m.groups()`, `m.groupdict()` of what a pattern has found. */
export function capturedPart(call: Call, { receiver, positional }: Called): Value | null {
  const slots = call.callee.kind === "field" && asksForGroups.test(call.callee.name) ? receiver?.slots : null;
  if (!slots?.entries.has("groups") || !receiver) return null;
  const name = lastName(call.callee);
  if (name === "groupdict") return slots.entries.get("groups") ?? null;
  const all = [...slots.entries].flatMap(([key, part]) => (/^[1-9]/.test(key) ? [part] : []));
  if (name === "groups") return { ...nothing, slots: numbered(all) };
  const asked = positional.map((place) => (place.constants?.length === 1 ? String(place.constants[0]) : null));
  const parts = asked.map((key) => (key === null ? anyElement(receiver) : (slots.entries.get(key) ?? nothing)));
  if (parts.length > 1) return { ...nothing, slots: numbered(parts) };
  return parts[0] ?? slots.entries.get("0") ?? null;
}

const asksForGroups = /^(group|groups|groupdict)$/;

const harmlessClass = /^\[(?!\^)(?:[\w :,@+=~-]|\\[dw-])*\]$/;
const isLoose = (token: string): boolean =>
  token === "." || /^\\[SWDsnpP]$/.test(token) || (token.startsWith("[") && !harmlessClass.test(token));

const harmlessGroups = remembered((pattern) => capturesIn(pattern, false));
const harmlessWhole = remembered((pattern) => capturesIn(pattern, true));

const capturesHarmless = (pattern: string, whole: boolean): boolean =>
  harmlessGroups(pattern) || (whole && harmlessWhole(pattern));

/** Whether nothing that a pattern captures can be more than letters, digits and what is written in it. */
function capturesIn(pattern: string, whole: boolean): boolean {
  const inside = [whole];
  let captures = whole;
  for (const [token] of pattern.matchAll(patternTokens)) {
    if (token.startsWith("(")) {
      const isCapture = token === "(" || /^\(\?P?<\w/.test(token);
      captures ||= isCapture;
      inside.push(isCapture || inside.at(-1) === true);
    } else if (token === ")") inside.pop();
    else if (inside.at(-1) && isLoose(token)) return false;
  }
  return captures;
}
