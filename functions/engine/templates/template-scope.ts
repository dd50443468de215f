import type { Span } from "../ir/ir.ts";
import type { HtmlPlace } from "./html-place.ts";
import { HtmlReader } from "./html-place.ts";
import { readsOf } from "./template-expression.ts";
import type { TemplateFormat } from "./template-format.ts";
import { join, type Reads } from "./template-reads.ts";

/** Something is put into the page. */
export interface Output extends Span {
  reads: Reads;
  /** The engine does not escape here. */
  raw: boolean;
  place: OutputPlace;
}

/** A place of a page, or an expression of the template itself. */
type OutputPlace = HtmlPlace | "expression";

/** Another template becomes part of this one: it sees what this one was given, and besides what it is handed. */
export interface Include extends Span {
  name: string;
  given: ReadonlyMap<string, Reads>;
  /** It sees nothing but what it is handed. */
  alone: boolean;
}

interface Scope {
  names: Map<string, Reads>;
  context: Reads | null;
  /** Its context is its own, and not that of the block around. */
  inner: boolean;
}

/** More of either is a page that a machine has written. */
const outputsMax = 2_000;
const includesMax = 200;
const scopesMax = 200;

/** What is known while a template is read from its beginning to its end. */
export class TemplateScope {
  readonly text: string;
  readonly format: TemplateFormat;
  readonly html: HtmlReader;
  readonly outputs: Output[] = [];
  readonly includes: Include[] = [];
  /** False inside of `{% autoescape off %}`. */
  escapes = true;
  /** The statement that ends what is not read at all. */
  skipUntil: string | null = null;
  readonly #scopes: Scope[] = [{ names: new Map(), context: null, inner: false }];

  constructor(text: string, format: TemplateFormat) {
    this.text = text;
    this.format = format;
    this.html = new HtmlReader(format === "jsp");
  }

  reads(span: Span): Reads {
    return readsOf(this.text, span, this.format, (name, at) => this.#lookup(name, at));
  }

  bind(name: string, value: Reads): void {
    this.#scopes.at(-1)?.names.set(name.replace(/^[@$]+/, ""), value);
  }

  /** Begins a block. With a context, plain names in it are names of that: Handlebars. */
  push(context: Reads | null = null): void {
    const around = this.#scopes.at(-1)?.context ?? null;
    if (this.#scopes.length < scopesMax)
      this.#scopes.push({ names: new Map(), context: context ?? around, inner: context !== null });
  }

  pop(): void {
    if (this.#scopes.length > 1) this.#scopes.pop();
  }

  output(reads: Reads, at: Span, raw: boolean, place: OutputPlace = this.html.place): void {
    if (reads.length === 0 || place === "none" || this.outputs.length >= outputsMax) return;
    this.outputs.push({ start: at.start, end: at.end, reads, raw: raw || !this.escapes, place });
  }

  /** @param given what is handed on by name; what loops and assignments have named is seen by what is included, too */
  include(name: string, at: Span, given: ReadonlyMap<string, Reads> = new Map()): void {
    if (this.includes.length >= includesMax) return;
    const bound = this.#scopes.flatMap(({ names }) => [...names]);
    this.includes.push({ name, start: at.start, end: at.end, given: new Map([...bound, ...given]), alone: false });
  }

  /** A component, which sees no more than it is handed by name. */
  component(name: string, at: Span, given: ReadonlyMap<string, Reads>): void {
    if (this.includes.length < includesMax)
      this.includes.push({ name, start: at.start, end: at.end, given, alone: true });
  }

  /** `a=b c=d`, `a = b, c = d`, `{'a': b}`: names with the values that follow them. */
  pairs({ start, end }: Span): Map<string, Reads> {
    const heads = [...this.text.slice(start, end).matchAll(/["']?(?<!\w)(\w+)["']?\s*(?:=>|=(?!=)|:(?!:))/g)];
    return new Map(
      heads.map((head, i) => {
        const from = start + head.index + head[0].length;
        return [head[1] as string, this.reads({ start: from, end: start + (heads[i + 1]?.index ?? end - start) })];
      }),
    );
  }

  /** What is around so many contexts; `{{#if}}` has none of its own. */
  #around(contexts: number): readonly Scope[] {
    let end = this.#scopes.length;
    for (let left = contexts; left > 0 && end > 1; end--) if (this.#scopes[end - 1]?.inner) left--;
    return this.#scopes.slice(0, end);
  }

  #lookup(name: string, at: Span): Reads | undefined {
    const up = name.match(/^(\.\.\/)+/)?.[0] ?? "";
    const plain = name.slice(up.length);
    const scopes = this.#around(up.length / 3);
    for (const { names } of scopes.toReversed()) {
      const known = names.get(plain);
      if (known) return known;
    }
    const context = scopes.at(-1)?.context ?? null;
    const here = (read: Reads) => read.map((one) => ({ ...one, start: at.start, end: at.end }));
    if (plain === "this") return context ?? [];
    if (!context) return undefined;
    const inside = here(context).map((read) => ({ ...read, path: [...read.path.slice(0, 3), plain] }));
    // Mustache looks further out for what the inner object does not have.
    return join(inside, [{ root: plain, path: [], state: "plain", ...at }]);
  }
}
