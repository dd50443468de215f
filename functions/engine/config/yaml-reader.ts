import { Composer, type CST, type Document, isAlias, isMap, isScalar, isSeq, Lexer, Parser, visit } from "yaml";
import { noLimit, type TimeLimit } from "../time-limit.ts";
import { type ConfigNode, ConfigTree, depthMax, withoutHashLines } from "./config-node.ts";

/** What was read of a file: its documents, and whether the reader stumbled. */
export interface ReadDocuments {
  roots: ConfigNode[];
  broken: boolean;
}

/**
 * Reads YAML, and JSON as the part of it that it is. What aliases and merges bring is resolved and stands where it was written.
 * @param offset of the text in its file
 * @throws TimeUp
 */
export function readYaml(text: string, offset = 0, limit: TimeLimit = noLimit()): ReadDocuments {
  const composer = new Composer({ uniqueKeys: false, strict: false, prettyErrors: false, logLevel: "silent" });
  const list: Document[] = [...composer.compose(tokensOf(text, limit))];
  const tree = new ConfigTree();
  const roots = list.flatMap((document) => {
    if (!document.contents) return [];
    const root = tree.root();
    new Conversion(tree, text, offset, targetsOf(document)).into(root, document.contents, 0);
    return [root];
  });
  return { roots, broken: list.some((document) => document.errors.length > 0) };
}

/** A token takes the library some microseconds, and a file can be made of nothing else. */
const stepsAToken = 16;

function* tokensOf(text: string, limit: TimeLimit): Generator<CST.Token> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    limit.check(stepsAToken);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Comments with `//` and between slashes and stars, as tools allow them in JSON, turned to blanks; places stay. */
export const withoutJsonComments = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (found) =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, " "),
  );

/** What every alias stands for, found in one walk: the library would walk the document for each. */
function targetsOf(document: Document): Map<unknown, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<unknown, unknown>();
  visit(document, {
    Alias: (_, alias) => void targets.set(alias, anchors.get(alias.source)),
    Value: (_, node) => void (node.anchor && anchors.set(node.anchor, node)),
  });
  return targets;
}

class Conversion {
  readonly #tree: ConfigTree;
  readonly #text: string;
  readonly #offset: number;
  readonly #targets: ReadonlyMap<unknown, unknown>;

  constructor(tree: ConfigTree, text: string, offset: number, targets: ReadonlyMap<unknown, unknown>) {
    this.#tree = tree;
    this.#text = text;
    this.#offset = offset;
    this.#targets = targets;
  }

  /** Adds the entries of a map or list below a node. */
  into(parent: ConfigNode, given: unknown, depth: number): void {
    const node = this.#resolved(given);
    if (depth > depthMax) return;
    if (isMap(node)) this.#map(parent, node, depth);
    else if (isSeq(node)) {
      for (const [i, item] of node.items.entries()) {
        const [start, end] = this.#placeOf(this.#resolved(item));
        this.#add(parent, String(i), item, start, end, depth);
      }
    }
  }

  #map(parent: ConfigNode, map: { items: readonly { key: unknown; value: unknown }[] }, depth: number): void {
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value) : "";
      const [start, end] = this.#placeOf(key);
      if (name !== "<<") this.#add(parent, name, value, start, end, depth);
    }
    for (const { key, value } of map.items) {
      if (!isScalar(key) || String(key.value) !== "<<") continue;
      const merged = this.#resolved(value);
      for (const one of isSeq(merged) ? merged.items : [merged]) this.#merge(parent, this.#resolved(one), depth);
    }
  }

  /** What is written out wins over what is merged in. */
  #merge(parent: ConfigNode, merged: unknown, depth: number): void {
    if (!isMap(merged) || depth > depthMax) return;
    const known = new Set(parent.entries.map((entry) => entry.key));
    const items = merged.items.filter(({ key }) => !isScalar(key) || !known.has(String(key.value)));
    this.#map(parent, { items }, depth + 1);
  }

  #add(parent: ConfigNode, key: string, given: unknown, start: number, keyEnd: number, depth: number): void {
    const value = this.#resolved(given);
    if (!isScalar(value)) {
      const node = this.#tree.add(parent, { key, start, end: isMap(value) && /^\d+$/.test(key) ? start : keyEnd });
      this.into(node, value, depth + 1);
      return;
    }
    const [from, to] = this.#placeOf(value);
    const text = withoutHashLines(this.#text.slice(from - this.#offset, to - this.#offset));
    const shown = value.value === null || value.value === undefined ? null : String(value.value);
    // An alias brings a value from elsewhere: the key is what stands here.
    const end = from >= start ? to : keyEnd;
    this.#tree.add(parent, { key, start, end, value: shown, text, textStart: from });
  }

  #placeOf(node: unknown): [start: number, end: number] {
    const range = (node as { range?: readonly number[] } | null)?.range;
    return range ? [this.#offset + (range[0] as number), this.#offset + (range[1] as number)] : [0, 0];
  }

  #resolved(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }
}
