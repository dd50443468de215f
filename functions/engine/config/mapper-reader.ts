import type { BoundName } from "../artefact.ts";
import { type ConfigNode, ConfigTree } from "./config-node.ts";

const statement = /<(select|insert|update|delete|sql|statement|procedure)\b([^<>]*)>((?:(?!<\1\b)[\s\S])*?)<\/\1\s*>/g;
/** Statements that are given one number have it under any name, and it carries no attack. */
const givenNumber =
  /\bparameterType\s*=\s*["'](java\.(lang|math)\.)?_?(int|integer|long|short|byte|double|float|boolean|bigdecimal|biginteger)["']/i;
const comment = /<!--(?:(?!<!--)[\s\S])*?-->/g;

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** Reads the statements of a mapper: their kind, `@id`, and the text between their tags with comments as blanks. */
export function readMapper(source: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const plain = source.replace(comment, blank);
  const namespace = plain.match(/<mapper\b[^>]*\bnamespace\s*=\s*["']([\w.$]+)["']/);
  if (namespace) tree.add(root, { key: "@namespace", start: 0, end: 0, value: namespace[1] ?? "" });
  for (const found of plain.matchAll(statement)) {
    const [all, kind, attributes, inner] = found as unknown as [string, string, string, string];
    const textStart = found.index + all.indexOf(">") + 1;
    const end = found.index + all.length;
    const text = givenNumber.test(attributes) ? inner.replace(/\$\{[^}]*\}/g, blank) : inner;
    const node = tree.add(root, { key: kind, start: found.index, end, text, textStart });
    const id = attributes.match(/\bid\s*=\s*["']([^"']*)["']/)?.[1];
    if (id !== undefined) tree.add(node, { key: "@id", start: found.index, end: textStart, value: id });
  }
  return [root];
}

/** What a name such as `${order}` in the text of a statement stands for; null where nothing says which method gives it. */
export function boundName({ entries, parent, text }: ConfigNode, written: string): BoundName | null {
  const [first, ...rest] = written.match(/^\$\{\s*([\w.]+)/)?.[1]?.split(".") ?? [];
  const id = entries.find(({ key }) => key === "@id")?.value;
  const namespace = parent?.entries.find(({ key }) => key === "@namespace")?.value;
  if (first === undefined || !id || !namespace) return null;
  const loop = (text ?? "").match(new RegExp(`<foreach\\b[^>]*\\bitem\\s*=\\s*["']${first}["'][^>]*>`))?.[0];
  const list = loop?.match(/\bcollection\s*=\s*["']([\w.]+)["']/)?.[1];
  return { method: `${namespace}.${id}`, name: [list ?? first, ...rest].join(".") };
}
