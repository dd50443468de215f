import type { LinkRecord } from "../artefact.ts";
import { allFamilies, type Catalogue, type Families } from "../catalogue/catalogue.ts";
import { isCleanType } from "../interpret/assign.ts";
import { elementNamed, holding } from "../interpret/held-objects.ts";
import type { Run } from "../interpret/run.ts";
import { checkedFields } from "../interpret/validators/asked-fields.ts";
import { fieldsOfCalls, fieldsTested } from "../interpret/validators/checked-records.ts";
import { schemaOfRules } from "../interpret/validators/field-rules.ts";
import { rulesMethod } from "../interpret/validators/request-rules.ts";
import { cleanedWithin } from "../interpret/validators/schemas.ts";
import type { ClassInfo } from "../interpret/value.ts";
import type { Statement } from "../ir/ir.ts";
import { cleanedNames } from "./cleaned.ts";
import { byCodeUnits } from "./order.ts";

/** What fields let through, by the names that others ask for them by: see `declared` of link records. */
export function declaredOf(catalogue: Catalogue, run: Run): Pick<LinkRecord, "declared"> {
  const declared = [...fieldsDeclared(catalogue, run)].filter(([, clean]) => clean !== 0);
  if (declared.length === 0) return {};
  const sorted = declared.sort(([a], [b]) => byCodeUnits(a, b));
  return { declared: Object.fromEntries(sorted.map(([name, clean]) => [name, cleanedNames(catalogue, clean)])) };
}

function fieldsDeclared(catalogue: Catalogue, run: Run): ReadonlyMap<string, Families> {
  switch (run.language) {
    case "javascript":
      return new Map([...run.schemas].flatMap(([name, schema]) => cleanedWithin(catalogue, schema, name)));
    case "go":
      return new Map(
        run.classes.flatMap(({ node }) => checkedFields(node).map((field) => [`${node.name}.${field}`, allFamilies])),
      );
    case "java":
      return new Map([...typedMembers(catalogue, run), ...constrainedFields(run)]);
    case "php":
      return new Map([
        ...run.classes.flatMap(({ node, methods }) => rulesOfRequest(catalogue, run, node.name, methods)),
        ...constrainedFields(run),
      ]);
    case "python":
      return new Map([...typedMembers(catalogue, run), ...constrainedFields(run), ...harmlessTypes(run)]);
    default:
      return new Map();
  }
}

/** What the rules of a request of PHP let through, by its class: "Desk\\ListRequest.sort". */
function rulesOfRequest(
  catalogue: Catalogue,
  run: Run,
  type: string,
  methods: ClassInfo["methods"],
): [name: string, clean: Families][] {
  const rules = methods.get(rulesMethod);
  const given = rules && run.summaries.get(rules.fn)?.returns;
  const schema = given && schemaOfRules(catalogue, given);
  return schema ? cleanedWithin(catalogue, schema, type) : [];
}

/** Types of which nothing is the attacker's that comes in for them: enumerations, and what the file makes itself. */
const harmlessTypes = ({ classes, text }: Run): [string, Families][] =>
  [
    ...classes.filter(isEnumeration).map(({ node }) => node.name),
    ...[...text.matchAll(madeForAll)].slice(0, typesMax).map(([, name]) => name as string),
  ].map((name) => [name, allFamilies]);

