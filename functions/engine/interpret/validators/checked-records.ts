import { allFamilies, type Catalogue, type Families } from "../../catalogue/catalogue.ts";
import { targetOf } from "../calls/handover.ts";
import { newFrame, summarise } from "../calls/invoke.ts";
import { calleeOf } from "../calls/parameters.ts";
import { through } from "../guards/guard-functions.ts";
import { bySchema } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import type { ClassInfo, ClosureValue, Value } from "../value.ts";
import { cleanedIn } from "./schemas.ts";

/** What an object of another class gives, by that object's class or by the name that its file has for one: `forms.SearchForm().cleaned_data`, `schemas.order_schema.load`. */
const givenOf = /^(.*\.(?:\p{Lu}\w*|\w*schema))(?:\(\))?\.(\w+)(?:\(\))?$/u;

/** What a decorator or a parser gives that has looked at it by a class: no member is called like it. */
export const asLookedAt = (type: string): string => `${type}.${lookedAt}`;
const lookedAt = "0given";
const isGiven = (run: Run, member: string): boolean => member === lookedAt || run.knowledge.checked.has(member);

/**
 * A field of a class of another file that has looked at what it was given, as the class goes by: `form.cleaned_data["year"]`,
 * `form.year.data` and `schema.load(answer)["year"]` are all what the class declares as `year`.
 */
export function checkedField(run: Run, frame: Frame, { paths }: Value, name: string): string | null {
  const { checked } = run.knowledge;
  for (const path of paths) {
    const [, owner, member] = givenOf.exec(path) ?? [];
    if (owner !== undefined && member !== undefined) {
      if (isGiven(run, member)) return `${owner}.${name}`;
      if (checked.has(name)) return `${owner}.${member}`;
    }
    const [, called, given] = givenAs.exec(path) ?? [];
    const made = given !== undefined && checked.has(given) ? classInField(frame, `${called}_class`) : undefined;
    if (made !== undefined) return `${made}.${name}`;
  }
  return null;
}

/** `create(form.cleaned_data)`: all that an object of a class of another file has looked at; linking asks for fields of it. */
export function askedElsewhere(run: Run, value: Value): Value {
  if (run.language !== "python" || value.instance) return value;
  const owner = value.paths.map((path) => givenOf.exec(path)?.[1]).find((path) => path !== undefined);
  const target = owner === undefined ? null : targetOf(run, null, [owner]);
  return target === null ? value : through(value, { target, argument: bySchema, check: "result", trusted: false });
}

/** What an object gives that is called after a field which names its class: `self.get_serializer()` beside `serializer_class = OrderSerializer`. */
const givenAs = /(?:^|[.?])(?:get_)?(\w+?)(?:\(\))?\.(\w+)(?:\(\))?$/;

const classInField = ({ owner }: Frame, field: string): string | undefined =>
  owner?.fields.get(field)?.paths.find((path) => /\.\p{Lu}\w*$/u.test(path));

/** Whether a value is what an object has looked at, field by field. */
export const isChecked = (run: Run, { paths }: Value): boolean =>
  paths.some((path) => isGiven(run, givenAs.exec(path)?.[2] ?? ""));

/** What a field of Python lets through by the call that declares it, and by what methods of its class test it for. */
export const declaredCleans = (run: Run, info: ClassInfo | null, name: string, field: Value): Families =>
  run.language === "python" ? cleanedIn(run.catalogue, field) | ((info && fieldsTested(run, info).get(name)) ?? 0) : 0;

/**
 * The same of what `form.name.data` gives in a function that has the form look at it, where the form is a class of this file: by the field, and
 * by all classes that have one of its name.
 */
export function dataCleans(run: Run, { fn }: Frame, field: Value): Families {
  if (run.language !== "python" || !fn || !hasLookedAt.test(run.text.slice(fn.start, fn.end))) return 0;
  const own = field.paths.find((path) => path.startsWith(ofThis));
  const name = own?.slice(ofThis.length) ?? "";
  const owners = run.classes.filter(({ fields }) => fields.has(name));
  const tested = owners.map((owner) => fieldsTested(run, owner).get(name) ?? 0);
  return cleanedIn(run.catalogue, field) | (tested.length > 0 ? tested.reduce((all, each) => all & each) : 0);
}

const ofThis = "?this.";
const hasLookedAt = /\.validate(_on_submit)?\(/;

const noneTested: ReadonlyMap<string, Families> = new Map();

/** What methods of a class make sure of the fields that they look at: `clean_name`, `@field_validator("name")`. */
export function fieldsTested(run: Run, info: ClassInfo): ReadonlyMap<string, Families> {
  const known = run.fieldsTested.get(info);
  if (known) return known;
  const tests = [...info.methods.values()].flatMap((closure) =>
    fieldsOfTest(run, closure).map((field) => ({ field, closure })),
  );
  // One that reads the field itself is not done yet.
  if (tests.some(({ closure }) => run.active.has(closure.fn))) return noneTested;
  const tested = new Map<string, Families>();
  for (const { field, closure } of tests) tested.set(field, (tested.get(field) ?? 0) | madeSure(run, closure));
  run.fieldsTested.set(info, tested);
  return tested;
}

/** The fields that a method looks at: the one that it is named after, or those that its decorator names. */
function fieldsOfTest(run: Run, { fn, scope, owner }: ClosureValue): string[] {
  const { fieldChecks } = run.knowledge;
  const [, begins = "", field = ""] = /^([a-z]+_)(\w+)$/.exec(fn.name) ?? [];
  const frame = newFrame(null, scope, null, owner, "");
  const decorating = fn.decorators.filter(
    (decorator) =>
      decorator.kind === "call" && calleeOf(run, frame, decorator).paths.some((path) => fieldChecks.has(path)),
  );
  const named = decorating.flatMap((decorator) => (decorator.kind === "call" ? decorator.args : []));
  const fields = named.flatMap(({ value }) => (value.kind === "literal" ? String(value.value) : []));
  return begins !== "" && fieldChecks.has(begins) ? [...fields, field] : fields;
}

/** Whether a method reads what its object has looked at. */
const readsChecked = ({ text, knowledge }: Run, { fn }: ClosureValue): boolean =>
  text
    .slice(fn.start, fn.end)
    .matchAll(/\.(\w+)\s*(?:\[|\.)/g)
    .some(([, name = ""]) => knowledge.checked.has(name));

/** What is so once a method has come back: of its first parameter or the data of that, or of what it gives, where it takes none. */
function madeSure(run: Run, closure: ClosureValue): Families {
  const { guard, returns } = summarise(run, closure);
  if (closure.fn.params.length > 0) {
    const ofData = guard.asked.after?.find(({ of, key }) => of === "data" && key === 0);
    return (guard.after?.[0] ?? 0) | (ofData?.clean ?? 0);
  }
  // What is clean for everything carries no taint any more, and neither does what was never read.
  return readsChecked(run, closure) ? returns.taint.reduce((all, { clean }) => all & clean, allFamilies) : 0;
}

/** The fields that a class declares by calls, and what these let through. */
export const fieldsOfCalls = (catalogue: Catalogue, { fields }: ClassInfo): [name: string, clean: Families][] =>
  [...fields]
    .filter(([, { paths }]) => paths.some((path) => path.endsWith("()")))
    .map(([name, value]) => [name, cleanedIn(catalogue, value)]);
