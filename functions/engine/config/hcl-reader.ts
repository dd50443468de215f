import { type ConfigNode, ConfigTree, depthMax } from "./config-node.ts";
import { readYaml } from "./yaml-reader.ts";

/**
 * Reads Terraform's language. A block stands under its type and labels: `resource.aws_s3_bucket.logs.acl`. Literals are values, lists and
 * objects are read, also inside `jsonencode()`, and so is JSON in heredocs; all other expressions are values as they are written.
 */
export function readHcl(text: string): ConfigNode[] {
  const tree = new ConfigTree();
  const root = tree.root();
  new HclReader(text, tree).body(root, 0);
  return [root];
}

class HclReader {
  readonly #text: string;
  readonly #tree: ConfigTree;
  #at = 0;

  constructor(text: string, tree: ConfigTree) {
    this.#text = text;
    this.#tree = tree;
  }

  /** Attributes and blocks up to the closing brace, or to the end of the file. */
  body(parent: ConfigNode, depth: number): void {
    for (;;) {
      this.#blank(true);
      if (this.#at >= this.#text.length || this.#taken("}")) return;
      const start = this.#at;
      const name = this.#word() ?? this.#quoted();
      if (name === null) {
        // Whatever this is, the next line may be readable again.
        this.#at++;
        continue;
      }
      this.#blank(false);
      if (this.#peek() === "=" || this.#peek() === ":") {
        this.#at++;
        this.#value(parent, name, start, depth);
      } else this.#block(parent, name, start, depth);
    }
  }

  #block(parent: ConfigNode, name: string, start: number, depth: number): void {
    const labels = [name];
    for (;;) {
      this.#blank(false);
      const label = this.#peek() === '"' ? this.#quoted() : this.#word();
      if (label === null) break;
      labels.push(label);
    }
    if (!this.#taken("{")) return;
    const end = this.#at;
    const node = labels.reduce((at, key) => this.#tree.add(at, { key, start, end }), parent);
    if (depth < depthMax) this.body(node, depth + 1);
  }

  #value(parent: ConfigNode, key: string, start: number, depth: number): void {
    this.#blank(true);
    const from = this.#at;
    const encoded = /^jsonencode\s*\(\s*(?=[[{])/.exec(this.#text.slice(from, from + 200));
    if (encoded) this.#at += encoded[0].length;
    if (depth < depthMax && (this.#peek() === "[" || this.#peek() === "{") && !this.#isFor()) {
      const node = this.#tree.add(parent, { key, start, end: from });
      if (this.#taken("{")) this.#object(node, depth + 1);
      else this.#list(node, depth + 1);
      if (encoded) {
        this.#blank(true);
        this.#taken(")");
      }
      return;
    }
    const heredoc = /^<<[-~]?([A-Za-z_]\w*)[^\n]*\n/.exec(this.#text.slice(from, from + 200));
    if (heredoc) {
      this.#heredoc(parent, key, start, heredoc);
      return;
    }
    const literal = this.#peek() === '"' ? this.#quoted() : null;
    this.#expression();
    const written = this.#text.slice(from, this.#at).trim();
    const plain = literal !== null && /^"(?:[^"\\]|\\.)*"$/.test(written);
    this.#tree.add(parent, { key, start, end: from + written.length, value: plain ? literal : written });
  }

  #object(node: ConfigNode, depth: number): void {
    for (;;) {
      this.#blank(true);
      if (this.#at >= this.#text.length || this.#taken("}")) return;
      if (this.#taken(",")) continue;
      const start = this.#at;
      const key = this.#peek() === '"' ? this.#quoted() : this.#peek() === "(" ? this.#bracketed() : this.#word();
      this.#blank(false);
      if (key === null || !(this.#taken("=") || this.#taken(":"))) this.#at = Math.max(this.#at, start + 1);
      else this.#value(node, key, start, depth);
    }
  }

  #list(node: ConfigNode, depth: number): void {
    this.#at++;
    for (let i = 0; ; i++) {
      this.#blank(true);
      if (this.#at >= this.#text.length || this.#taken("]")) return;
      const start = this.#at;
      this.#value(node, String(i), start, depth);
      this.#blank(true);
      this.#taken(",");
      if (this.#at === start) this.#at++;
    }
  }

  #heredoc(parent: ConfigNode, key: string, start: number, [head, delimiter]: RegExpExecArray): void {
    const from = this.#at + head.length;
    const closing = new RegExp(`^[ \\t]*${delimiter}[ \\t]*\\r?$`, "gm");
    closing.lastIndex = from;
    const close = closing.exec(this.#text);
    const to = close?.index ?? this.#text.length;
    this.#at = close ? to + close[0].length : to;
    const text = this.#text.slice(from, to);
    const node = this.#tree.add(parent, { key, start, end: from, value: text, text, textStart: from });
    // Interpolations would be no JSON; their length is kept, so that places stay.
    const json = text.replace(/\$\{[^}\n"]*\}/g, (found) => "x".repeat(found.length));
    if (!/^\s*[{[]/.test(json)) return;
    const [read] = readYaml(json, from).roots;
    if (read) node.entries.push(...read.entries);
  }

  #isFor = (): boolean => /^[[{]\s*for\b/.test(this.#text.slice(this.#at, this.#at + 40));

  /** Moves to the end of an expression: a line end, comma or closing bracket outside of all brackets. */
  #expression(): void {
    while (this.#at < this.#text.length) {
      const c = this.#peek();
      if (c === '"') this.#quoted();
      else if (c === "(" || c === "[" || c === "{") this.#bracketed();
      else if (c === "\n" || c === "," || c === ")" || c === "]" || c === "}") return;
      else if (c === "#" || this.#text.startsWith("//", this.#at)) return;
      else this.#at++;
    }
  }

  /** Moves behind the bracket that closes this one. */
  #bracketed(): string {
    const start = this.#at;
    let depth = 0;
    while (this.#at < this.#text.length) {
      const c = this.#peek();
      if (c === '"') {
        this.#quoted();
        continue;
      }
      if (c === "(" || c === "[" || c === "{") depth++;
      if (c === ")" || c === "]" || c === "}") depth--;
      this.#at++;
      if (depth === 0) break;
    }
    return this.#text.slice(start, this.#at);
  }

  /** A string with its interpolations, which may hold strings again. */
  #quoted(): string | null {
    if (this.#peek() !== '"') return null;
    const start = ++this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const c = this.#text[this.#at];
      if (c === "\n" && depth === 0) break;
      if (c === "\\") this.#at++;
      else if ((c === "$" || c === "%") && this.#text[this.#at + 1] === "{") {
        depth++;
        this.#at++;
      } else if (depth > 0 && c === "{") depth++;
      else if (depth > 0 && c === "}") depth--;
      else if (c === '"' && depth === 0) break;
    }
    const value = this.#text.slice(start, this.#at).replace(/\\(["\\])/g, "$1");
    this.#at++;
    return value;
  }

  #word(): string | null {
    const word = /^[A-Za-z_*][\w*.-]*/.exec(this.#text.slice(this.#at, this.#at + 200))?.[0];
    if (word) this.#at += word.length;
    return word ?? null;
  }

  #blank(lines: boolean): void {
    const blank = lines ? /(?:\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y : /[ \t]*/y;
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  #peek = (): string | undefined => this.#text[this.#at];

  #taken(token: string): boolean {
    const there = this.#text.startsWith(token, this.#at);
    if (there) this.#at += token.length;
    return there;
  }
}
