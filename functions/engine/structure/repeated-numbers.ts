import type { Literal } from "../ir/ir.ts";
import type { Within } from "./file-shape.ts";
import { firstLine, type Measured, type MeasuredFile, type Query } from "./measured.ts";

/** Masks and widths of bits explain themselves. */
const onBits = /^([&|^~]|&\^|<<|>>>?)$/;

/** Numbers that a file calculates or compares with repeatedly: nothing says what they mean, and all of them have to change together. */
export function repeatedNumbers(file: MeasuredFile, query: Query): Measured[] {
  const reckoned = file.shape.operations.filter(({ node }) => !onBits.test(node.operator));
  const written = reckoned.flatMap(({ node, fn, round }) =>
    node.operands.flatMap((operand): Within<Literal>[] =>
      fn && operand.kind === "literal" && typeof operand.value === "number" ? [{ node: operand, fn, round }] : [],
    ),
  );
  const textOf = ({ node }: Within<Literal>) => file.text.slice(node.start, node.end);
  const numbers = written.filter((number) => /^[\d.]/.test(textOf(number)) && query.fits(textOf(number)));
  return [...Map.groupBy(numbers, textOf)].flatMap(([text, places]) => {
    const [first] = places;
    if (!first || places.length <= query.above) return [];
    return [{ at: firstLine(file, first.node), fn: first.fn, anchor: text, source: text, sink: String(places.length) }];
  });
}
