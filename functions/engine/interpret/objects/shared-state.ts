import { lastSegment } from "../../catalogue/paths.ts";
import type { Expression, Field, Span } from "../../ir/ir.ts";
import { isSame } from "../calls/handover.ts";
import { partsOf } from "../calls/parts.ts";
import { inPackage, isClassName } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Scope } from "../scope.ts";
import { arriving, type ClassInfo, join, joinTaint, nothing, type Taint, type Value } from "../value.ts";
import { keptUnder } from "./kept-values.ts";

/** How a source is called that is kept in a variable of the package, or in a field of one of its types: `#~Board.notes`. */
const sharedSource = /^#[~@]/;
/** Stands before the class of Ruby or PHP that keeps something in a field: `#@Exporter.format`. */
export const inClasses = "@";

/** Languages in which a class reads what one keeps that it extends, in another file. */
export const readsInherited: ReadonlySet<string> = new Set(["python", "javascript"]);

/** What one file of a package keeps and others find: by the variable, or by the type and its field. */
export interface Shared {
  name: string;
  /** The part of what is kept there, where only that is meant. */
  part: string | undefined;
  /** Who reads all of it does not mean this part. */
  isOwn: boolean;
  /** It is a parameter as it came in: what is a part of that is the same part of this. */
  same: boolean;
  taint: Taint;
}

/** Files of a package of Go have its variables and types in common; classes of Ruby have their fields in common with what they include. */
const isShared = ({ language }: Run): boolean => language === "go" || language === "ruby";

/** What a variable of the package holds as well: whatever other files have put there. */
export function withSharedVariable(run: Run, frame: Frame, name: string, value: Value, at: Span): Value {
  return run.language === "go" && frame.fn ? withShared(run, inPackage(name), value, at) : value;
}

/** The same of a field that a method reads of its own object. */
export function withSharedField(run: Run, frame: Frame, value: Value, { of, name }: SharedField, at: Span): Value {
  if (!isShared(run) || !frame.self || of.kind !== "variable" || of.name !== frame.fn?.receiver) return value;
  const type = (frame.self.instance ?? frame.owner)?.node.name;
  return type ? withShared(run, fieldOfType(run, type, name), value, at) : value;
}

/** `Tenants.current`, `Tenants::$current`: what a class from another file keeps for all, and which any file may set; no constant. */
export function fieldOfClass({ language, knowledge }: Run, frame: Frame, { of, name }: SharedField): string | null {
  const isKept = language === "java" ? /^\p{Ll}/u : language === "php" ? /^\$/ : null;
  if (!isKept?.test(name) || of.kind !== "variable" || !isClassName(of)) return null;
  return frame.owner?.node.name === of.name || knowledge.known.has(of.name) ? null : `${inClasses}${of.name}.${name}`;
}

/** What is read of such a field is what any file has put there. */
export function withFieldOfClass(run: Run, frame: Frame, value: Value, of: Value, field: Field): Value {
  if (of.instance || of.type || of.taint.length > 0 || value.taint.length > 0) return value;
  const name = fieldOfClass(run, frame, field);
  return name === null ? value : withShared(run, name, value, field);
}

type SharedField = Pick<Extract<Expression, { kind: "field" }>, "of" | "name">;

const fieldOfType = ({ language }: Run, type: string, field: string): string =>
  language === "ruby" ? `${inClasses}${type}.${field}` : `${inPackage(type)}.${field}`;

function withShared(run: Run, name: string, value: Value, at: Span): Value {
  return isOpen(run, value)
    ? { ...value, taint: joinTaint(value.taint, [arriving(run.outside(`#${name}`, at), at)]) }
    : value;
}

/** Functions, constants, objects of libraries and lists that are written out are what they are, whatever other files do. */
const isOpen = ({ language }: Run, { constants, closures, type, region, slots, paths }: Value): boolean =>
  constants === null &&
  closures.length === 0 &&
  !type &&
  !region &&
  (slots === null || slots.entries.size === 0) &&
  (language !== "go" || paths.every((path) => path.startsWith("?") || path.startsWith("~")));

/** What is asked of an object that is kept is not made of what it was kept as. */
export function withoutShared(value: Value): Value {
  return value.taint.some(isKept) ? { ...value, taint: value.taint.filter((taint) => !isKept(taint)) } : value;
}

const isKept = ({ source }: Taint): boolean => source.outside !== null && sharedSource.test(source.outside);

/** A variable that is assigned to and that no scope of the file knows: another file of the package declares it. */
export const isOfPackage = (run: Run, frame: Frame, name: string): boolean =>
  run.language === "go" && frame.fn !== null && name !== "_" && !name.includes(".");

