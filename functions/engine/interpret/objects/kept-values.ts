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
  const key = kept && call.args[kept.key]?.value;
  const name = key && nameOf(key);
  if (!kept || !name) return null;
  const value = kept.value === undefined ? undefined : positional[kept.value];
  if (value) {
    run.storeAround(run.file, name, value);
    return { ...nothing, paths: [...paths] };
  }
  const here = run.file.get(name) ?? nothing;
  const source = run.outside(`#${name}`, call);
  return { ...here, constants: null, prefix: null, taint: joinTaint(here.taint, [arriving(source, call)]) };
}

/** Keys are constants, or types and variables that files know by the same name. */
function nameOf(key: Expression): string | null {
  if (key.kind === "literal") return `${keptUnder}${JSON.stringify(key.value)}`;
  const name = accessPath(key.kind === "call" ? key.callee : key);
  return name === null ? null : `${keptUnder}${lastSegment(name)}`;
}
