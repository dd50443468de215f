import type { LineIndex } from "../inventory/line-index.ts";
import type { Module, Span } from "../ir/ir.ts";
import type { CodeLines } from "./code-lines.ts";
import type { FileShape, FunctionShape } from "./file-shape.ts";
import type { StructureQuery } from "./structure-schema.ts";

/** Something that a measure has found, in offsets. */
export interface Measured {
  readonly at: Span;
  readonly fn: FunctionShape | null;
  /** What identifies it among the others of its function, and still does when the lines around it change. */
  readonly anchor: string;
  /** What the texts of the rule say of it. */
  readonly source: string;
  readonly sink: string;
}

/** What the measures look at. */
export interface MeasuredFile {
  readonly shape: FileShape;
  readonly module: Module;
  readonly text: string;
  readonly lines: LineIndex;
  readonly code: CodeLines;
  /** Variables are written with a `$`. */
  readonly dollars: boolean;
  readonly nameOf: (fn: FunctionShape) => string;
}

export type Query = Pick<StructureQuery, "above" | "upTo"> & { fits: (text: string) => boolean };

const betweenParts = /^(?:[\s\])]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/;

/** The first line of a function itself, after its decorators. */
export function headOf(file: MeasuredFile, { fn }: FunctionShape): Span {
  // Visibility that a language tells by other means stands for the whole function.
  const before = fn.body[0]?.start ?? fn.end;
  const decorated = fn.decorators
    .filter(({ start, end }) => start >= fn.start && end <= before && end < fn.end)
    .map(({ end }) => end);
  const start = Math.max(fn.start, ...decorated);
  const space = decorated.length > 0 ? (file.text.slice(start, fn.end).match(betweenParts)?.[0].length ?? 0) : 0;
  return firstLine(file, { start: start + space, end: fn.end });
}

export function firstLine({ text }: Pick<MeasuredFile, "text">, { start, end }: Span): Span {
  const lineEnd = text.indexOf("\n", start);
  return { start, end: lineEnd < 0 ? end : Math.min(end, lineEnd) };
}
