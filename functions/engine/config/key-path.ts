import { expandBraces } from "../catalogue/paths.ts";
import type { ConfigNode } from "./config-node.ts";

/**
 * A way through a document: keys separated by dots, `*` for any entry, `**` for any depth, `{a,b}` for either, `^` for the parent,
 * `$` at the beginning for the top of the document. An empty path stays where it is.
 */
export class KeyPath {
  readonly #ways: string[][];

  constructor(path: string) {
    this.#ways = expandBraces(path).map((way) => way.split(".").filter((segment) => segment !== ""));
  }

  /** The nodes it leads to, in order, each once. @param visit is told of every node looked at, and may throw to stop */
  from(node: ConfigNode, visit: () => void): ConfigNode[] {
    const found = new Set<ConfigNode>();
    for (const way of this.#ways) walk(node, way, 0, found, visit);
    return [...found];
  }
}

function walk(node: ConfigNode, way: readonly string[], at: number, found: Set<ConfigNode>, visit: () => void): void {
  visit();
  const segment = way[at];
  if (segment === undefined) found.add(node);
  else if (segment === "^") {
    if (node.parent) walk(node.parent, way, at + 1, found, visit);
  } else if (segment === "$") walk(topOf(node), way, at + 1, found, visit);
  else if (segment === "**") {
    walk(node, way, at + 1, found, visit);
    for (const entry of node.entries) if (!entry.key.startsWith("@")) walk(entry, way, at, found, visit);
  } else {
    for (const entry of node.entries)
      if (segment === "*" ? !entry.key.startsWith("@") : entry.key === segment) walk(entry, way, at + 1, found, visit);
  }
}

function topOf(node: ConfigNode): ConfigNode {
  let top = node;
  while (top.parent) top = top.parent;
  return top;
}

/** How a reader would name the place: list entries by their name where they have one, so that moving them changes nothing. */
export function pathOf(node: ConfigNode): string {
  const keys: string[] = [];
  for (let at: ConfigNode | null = node; at?.parent; at = at.parent) {
    const name = /^\d+$/.test(at.key)
      ? at.entries.find((entry) => /^(name|id|Sid|@name)$/.test(entry.key))?.value
      : at.key;
    keys.push(name ?? "*");
  }
  return keys.reverse().join(".");
}
