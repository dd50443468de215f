import type { Call, Expression } from "../../ir/ir.ts";
import { setsRights } from "../guards/rights.ts";
import { accessPath, memberPaths } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Variables } from "../scope.ts";
import { allTaint, boundSlots, cleaned, nothing, type Value } from "../value.ts";

/** Fields within fields, as deep as settings of a search or a page go. */
const depthMax = 3;

/**
 * A value with what this function has put into its fields: who gets the whole gets that too. A field that holds nothing of an attacker is
 * told where the whole does, because it no longer is a part of that; rights that are set here are not those that were sent.
 */
export function withFields(run: Run, frame: Frame, expression: Expression, value: Value): Value {
  if (value.closures.length > 0 || value.type || value.slots?.shape === "list") return value;
  const key = accessPath(expression);
  const fields = key === null ? null : (frame.scope.binding(key) ?? ownerOf(run, frame, key))?.fields;
  if (key === null || !fields) return value;
  const whole = filled(fields, key, value, depthMax);
  return setsRights(whole) ? cleaned(whole, run.catalogue.bitsOf(["mass_assignment"])) : whole;
}

/**
 * An object whose text is asked for, `address.String()` of Go: it is made of all the fields, of which a model may say what they are harmless
 * for. Methods of the project's own are followed instead.
 */
export function asText(run: Run, frame: Frame, { callee, args }: Call, value: Value): Value {
  if (run.language !== "go" || callee.kind !== "field" || callee.name !== "String" || args.length > 0) return value;
  const whole = value.instance ? value : withFields(run, frame, callee.of, value);
  if (whole.slots?.shape !== "map") return whole;
  const entries = [...whole.slots.entries].map(([name, field]) => {
    const { sanitizers } = run.knowledge.reads.findAll(memberPaths(whole, name));
    const cleans = sanitizers.reduce((all, sanitizer) => all | sanitizer.cleans, 0);
    return [name, cleaned(field, cleans)] as const;
  });
  return { ...whole, slots: { ...whole.slots, entries: new Map(entries) } };
}

/** `input.Filters.Sort = sort` in Go: a struct within another has no value of its own. */
const ownerOf = ({ language }: Run, { scope }: Frame, key: string) =>
  language === "go" && key.includes(".") ? scope.binding(key.split(".", 1)[0] as string) : null;

function filled(variables: Variables, key: string, value: Value, depth: number): Value {
  const prefix = `${key}.`;
  const names = new Set<string>();
  for (const other of variables.keys())
    if (other.startsWith(prefix)) names.add(other.slice(prefix.length).split(".", 1)[0] as string);
  if (names.size === 0 || depth === 0) return value;
  const entries = new Map(value.slots?.entries);
  const isInput = allTaint(value).length > 0;
  for (const name of names) {
    const field = variables.get(prefix + name) ?? entries.get(name) ?? nothing;
    const whole = filled(variables, prefix + name, field, depth - 1);
    if (isInput || allTaint(whole).length > 0) entries.set(name, whole);
  }
  if (entries.size === (value.slots?.entries.size ?? 0) && !isInput) return value;
  return { ...value, slots: boundSlots({ shape: "map", entries, rest: value.slots?.rest ?? null }) };
}
