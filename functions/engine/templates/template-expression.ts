import type { Span } from "../ir/ir.ts";
import { isFreemarker, type TemplateFormat } from "./template-format.ts";
import { handedTo, join, type Lookup, marked, member, plainRead, type Reads } from "./template-reads.ts";
import { type Token, tokensOf } from "./template-tokens.ts";
import { effectOf, ownNames } from "./template-words.ts";

/** Numbers, and what the author of a form says of its fields. */
const aboutFields = /^(length|size|count|help_text|id_for_label|html_name)$/;
const isAboutField = (owner: string, name: string): boolean =>
  aboutFields.test(name) || (name === "label" && owner.endsWith("field"));

/** `form.day(class="wide")`: a field that is called writes its widget, and escapes what stands in it. */
const isWidget = (owner: string, name: string): boolean => /(^|_)form$/i.test(owner) && !/^(get|pop|data)$/.test(name);

/** Deeper nesting is not written by people. */
const depthMax = 60;

const comparisons = new Set(
  "== != === !== < > <= >= in not is instanceof eq ne lt gt le ge matches starts ends".split(" "),
);

const showsArguments = /^(default|d|default_if_none|replace|format|join|concat|append|prepend|add|merge|cat)$/;

/** Reads an expression of a template for the names that its value is made of. What it cannot make sense of, it passes over. */
export function readsOf(text: string, span: Span, format: TemplateFormat, lookup: Lookup): Reads {
  return new ExpressionReader(text, span, format, lookup).all();
}

class ExpressionReader {
  readonly #text: string;
  readonly #tokens: Token[];
  readonly #format: TemplateFormat;
  readonly #lookup: Lookup;
  #at = 0;
  #depth = 0;

  constructor(text: string, span: Span, format: TemplateFormat, lookup: Lookup) {
    this.#text = text;
    this.#tokens = tokensOf(text, span, format);
    this.#format = format;
    this.#lookup = lookup;
  }

