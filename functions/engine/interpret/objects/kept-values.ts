import { lastSegment } from "../../catalogue/paths.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import type { Called } from "../calls/called.ts";
import { accessPath } from "../names.ts";
import type { Run } from "../run.ts";
import { arriving, joinTaint, nothing, type Value } from "../value.ts";

/** What such a value is called among the variables of a file, and in link records: no name of a language looks like this. */
export const keptUnder = "value:";

/**
 * What a request carries along under a key, from who puts it there to who asks for it in this file or another:
 * `context.WithValue(ctx, userKey{}, name)`, `c.Set("tenant", name)`. Null for other calls.
 */
export function keptValue(run: Run, call: Call, { models, positional, paths }: Called): Value | null {
  const [kept] = models.keeps;
  const key = kept && keyOf(call, kept.key);
  const name = key && nameOf(key);
  if (!kept || !name) return null;
  const value = kept.value === undefined ? undefined : positional[kept.value];
  if (value) {
    run.storeAround(run.file, name, value);
    // Who is handed a function to run meanwhile runs it.
    if (positional.some(({ closures }) => closures.length > 0)) return null;
    return { ...nothing, paths: [...paths] };
  }
  const here = run.file.get(name) ?? nothing;
  const source = run.outside(`#${name}`, call);
  // Of an object that another file of JavaScript has kept, fields are known one by one.
  const parts = run.language === "javascript" ? [...here.paths, `${source.outside}()`] : here.paths;
  return {
    ...here,
    paths: parts,
    constants: null,
    prefix: null,
    taint: joinTaint(here.taint, [arriving(source, call)]),
  };
}

/** `requestStore.getStore()`: a store for one value is known by what it is called, in all files that import it. */
const keyOf = ({ callee, args }: Call, key: number | "receiver"): Expression | undefined =>
  key !== "receiver" ? args[key]?.value : callee.kind === "field" ? callee.of : undefined;

/** Keys are constants, or types and variables that files know by the same name. */
function nameOf(key: Expression): string | null {
  if (key.kind === "literal") return `${keptUnder}${JSON.stringify(key.value)}`;
  const name = accessPath(key.kind === "call" ? key.callee : key);
  return name === null ? null : `${keptUnder}${lastSegment(name)}`;
}
