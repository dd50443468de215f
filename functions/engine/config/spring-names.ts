import { type ConfigNode, NamedEntries } from "./config-node.ts";

/** Spring reads `show-details`, `showDetails` and `SHOW_DETAILS` as one; dots in keys of YAML are levels, too. */
export function springNames(root: ConfigNode): ConfigNode {
  const top: ConfigNode = { ...root, entries: [] };
  const levels = new NamedEntries();
  for (const entry of root.entries) place(top, entry, levels);
  return top;
}

function place(parent: ConfigNode, node: ConfigNode, levels: NamedEntries): void {
  const way = node.key.split(".").map((key) => key.toLowerCase().replace(/[-_]/g, ""));
  const key = way.pop() as string;
  let at = parent;
  for (const name of way) {
    const known = levels.find(at, name);
    const level = known ?? { ...node, key: name, value: null, text: null, entries: [], parent: at };
    if (!known) at.entries.push(levels.add(at, level));
    at = level;
  }
  const renamed: ConfigNode = { ...node, key, entries: [], parent: at };
  at.entries.push(renamed);
  if (renamed.value === null) levels.add(at, renamed);
  for (const entry of node.entries) place(renamed, entry, levels);
}
