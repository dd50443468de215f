import type { ConfigNode } from "./config-node.ts";

/** Spring reads `show-details`, `showDetails` and `SHOW_DETAILS` as one; dots in keys of YAML are levels, too. */
export function springNames(root: ConfigNode): ConfigNode {
  const top: ConfigNode = { ...root, entries: [] };
  for (const entry of root.entries) place(top, entry);
  return top;
}

function place(parent: ConfigNode, node: ConfigNode): void {
  const way = node.key.split(".").map((key) => key.toLowerCase().replace(/[-_]/g, ""));
  const key = way.pop() as string;
  let at = parent;
  for (const name of way) {
    const known = at.entries.find((entry) => entry.key === name && entry.value === null);
    const level = known ?? { ...node, key: name, value: null, text: null, entries: [], parent: at };
    if (!known) at.entries.push(level);
    at = level;
  }
  const renamed: ConfigNode = { ...node, key, entries: [], parent: at };
  at.entries.push(renamed);
  for (const entry of node.entries) place(renamed, entry);
}