  all(): Reads {
    const found = [this.#expression()];
    // What is left after something unknown still may be shown.
    while (this.#at < this.#tokens.length) {
      // `<%= "active" if params[:days] == "30" %>` shows no condition.
      if (this.#format === "erb" && /^(if|unless)$/.test(this.#next)) break;
      const before = this.#at;
      found.push(this.#expression());
      if (this.#at === before) this.#at++;
    }
    return join(...found);
  }

  get #next(): string {
    return this.#tokens[this.#at]?.text ?? "";
  }

  #take(...wanted: string[]): boolean {
    if (!wanted.includes(this.#next) || this.#next === "") return false;
    this.#at++;
    return true;
  }

  #expression(): Reads {
    if (this.#depth >= depthMax) {
      this.#at = this.#tokens.length;
      return [];
    }
    this.#depth++;
    let value = this.#or();
    if (this.#take("?")) {
      // `a ?: b` shows either, `a ? b : c` never the first.
      const then = this.#next === ":" ? value : this.#expression();
      this.#take(":");
      value = join(then, this.#expression());
    } else if (this.#format !== "erb" && this.#take("if")) {
      this.#or();
      value = this.#take("else") ? join(value, this.#expression()) : value;
    }
    this.#depth--;
    return value;
  }

  #or(): Reads {
    let value = this.#and();
    while (this.#take("or", "||", "??")) value = join(value, this.#and());
    return value;
  }

  #and(): Reads {
    let value = this.#comparison();
    while (this.#take("and", "&&")) value = this.#comparison();
    return value;
  }

  #comparison(): Reads {
    let value = this.#sum();
    while (comparisons.has(this.#next)) {
      while (comparisons.has(this.#next)) this.#at++;
      this.#sum();
      value = [];
    }
    return value;
  }

  #sum(): Reads {
    let value = this.#unary();
    for (;;) {
      if (this.#take("+", "~", "%") || (this.#format === "blade" && this.#take(".")))
        value = join(value, this.#unary());
      else if (this.#take("-", "*", "/")) {
        this.#unary();
        value = [];
      } else return value;
    }
  }

  #unary(): Reads {
    if (this.#take("not", "!", "-")) {
      this.#unary();
      return [];
    }
    while (this.#take("new", "await", "&", "=")) {
      // Says nothing about the value.
    }
    return this.#postfix();
  }

  /** @param filtered false for what a filter is told: a filter behind it is the next of the row */
  #postfix(filtered = true): Reads {
    const start = this.#at;
    let value = this.#primary();
    for (;;) {
      const token = this.#next;
      if (token === "." || token === "?." || token === "->" || token === "::") {
        if (token === "." && this.#format === "blade") return value;
        this.#at++;
        const name = this.#tokens[this.#at++]?.text ?? "";
        const owner = this.#nameBefore(start);
        if (owner === "request" && name === "getAttribute") value = this.#attribute();
        else if (this.#next === "(" && this.#format === "jinja" && isWidget(owner, name)) {
          this.#arguments();
          value = marked(value, "clean");
        } else if (this.#next === "(") value = this.#call(`${owner}.${name}`, member(value, name), this.#arguments());
        else if (this.#format === "erb") value = this.#call(name, member(value, name), []);
        else value = isAboutField(owner, name) ? [] : member(value, name);
      } else if (token === "[") {
        this.#at++;
        const key = this.#next;
        const index = this.#at;
        this.#expression();
        this.#take("]");
        value = this.#at > index ? member(value, key.replace(/^[:"'`]|["'`]$/g, "")) : value;
      } else if (token === "|" && filtered && !["blade", "erb", "ejs", "pug"].includes(this.#format)) {
        this.#at++;
        const name = (this.#tokens[this.#at++]?.text ?? "").replace(/^@/, "");
        const args = this.#next === "(" ? this.#arguments() : [];
        while (this.#take(":")) args.push(this.#postfix(false));
        // What a filter is told is not shown, but for the few that put it into the text.
        value = this.#call(name, value, showsArguments.test(name) ? args : []);
      } else if (token === "?" && isFreemarker(this.#format)) {
        this.#at++;
        const name = this.#tokens[this.#at++]?.text ?? "";
        if (this.#next === "(") this.#arguments();
        value = builtIn(name, value);
      } else if (token === "!" && isFreemarker(this.#format)) {
        this.#at++;
        value = join(value, this.#primary());
      } else return value;
    }
  }

  /** What code has put into the request for the page: `request.getAttribute("note")` is `note`. */
  #attribute(): Reads {
    const key = this.#tokens[this.#at + 1];
    this.#arguments();
    const name = key?.text.match(/^"(\w+)"$/)?.[1];
    if (!key || name === undefined) return [];
    return this.#lookup(name, key) ?? [plainRead(name, key)];
  }

  /** The name written before a call: `JSON` of `JSON.stringify(a)`. */
  #nameBefore(start: number): string {
    const first = this.#tokens[start]?.text ?? "";
    return /^[\p{L}_]/u.test(first) ? first : "";
  }

  #arguments(): Reads[] {
    const found: Reads[] = [];
    this.#take("(");
    while (this.#at < this.#tokens.length && !this.#take(")")) {
      const before = this.#at;
      // A named argument: the name is not shown.
      const named = /^[=:]$/.test(this.#tokens[this.#at + 1]?.text ?? "") && /^[\w"']/.test(this.#next);
      if (named) this.#at += 2;
      found.push(this.#expression());
      this.#take(",", "=>");
      if (this.#at === before) this.#at++;
    }
    return found;
  }

  /** What a filter or function makes of its operand and arguments. */
  #call(name: string, of: Reads, args: readonly Reads[]): Reads {
    const given = join(of, ...args);
    switch (effectOf(name, this.#format)) {
      case "nothing":
        return [];
      case "raw":
        return marked(given, "raw");
      case "clean":
        return marked(given, "clean");
      case "encoded":
        return given.map((read) => ({ ...read, state: "clean" }));
      case "json":
        return marked(given, "json");
      default:
        return this.#handed(name, of, args);
    }
  }

  /** A function of Ruby may be one of any helper, one of other engines one that the application has made known. */
  #handed(name: string, of: Reads, args: readonly Reads[]): Reads {
    if (this.#format !== "erb" && (this.#format !== "jinja" || name.includes("."))) return join(of, ...args);
    const own = this.#format === "erb" || of.length === 0 ? of : handedTo(of, name, 0);
    const first = own === of ? 0 : 1;
    return join(own, ...args.map((arg, i) => handedTo(arg, name, first + i)));
  }

  #primary(): Reads {
    const token = this.#tokens[this.#at];
    if (!token) return [];
    const { text } = token;
    if (text === "(" || text === "[" || text === "{") return this.#group(text);
    if (text.startsWith("`")) return this.#interpolated(token);
    if (text.startsWith('"') && (this.#format === "erb" || this.#format === "blade")) return this.#interpolated(token);
    if (text === ":" && this.#format === "erb") {
      this.#at += 2;
      return [];
    }
    if (text.startsWith("../")) return this.#above(token);
    if (!/^[@$]*[\p{L}_]/u.test(text)) {
      if (!/^[)\]},;:?]$/.test(text)) this.#at++;
      return [];
    }
    this.#at++;
    const name = text.replace(/^[@$]+/, "");
    if (this.#next === "(") return this.#function(token, name, this.#arguments());
    if (this.#format === "erb" && text === name && this.#commands(name)) return this.#command(name);
    const bound = this.#lookup(name, token);
    if (bound) return bound;
    return ownNames.has(text) ? [] : [plainRead(name, token)];
  }

  /** Handlebars: a name of what is around the block. */
  #above({ text, start }: Token): Reads {
    this.#at++;
    const token = this.#tokens[this.#at++];
    const name = token?.text ?? "";
    const end = token?.end ?? start;
    return this.#lookup(text + name, { start, end }) ?? [plainRead(name, { start, end })];
  }

  #function(token: Token, name: string, args: readonly Reads[]): Reads {
    // Laravel's `request('q')`: the function is the request.
    if (effectOf(name) === "request")
      return [plainRead("request()", { start: token.start, end: this.#tokens[this.#at - 1]?.end ?? token.end })];
    return this.#call(name, [], args);
  }

  /** Ruby calls without parentheses: what follows on the line are arguments. */
  #commands(name: string): boolean {
    return effectOf(name) !== "same" && effectOf(name) !== "request"
      ? /^["'@:\p{L}(]/u.test(this.#next)
      : /^(link_to|content_tag|button_to|t|truncate|mail_to|label|image_tag|concat)$/.test(name) ||
          (/^["'@\p{L}_]/u.test(this.#next) && !rubyWords.test(this.#next));
  }

  #command(name: string): Reads {
    const args: Reads[] = [];
    do args.push(this.#expression());
    while (this.#take(",") && this.#at < this.#tokens.length);
    return this.#call(name, [], args);
  }

  #group(open: string): Reads {
    this.#at++;
    const close = open === "(" ? ")" : open === "[" ? "]" : "}";
    const found: Reads[] = [];
    while (this.#at < this.#tokens.length && !this.#take(close)) {
      const before = this.#at;
      found.push(this.#expression());
      this.#take(",", ":", "=>");
      if (this.#at === before) this.#at++;
    }
    return join(...found);
  }

  /** Text with holes. */
  #interpolated({ text, start }: Token): Reads {
    this.#at++;
    const found: Reads[] = [];
    for (const hole of text.matchAll(/[$#]\{([^{}]*)\}|\{(\$[^{}]*)\}|(\$\w+)/g)) {
      const inside = hole[1] ?? hole[2] ?? hole[3] ?? "";
      const at = start + hole.index + hole[0].indexOf(inside);
      const span = { start: at, end: at + inside.length };
      if (inside !== "") found.push(readsOf(this.#text, span, this.#format, this.#lookup));
    }
    return join(...found);
  }
}

/** What may follow a value without being given to it. */
const rubyWords = /^(if|unless|and|or|do|then|else|elsif|end|while|until|in|rescue|not|when)$/;

/** What FreeMarker makes of a value: `${name?html}`. */
function builtIn(name: string, value: Reads): Reads {
  if (name === "no_esc") return marked(value, "raw");
  if (/^(html|xhtml|xml|rtf|esc|url|url_path|js_string|json_string|j_string)$/.test(name))
    return marked(value, "clean");
  if (
    /^(c|size|length|number|index|counter|date|time|datetime|has_content|is_\w+|index_of|starts_with|contains|exists)$/.test(
      name,
    )
  )
    return [];
  return value;
}
