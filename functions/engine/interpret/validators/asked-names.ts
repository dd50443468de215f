import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { calledName } from "../../ir/called-name.ts";
import type { FunctionNode, Index } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import type { Called } from "../calls/called.ts";
import { through } from "../guards/guard-functions.ts";
import type { Frame, Run } from "../run.ts";
import { named, type Taint, tainted, type Value } from "../value.ts";

/**
 * Applications of PHP have fields of the request looked at by their names, `filter_field("id")` or `validate_fields(["id" => FILTER_VALIDATE_INT])`,
 * and read them by these names as well: `field("id")`. The functions are written in other files, so linking brings the two together.
 */
export interface AskedName {
  target: string;
  /** Null where the function that is called knows the names. */
  name: string | null;
}

const askedMax = 200;

/** Notes the names that a call hands to what promises to look at them. */
export function noteAskedNames(run: Run, frame: Frame, { target, positional }: Called): void {
  if (run.language !== "php" || target === null || !promises(lastSegment(target))) return;
  const [first, ...others] = positional;
  const names = first && !others.some(isLenient) ? namesIn(first) : [];
  for (const name of first ? names : [null])
    if (run.askedNames.size < askedMax) run.askedNames.set(`${target}\0${name}`, { target, name });
  for (const name of names) frame.scope.refine(factOfName(name), named(target));
}

/** That a field has been looked at on the way here, and by which function. */
const factOfName = (name: string): string => `@asked.${name}`;

/** A field of the request that was handed to such a function before it is read here. */
export function afterAsking(run: Run, { scope }: Frame, { of }: Index, name: string, value: Value): Value {
  if (run.askedNames.size === 0 || of.kind !== "variable" || !request.test(of.name)) return value;
  const target = scope.get(factOfName(name))?.paths[0];
  return target === undefined
    ? value
    : through(value, { target, argument: 0, part: name, check: "named", trusted: false });
}

const promises = remembered((name) => /filter|valid|check|sanit|clean|verif/i.test(name));

function namesIn({ constants, slots }: Value): string[] {
  if (slots?.shape === "map") return [...slots.entries].flatMap(([name, rule]) => (isLenient(rule) ? [] : [name]));
  return (constants ?? []).filter((name) => typeof name === "string" && isWord.test(name)) as string[];
}

/** Filters that let through what does harm in a page or a query. */
const isLenient = ({ paths, slots }: Value): boolean =>
  paths.some((path) => lenient.test(path)) || [...(slots?.entries.values() ?? [])].some(isLenient);

const lenient = /^\??FILTER_(UNSAFE_RAW|DEFAULT|\w*(IS_REGEX|URL|EMAIL|SLASHES|QUOTES))$/;
const isWord = /^\w+$/;

/** What a function of another file gives for the name of a field, as far as others have not looked at the field. */
export function givenForName(run: Run, { positional }: Called, target: string, taint: Taint): readonly Taint[] {
  const names = run.language === "php" ? positional[0]?.constants : null;
  const [name, ...others] = names ?? [];
  if (typeof name !== "string" || others.length > 0 || !isWord.test(name)) return [taint];
  return through(tainted([taint]), { target, argument: 0, part: name, check: "named", trusted: false }).taint;
}

/** Whether a function looks at fields of the request whose names it is given. */
export function looksAtFields(fn: FunctionNode): boolean {
  if (!promises(fn.name)) return false;
  let asks = false;
  let tests = false;
  walk(fn.body, (node) => {
    if (!("kind" in node)) return;
    asks ||=
      node.kind === "index" &&
      node.of.kind === "variable" &&
      request.test(node.of.name) &&
      node.key?.kind === "variable";
    tests ||= node.kind === "call" && test.test(calledName(node));
  });
  return asks && tests;
}

const request = /^\$_(GET|POST|REQUEST|COOKIE)$/;
const test = /^(filter_var|preg_match|is_numeric|intval|ctype_\w+)$|valid|check|sanit|clean|escape/i;
