import { allFamilies } from "../../catalogue/catalogue.ts";
import type { Call, FunctionNode } from "../../ir/ir.ts";
import { variablesOfFields } from "../guards/guard-functions.ts";
import { commonPassages, type Passage } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import { cleanedByPattern } from "../texts/patterns.ts";
import { allTaint, named, type Value } from "../value.ts";
import { kindOf, pathOf } from "./schemas.ts";

/**
 * What stands in front of a handler passes the request on by calling `next()`, or answers it itself:
 * `if (!known.has(req.params.name)) return res.sendStatus(404); next();`. What is harmless wherever it passes on is so for the handler.
 */
export interface Passing {
  readonly fn: FunctionNode;
  /** What it passes on with is called like this. */
  readonly next: string;
  /** The fields of the request that are harmless at each call so far, as `params.name`, with what other files have to say of them; null before the first. */
  harmless: ReadonlyMap<string, readonly Passage[]> | null;
}

/** Functions that answer requests are handed at most as much; more would be a table. */
const harmlessMax = 40;

/** A function that may pass on what a framework calls it with: `(req, res, next) => …`. */
export function passingOf(fn: FunctionNode): Passing | null {
  const last = fn.params.length >= 2 ? fn.params.at(-1) : undefined;
  return last && passesOn.test(last.name) ? { fn, next: last.name, harmless: null } : null;
}

const passesOn = /^_?(next|done|proceed)$/;

/** Notes what is harmless where a request is passed on; with an argument, `next(error)`, it comes to no handler. */
export function notePassing(run: Run, frame: Frame, { callee, args }: Call): void {
  const { passing } = run;
  if (!passing || callee.kind !== "variable" || callee.name !== passing.next || args.length > 0) return;
  // In a function of its own, called back later, the fields of the request are those of the function around it.
  const here = frame.fn === passing.fn ? harmlessIn(frame) : new Map<string, readonly Passage[]>();
  passing.harmless = passing.harmless === null ? here : inBoth(passing.harmless, here);
}

function inBoth(
  a: ReadonlyMap<string, readonly Passage[]>,
  b: ReadonlyMap<string, readonly Passage[]>,
): ReadonlyMap<string, readonly Passage[]> {
  const both = new Map<string, readonly Passage[]>();
  for (const [name, asked] of a) {
    const other = b.get(name);
    const common =
      other && (asked.length > 0 && other.length > 0 ? commonPassages(asked, other) : [...asked, ...other]);
    if (common) both.set(name, common);
  }
  return both;
}

function harmlessIn({ fn, scope }: Frame): Map<string, readonly Passage[]> {
  const found = new Map<string, readonly Passage[]>();
  const read = variablesOfFields(scope).map(([name, path]) => [path, scope.get(name)] as const);
  for (const [name, value] of [...(scope.fields ?? []), ...read]) {
    const [, owner, field] = name.match(fieldOfRequest) ?? [];
    const isGiven = owner !== undefined && fn?.params.some((param) => param.name === owner);
    const asked = value && field !== undefined && isGiven ? askedOf(value) : null;
    if (field !== undefined && asked && found.size < harmlessMax) found.set(field, asked);
  }
  return found;
}

const fieldOfRequest = /^(\w+)\.(?:request\.)?((?:body|query|params)\.\w+)$/;

/**
 * What other files were asked about a value; null where nobody was. What is not known of a field is not in the scope: nothing taints one that
 * was tested, or was given a value of the application.
 */
function askedOf(value: Value): readonly Passage[] | null {
  const [first, ...others] = allTaint(value).map(({ via }) => via?.filter(({ check }) => tells.has(check)));
  if (allTaint(value).length === 0) return [];
  const asked = others.reduce<readonly Passage[] | undefined>((a, b) => commonPassages(a, b), first);
  return asked && asked.length > 0 ? asked : null;
}

const tells: ReadonlySet<Passage["check"]> = new Set(["true", "false", "after", "good", "bad"]);

/** The schemas of the parts of a request, with the fields that were let through. */
export const withPassed = (schemas: ReadonlyMap<string, Value>, passing: Passing | null): ReadonlyMap<string, Value> =>
  withHarmless(
    schemas,
    [...(passing?.harmless ?? [])].flatMap(([name, asked]) => (asked.length === 0 ? [name] : [])),
  );

/** `app.get("/orders/:id(\\d+)", …)`: the fields of the request that the pattern of a route leaves harmless. */
export function harmlessByRoute({ language, catalogue }: Run, { args: [path] }: Call): readonly string[] {
  if (language !== "javascript" || path?.value.kind !== "literal" || typeof path.value.value !== "string") return [];
  return [...path.value.value.matchAll(variables)].flatMap(([, name = "", pattern = ""]) =>
    cleanedByPattern(catalogue, pattern, true, false) === allFamilies ? [`params.${name}`] : [],
  );
}

const variables = /:(\w{1,80})\(([^()]{1,80})\)/g;

export function withHarmless(
  schemas: ReadonlyMap<string, Value>,
  harmless: readonly string[],
): ReadonlyMap<string, Value> {
  if (harmless.length === 0) return schemas;
  const found = new Map(schemas);
  for (const name of harmless) {
    const [part = "", field = ""] = name.split(".");
    const known = found.get(part);
    if (known && kindOf(known) !== "fields") continue;
    const entries = new Map([...(known?.slots?.entries ?? []), [field, named(pathOf("plain"))]]);
    const rest = known ? (known.slots?.rest ?? null) : named(pathOf("anything"));
    found.set(part, { ...named(pathOf("fields")), slots: { shape: "map", entries, rest } });
  }
  return found;
}
