import { excerptOf } from "../findings/excerpt.ts";
import type { Call, Expression, Operation, Span } from "../ir/ir.ts";
import { type FunctionShape, outermostAt, type Round, type Within } from "./file-shape.ts";
import { firstLine, type Measured, type MeasuredFile, type Query } from "./measured.ts";

/**
 * Lists that grow in a loop and are searched from the start in each of its rounds: the time goes with the square of the rounds. Lists
 * that are only searched may be as short as they like.
 */
export function searchedLists(file: MeasuredFile, query: Query): Measured[] {
  const searches = [
    ...file.shape.operations.map((place) => ({ ...place, list: searchedBy(place.node) })),
    ...file.shape.calls.map((place) => ({ ...place, list: searchedIn(place.node) })),
  ];
  const grown = Map.groupBy(grownIn(file), ({ name }) => name);
  const emptyAt = emptyLists(file);
  return searches.flatMap(({ node, fn, round, list }) => {
    if (list === null || !fn || !query.fits(file.text.slice(node.start, node.end))) return [];
    const repeated = (round && outermostAt(round, node)) ?? fn.each;
    const made = repeated && emptyAt(list, fn, repeated);
    if (!made || !grown.get(list)?.some(({ at }) => holds(repeated.body, at))) return [];
    const source = list.replace(/^\$/, "");
    return [{ at: firstLine(file, node), fn, anchor: source, source, sink: excerptOf(file.text, node, 60) }];
  });
}

/** `x in seen`. */
const searchedBy = ({ operator, operands }: Operation): string | null =>
  /^(not )?in$/.test(operator) && isMany(operands[0]) ? nameOf(operands[1]) : null;

/** `seen.includes(x)`, `in_array($x, $seen)`. */
function searchedIn({ callee, args }: Call): string | null {
  if (!isMany(args[0]?.value)) return null;
  if (callee.kind === "field" && /^(includes|indexOf|contains)$/.test(callee.name)) return nameOf(callee.of);
  if (callee.kind === "variable" && /^(in_array|array_search)$/.test(callee.name)) return nameOf(args[1]?.value);
  return null;
}

/** What is written out stands in a list once at most, and somebody wrote each of them. */
const isMany = (searched: Expression | undefined): boolean => searched !== undefined && searched.kind !== "literal";

/** Where something is added at the end of a list: `seen.push(x)`, `seen.append(x)`, `seen.add(x)`, `$seen[] = $x`. */
function grownIn({ shape }: MeasuredFile): { name: string; at: Span }[] {
  return [
    ...shape.calls.flatMap(({ node }) => {
      const { callee } = node;
      const name = callee.kind === "field" && /^(push|append|add)$/.test(callee.name) ? nameOf(callee.of) : null;
      return name === null ? [] : [{ name, at: node }];
    }),
    ...shape.assigns.flatMap(({ node }) => {
      const name = node.to.kind === "index" && node.to.key === null ? nameOf(node.to.of) : null;
      return name === null ? [] : [{ name, at: node }];
    }),
  ];
}

/** Tells whether a list was made without elements, by the function or one around it, before a loop. */
function emptyLists({ shape }: MeasuredFile) {
  const declared = Map.groupBy(shape.locals, ({ node }) => nameOf(node.to) ?? "");
  return (name: string, fn: FunctionShape, { body }: Round): boolean =>
    (declared.get(name) ?? []).some(
      (local) => isAround(local, fn) && local.node.start < body.start && isEmptyList(local.node.from),
    );
}

function isAround(local: Within<unknown>, fn: FunctionShape): boolean {
  for (let here: FunctionShape | null = fn; here; here = here.around) if (here === local.fn) return true;
  return false;
}

const isEmptyList = (from: Expression): boolean =>
  from.kind === "collection"
    ? from.shape === "list" && from.entries.length === 0
    : from.kind === "call" &&
      from.args.length === 0 &&
      /^(ArrayList|LinkedList|Array|list)$/.test(nameOf(from.callee) ?? "");

const nameOf = (expression: Expression | undefined): string | null =>
  expression?.kind === "variable" ? expression.name : null;

const holds = (around: Span, { start, end }: Span): boolean => around.start <= start && around.end >= end;
