/**
 * One entry of a configuration file, whatever its syntax. Keys may repeat among the entries of a node, as directives and blocks do.
 * What a reader has worked out, such as the user an image ends up with, stands under keys that begin with `@`.
 */
export interface ConfigNode {
  readonly key: string;
  /** The value as text; null for maps, lists and what is empty. */
  readonly value: string | null;
  readonly entries: ConfigNode[];
  readonly parent: ConfigNode | null;
  /** Where it stands: key and value of a scalar, the key or header of everything else. */
  readonly start: number;
  readonly end: number;
  /** The value as it is written, from `textStart`, with comments blanked: places in it are places in the file. */
  readonly text: string | null;
  readonly textStart: number;
}

/** What a reader says of one entry. */
export interface NewNode {
  key: string;
  start: number;
  end: number;
  value?: string | null;
  text?: string;
  textStart?: number;
}

/** Beyond this many entries a file is data, or an attack by aliases. */
const nodesMax = 100_000;
/** Deeper nesting is nothing people write. */
export const depthMax = 200;

/** The file has more than is read of it. */
export class TooLarge extends Error {}

/** Builds the nodes of one file and counts them. */
export class ConfigTree {
  #nodes = 0;

  root(): ConfigNode {
    return this.#make(null, { key: "", start: 0, end: 0 });
  }

  /** @throws TooLarge */
  add(parent: ConfigNode, given: NewNode): ConfigNode {
    const node = this.#make(parent, given);
    parent.entries.push(node);
    return node;
  }

  /** Lets an entry be found under a second name. */
  alias(parent: ConfigNode, key: string, of: ConfigNode): void {
    parent.entries.push({ ...of, key });
  }

  #make(parent: ConfigNode | null, given: NewNode): ConfigNode {
    if (++this.#nodes > nodesMax) throw new TooLarge("too many entries");
    const { key, start, end, value = null, text = null, textStart = start } = given;
    return { key, value, entries: [], parent, start, end, text, textStart };
  }
}

/** Finds entries by their names while a document is built, without looking through all that a node has: a file can have all in one. */
export class NamedEntries {
  readonly #known = new Map<ConfigNode, Map<string, ConfigNode>>();

  /** The first entry of that name. */
  find(parent: ConfigNode, key: string): ConfigNode | undefined {
    return this.#known.get(parent)?.get(key);
  }

  add(parent: ConfigNode, entry: ConfigNode): ConfigNode {
    const entries = this.#known.get(parent) ?? new Map<string, ConfigNode>();
    this.#known.set(parent, entries);
    if (!entries.has(entry.key)) entries.set(entry.key, entry);
    return entry;
  }
}

/** The first entry of that name. */
export const entryOf = (node: ConfigNode | undefined, key: string): ConfigNode | undefined =>
  node?.entries.find((entry) => entry.key === key);

/** Whole lines of comments as blanks, so that nothing in them is found and all places stay. */
export const withoutHashLines = (text: string): string =>
  text.replace(/^[ \t]*#[^\n]*/gm, (line) => " ".repeat(line.length));
