import type { BoundName } from "../artefact.ts";
import { type ConfigNode, ConfigTree } from "./config-node.ts";

const statement = /<(select|insert|update|delete|sql|statement|procedure)\b([^<>]*)>((?:(?!<\1\b)[\s\S])*?)<\/\1\s*>/g;
/** The one parameter of such a statement is a number, whatever name the text gives it: it can carry no attack. */
const givenNumber =
  /\bparameterType\s*=\s*["'](java\.(lang|math)\.)?_?(int|integer|long|short|byte|double|float|boolean|bigdecimal|biginteger)["']/i;
const comment = /<!--(?:(?!<!--)[\s\S])*?-->/g;

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** The attributes of a loop. They end at the next tag at the latest, or tags that are never closed would be read over and over. */
const loop = /<foreach\b([^<>]*)>/g;
/** Each name of a statement is looked up among its loops. People write far fewer than this. */
const loopsMax = 100;
const namespaceOf = /<mapper\b[^<>]*\bnamespace\s*=\s*["']([\w.$]+)["']/;
const itemOf = /\bitem\s*=\s*["']([\w.$]+)["']/;
const collectionOf = /\bcollection\s*=\s*["']([\w.$]+)["']/;

/** Reads the statements of a mapper: their kind, `@id`, what their loops go through (`@each:` and the name of an element), and the text between their tags with comments as blanks. */
export function readMapper(source: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const plain = source.replace(comment, blank);
  const namespace = plain.match(namespaceOf)?.[1];
  if (namespace !== undefined) tree.add(root, { key: "@namespace", start: 0, end: 0, value: namespace });
  for (const found of plain.matchAll(statement)) {
    const [all, kind, attributes, inner] = found as unknown as [string, string, string, string];
    const textStart = found.index + all.indexOf(">") + 1;
    const end = found.index + all.length;
    const text = givenNumber.test(attributes) ? inner.replace(/\$\{[^}]*\}/g, blank) : inner;
    const node = tree.add(root, { key: kind, start: found.index, end, text, textStart });
    const id = attributes.match(/\bid\s*=\s*["']([^"']*)["']/)?.[1];
    if (id !== undefined) tree.add(node, { key: "@id", start: found.index, end: textStart, value: id });
    for (const [, given = ""] of text.matchAll(loop).take(loopsMax)) {
      const [item, collection] = [itemOf, collectionOf].map((wanted) => given.match(wanted)?.[1]);
      if (item !== undefined && collection !== undefined)
        tree.add(node, { key: `@each:${item}`, start: found.index, end: textStart, value: collection });
    }
  }
  return [root];
}

/** What a name such as `${order}` in the text of a statement stands for; null where nothing says which method gives it. */
export function boundName({ entries, parent }: ConfigNode, written: string): BoundName | null {
  const [first, ...rest] = written.match(/^\$\{\s*([\w.]+)/)?.[1]?.split(".") ?? [];
  const said = (wanted: string) => entries.find(({ key }) => key === wanted)?.value;
  const id = said("@id");
  const namespace = parent?.entries.find(({ key }) => key === "@namespace")?.value;
  if (first === undefined || !id || !namespace) return null;
  return { method: `${namespace}.${id}`, name: [said(`@each:${first}`) ?? first, ...rest].join(".") };
}
