import { type ConfigNode, ConfigTree, NamedEntries } from "./config-node.ts";

/** Reads `.properties`: keys and values in lines, `\` at the end goes on. Dots in keys make maps of maps. */
export const readProperties = (text: string): ConfigNode[] =>
  readPairs(text, /^[ \t]*([^\s#!=:[][^\s=:]*)[ \t]*[=:\t ][ \t]*((?:\\\r?\n|[^\n])*)$/gm, (value) =>
    value.replace(/\\\r?\n\s*/g, ""),
  );

/** Reads the `NAME=value` lines of an environment file. */
export const readDotenv = (text: string): ConfigNode[] =>
  readPairs(text, /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*([^\n]*)$/gm, (value) =>
    value.replace(/^(["'])(.*?)\1.*$|\s#.*$/, "$2").trimEnd(),
  );

/** Reads INI files, names in lower case; what stands below `[section]` is not kept apart. */
export const readIni = (text: string): ConfigNode[] =>
  readPairs(
    text,
    /^[ \t]*([A-Za-z_][\w.-]*)[ \t]*=[ \t]*([^\n]*)$/gm,
    (value) => value.replace(/^"([^"]*)".*$|;.*$/, "$1").trimEnd(),
    (key) => key.toLowerCase().split("."),
  );

function readPairs(
  text: string,
  line: RegExp,
  plain: (written: string) => string,
  wayOf: (key: string) => string[] = (key) => key.split("."),
): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  const named = new NamedEntries();
  for (const found of text.matchAll(line)) {
    const [all, key, written] = found as unknown as [string, string, string];
    const start = found.index + all.search(/\S/);
    const end = found.index + all.trimEnd().length;
    const way = wayOf(key);
    const last = way.pop() as string;
    let at = root;
    for (const name of way) at = named.find(at, name) ?? named.add(at, tree.add(at, { key: name, start, end }));
    named.add(at, tree.add(at, { key: last, start, end, value: plain(written.trim()) }));
  }
  return [root];
}
