import { lastName } from "../../ir/called-name.ts";
import type { Assign, ClassStatement, Expression } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Value } from "../value.ts";

/** Whether a field says what somebody may do or owns: whoever fills the object as a whole sets it for themselves. */
export const decidesRights = (field: string): boolean =>
  /^(is_?)?(admin|administrator|super_?user|super_?admin|staff|moderator|verified)$|^(user_?)?roles?(_?(id|name))?$|^(permissions?|privileges?|access_?level|user_?type|balance|credits?)$/i.test(
    field,
  );

/** Whether a class has such a field, and requests that are bound to it may fill that. */
export const hasRights = (node: ClassStatement): boolean =>
  node.body.some(
    (member) =>
      member.kind === "expression" &&
      member.value.kind === "assign" &&
      member.value.to.kind === "variable" &&
      decidesRights(member.value.to.name) &&
      !isWithheld(node, member.value),
  );

/** Whether a class of Java is one of a database. */
export const isStored = ({ decorators }: ClassStatement): boolean =>
  decorators.some((decorator) => namesStored.test(nameOf(decorator)));

const namesStored = /^(Entity|MappedSuperclass|Document|Table|TableName|MappedEntity|Node|DynamoDbBean)$/;

/** `@JsonIgnore private String role;`: readers of JSON leave the field alone. */
function isWithheld({ decorators }: ClassStatement, { to, from, decorators: own = [] }: Assign): boolean {
  const name = to.kind === "variable" ? to.name : "";
  const around = from.kind === "unknown" ? from.reads : own;
  return (
    around.some((decorator) => withholds.test(nameOf(decorator)) || isReadOnly(decorator)) ||
    decorators.some((decorator) => nameOf(decorator) === "JsonIgnoreProperties" && tells(decorator, name))
  );
}

const withholds = /^(JsonIgnore|JsonBackReference|JsonbTransient|ReadOnlyProperty|XmlTransient)$/;

/** `@JsonProperty(access = JsonProperty.Access.READ_ONLY)` */
const isReadOnly = (decorator: Expression): boolean =>
  decorator.kind === "call" && decorator.args.some(({ value }) => /(^|\.)READ_ONLY$/.test(accessPath(value) ?? ""));

const tells = (decorator: Expression, name: string): boolean =>
  decorator.kind === "call" &&
  decorator.args.some(
    ({ value }) =>
      (value.kind === "literal" && value.value === name) ||
      (value.kind === "collection" &&
        value.entries.some((entry) => entry.value.kind === "literal" && entry.value.value === name)),
  );

const nameOf = (decorator: Expression): string => lastName(decorator.kind === "call" ? decorator.callee : decorator);

/** Whether an object has been told here what somebody may do, whatever was sent. */
export const setsRights = ({ slots }: Value): boolean =>
  [...(slots?.entries ?? [])].some(([name, { taint }]) => taint.length === 0 && decidesRights(name));

/** The type of another file that a value has: linking knows its fields. */
export const typeElsewhere = ({ instance, paths }: Value): string | undefined =>
  instance ? undefined : paths.find((path) => /^(~|[^?]*[/.])?\p{Lu}\w*$/u.test(path));
