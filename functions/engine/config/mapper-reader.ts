import { type ConfigNode, ConfigTree } from "./config-node.ts";

const statement = /<(select|insert|update|delete|sql|statement|procedure)\b([^<>]*)>((?:(?!<\1\b)[\s\S])*?)<\/\1\s*>/g;
const comment = /<!--(?:(?!<!--)[\s\S])*?-->/g;

/** Reads the statements of a mapper: their kind, `@id`, and the text between their tags with comments as blanks. */
export function readMapper(text: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const plain = text.replace(comment, (found) => found.replace(/[^\n]/g, " "));
  for (const found of plain.matchAll(statement)) {
    const [all, kind, attributes, inner] = found as unknown as [string, string, string, string];
    const textStart = found.index + all.indexOf(">") + 1;
    const end = found.index + all.length;
    const node = tree.add(root, { key: kind, start: found.index, end, text: inner, textStart });
    const id = attributes.match(/\bid\s*=\s*["']([^"']*)["']/)?.[1];
    if (id !== undefined) tree.add(node, { key: "@id", start: found.index, end: textStart, value: id });
  }
  return [root];
}
