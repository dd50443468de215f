import type { ClassStatement } from "../../ir/ir.ts";
import type { Value } from "../value.ts";

/** Whether a field says what somebody may do or owns: whoever fills the object as a whole sets it for themselves. */
export const decidesRights = (field: string): boolean =>
  /^(is_?)?(admin|administrator|super_?user|super_?admin|staff|moderator|verified)$|^(user_?)?roles?(_?(id|name))?$|^(permissions?|privileges?|access_?level|user_?type|balance|credits?)$/i.test(
    field,
  );

/** Whether a class has such a field. */
export const hasRights = ({ body }: ClassStatement): boolean =>
  body.some(
    (member) =>
      member.kind === "expression" &&
      member.value.kind === "assign" &&
      member.value.to.kind === "variable" &&
      decidesRights(member.value.to.name),
  );

/** The type of another file that a value has: linking knows its fields. */
export const typeElsewhere = ({ instance, paths }: Value): string | undefined =>
  instance ? undefined : paths.find((path) => /^(~|[^?]*[/.])?\p{Lu}\w*$/u.test(path));
