/**
 * Where in a page an output stands. Escaping for HTML is enough in `text` and in the quotes of a `value`; it is not for the
 * beginning of an address (`url`), for code (`script`), nor for a value without quotes (`unquoted`). `string` is the inside of
 * quotes in a script, which escaped text does not leave. Between attributes and in the `name` of one, templates put what code has written as
 * attributes. `none` is the attribute of a tag that the template engine runs itself.
 */
export type HtmlPlace = "text" | "value" | "url" | "unquoted" | "script" | "string" | "name" | "none";

/** What `link` loads are styles and feeds. */
const addresses = new Set(["href", "action", "formaction", "xlink:href"]);
/** `src` runs what it is given only in some elements; an image does not. */
const loading = new Set(["iframe", "script", "embed", "frame", "object"]);

/** Follows the text of a page and knows what the next character is part of. */
export class HtmlReader {
  #in: "text" | "comment" | "tag" | "attribute" | "value" | "script" = "text";
  #tag = "";
  #attribute = "";
  #quote = "";
  #value = "";
  /** The quote or comment of the script that is open. */
  #code = "";
  /** Within the tag of an action of JSP that stands in a value or a script: its open quote, or none. */
  #action: string | null = null;
  /** That action writes what it is given with escapes for HTML. */
  #escapes = false;
  readonly #hasActions: boolean;

  /** @param hasActions the engine runs tags that stand in the values of others */
  constructor(hasActions: boolean) {
    this.#hasActions = hasActions;
  }

  read(text: string): void {
    for (let i = 0; i < text.length; i++) i += this.#step(text, i);
  }

  /** Something is put in here. */
  fill(): void {
    if (this.#in === "value") this.#value += "_";
  }

  /** The quote that what is put in here stands in, or none. */
  get quote(): string {
    return this.#in === "value" ? this.#quote : this.#in === "script" ? this.#code : "";
  }

  get place(): HtmlPlace {
    const place = this.#around();
    if (this.#action === null) return place;
    return this.#escapes && (place === "url" || place === "script") ? place : "none";
  }

  #around(): HtmlPlace {
    if (this.#in === "script") return this.#inScript();
    if (this.#in === "attribute" || this.#in === "tag") return this.#tag.includes(":") ? "none" : "name";
    if (this.#in !== "value") return "text";
    if (this.#tag.includes(":") || this.#attribute.startsWith("th:")) return "none";
    if (/^on[a-z]+$/.test(this.#attribute)) return "script";
    if (this.#value === "" && this.#takesAddress()) return "url";
    return this.#quote === "" ? "unquoted" : "value";
  }

  #takesAddress(): boolean {
    return (
      (addresses.has(this.#attribute) && this.#tag !== "link") ||
      ((this.#attribute === "src" || this.#attribute === "data") && loading.has(this.#tag))
    );
  }

  #inScript(): HtmlPlace {
    if (this.#code === "'" || this.#code === '"') return "string";
    return this.#code === "//" || this.#code === "/*" ? "text" : "script";
  }

  /** @returns how many further characters were taken */
  #step(text: string, i: number): number {
    const char = text[i] as string;
    switch (this.#in) {
      case "text":
        return this.#inText(text, i, char);
      case "comment":
        if (char === "-" && text.startsWith("-->", i)) this.#in = "text";
        return 0;
      case "script":
        return this.#isOfAction(text, i) ? 0 : this.#stepScript(text, i, char);
      case "tag":
        if (char === ">") this.#leaveTag();
        else if (/[^\s/]/.test(char)) {
          this.#in = "attribute";
          this.#attribute = char.toLowerCase();
        }
        return 0;
      case "attribute":
        if (char === ">") this.#leaveTag();
        else if (char === "=") {
          const [, quote = ""] = text.slice(i + 1, i + 20).match(/^\s*(["'])/) ?? [];
          this.#in = "value";
          this.#quote = quote;
          this.#value = "";
          return quote === "" ? 0 : text.indexOf(quote, i) - i;
        } else if (/\s/.test(char)) this.#in = "tag";
        else if (this.#attribute.length < 40) this.#attribute += char.toLowerCase();
        return 0;
      case "value":
        if (this.#isOfAction(text, i)) return 0;
        if (char === this.#quote) this.#in = "tag";
        else if (this.#quote === "" && char === ">") this.#leaveTag();
        else if (this.#quote === "" && /\s/.test(char)) this.#in = this.#value === "" ? "value" : "tag";
        else if (this.#value.length < 20) this.#value += char;
        return 0;
    }
  }

  #inText(text: string, i: number, char: string): number {
    if (char !== "<") return 0;
    if (text.startsWith("<!--", i)) {
      this.#in = "comment";
      return 3;
    }
    const [all, name] = text.slice(i, i + 60).match(/^<\/?([A-Za-z][\w:.-]*)/) ?? [];
    if (all === undefined || name === undefined) return 0;
    this.#tag = all.startsWith("</") ? "" : name.toLowerCase();
    this.#in = "tag";
    return all.length - 1;
  }

  /** `<input value="<c:out value="${x}"/>">`: quotes of the action are its own. */
  #isOfAction(text: string, i: number): boolean {
    const char = text[i] as string;
    if (this.#action === null) {
      const name = this.#hasActions && char === "<" ? text.slice(i, i + 24).match(/^<(\w{1,20}:\w+)/)?.[1] : undefined;
      if (name === undefined) return false;
      this.#action = "";
      this.#escapes = name === "c:out";
    } else if (this.#action !== "") this.#action = char === this.#action ? "" : this.#action;
    else if (char === ">") {
      this.#action = null;
      this.fill();
    } else if (char === '"' || char === "'") this.#action = char;
    return true;
  }

  #leaveTag(): void {
    this.#in = this.#tag === "script" ? "script" : "text";
    this.#code = "";
  }

  #stepScript(text: string, i: number, char: string): number {
    if (char === "<" && /^<\/script/i.test(text.slice(i, i + 8))) {
      this.#in = "tag";
      this.#tag = "";
      return 7;
    }
    const open = this.#code;
    if (open === "") {
      if (char === "/" && (text[i + 1] === "/" || text[i + 1] === "*")) {
        this.#code = `/${text[i + 1]}`;
        return 1;
      }
      if (char === '"' || char === "'" || char === "`") this.#code = char;
      return 0;
    }
    if (char === "\\") return 1;
    const ends = open === "/*" ? text.startsWith("*/", i) : char === "\n" ? open !== "`" : char === open;
    if (ends) this.#code = "";
    return 0;
  }
}
