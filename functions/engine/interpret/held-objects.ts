import { remembered } from "../catalogue/remembered.ts";

/** Stands behind the name of a class, and means that objects of it are held: `Map<String, Exporter>` goes by `Exporter[]`. */
const held = "[]";

export const holding = remembered((path) => `${path}${held}`);

export const isHolding = (path: string): boolean => path.endsWith(held);

/** The class of what is held by a list, a map, an Optional, a provider: the last that the type is of. */
export const elementNamed = remembered(
  (type) =>
    /^[^<]*<(?:[^<>]{0,200},)?\s*(?:\?\s*extends\s+)?((?:[a-z]\w*\.)*\p{Lu}\w*\p{Ll}\w*)\s*>$/u.exec(type)?.[1] ?? null,
);

/** What a method gives of what holds objects: one of them, or something that holds them as well; null for other methods, and for others' paths. */
export const givenOfHeld = remembered((path) => {
  const [, type, method = ""] = /^(.+)\[\]\.(\w+)$/.exec(path) ?? [];
  if (type === undefined) return null;
  return handsOut.test(method) ? type : holdsOn.test(method) ? holding(type) : null;
});

const handsOut =
  /^(get|getOrDefault|getFirst|getLast|first|last|next|element|poll|peek|pop|take|remove|orElse|orElseGet|orElseThrow|getObject|getIfAvailable|getIfUnique)$/;
const holdsOn =
  /^(stream|parallelStream|iterator|values|filter|sorted|distinct|limit|skip|takeWhile|dropWhile|findFirst|findAny|min|max|or|toList|reversed|orderedStream)$/;

/** What one of the objects goes by that are held. */
export const namesOfHeld = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => (isHolding(path) ? [path.slice(0, -held.length)] : []));

/** The same where another file says whether something is held: `order.getItems().stream()` has what `order.getItems().get(0)` is. */
export const namesOfElement = (paths: readonly string[]): readonly string[] => [
  ...namesOfHeld(paths),
  ...paths.flatMap((path) => elementGiven(path) ?? []),
];

const elementGiven = remembered((path) => {
  const [, getter] = /^((?:\w+\.)*\p{Lu}\w*\.get\p{Lu}\w*\(\))(?:\.\w+\(\)){0,4}$/u.exec(path) ?? [];
  if (getter === undefined) return null;
  const further = path.slice(getter.length).split("()").slice(0, -1);
  return further.every((method) => holdsOn.test(method.slice(1))) ? `${getter}.get()` : null;
});
