import { AwsError } from "../service.ts";
import {
  type AttributeValue,
  type Item,
  type Path,
  type SetType,
  setTypeOf,
  typeOf,
  valueAt,
} from "./attribute-value.ts";
import { add, subtract } from "./decimal.ts";
import { checkName, storedNumber } from "./dynalite.ts";

/** A value to set: a path, a literal, or an expression over them. */
export type Assigned =
  | Path
  | AttributeValue
  | { readonly type: "add" | "subtract"; readonly args: readonly [Assigned, Assigned] }
  | {
      readonly type: "function";
      readonly name: "if_not_exists" | "list_append";
      readonly args: readonly [Assigned, Assigned];
    };

/** One action of a parsed update expression. */
export type UpdateAction =
  | { readonly type: "set"; readonly path: Path; readonly val: Assigned }
  | { readonly type: "remove"; readonly path: Path }
  | { readonly type: "add" | "delete"; readonly path: Path; readonly val: AttributeValue };

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
type Draft = Mutable<AttributeValue>;

const wrongType = "An operand in the update expression has an incorrect data type";
const noSuchPath = "The document path provided in the update expression is invalid for update";
const noSuchAttribute = "The provided expression refers to an attribute that does not exist in the item";

/**
 * The item after an update expression. Every operand is read from the item as it was, so the order of the actions does
 * not matter, and list indexes mean places in the list as it was.
 * @throws AwsError ValidationException
 */
export function update(item: Item, actions: readonly UpdateAction[]): Item {
  const results = actions.map((action) => ({ path: action.path, value: resultOf(action, item) }));
  const root = { M: structuredClone(item) } as Draft;
  const lists = new Set<Draft>();
  for (const { path, value } of results) assign(root, path, value && structuredClone(value), lists);
  // An index past the end appends, and a removed element leaves a gap: both close once all actions have run.
  for (const list of lists) list.L = list.L!.filter((member) => member !== undefined);
  return root.M as Item;
}

function assign(root: Draft, path: Path, value: AttributeValue | undefined, lists: Set<Draft>): void {
  const parent = path.length === 1 ? root : (valueAt(root.M as Item, path.slice(0, -1)) as Draft | undefined);
  const last = path.at(-1)!;
  if (parent?.L && typeof last === "number") lists.add(parent);
  else if (!parent?.M || typeof last === "number") throw invalid(noSuchPath);
  checkName(last);
  const members = (parent.L ?? parent.M) as Record<string | number, Draft>;
  if (value) members[last] = value as Draft;
  else delete members[last];
}

/** The value that an action leaves at its path; undefined removes it. */
function resultOf(action: UpdateAction, item: Item): AttributeValue | undefined {
  if (action.type === "remove") return undefined;
  if (action.type === "set") return assigned(action.val, item);
  const existing = valueAt(item, action.path);
  if (existing && typeOf(existing) !== typeOf(action.val)) throw invalid(wrongType);
  if (action.val.N !== undefined) return { N: storedNumber(add(existing?.N ?? "0", action.val.N)) };
  const type = setTypeOf(action.val)!;
  return changedSet(type, existing?.[type] ?? [], action.type, action.val[type]!);
}

function changedSet(type: SetType, before: readonly string[], change: "add" | "delete", members: readonly string[]) {
  const others = before.filter((member) => !members.includes(member));
  const after = change === "add" ? [...others, ...members] : others;
  return after.length > 0 ? { [type]: after } : undefined;
}

function assigned(value: Assigned, item: Item): AttributeValue {
  if (Array.isArray(value)) return valueAt(item, value) ?? raise(noSuchAttribute);
  if (!("type" in value)) return value as AttributeValue;
  if (value.type === "function" && value.name === "if_not_exists") {
    return valueAt(item, value.args[0] as Path) ?? assigned(value.args[1], item);
  }
  const [a, b] = value.args.map((argument) => assigned(argument, item)) as [AttributeValue, AttributeValue];
  if (value.type === "function") return a.L && b.L ? { L: [...a.L, ...b.L] } : raise(wrongType);
  if (a.N === undefined || b.N === undefined) return raise(wrongType);
  return { N: storedNumber(value.type === "add" ? add(a.N, b.N) : subtract(a.N, b.N)) };
}

const invalid = (message: string) => new AwsError("ValidationException", message);

function raise(message: string): never {
  throw invalid(message);
}