/** `s.notes[id] = note`: what a method puts into a list or map of its object is there for other methods. */
export function keepElements(run: Run, frame: Frame, into: Expression, value: Value): void {
  const info = frame.self?.instance ?? frame.owner;
  if (run.language !== "go" || !info || into.kind !== "field" || into.of.kind !== "variable") return;
  if (into.of.name === frame.fn?.receiver && value.slots) run.storeField(info, into.name, value);
}

/** All that a file keeps for others of its package, as far as it is input or comes from elsewhere. */
export function sharedBy(run: Run): Shared[] {
  if (!isShared(run)) return valuesKept(run);
  const fields = run.classes.flatMap(({ node, fields: all }) =>
    [...all].map(([field, value]) => [fieldOfType(run, node.name, field), value] as const),
  );
  const variables =
    run.language === "ruby"
      ? []
      : [...(run.file.known ?? [])].flatMap(([name, value]) =>
          isOfObject(name) || value.closures.length > 0 || value.type ? [] : [[nameOutside(name), value] as const],
        );
  return [...fields, ...variables, ...run.shared].flatMap(([name, value]) => keptForOthers(run, name, value));
}

const keptForOthers = (run: Run, name: string, value: Value): Shared[] =>
  kept(run, name, value).filter(({ taint: { source } }) => !source.parameter && source.outside !== `#${name}`);

/** Of languages whose files share nothing else: what requests carry along under a key. */
const valuesKept = (run: Run): Shared[] =>
  run.language === "javascript" || run.language === "java"
    ? [...(run.file.known ?? [])].flatMap(([name, value]) =>
        name.startsWith(keptUnder) ? keptForOthers(run, name, value) : [],
      )
    : [];

/** What a function keeps of its parameters: see `Keep`. */
export function sharedFrom(run: Run, into: ClassInfo | Scope, name: string, value: Value): Shared[] {
  if (name.startsWith(keptUnder) && into === run.file) return kept(run, name, value);
  // What a base is given to keep, the classes of other files read that extend it.
  if ("methods" in into && readsInherited.has(run.language))
    return kept(run, `${inClasses}${into.node.name}.${name}`, value);
  if (!isShared(run)) return [];
  if ("methods" in into) return kept(run, fieldOfType(run, into.node.name, name), value);
  return into === run.file && run.language === "go" ? kept(run, nameOutside(name), value) : [];
}

/** What a request carries along is known by its key everywhere. */
const nameOutside = (name: string): string => (name.startsWith(keptUnder) ? name : inPackage(name));

const isOfObject = (name: string): boolean => name.includes(".") && !name.startsWith(keptUnder);

const kept = (run: Run, name: string, value: Value): Shared[] =>
  partsOfKept(run, value).flatMap(({ part, isOwn, taints }) =>
    taints
      .filter((taint) => !isConstructed(taint))
      .map((taint) => ({ name, part, isOwn, same: part === undefined && isSame(run, value, taint), taint })),
  );

interface KeptPart {
  part: string | undefined;
  isOwn: boolean;
  taints: readonly Taint[];
}

/** What lies under a key or in a field that is known is there and nowhere else; of elements under others any may be meant. */
function partsOfKept(run: Run, value: Value): KeptPart[] {
  const parts = (of: Value, isOwn: boolean): KeptPart[] =>
    partsOf(run, of).map(([part, taints]) => ({ part, isOwn: isOwn && part !== undefined, taints }));
  const { slots } = value;
  if (!slots) return parts(value, false);
  const elements = [...(slots.shape === "list" ? slots.entries.values() : []), ...(slots.rest ? [slots.rest] : [])];
  const own = { ...value, slots: slots.shape === "map" ? { ...slots, rest: null } : null };
  return [...parts(own, true), ...elements.flatMap((element) => parts(element, false))];
}

/** A service that another file has made of it, among other things, is not what it was given. */
const isConstructed = ({ via }: Taint): boolean =>
  via?.some(({ target, check }) => check === "result" && /^[nN]ew(\p{Lu}|$)/u.test(lastSegment(target))) === true;

/** Notes what is put into a field of an object whose type another file declares. */
export function noteShared(run: Run, paths: readonly string[], value: Value): void {
  const name = run.language === "go" ? paths.find((path) => /^~\p{L}\w*\.\w+$/u.test(path)) : undefined;
  if (name !== undefined) run.shared.set(name, join(run.shared.get(name) ?? nothing, value));
}
