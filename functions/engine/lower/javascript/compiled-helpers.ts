import { lastName } from "../../ir/called-name.ts";
import type { Call, Entry, Expression } from "../../ir/ir.ts";

/** `_slicedToArray(pair, 2)`, `__read(pair, 2)`: the list that they are given, as a list. */
const asList = /^_(?:slicedToArray|toArray|toConsumableArray|_read|_values)\d?$/;
/** `__spreadArray(["a"], more, false)`: one list after the other. */
const joinsLists = /^__spreadArrays?$/;
/** `__assign({}, note)`, `_objectSpread(_objectSpread({}, note), {}, { text })`, `_extends({}, note)`. */
const joinsMaps = /^_(?:_assign|objectSpread2?|extends)\d?$/;
/** `_objectWithoutProperties(note, ["text"])`, `__rest(note, ["text"])`: what is left of a map. */
const leavesOut = /^_(?:_rest|objectWithoutProperties(?:Loose)?)\d?$/;

/** Parts of their names: a file without any of them calls none. */
const parts = [
  "__read",
  "__values",
  "__spread",
  "__assign",
  "__rest",
  "_slicedToArray",
  "_toArray",
  "_toConsumable",
  "_object",
  "_extends",
];

/** Whether a file may call them. */
export const mayCallHelpers = (text: string): boolean => parts.some((part) => text.includes(part));

/** What compilers call for syntax that older engines do not know, as that syntax; null for other calls. */
export function writtenAs({ start, end, callee, args }: Call): Expression | null {
  const name = nameOf(callee);
  const [first] = args;
  // A function of the application's own has a name of its own.
  if (!first || !name.startsWith("_")) return null;
  if (asList.test(name)) return first.value;
  const spread = ({ value }: (typeof args)[number]): Entry[] =>
    value.kind === "collection"
      ? value.entries
      : [{ start: value.start, end: value.end, key: null, value, spread: true }];
  if (joinsLists.test(name))
    return { start, end, kind: "collection", shape: "list", entries: args.slice(0, 2).flatMap(spread) };
  if (joinsMaps.test(name)) return { start, end, kind: "collection", shape: "map", entries: args.flatMap(spread) };
  return leavesOut.test(name) ? first.value : null;
}

/** `(0, _slicedToArray2.default)(…)`, `tslib_1.__read(…)` */
const nameOf = (callee: Expression): string =>
  callee.kind === "field" && callee.name === "default" ? lastName(callee.of) : lastName(callee);
