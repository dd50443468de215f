/** A line or element longer than this cannot be an item; Step Functions draws the line for JSONL at the same length. */
const itemCharactersMax = 8 * 1024 * 1024;

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape.
type Value = any;

/** The values of a JSON Lines document, one at a time. Blank lines are skipped. @throws SyntaxError */
export async function* jsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  let rest = "";
  for await (const text of decoded(bytes)) {
    const lines = (rest + text).split("\n");
    rest = checked(lines.pop() as string);
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
  if (rest.trim() !== "") yield JSON.parse(rest);
}

/**
 * The elements of a document that is one JSON array, one at a time: the commas and brackets of the outermost level
 * are found by counting, each element is parsed by itself.
 * @throws SyntaxError
 */
export async function* jsonArray(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  const splitter = new ArraySplitter();
  for await (const text of decoded(bytes)) yield* splitter.take(text);
  if (!splitter.finished) throw new SyntaxError("The document is not a complete JSON array.");
}

class ArraySplitter {
  finished = false;
  /** Text that is not yet consumed; the scan goes on at `#at`. */
  #text = "";
  #at = 0;
  #begun = false;
  #elements = 0;
  #depth = 0;
  #inString = false;

  *take(text: string): Generator<Value> {
    this.#text = checked(this.#text) + text;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string;
      if (this.#inString) this.#inside(character);
      else if (!this.#begun || this.finished) this.#outside(character);
      else if (this.#depth === 0 && (character === "," || character === "]")) yield* this.#element(character);
      else if (character === '"') this.#inString = true;
      else if (character === "[" || character === "{") this.#depth += 1;
      else if (character === "]" || character === "}") this.#depth -= 1;
    }
  }

  #inside(character: string): void {
    if (character === "\\") this.#at += 1;
    else if (character === '"') this.#inString = false;
  }

  #outside(character: string): void {
    if (character === "[" && !this.#begun) {
      this.#begun = true;
      this.#consume();
    } else if (!/[\s\uFEFF]/.test(character)) {
      throw new SyntaxError("The document is not one JSON array.");
    }
  }

  *#element(end: string): Generator<Value> {
    const element = this.#text.slice(0, this.#at).trim();
    this.#consume();
    this.finished = end === "]";
    if (element === "" && this.finished && this.#elements === 0) return;
    this.#elements += 1;
    yield JSON.parse(element);
  }

  #consume(): void {
    this.#text = this.#text.slice(this.#at + 1);
    // The loop's own step then lands on the first character of what is left.
    this.#at = -1;
  }
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const part of bytes) yield decoder.decode(part, { stream: true });
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

function checked(rest: string): string {
  if (rest.length > itemCharactersMax) throw new SyntaxError(`An item is longer than ${itemCharactersMax} characters.`);
  return rest;
}
