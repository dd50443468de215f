import type { ClassStatement, FunctionNode } from "../ir/ir.ts";
import type { FunctionShape } from "./file-shape.ts";
import { firstLine, headOf, type Measured, type MeasuredFile, type Query } from "./measured.ts";

/** Types whose names are not written as the language writes them. */
export function typeNames(file: MeasuredFile, query: Query): Measured[] {
  return file.shape.classes.flatMap((node) => {
    const name = node.name.slice(node.name.lastIndexOf("\\") + 1);
    if (!isWord(name) || !query.fits(name) || actsAsFunction(node)) return [];
    return [{ at: firstLine(file, node), fn: null, anchor: name, source: name, sink: name }];
  });
}

/** A file in which more than this share of the functions deviates has a convention of its own. */
const othersMax = 0.25;

/** Functions whose names are not written as the language, and most of their file, write them. */
export function functionNames(file: MeasuredFile, query: Query): Measured[] {
  const free = file.shape.functions.filter((fn) => isNamedFreely(fn) && !isAccessor(file, fn));
  const others = free.filter(({ fn }) => query.fits(fn.name));
  if (others.length > free.length * othersMax) return [];
  return others.map((fn) => {
    const { name } = fn.fn;
    return { at: headOf(file, fn), fn: fn.around, anchor: name, source: name, sink: name };
  });
}

/** Overrides, decorated functions and members of records are named by whoever asks for them. */
const isNamedFreely = ({ fn, owner, declared }: FunctionShape): boolean =>
  declared && isWord(fn.name) && fn.decorators.length === 0 && (owner?.bases.length ?? 0) === 0;

/** `get total_price() {...}` is a field to everybody else. */
const isAccessor = ({ text }: MeasuredFile, { fn: { start } }: FunctionShape): boolean =>
  /^(static\s+)?[gs]et\s/.test(text.slice(start, start + 20));

const isWord = (name: string): boolean => /^[\p{L}_]/u.test(name);

/** Python writes what is called, entered or read like a plain function as one: `with suppressed(): ...`. */
const actsAsFunction = ({ body }: ClassStatement): boolean =>
  body.some((member) => member.kind === "function" && isProtocol(member.fn));

const isProtocol = ({ name }: FunctionNode): boolean => /^__(call|enter|aenter|get|iter)__$/.test(name);
