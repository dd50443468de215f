import type { Parameter, Span } from "../../ir/ir.ts";
import { invoke } from "../calls/invoke.ts";
import { messageOf } from "../calls/thrown-values.ts";
import { basePaths } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, type ClassInfo, cleaned, joinTaint, nothing, type Value } from "../value.ts";
import { initialiserOf, lineageOf } from "./members.ts";
import { ownFields } from "./own-fields.ts";

/** Makes an instance of a class of the file and runs its constructor. */
export function instantiate(
  run: Run,
  frame: Frame,
  type: Value,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const info = type.type;
  if (!info) return nothing;
  const instance: Value = { ...nothing, instance: info, paths: basePaths(type), taint: [] };
  const initialiser = initialiserOf(info);
  // The constructor of a data class does no more than keep what it takes, each object its own.
  if (!initialiser || initialiser.fn.made) {
    const fields = initialiser?.fn.params ?? declaredFields(info);
    const given = initialiser || !isError(info) ? [] : [...args, ...named.values()];
    const taint = given.map((arg) => allTaint(arg)).reduce(joinTaint, []);
    return { ...instance, taint, slots: keptSlots(run, fields, args, named) };
  }
  const around = run.made;
  run.made = { info, fields: new Map() };
  invoke(run, frame, { ...initialiser, self: instance }, args, named, at);
  const own = ownFields(run, info, run.made.fields);
  run.made = around;
  const given = own ? { ...instance, own } : instance;
  return isError(info) ? { ...given, taint: saidBy(run, info, own) } : given;
}

/** An error of Python or PHP is asked for its text as a whole: `str(e)`, `$e->getMessage()`. */
function saidBy(run: Run, { fields }: ClassInfo, own: Value["own"]): Value["taint"] {
  if (run.language !== "python" && run.language !== "php") return [];
  const message = messageOf(run);
  return allTaint(own?.get(message) ?? fields.get(message) ?? nothing);
}

/** `class NoSuchNote extends Exception {}`: what makes it is the library's, and it says what it was made with. */
const isError = (info: ClassInfo): boolean =>
  lineageOf(info).some(({ bases }) =>
    bases.some(({ type, paths }) => !type && paths.some((path) => /(Exception|Error)(\(\))?$/.test(path))),
  );

/** `&Server{hook: run}`: methods of a struct call what its literals put into its fields, as they do what is assigned to them. */
export function keepFunctions(run: Run, info: ClassInfo, fields: ReadonlyMap<string, Value>): void {
  for (const [field, value] of fields) {
    const functions = functionsOf(value) ?? functionElsewhere(info.fields.get(field), value);
    if (functions) run.storeField(info, field, functions);
  }
}

/** A name of the package that another file declares, in a field whose type has none: what may be called by it is called. */
function functionElsewhere(
  declared: Value | undefined,
  { closures, constants, paths, slots, type }: Value,
): Value | null {
  const name = paths.find((path) => ofPackage.test(path));
  const isNamed = declared?.paths.some((path) => !path.startsWith("?")) === true;
  if (name === undefined || isNamed || closures.length > 0 || constants || slots || type) return null;
  return { ...nothing, paths: [name] };
}

const ofPackage = /^~\w+$/;

/** A function, or what a list or map has of functions: what else is in a field belongs to one object alone. */
function functionsOf({ closures, slots }: Value): Value | null {
  const inside = [...(slots?.entries ?? [])].flatMap(([key, entry]) =>
    entry.closures.length > 0 ? [[key, { ...nothing, closures: entry.closures }] as const] : [],
  );
  if (closures.length + inside.length === 0) return null;
  // Other objects may have others under other keys.
  const kept = slots && inside.length > 0 ? { shape: slots.shape, entries: new Map(inside), rest: nothing } : null;
  return { ...nothing, closures, slots: kept };
}

/** A field of a record: numbers among them carry no attack. */
type DeclaredField = Pick<Parameter, "name" | "type">;

/** Records are made of the fields they declare, in their order; bases come first, and what is declared anew keeps its place. */
export function declaredFields(info: ClassInfo): DeclaredField[] {
  const fields = [...info.bases.flatMap(({ type }) => (type ? [type] : [])), info].flatMap(({ node }) =>
    node.body.flatMap((s) =>
      s.kind === "expression" && s.value.kind === "assign" && s.value.type !== null && s.value.to.kind === "variable"
        ? [[s.value.to.name, s.value.type] as const]
        : [],
    ),
  );
  return [...new Map(fields)].map(([name, type]) => ({ name, type }));
}

function keptSlots(
  { knowledge }: Run,
  fields: readonly DeclaredField[],
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): Value["slots"] {
  if (args.length + named.size === 0) return null;
  const entries = new Map<string, Value>();
  for (const [i, { name, type }] of fields.entries()) {
    const given = named.get(name) ?? args[i];
    if (given) entries.set(name, knowledge.cleanTypes.has(type ?? "") ? cleaned(given, -1) : given);
  }
  return entries.size === 0 ? null : { shape: "map", entries, rest: null };
}
