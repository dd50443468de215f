import { type ConfigNode, ConfigTree, depthMax } from "./config-node.ts";

/** No part may reach beyond the next one of its kind, or a page of tags that are never closed would take quadratic time. */
const markup =
  /<!--(?:(?!<!--)[\s\S])*?-->|<!\[CDATA\[(?:(?!<!\[CDATA\[)[\s\S])*?\]\]>|<[?!][^<>]*>|<(\/?)([A-Za-z_][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>/g;
const attribute = /(?<![\w:.-])([A-Za-z_][\w:.-]*)\s*=\s*("[^"]*"|'[^']*')/g;

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Reads elements and, as `@name`, their attributes, both without prefixes. Nothing is fetched and no entity is expanded. */
export function readXml(text: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const open: { node: ConfigNode; from: number }[] = [{ node: root, from: 0 }];
  for (const found of text.matchAll(markup)) {
    const [all, closing, name, attributes, alone] = found;
    if (!name) continue;
    const top = open.at(-1) as { node: ConfigNode; from: number };
    if (closing) {
      // A plain value is known only now: nodes are kept, so it goes into an entry of its own.
      const value = text.slice(top.from, found.index).trim();
      if (top.node.entries.every((entry) => entry.key.startsWith("@")) && value !== "" && open.length > 1)
        tree.add(top.node, { key: "@text", start: top.node.start, end: found.index + all.length, value });
      if (open.length > 1) open.pop();
      continue;
    }
    const node = tree.add(top.node, { key: localName(name), start: found.index, end: found.index + all.length });
    const offset = found.index + 1 + name.length;
    for (const each of (attributes ?? "").matchAll(attribute)) {
      const [written, key, quoted] = each as unknown as [string, string, string];
      const start = offset + each.index;
      tree.add(node, { key: `@${localName(key)}`, start, end: start + written.length, value: quoted.slice(1, -1) });
    }
    if (!alone && open.length < depthMax) open.push({ node, from: found.index + all.length });
  }
  return [root];
}
