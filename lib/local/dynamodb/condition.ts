import {
  type AttributeValue,
  bytesOf,
  compare,
  equal,
  type Item,
  type Path,
  setTypeOf,
  typeOf,
  valueAt,
} from "./attribute-value.ts";

/** A path, a literal value, or size(path). */
export type Operand =
  | Path
  | AttributeValue
  | { readonly type: "function"; readonly name: "size"; readonly args: [Operand] };

/** A parsed condition, filter or key condition. */
export type Condition =
  | { readonly type: "and" | "or"; readonly args: readonly [Condition, Condition] }
  | { readonly type: "not"; readonly args: readonly [Condition] }
  | { readonly type: "function"; readonly name: string; readonly args: readonly Operand[] }
  | { readonly type: Comparator | "between" | "in"; readonly args: readonly Operand[] };

type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** Whether an item meets a condition. A missing attribute meets only `<>` and attribute_not_exists. */
export function matches(condition: Condition, item: Item): boolean {
  if (condition.type === "and") return matches(condition.args[0], item) && matches(condition.args[1], item);
  if (condition.type === "or") return matches(condition.args[0], item) || matches(condition.args[1], item);
  if (condition.type === "not") return !matches(condition.args[0], item);
  const [first, ...others] = (condition.args as readonly Operand[]).map((operand) => resolve(operand, item));
  if (condition.type === "function") return holds(condition.name, first, others[0]);
  if (condition.type === "<>") return !(first && others[0] && equal(first, others[0]));
  if (!first || others.includes(undefined)) return false;
  return compares(condition.type, first, others as AttributeValue[]);
}

function resolve(operand: Operand, item: Item): AttributeValue | undefined {
  if (Array.isArray(operand)) return valueAt(item, operand);
  if (!("type" in operand)) return operand as AttributeValue;
  const sized = resolve(operand.args[0], item);
  return sized && sizeOf(sized);
}

function sizeOf(value: AttributeValue): AttributeValue | undefined {
  const set = setTypeOf(value);
  const size =
    value.S?.length ??
    (value.B === undefined ? undefined : bytesOf(value.B).length) ??
    (set ? value[set]!.length : (value.L?.length ?? (value.M && Object.keys(value.M).length)));
  return size === undefined ? undefined : { N: String(size) };
}

function compares(comparator: Comparator | "between" | "in", value: AttributeValue, others: AttributeValue[]): boolean {
  const [other, upper] = others as [AttributeValue, AttributeValue];
  switch (comparator) {
    case "=":
      return equal(value, other);
    case "in":
      return others.some((one) => equal(value, one));
    case "between":
      return compares(">=", value, [other]) && compares("<=", value, [upper]);
  }
  const order = compare(value, other);
  if (order === null) return false;
  return comparator === "<"
    ? order < 0
    : comparator === "<="
      ? order <= 0
      : comparator === ">"
        ? order > 0
        : order >= 0;
}

function holds(name: string, value: AttributeValue | undefined, argument: AttributeValue | undefined): boolean {
  if (name === "attribute_exists") return value !== undefined;
  if (name === "attribute_not_exists") return value === undefined;
  if (!value || !argument) return false;
  if (name === "attribute_type") return typeOf(value) === argument.S;
  return name === "begins_with" ? beginsWith(value, argument) : contains(value, argument);
}

function beginsWith(value: AttributeValue, start: AttributeValue): boolean {
  if (value.S !== undefined && start.S !== undefined) return value.S.startsWith(start.S);
  if (value.B === undefined || start.B === undefined) return false;
  const bytes = bytesOf(start.B);
  return bytesOf(value.B).subarray(0, bytes.length).equals(bytes);
}

function contains(value: AttributeValue, part: AttributeValue): boolean {
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.B !== undefined) return part.B !== undefined && bytesOf(value.B).includes(bytesOf(part.B));
  if (value.SS) return part.S !== undefined && value.SS.includes(part.S);
  if (value.NS) return part.N !== undefined && value.NS.includes(part.N);
  if (value.BS) return part.B !== undefined && value.BS.includes(part.B);
  return value.L?.some((member) => equal(member, part)) ?? false;
}
