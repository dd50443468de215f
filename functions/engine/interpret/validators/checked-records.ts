import type { Catalogue, Families } from "../../catalogue/catalogue.ts";
import type { Frame, Run } from "../run.ts";
import type { ClassInfo, Value } from "../value.ts";
import { cleanedIn } from "./schemas.ts";

/** What an object of another class gives, by that object's class: `forms.SearchForm().cleaned_data`. */
const givenOf = /^(.*\.\p{Lu}\w*)(?:\(\))?\.(\w+)(?:\(\))?$/u;

/**
 * A field of a class of another file that has looked at what it was given, as the class goes by: `form.cleaned_data["year"]`,
 * `form.year.data` and `schema.load(answer)["year"]` are all what the class declares as `year`.
 */
export function checkedField(run: Run, frame: Frame, { paths }: Value, name: string): string | null {
  const { checked } = run.knowledge;
  for (const path of paths) {
    const [, owner, member] = givenOf.exec(path) ?? [];
    if (owner !== undefined && member !== undefined) {
      if (checked.has(member)) return `${owner}.${name}`;
      if (checked.has(name)) return `${owner}.${member}`;
    }
    const [, called, given] = givenAs.exec(path) ?? [];
    const made = given !== undefined && checked.has(given) ? classInField(frame, `${called}_class`) : undefined;
    if (made !== undefined) return `${made}.${name}`;
  }
  return null;
}

/** What an object gives that is called after a field which names its class: `self.get_serializer()` beside `serializer_class = OrderSerializer`. */
const givenAs = /(?:^|[.?])(?:get_)?(\w+?)(?:\(\))?\.(\w+)(?:\(\))?$/;

const classInField = ({ owner }: Frame, field: string): string | undefined =>
  owner?.fields.get(field)?.paths.find((path) => /\.\p{Lu}\w*$/u.test(path));

/** Whether a value is what an object has looked at, field by field. */
export const isChecked = (run: Run, { paths }: Value): boolean =>
  paths.some((path) => run.knowledge.checked.has(givenAs.exec(path)?.[2] ?? ""));

/** What a field of Python that is declared by a call lets through. */
export const declaredCleans = (run: Run, field: Value): Families =>
  run.language === "python" ? cleanedIn(run.catalogue, field) : 0;

/** The fields that a class declares by calls, and what these let through. */
export const fieldsOfCalls = (catalogue: Catalogue, { fields }: ClassInfo): [name: string, clean: Families][] =>
  [...fields]
    .filter(([, { paths }]) => paths.some((path) => path.endsWith("()")))
    .map(([name, value]) => [name, cleanedIn(catalogue, value)]);