/** `Orders = Annotated[OrderService, Depends(orders)]`: whoever declares a parameter so gets what the function makes. */
const madeForAll = /^(\w+)(?::[\w. ]+)? = (?:\w+\.)?Annotated\[[^"'=\n]*\b(?:Depends|Security)\(/gm;
const typesMax = 100;

/** Of which fields other files say it. */
export function declaredElsewhere({ classes }: Run): Pick<LinkRecord, "declaredBy"> {
  const all = classes.flatMap(({ node, constrainedBy }) =>
    [...constrainedBy].map(([field, targets]) => [memberName(node.name, field), targets] as const),
  );
  return all.length > 0 ? { declaredBy: Object.fromEntries(all) } : {};
}

const memberName = (type: string, field: string): string => (field === "" ? type : `${type}.${field}`);

const constrainedFields = ({ classes }: Run): [string, Families][] =>
  classes.flatMap(({ node, constrained }) =>
    [...constrained].map(([field, clean]): [string, Families] => [memberName(node.name, field), clean]),
  );

/**
 * What gives numbers and the like, or nothing but text, in all classes of the file that have it: forms say so by the types of their fields,
 * written getters or not. All that an enumeration gives has been written down.
 */
function typedMembers(catalogue: Catalogue, run: Run): Map<string, Families> {
  const enumerations = new Set(run.classes.filter(isEnumeration).map(({ node }) => node.name));
  // What others of the file keep under such a name was not written down.
  const given = ["name", "value", "toString"].filter(
    (name) => name !== "value" || !run.classes.some((info) => !isEnumeration(info) && info.fields.has(name)),
  );
  // Java has no other values in a field of text; what comes in for one of Python may be an object, unless the class refuses it.
  const ofText = run.language === "python" ? catalogue.bitsOf(["nosql_injection"]) : 0;
  const byType = (type: string) =>
    isCleanType(run, type) || enumerations.has(type) ? allFamilies : type === "str" ? ofText : 0;
  const membersOf = (info: ClassInfo): [name: string, clean: Families][] => {
    const typed = info.node.body
      .flatMap(typeOfMember)
      .map(({ name, type }): [string, Families] => [name, byType(type)]);
    const members =
      run.language === "python"
        ? withCalls(typed, [...fieldsOfCalls(catalogue, info), ...fieldsTested(run, info)])
        : typed;
    if (!enumerations.has(info.node.name)) return members;
    return [...members.map(([name]) => name), ...given].map((name) => [name, allFamilies]);
  };
  const found = new Map<string, Families>();
  for (const [name, clean] of run.classes.flatMap(membersOf)) found.set(name, clean & (found.get(name) ?? allFamilies));
  return found;
}

/** Of a field that has a type as well the type tells, unless what it is made by, or is tested for, says more. */
function withCalls(typed: readonly [string, Families][], made: readonly [string, Families][]): [string, Families][] {
  const members = new Map(typed);
  for (const [name, clean] of made) members.set(name, clean | (members.get(name) ?? 0));
  return [...members];
}

/** Members of one type of another file, which may be an enumeration: most are called like it. With its package where that is imported. */
export function kindsOf({ language, classes, file }: Run): Pick<LinkRecord, "kinds"> {
  if (language !== "java") return {};
  const byName = Map.groupBy(
    classes.flatMap(({ node }) => node.body.flatMap(typeOfMember)),
    ({ name }) => name,
  );
  const kinds = [...byName].flatMap(([name, [first, ...others]]): [string, string][] => {
    const { type: written = "" } = first ?? {};
    // `List<Item>` and the like hold such.
    const element = elementNamed(written);
    const type = element ?? written;
    const isOne =
      /^\p{Lu}\w*\p{Ll}\w*$/u.test(type) && !usual.has(type) && others.every((other) => other.type === written);
    const imported = isOne ? file.get(type)?.paths.find((path) => path.endsWith(`.${type}`)) : undefined;
    const kind = imported ?? type;
    return isOne ? [[name, element === null ? kind : holding(kind)]] : [];
  });
  if (kinds.length === 0) return {};
  return { kinds: Object.fromEntries(kinds.sort(([a], [b]) => byCodeUnits(a, b)).slice(0, kindsMax)) };
}

/** No enumerations, whoever declares them. */
const usual = new Set("String Object CharSequence File Path URI URL Logger List Map Set".split(" "));
const kindsMax = 200;

const enumerations = ["java.lang.Enum", "System.Enum"];
/** A project of Python may have an enumeration of its own that all others extend: `class Unit(AutoEnum)`. */
const enumeration = /^[\w.]*\.\w*Enum$/;
const isEnumeration = ({ bases }: ClassInfo): boolean =>
  bases.some(({ paths }) => paths.some((path) => enumerations.includes(path) || enumeration.test(path)));

function typeOfMember(member: Statement): { name: string; type: string }[] {
  if (member.kind === "function") return member.fn.result ? [{ name: member.fn.name, type: member.fn.result }] : [];
  const field = member.kind === "expression" && member.value.kind === "assign" ? member.value : null;
  return field?.type && field.to.kind === "variable" ? [{ name: field.to.name, type: field.type }] : [];
}
